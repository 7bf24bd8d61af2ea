# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of a volume: label, UUID, features, keys, limits of quotas."""

from __future__ import annotations

import uuid as uuid_module
from typing import Literal, Sequence

from . import enums, errors, recompress, results
from ._core import ffi, lib, number, put, raw_bytes, sized, uuid_bytes, visitor
from .inode import CompressionName
from .name_text import Patterns, encode_name
from .path import AnyPath
from .volume_base import VolumeBase

_QUOTA_KINDS = ("user", "group", "project")

QuotaKind = Literal["user", "group", "project"]


class VolumeSettings(VolumeBase):
    """The part of a volume with its names, encryption keys and quota limits."""

    __slots__ = ()

    def set_label(self, label: str) -> None:
        """Set the label: at once and durably, not with the next commit."""
        self._need_writable()
        self._handle.call(lib.f2fs_volume_set_label, encode_name(label))
        self._superblock = None

    def set_uuid(self, uuid: uuid_module.UUID, *, force: bool = False, checksum: bool = False) -> None:
        """Set the UUID, at once and durably. Rewrite the checksums of inodes, which depend on it.

        StateError when there are uncommitted changes.

        Args:
            uuid: the new one.
            force: ignore encrypted files whose key depends on the UUID. Without it they are an UnsupportedError.
            checksum: add the feature inode_checksum, which an interrupted change of the UUID may have removed.
        """
        self._need_writable()
        flags = (lib.F2FS_UUID_FORCE if force else 0) | (lib.F2FS_UUID_CHECKSUM if checksum else 0)
        try:
            self._handle.call(lib.f2fs_volume_set_uuid, uuid_bytes(uuid), flags)
        finally:
            self._superblock = None
            self._geometry = results.make_geometry(self._handle.get(lib.f2fs_volume_geometry))
            self._epoch += 1

    def set_features(
        self,
        on: enums.Feature = enums.Feature(0),
        off: enums.Feature = enums.Feature(0),
        *,
        convert: bool = False,
        dry_run: bool = False,
        strict: bool = False,
        hash_only: bool = False,
        large_nat: bool | None = None,
    ) -> results.FeaturesResult:
        """Turn features on and off, at once and durably. Features that others need come with them.

        Existing files keep their contents, names and times. UnsupportedError for features that only mkfs() sets, StateError when
        an inode needs the feature or lacks what it needs (its `ino` names it), and when there are uncommitted changes. With RO,
        changes fail with ReadOnlyError until it is off again. RO stays on where mkfs() made the volume with it.

        PACKED_SSA is for blocks of 16 KiB and moves all tables, so some segments must be free. A pinned file at the start of the
        main area is an UnsupportedError.

        Args:
            on: features to turn on.
            off: features to turn off.
            convert: give extra attributes to inodes that lack them, or with EXTRA_ATTR off, take them from all inodes. Files
                and directories above about 3.4 MB are copied for that. `left` counts those that stay, such as pinned files.
            dry_run: judge and count, and write nothing.
            strict: with CASEFOLD, refuse names that are not valid UTF-8 in folded directories.
            hash_only: with CASEFOLD, see `set_hash_only()`.
            large_nat: turn the checkpoint flag large_nat_bitmap on (True) or off (False). It gives growing room for more node ids.
        """
        if not dry_run:
            self._need_writable()
        options, row = sized("struct f2fs_features_options *"), sized("struct f2fs_features_result *")
        flags = (1 if strict else 0) | (2 if hash_only else 0)
        wish = lib.F2FS_LARGE_NAT_KEEP if large_nat is None else lib.F2FS_LARGE_NAT_ON if large_nat else lib.F2FS_LARGE_NAT_OFF
        put(options, on=int(on), off=int(off), convert=convert, dry_run=dry_run, encoding_flags=flags, large_nat=wish)
        try:
            self._handle.call(lib.f2fs_volume_set_features, options, row)
        finally:
            self._superblock = None
            self._geometry = results.make_geometry(self._handle.get(lib.f2fs_volume_geometry))
            self._epoch += 1
        return results.FeaturesResult(
            enums.Feature(row.before),
            enums.Feature(row.after),
            row.inodes,
            row.left,
            bool(row.large_nat_before),
            bool(row.large_nat_after),
            row.moved_blocks,
            row.won_segments,
        )

    def add_features(self, features: enums.Feature, *, strict: bool = False, hash_only: bool = False) -> None:
        """Turn on features: `set_features()` without its result."""
        self.set_features(features, strict=strict, hash_only=hash_only)

    def compress_files(
        self,
        algorithm: CompressionName | None = "lz4",
        level: int = 0,
        *,
        log_cluster: int = 2,
        checksum: bool = False,
        paths: Sequence[AnyPath] = (),
        include: Patterns = (),
        exclude: Patterns = (),
        directories: bool = False,
        release: bool = False,
        dry_run: bool = False,
    ) -> recompress.CompressFilesResult:
        """Compress files that are there, or make them uncompressed. Contents, holes, names and times stay.

        Files that would win nothing stay as they are. Some files at a time share a commit. An interruption leaves each file in
        its old or its new form, and the same call continues.

        Args:
            algorithm: "lzo", "lz4", "zstd" or "lzo-rle". None: make files uncompressed.
            level, log_cluster, checksum: as of `Inode.compress()`.
            paths: only these files, and the files below these directories.
            include, exclude: only files that match one of the patterns, and without those that do.
            directories: also mark directories, for files that will be made in them.
            release: release the saved blocks. The files cannot be written then.
            dry_run: count, and write nothing.

        Raises:
            UnsupportedError: the volume lacks the feature compression, or this build the algorithm.
            StateError: there are uncommitted changes, or the volume waits for recovery.
            CanceledError: the progress callback asked to stop. Earlier commits stay.
        """
        if not dry_run:
            self._need_writable()
        try:
            return recompress.compress_files(
                self,
                algorithm,
                level,
                log_cluster,
                checksum,
                paths,
                include,
                exclude,
                directories,
                release,
                dry_run,
            )
        finally:
            if not dry_run:
                self._epoch += 1
                self._forget_checkpoint()

    def set_hash_only(self, on: bool) -> None:
        """Look names up by their hash only, on a volume with casefold. The setting is written at once and durably.

        Otherwise a lookup also searches, slowly, for names stored under the hash of another version of Unicode.
        StateError on a volume without casefold, or when there are uncommitted changes.
        """
        self._need_writable()
        self._handle.call(lib.f2fs_volume_set_hash_only, on)
        self._superblock = None

    def add_key(self, key: bytes, name: bytes = b"") -> results.Key:
        """Add a key of encrypted files, 16 to 64 bytes. Their names and contents are then read and written in clear.

        `name` is a descriptor (8 bytes, for policies of version 1, which cannot be checked) or an identifier (16
        bytes). InvalidError when the key does not match the identifier.
        """
        row = ffi.new("struct f2fs_key *")
        bytes_of_key = raw_bytes(key)
        bytes_of_name = ffi.new("uint8_t[]", name) if name else ffi.NULL
        self._handle.call(lib.f2fs_volume_add_key, bytes_of_key, len(key), bytes_of_name, len(name), row)
        self._epoch += 1
        return results.Key(bytes(row.identifier), bytes(row.descriptor), row.size)

    def add_passphrase(self, passphrase: str | bytes, salt: bytes | None = None) -> results.Key:
        """Add the key that f2fscrypt derives from a passphrase and a salt, which is that of the volume by default.

        NotFoundError when the volume has no salt.
        """
        row = ffi.new("struct f2fs_key *")
        phrase = passphrase.encode() if isinstance(passphrase, str) else passphrase
        bytes_of_salt = ffi.NULL if salt is None else ffi.new("uint8_t[]", salt or b"\0")
        self._handle.call(lib.f2fs_volume_add_passphrase, phrase, len(phrase), bytes_of_salt, len(salt or b""), row)
        self._epoch += 1
        return results.Key(bytes(row.identifier), bytes(row.descriptor), row.size)

    def remove_key(self, name: bytes) -> None:
        """Remove the keys of this descriptor or identifier. KeyError when there is none."""
        try:
            self._handle.call(lib.f2fs_volume_remove_key, ffi.new("uint8_t[]", name), len(name))
        except errors.NotFoundError:
            raise KeyError(name) from None
        self._epoch += 1

    @property
    def keys(self) -> list[results.Key]:
        """The keys that were added."""
        found: list[results.Key] = []
        row = ffi.new("struct f2fs_key *")
        while True:
            try:
                self._handle.call(lib.f2fs_volume_key_at, len(found), row)
            except errors.NotFoundError:
                return found
            found.append(results.Key(bytes(row.identifier), bytes(row.descriptor), row.size))

    def quotas(self, kind: QuotaKind) -> list[results.Quota]:
        """Return the entries of the "user", "group" or "project" quota file. NotFoundError when there is none."""
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        found: list[results.Quota] = []
        user = visitor(self._handle.core.hooks, lambda row: found.append(results.from_c(results.Quota, row)))
        self._handle.call(
            lib.f2fs_quota_list, _QUOTA_KINDS.index(kind), lib.py_quota_list_visit, user
        )
        return found

    def set_quota(
        self,
        kind: QuotaKind,
        id: int,
        *,
        space_soft_kib: int | None = None,
        space_hard_kib: int | None = None,
        inodes_soft: int | None = None,
        inodes_hard: int | None = None,
    ) -> None:
        """Set limits of a "user", "group" or "project", for the kernel to enforce. 0: no limit; None: leave it as it
        is.

        The time of grace for a soft limit that is exceeded starts now. The engine itself acts as root and enforces no
        limits.

        Raises:
            NotFoundError: the volume has no such quota file.
            RangeError: a limit cannot be stored. StateError: the quota files wait for a check.
        """
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        quota = ffi.new("struct f2fs_quota *", {"id": number(id, "id", 32)})
        limits = 0
        for name, bit, value in (
            ("space_soft_kib", lib.F2FS_QUOTA_SPACE_SOFT, space_soft_kib),
            ("space_hard_kib", lib.F2FS_QUOTA_SPACE_HARD, space_hard_kib),
            ("inodes_soft", lib.F2FS_QUOTA_INODES_SOFT, inodes_soft),
            ("inodes_hard", lib.F2FS_QUOTA_INODES_HARD, inodes_hard),
        ):
            if value is not None:
                put(quota, **{name: value})
                limits |= bit
        self._change(self._handle, lib.f2fs_quota_set, _QUOTA_KINDS.index(kind), limits, quota)

    def quota_grace(self, kind: QuotaKind) -> tuple[int, int]:
        """Return the seconds for which a "user", "group" or "project" may exceed its soft limits of space and of
        inodes."""
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        grace = sized("struct f2fs_quota_grace *")
        self._handle.call(lib.f2fs_quota_grace_get, _QUOTA_KINDS.index(kind), grace)
        return grace.space_seconds, grace.inode_seconds

    def set_quota_grace(self, kind: QuotaKind, *, space_seconds: int | None = None, inode_seconds: int | None = None) -> None:
        """Set the times of grace for all users, groups or projects; None leaves one as it is. Running times do not
        change.

        Raises:
            NotFoundError: the volume has no such quota file. StateError: the quota files wait for a check.
        """
        now = self.quota_grace(kind)
        grace = sized("struct f2fs_quota_grace *")
        grace.space_seconds = now[0] if space_seconds is None else space_seconds
        grace.inode_seconds = now[1] if inode_seconds is None else inode_seconds
        self._change(self._handle, lib.f2fs_quota_grace_set, _QUOTA_KINDS.index(kind), grace)
