# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inodes: attributes, contents, extents and changes of one file."""

from __future__ import annotations

import operator
import os
import stat as stat_module
import struct
from typing import TYPE_CHECKING, Any, Iterator, Literal, Sequence

from . import enums, errors, format, records, results
from ._core import Handle, ffi, lib, number, put, raw_bytes, sized, visitor
from .context import Closable
from .directory import DirEntry, DirReader, ErrorHandler
from .io import InodeIO
from .moment import Moment, split_any
from .name_text import decode_name, encode_name, permissions
from .records import InodeFields
from .xattrs import Xattrs

if TYPE_CHECKING:
    from .volume import Volume

_INODE = format.structs["inode"]
_EXTRA = format.structs["inode_extra"]
_FOOTER = format.structs["node_footer"]
_WHOLE_BYTES = 1 << 30  # read at once without asking

_DIGESTS: dict[str, int] = {
    "md5": lib.F2FS_DIGEST_MD5,
    "sha1": lib.F2FS_DIGEST_SHA1,
    "sha256": lib.F2FS_DIGEST_SHA256,
    "sha512": lib.F2FS_DIGEST_SHA512,
    "crc32": 0,
}
_DEFAULT_DIGEST: tuple[DigestName, ...] = ("sha256",)
DigestName = Literal["md5", "sha1", "sha256", "sha512", "crc32"]
CompressionName = Literal["lzo", "lz4", "zstd", "lzo-rle"]
_PIN_FILE = int(enums.InlineFlag.PIN_FILE)


def make_compression(algorithm: str, level: int, log_cluster: int, checksum: bool) -> Any:
    """Return struct f2fs_compression * for the arguments of `Inode.compress()`."""
    found = lib.f2fs_compress_find(encode_name(algorithm))
    if found < 0:
        raise ValueError(f"there is no compression algorithm {algorithm!r}")
    how = ffi.new("struct f2fs_compression *", {"algorithm": found, "checksum": checksum})
    put(how, level=level, log_cluster=log_cluster)
    return how


class Inode(Closable, InodeFields):
    """A file of any kind: its attributes, contents and places on the device.

    Fields of the format are attributes (`inode.i_size`, `inode.i_flags`), see `fields()`.
    """

    __slots__ = ("_volume", "_number", "_raw", "_fields", "_epoch")

    def __init__(self, volume: Volume, handle: Handle) -> None:
        """Not for users: volumes open inodes."""
        self._volume = volume
        self._handle = handle
        self._number = int(handle.get(lib.f2fs_inode_number))
        self._raw: bytes | None = None
        self._fields: dict[str, Any] | None = None
        self._epoch = volume._epoch  # of _raw and _fields

    @property
    def number(self) -> int:
        """Inode number."""
        return self._number

    @property
    def volume(self) -> Volume:
        """The volume it belongs to."""
        return self._volume

    @property
    def is_past(self) -> bool:
        """Is it an old version, see `Volume.inode_at()`?"""
        return bool(self._handle.get(lib.f2fs_inode_is_past))

    @property
    def address(self) -> int:
        """Block that it was read from. If it changed since the last commit, the block before that change."""
        return int(self._handle.get(lib.f2fs_inode_address))

    # As stored.

    @property
    def raw(self) -> bytes:
        """The inode block."""
        epoch = self._volume._epoch
        if self._epoch != epoch:
            self._stat()  # takes the block as it is now
            self._raw = self._fields = None
            self._epoch = epoch
        found: bytes | None = self._raw
        if found is None:
            size = self._volume.geometry.block_size

            def copy(pointer: Any) -> bytes:
                return bytes(ffi.buffer(lib.f2fs_inode_raw(pointer), size))

            self._raw = found = bytes(self._handle.get(copy))
        return found

    @property
    def layout(self) -> results.InodeLayout:
        """How the inode's block is divided."""
        row = ffi.new("struct f2fs_inode_layout *")
        block = ffi.from_buffer("uint8_t[]", self.raw)

        def divide(pointer: Any) -> None:
            lib.f2fs_inode_layout(lib.f2fs_volume_geometry(lib.f2fs_inode_volume(pointer)), block, row)

        self._handle.get(divide)
        return results.from_c(results.InodeLayout, row)

    def fields(self) -> dict[str, Any]:
        """Return every field of the inode by name: the fixed head, the extra attributes that exist, and the words of
        i_addr and i_nid. i_addr starts at the slots: block addresses, or inline contents in their place."""
        raw = self.raw
        if self._fields is None:
            layout = self.layout
            found = _INODE.unpack(raw)
            if layout.extra_size:
                extra = _EXTRA.unpack(raw, layout.extra_offset)
                for field in _EXTRA.fields.values():
                    if field.offset + field.size <= layout.extra_size:
                        found[field.name] = extra[field.name]
            words = (layout.nid_offset - layout.slot_offset) // 4
            found["i_addr"] = struct.unpack_from(f"<{words}I", raw, layout.slot_offset)
            found["i_nid"] = struct.unpack_from("<5I", raw, layout.nid_offset)
            self._fields = found
        return dict(self._fields)

    if not TYPE_CHECKING:  # type checkers know the fields from records.pyi

        def __getattr__(self, name: str) -> Any:
            if name.startswith("i_"):
                try:
                    return self.fields()[name]
                except KeyError:
                    pass
            raise AttributeError(f"inode has no attribute {name}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *([] if self.closed else self.fields())]

    @property
    def footer(self) -> records.NodeFooter:
        """The node's footer."""
        found: records.NodeFooter = _FOOTER.record(self.raw, len(self.raw) - _FOOTER.size)
        return found

    # Type and attributes.

    def _stat(self) -> Any:
        row = ffi.new("struct f2fs_stat *")
        self._handle.call(lib.f2fs_inode_stat, row)
        return row

    def stat(self) -> results.StatResult:
        """Return what stat(2) shows, times in nanoseconds included."""
        return results.make_stat(self._stat(), self._volume.geometry.block_size)

    @property
    def mode(self) -> int:
        """Type and permissions as in st_mode."""
        return int(self._stat().mode)

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self._stat().size)

    def is_dir(self) -> bool:
        """Is it a directory?"""
        return stat_module.S_ISDIR(self.mode)

    def is_file(self) -> bool:
        """Is it a regular file?"""
        return stat_module.S_ISREG(self.mode)

    def is_symlink(self) -> bool:
        """Is it a symbolic link?"""
        return stat_module.S_ISLNK(self.mode)

    @property
    def is_encrypted(self) -> bool:
        """Is it encrypted?"""
        return bool(self._stat().is_encrypted)

    @property
    def is_compressed(self) -> bool:
        """Is it a compressed file?"""
        return bool(self._stat().is_compressed)

    @property
    def is_casefold(self) -> bool:
        """Is it a case-insensitive directory?"""
        return bool(self._stat().is_casefold)

    @property
    def is_inline(self) -> bool:
        """Are its contents or entries inside the inode?"""
        return bool(self._stat().is_inline)

    @property
    def is_pinned(self) -> bool:
        """Is it pinned: do its blocks keep their addresses?"""
        return bool(self._stat().inline_flags & _PIN_FILE)

    @property
    def gc_failures(self) -> int:
        """How often the kernel's GC could not empty a segment because of this pinned file."""
        return int(self.i_current_depth) & 0xFFFF if self.is_file() else 0

    @property
    def is_verity(self) -> bool:
        """Is fs-verity enabled?"""
        return bool(self._stat().is_verity)

    @property
    def path(self) -> str:
        """A path to it, found through its parents. NotFoundError for orphans."""
        size = 4096
        while True:
            buffer = ffi.new("char[]", size)
            try:
                self._handle.call(lib.f2fs_inode_path, buffer, size)
                return decode_name(ffi.string(buffer))
            except errors.Error as error:
                if error.code != lib.F2FS_ERR_RANGE or size >= 1 << 20:
                    raise
            size *= 4

    @property
    def xattrs(self) -> Xattrs:
        """Extended attributes as a mapping."""
        return Xattrs(self)

    # Contents.

    def open(self, mode: str = "rb") -> InodeIO:
        """Open the contents as a raw binary file object, see `InodeIO`. IsDirError for directories."""
        if self.is_dir():
            raise errors.make(lib.F2FS_ERR_IS_DIR, f"inode {self.number} is a directory")
        return InodeIO(self, mode)

    def _need_length(self, max_bytes: int | None) -> None:
        """Refuse contents longer than max_bytes. Without it, refuse contents longer than 1 GiB and than the volume."""
        if max_bytes is None:
            max_bytes = max(_WHOLE_BYTES, self._volume.geometry.block_count * self._volume.geometry.block_size)
        if self.size > max_bytes:
            message = (f"inode {self.number} has {self.size} bytes, more than {max_bytes}: pass max_bytes to have them all, "
                       "or open() it and read it in pieces")
            raise errors.make(lib.F2FS_ERR_TOO_BIG, message)

    def read_bytes(self, max_bytes: int | None = None) -> bytes:
        """Return the whole contents.

        TooBigError when they are longer than max_bytes, or without it, longer than 1 GiB and than the whole volume. A
        hole of terabytes takes no room in an image, but it would take all memory here.
        """
        with self.open() as file:
            self._need_length(max_bytes)
            return file.readall()

    def digests(self, *names: DigestName) -> dict[str, str]:
        """Return digests of the contents in hexadecimal, computed in one pass in bounded memory.

        names: "md5", "sha1", "sha256", "sha512", "crc32"; "sha256" when none is given. UnsupportedError for those that need
        OpenSSL in a library that is built without it.
        """
        wanted = 0
        for name in names or _DEFAULT_DIGEST:
            if name not in _DIGESTS:
                raise ValueError(f"there is no digest {name!r}: it is one of {', '.join(_DIGESTS)}")
            wanted |= _DIGESTS[name]
        row = sized("struct f2fs_digests *")
        self._handle.call(lib.f2fs_inode_digest, wanted, row)
        return {name: f"{row.crc32:08x}" if name == "crc32" else bytes(getattr(row, name)).hex() for name in names or _DEFAULT_DIGEST}

    def read_raw(self, offset: int, length: int) -> bytes:
        """Return up to length bytes as stored, also beyond the end of the file and without decryption."""
        done = ffi.new("size_t *")
        buffer = bytearray(number(length, "length"))
        self._handle.call(lib.f2fs_inode_read_raw, number(offset, "offset"), ffi.from_buffer(buffer), length, done)
        return bytes(memoryview(buffer)[: done[0]])

    def readlink(self) -> str:
        """Return the target of a symbolic link."""
        return decode_name(self.readlink_bytes())

    def readlink_bytes(self) -> bytes:
        """Return the target of a symbolic link as bytes."""
        size = self._volume.geometry.block_size + 1
        buffer = ffi.new("char[]", size)
        length = ffi.new("size_t *")
        self._handle.call(lib.f2fs_inode_readlink, buffer, size, length)
        return bytes(ffi.buffer(buffer, length[0]))

    def iterdir(self, *, dots: bool = False, onerror: ErrorHandler | None = None) -> DirReader:
        """Return an iterator over the entries of a directory.

        Args:
            dots: give "." and ".." too.
            onerror: called with the error of a damaged entry, and the iteration continues. Without it the error is
                raised.
        """
        return DirReader(self, dots, onerror)

    def entry(self, name: str | bytes) -> DirEntry:
        """Look a name up in a directory, by hash as the kernel does.

        NotFoundError, NotDirError; EncryptedError for a name in clear without the key.
        """
        raw = encode_name(name)
        row = ffi.new("struct f2fs_dirent *")
        with errors.naming(name):
            self._handle.call(lib.f2fs_dir_lookup, raw, len(raw), row)
        return DirEntry(self, row)

    # Changes.

    def _change(self, function: Any, *arguments: Any) -> None:
        self._volume._change(self._handle, function, *arguments)

    def _other(self, inode: Inode) -> Handle:
        """Return the handle of another inode of the same volume."""
        if inode._volume is not self._volume:
            raise ValueError("the inodes belong to different volumes")
        return inode._handle

    def pwrite(self, data: Any, offset: int) -> int:
        """Write all of data at a byte offset of a regular file. Return its length in bytes."""
        number(offset, "offset")
        with raw_bytes(data) as pointer:
            self._change(lib.f2fs_inode_write, offset, pointer, len(pointer))
            return len(pointer)

    def truncate(self, size: int) -> None:
        """Set the size of a regular file."""
        self._change(lib.f2fs_inode_truncate, number(size, "size"))

    def fallocate(self, offset: int, length: int, flags: enums.FallocateFlag | int = 0) -> None:
        """Reserve a range of a regular file, or change it by the operation in flags, as fallocate(2) does."""
        self._change(lib.f2fs_fallocate, int(flags), number(offset, "offset"), number(length, "length"))

    def pwrite_atomic(self, parts: Sequence[tuple[int, Any]]) -> None:
        """Write several pieces (byte offset, data) and make the file durable. A power cut leaves all of them or
        none."""
        rows = ffi.new("struct f2fs_write_part[]", len(parts))
        buffers = [raw_bytes(data) for _, data in parts]
        for row, (offset, _), buffer in zip(rows, parts, buffers):
            row.offset, row.data, row.length = number(offset, "offset"), buffer, len(buffer)
        self._change(lib.f2fs_inode_write_atomic, rows, len(parts))
        self._volume._forget_checkpoint()

    def fsync(self, *, data_only: bool = False) -> None:
        """Make this file durable at once, so that a recovery restores it if the volume is not committed.

        If no recovery could restore the file, commit all changes of the volume. fsync_reason() reports that in advance.

        data_only: as fdatasync(2), do not write for the sake of times alone.
        """
        self._change(lib.f2fs_fsync, lib.F2FS_FSYNC_DATA if data_only else 0)
        self._volume._forget_checkpoint()

    def fsync_reason(self) -> enums.FsyncReason:
        """Return the reason for which fsync() would have to commit all changes, or NONE."""
        reason = ffi.new("int *")
        self._handle.call(lib.f2fs_fsync_reason, reason)
        return enums.FsyncReason(reason[0])

    def set(
        self,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
        atime_ns: Moment | None = None,
        mtime_ns: Moment | None = None,
        ctime_ns: Moment | None = None,
        crtime_ns: Moment | None = None,
        projid: int | None = None,
        flags: enums.InodeFlag | int | None = None,
        pin: bool | None = None,
    ) -> None:
        """Set the given attributes: permissions (the type stays), owner, times, project, flags.

        Times are whole nanoseconds since 1970, or datetimes with a time zone. Anything else is a TypeError.

        pin: keep the blocks of a regular file where they are. fallocate() then chooses contiguous blocks.
        """
        row = ffi.new("struct f2fs_stat *")
        which = 0
        if mode is not None:
            permissions(mode)
        if pin is not None:
            row.inline_flags = _PIN_FILE if pin else 0
            which = lib.F2FS_SET_PIN
        for name, value in (("mode", mode), ("uid", uid), ("gid", gid), ("projid", projid), ("flags", flags)):
            if value is not None:
                put(row, **{name: operator.index(value)})
                which |= getattr(lib, f"F2FS_SET_{name.upper()}")
        for name, time in (("atime", atime_ns), ("mtime", mtime_ns), ("ctime", ctime_ns), ("crtime", crtime_ns)):
            if time is not None:
                moment = getattr(row, name)
                moment.seconds, moment.nanoseconds = split_any(time, f"{name}_ns")
                which |= getattr(lib, f"F2FS_SET_{name.upper()}")
        self._change(lib.f2fs_inode_set, which, row)

    def create(
        self,
        name: str | bytes | None,
        mode: int = stat_module.S_IFREG | 0o644,
        *,
        uid: int = 0,
        gid: int = 0,
        device: int = 0,
        target: str | bytes | None = None,
        umask: int = 0,
        exact: bool = False,
        dir_level: int = 0,
    ) -> Inode:
        """Make an inode of any type under a name in this directory. ExistsError, NotDirError, NospcError.

        Args:
            name: one component. None: a regular file without a name, as O_TMPFILE makes it. link() gives it one;
                else it goes when it is closed.
            mode: type and permissions as in st_mode.
            uid, gid: its owner.
            device: number of a device, as os.makedev() makes it.
            target: of a symbolic link.
            umask: permissions to remove, unless this directory has a default ACL, which decides then.
            exact: do not ask a default ACL: the permissions are those of mode.
            dir_level: of a directory, 0 to 16: its first hash table has 2 to the power of that many buckets. Look-ups in
                a large directory then read fewer blocks.
        """
        raw = ffi.NULL if name is None else encode_name(name)
        spec = sized("struct f2fs_new *")
        put(spec, mode=number(mode, "mode", 16), uid=uid, gid=gid, umask=permissions(umask, "umask"))
        put(spec, dir_level=dir_level)
        spec.flags = (lib.F2FS_NEW_EXACT if exact else 0) | (lib.F2FS_NEW_UNNAMED if name is None else 0)
        spec.rdev_major, spec.rdev_minor = os.major(device), os.minor(device)
        moment = self._volume._now()
        spec.atime = spec.mtime = spec.ctime = spec.crtime = moment[0]
        if target is not None:
            kept = ffi.new("char[]", encode_name(target))
            spec.target, spec.target_length = kept, len(kept) - 1
        self._volume._prepare()
        with errors.naming(name):
            handle = self._handle.open(
                "inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_create, raw, len(raw) if raw else 0, spec, parent=self._volume._handle
            )
        self._volume._count_change()
        return Inode(self._volume, handle)

    def link(self, name: str | bytes, inode: Inode) -> None:
        """Give a file a further name, or its first one, in this directory."""
        raw, other = encode_name(name), self._other(inode)
        with errors.naming(name):
            self._change(lambda here: int(lib.f2fs_link(here, raw, len(raw), other.held())))

    def remove(self, name: str | bytes) -> None:
        """Remove a name from this directory; a directory must be empty (NotEmptyError)."""
        raw = encode_name(name)
        with errors.naming(name):
            self._change(lib.f2fs_remove, raw, len(raw))

    def rename(
        self, name: str | bytes, directory: Inode, new_name: str | bytes, flags: enums.RenameFlag | int = 0
    ) -> None:
        """Rename an entry of this directory. A file with the new name is replaced, as by rename(2)."""
        raw, new, to = encode_name(name), encode_name(new_name), self._other(directory)
        with errors.naming(name, new_name):
            self._change(lambda here: int(lib.f2fs_rename(here, raw, len(raw), to.held(), new, len(new), int(flags))))

    # Places on the device.

    def extent(self, file_block: int) -> results.Extent:
        """Return the extent that holds a file block. NotFoundError past the last one."""
        row = ffi.new("struct f2fs_file_extent *")
        self._handle.call(lib.f2fs_inode_extent, number(file_block, "file_block"), row)
        return results.Extent(row.file_block, row.count, row.addr, row.stored, enums.ExtentKind(row.kind))

    def extents(self) -> Iterator[results.Extent]:
        """Yield the extents from file block 0 on, holes included."""
        block = 0
        while True:
            try:
                extent = self.extent(block)
            except errors.Error as error:
                if error.code == lib.F2FS_ERR_NOT_FOUND:
                    return
                raise
            yield extent
            after = extent.file_block + extent.count
            if after <= block:
                return
            block = after

    def block_addr(self, file_block: int) -> int:
        """Return the block address of a file block as its slot says: 0 hole, NEW_ADDR, COMPRESS_ADDR, or a block."""
        out = ffi.new("f2fs_blk_t *")
        self._handle.call(lib.f2fs_inode_block, number(file_block, "file_block"), out)
        return int(out[0])

    def nodes(self) -> list[results.NodeInfo]:
        """Return the nodes of the file: the inode first, then by place in the tree, the xattr node last."""
        found: list[results.NodeInfo] = []
        user = visitor(
            self._handle.core.hooks, lambda row: found.append(results.from_c(results.NodeInfo, row))
        )
        self._handle.call(lib.f2fs_inode_list_nodes, lib.py_inode_list_nodes_visit, user)
        return found

    # Compression.

    def compress(
        self, algorithm: CompressionName | None = "lz4", level: int = 0, *, log_cluster: int = 2, checksum: bool = False
    ) -> None:
        """Make this file, which must be empty, compressed. For a directory: compress new files in it. None turns it
        off.

        Args:
            algorithm: "lzo", "lz4", "zstd" or "lzo-rle".
            level: 3 to 12 of lz4, 1 to 22 of zstd, 0 for the default.
            log_cluster: 2**log_cluster blocks are compressed together, 2 to 8.
            checksum: store a checksum with each cluster.
        """
        how = ffi.NULL if algorithm is None else make_compression(algorithm, level, log_cluster, checksum)
        self._change(lib.f2fs_compress_set, how)

    def release_compressed(self) -> int:
        """Release the blocks that compression saved, and return their number. After that the file cannot be written."""
        return self._count_blocks(lib.f2fs_compress_release)

    def reserve_compressed(self) -> int:
        """Undo release_compressed()."""
        return self._count_blocks(lib.f2fs_compress_reserve)

    def _count_blocks(self, function: Any) -> int:
        blocks = ffi.new("uint64_t *")
        self._change(function, blocks)
        return int(blocks[0])

    # Encryption.

    def encrypt(
        self,
        key: results.Key,
        *,
        version: int = 2,
        contents: int = 1,
        names: int = 4,
        padding: int = 32,
        flags: int = 0,
        data_unit: int = 0,
    ) -> None:
        """Encrypt an empty directory, and so new files in it, with a key added by `Volume.add_key()`.

        `contents` and `names` are modes as in linux/fscrypt.h: 1 and 4 AES-256 (10: names by HCTR2), 5 and 6 AES-128, 7 and
        8 SM4, 9 and 9 Adiantum. `padding` of names: 4, 8, 16 or 32. `flags`: 4 DIRECT_KEY, 8 and 16 IV_INO_LBLK_64 and
        32. `data_unit`: bytes that are encrypted at once, 0 for a block.
        """
        if padding not in (4, 8, 16, 32):
            raise ValueError(f"names are padded to 4, 8, 16 or 32 bytes, not {padding}")
        policy = ffi.new("struct f2fs_policy *")
        put(policy, version=version, contents_mode=contents, filenames_mode=names)
        policy.flags = number(flags, "flags", 8) | {4: 0, 8: 1, 16: 2, 32: 3}[padding]
        policy.log_data_unit = number(data_unit, "data_unit", 32).bit_length() - 1 if data_unit else 0
        policy.key.identifier, policy.key.descriptor = key.identifier, key.descriptor
        self._change(lib.f2fs_inode_encrypt, policy)

    # fs-verity.

    def enable_verity(self, algorithm: Literal["sha256", "sha512"] = "sha256", *, block_size: int = 4096, salt: bytes = b"") -> None:
        """Enable fs-verity ("sha256" or "sha512"). It is permanent, and the contents cannot be changed any more."""
        numbers = {"sha256": 1, "sha512": 2}
        if algorithm not in numbers:
            raise ValueError(f"there is no hash algorithm {algorithm!r} of fs-verity")
        kept = raw_bytes(salt)
        params = sized("struct f2fs_verity_params *")
        put(params, hash_algorithm=numbers[algorithm], block_size=block_size)
        params.salt, params.salt_size = kept, len(salt)
        self._change(lib.f2fs_verity_enable, params)

    @property
    def verity(self) -> results.Verity | None:
        """The fs-verity parameters; None when verity is not enabled."""
        row = ffi.new("struct f2fs_verity *")
        try:
            self._handle.call(lib.f2fs_verity_get, row)
        except errors.Error as error:
            if error.code == lib.F2FS_ERR_NO_ATTR:
                return None
            raise
        digest = min(row.digest_size, 64)
        return results.Verity(
            row.hash_algorithm,
            row.block_size,
            bytes(ffi.buffer(row.root_hash, digest)),
            bytes(ffi.buffer(row.salt, min(row.salt_size, 32))),
            bytes(ffi.buffer(row.file_digest, digest)),
            row.tree_offset,
            row.tree_size,
            row.descriptor_offset,
            row.signature_size,
        )

    def verify_verity(self) -> None:
        """Check the contents against the Merkle tree. CorruptError (rule VERITY_DIGEST) names the first bad block."""
        self._handle.call(lib.f2fs_verity_verify)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inode) or self._volume is not other._volume or self._number != other._number:
            return False
        return self is other or not (self._handle.gone or other._handle.gone)  # another file may have its number

    def __hash__(self) -> int:
        return hash((id(self._volume), self._number))

    def __repr__(self) -> str:
        return f"<f2fskit.Inode {self._number}{' closed' if self.closed else ''}>"
