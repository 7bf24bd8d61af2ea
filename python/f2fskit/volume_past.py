# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a volume remembers: recovery, old versions, deleted files, leftovers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import recovery, results
from ._core import ffi, lib, number, sized
from .device import MetadataDevice, Path
from .forensics import (
    AsOfStat,
    Carved,
    Deleted,
    FormerName,
    Leftover,
    Moment,
    NodeVersion,
    Past,
    Version,
    VersionDifference,
    find_differences,
)
from .inode import Inode
from .path import AnyPath
from .undelete import UndeleteResult
from .volume_files import VolumeFiles

if TYPE_CHECKING:
    from .volume import Volume


class VolumePast(VolumeFiles):
    """The part of a volume that looks back."""

    __slots__ = ()

    @property
    def pending(self) -> int:
        """Number of nodes that a mount would replay (files made durable after the last checkpoint); 0: none."""
        nodes = ffi.new("uint64_t *")
        self._handle.call(lib.f2fs_volume_pending, nodes)
        return int(nodes[0])

    def check_current(self) -> None:
        """Raise StateError if somebody else wrote a checkpoint since the volume was opened, or committed last: what was
        read since may be of either state. `extract()` and its like ask that themselves when they are through.
        """
        self._handle.call(lib.f2fs_volume_check_current)

    def recovery_plan(self) -> recovery.RecoveryPlan:
        """Tell what a mount would recover: inodes, names, blocks, and why the chain ends. Nothing is changed."""
        return recovery.make_plan(self._handle)

    def recover(self, *, drop_chain: bool = False) -> recovery.RecoverResult:
        """Recover on the device, in one commit: delete orphans, apply what was fsynced.

        Args:
            drop_chain: give up what was fsynced, finish the orphans only.

        Raises:
            ReadOnlyError: the volume was not opened with "r+".
            StateError: there are uncommitted changes, or the volume has to be checked first.
            CorruptError: the chain contradicts the volume; nothing was changed.
        """
        self._need_writable()
        result = recovery.recover(self._handle, drop_chain)
        self._handle.get(lambda pointer: self._handle.bury("the recovery deleted it"))
        self._epoch += 1
        self._checkpoint = None
        return result

    def inode_at(self, addr: int, *, overwritten: bool = False, blank: bool = False) -> Inode:
        """Open an inode as it is at a block address: any old version that is left. It reads like any other.

        Its nodes are those of its own time as far as they are left. Where one is lost, or a block was written by others
        since or is blank (probably discarded), reading raises `OverwrittenError`. With overwritten all blocks are read as
        they are now, with blank those that are blank. Changing it raises `ReadOnlyError`.

        Raises:
            NotFoundError: no inode there. CorruptError: one that breaks a rule.
        """
        flags = (lib.F2FS_AT_OVERWRITTEN if overwritten else 0) | (lib.F2FS_AT_BLANK if blank else 0)
        number(addr, "addr", 32)
        handle = self._handle.open(
            "inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_inode_open_at, ffi.NULL, addr, flags
        )
        return Inode(self._whole(), handle)

    def past(self, ino: int = 0, *, thorough: bool = False, max_segments: int = 0) -> Past:
        """Search the volume for old nodes.

        Args:
            ino: of this inode only, which reads little more than summaries; 0: of all.
            thorough: read every block, not only segments that hold or held nodes.
            max_segments: read no more segments whole than this; 0: no limit.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        return Past(self._whole(), ino, thorough, max_segments)

    def as_of(self, version: int, *, thorough: bool = False) -> Volume:
        """Open a view of an earlier checkpoint: a volume of its own, as it was then, as far as that is left.

        It reads like any volume, by paths, numbers and walks: directories have the entries and files the contents they had
        then. It can be compared (`diff()`), extracted, and asked for versions and for views of still earlier checkpoints.
        What is not left, was written by others since, or is blank (probably discarded) raises `OverwrittenError`;
        `as_of_stat()` counts that, and what is uncertain. It cannot be changed (`ReadOnlyError`), nor checked: NAT, SIT and
        SSA are those of now. A with block closes it, and so does closing the volume.

        Views of several checkpoints can be open at once. The volume itself is not changed by them and may be written
        meanwhile; what it overwrites is lost to its views.

        Args:
            version: low half of a checkpoint version; negative or 0: so many checkpoints before the last one, of a view
                before its own. One that is older than all that is left raises `RangeError`, which says what the oldest is.
            thorough: read every block for old nodes.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        with self.past(thorough=thorough) as past:
            return past.as_of(version if version > 0 else max(version + past.stat().newest, 0))

    def undelete(self, directory: Path | None = None, *, thorough: bool = False, **options: Any) -> UndeleteResult:
        """Search the volume and bring deleted files back, see `Past.undelete()`.

        Args:
            directory: of the host; None: into the volume.
            thorough: read every block for old nodes.
            options: of `Past.undelete()`.
        """
        with self.past(thorough=thorough) as past:
            return past.undelete(directory, **options)

    def as_of_stat(self) -> AsOfStat:
        """Return what was met in a view of an earlier checkpoint; `version` is 0 for any other volume."""
        row = sized("struct f2fs_as_of_stat *")
        self._handle.get(lib.f2fs_volume_as_of_stat, row)
        return results.from_c(AsOfStat, row)

    def versions(self, what: AnyPath | int | Inode) -> list[Version]:
        """Return the versions of a file that are left, the oldest first, the one in use last.

        what is a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).versions(ino)

    def node_versions(self, what: AnyPath | int | Inode) -> list[NodeVersion]:
        """Return the nodes below an inode that are left, by node ids, of each the oldest first: direct and indirect nodes,
        and that of the attributes.

        what is a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).node_versions(ino)

    def _number_of(self, what: AnyPath | int | Inode) -> int:
        if isinstance(what, Inode):
            return what.number
        return what if isinstance(what, int) else self.lookup(what).number

    def differences(self, first: Version | Inode | int, second: Version | Inode | int) -> list[VersionDifference]:
        """Return what differs between two versions of a file: fields, attributes and ranges of blocks.

        Each is a version, an inode, or the block address of one.
        """
        opened = [one if isinstance(one, Inode) else one.open() if isinstance(one, Version) else self.inode_at(one)
                  for one in (first, second)]
        if any(one.volume is not self for one in opened):
            raise ValueError("the versions belong to different volumes")
        return find_differences(opened[0], opened[1])

    def deleted(self, *, thorough: bool = False) -> list[Deleted]:
        """Return the deleted files of which something is left, each with its path as far as it is known and how much of it
        is left. thorough: read every block for it."""
        return self.past(thorough=thorough).deleted()

    def former_names(self, *, thorough: bool = False) -> list[FormerName]:
        """Return the names that files in use once had: hard links that were removed, names before a renaming. thorough: read
        every block for it."""
        return self.past(thorough=thorough).former_names()

    def timeline(self, *, thorough: bool = False) -> list[Moment]:
        """Return the times of all inodes, in use, deleted and old, with the checkpoint version as a second clock."""
        return self.past(thorough=thorough).timeline()

    def leftovers(self, *, empty: bool = False, thorough: bool = False) -> list[Leftover]:
        """Return the ranges of bytes that no file shows: free blocks, nodes in use no more, and what lies behind the ends of
        files. empty: also slack that is zeros, and free blocks that are holes of the image. thorough: read every block
        for nodes."""
        return self.past(thorough=thorough).leftovers(empty=empty)

    def carve(self, kinds: str | None = None, *, max_size: int = 0, max_files: int = 0, thorough: bool = False,
              slack: bool = True) -> list[Carved]:
        """Return files that are found by what they look like, when no inode leads to them any more: in free blocks, and
        behind the ends of other files.

        Args:
            kinds: names as of `Carved.kind`, separated by commas; None: all.
            max_size: of one file; 0: 64 MiB.
            max_files: 0: no limit.
            thorough: read every block for nodes, which are left out.
            slack: look behind the ends of files, too; `Carved.slack_of` says of which.
        """
        return self.past(thorough=thorough).carver(kinds, max_size=max_size, max_files=max_files).run(slack=slack)

    def metadata(self, *, scramble: bool = False, used: bool = False, key: bytes | None = None) -> MetadataDevice:
        """Return a device with the volume's metadata and no contents of files, for reports of defects.

        Of a volume on several devices it has all of them in a row, as one device.
        It is a device like any other: check it, open it, or save it with `Device.save_zstd()`. It may stay open longer
        than the volume.

        Args:
            scramble: give files other names, of the same length and in the same hash buckets.
            used: also the contents: all blocks in use, as they are.
            key: 16 bytes; the same give the same names. None: random.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        if key is not None and len(key) != 16:
            raise ValueError("key has to have 16 bytes")
        options = sized("struct f2fs_metadata_options *")
        options.content = lib.F2FS_METADATA_USED if used else lib.F2FS_METADATA_ONLY
        options.flags = lib.F2FS_METADATA_SCRAMBLE if scramble else 0
        kept = ffi.NULL if key is None else ffi.new("uint8_t[]", key)
        options.key = kept

        def open_copy(context: Any, out: Any) -> int:
            return int(lib.f2fs_metadata_open(self._handle.held(), options, out))

        return MetadataDevice._open(self.context, open_copy)
