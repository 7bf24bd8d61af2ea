# SPDX-License-Identifier: LGPL-2.1-or-later
"""The past of a volume: recovery, old versions, deleted files, leftovers."""

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
        """Raise StateError if somebody else wrote a checkpoint since the volume was opened, or since its last commit.
        Data read since then may be of either state. `extract()` and similar calls check this themselves at their end.
        """
        self._handle.call(lib.f2fs_volume_check_current)

    def recovery_plan(self) -> recovery.RecoveryPlan:
        """Return the plan of a mount's recovery: inodes, names, blocks, and why the chain ends. Change nothing."""
        return recovery.make_plan(self._handle)

    def recover(self, *, drop_chain: bool = False) -> recovery.RecoverResult:
        """Recover on the device, in one commit: delete orphans and apply fsynced data.

        Args:
            drop_chain: drop the fsynced data and only delete the orphans.

        Raises:
            ReadOnlyError: the volume was not opened with "r+".
            StateError: there are uncommitted changes, or the volume has to be checked first.
            CorruptError: the chain contradicts the volume. Nothing was changed.
        """
        self._need_writable()
        result = recovery.recover(self._handle, drop_chain)
        self._handle.get(lambda pointer: self._handle.bury("the recovery deleted it"))
        self._epoch += 1
        self._checkpoint = None
        return result

    def inode_at(self, addr: int, *, overwritten: bool = False, blank: bool = False) -> Inode:
        """Open the inode in the block at an address, which may be any remaining old version. It reads like any other.

        It reads through nodes of its own time, if they are left. Reading raises `OverwrittenError` where a node is
        lost, or a block was overwritten by others or is blank (probably discarded). With overwritten, all blocks are
        read as they are now. With blank, blank blocks are. Changing it raises `ReadOnlyError`.

        Raises:
            NotFoundError: the block holds no inode. CorruptError: the inode breaks a rule.
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
            max_segments: read at most this many whole segments; 0: no limit.

        Raises:
            StateError: there are uncommitted changes.
        """
        return Past(self._whole(), ino, thorough, max_segments)

    def as_of(self, version: int, *, thorough: bool = False) -> Volume:
        """Open a view of an earlier checkpoint: a volume of its own that shows the remains of that time.

        It reads like any volume, by paths, numbers and walks. Directories have the entries, and files the contents, of
        that time. It can be compared (`diff()`) and extracted, and it has versions and views of still earlier
        checkpoints. Reading lost, overwritten or blank (probably discarded) data raises `OverwrittenError`.
        `as_of_stat()` counts such data, and uncertain data. A view cannot be changed (`ReadOnlyError`) or checked: its
        NAT, SIT and SSA are the present ones. A with block closes it, and so does closing the volume.

        Views of several checkpoints can be open at once. They do not change the volume, which may be written meanwhile.
        Its views lose the data that it overwrites.

        Args:
            version: low half of a checkpoint version. 0 or negative: count back from the last checkpoint, or in a view
                from its own. `RangeError` for a checkpoint older than all remains: it names the oldest one.
            thorough: read every block for old nodes.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        with self.past(thorough=thorough) as past:
            return past.as_of(version if version > 0 else max(version + past.stat().newest, 0))

    def undelete(self, directory: Path | None = None, *, thorough: bool = False, **options: Any) -> UndeleteResult:
        """Search the volume and restore deleted files, see `Past.undelete()`.

        Args:
            directory: of the host; None: into the volume.
            thorough: read every block for old nodes.
            options: of `Past.undelete()`.
        """
        with self.past(thorough=thorough) as past:
            return past.undelete(directory, **options)

    def as_of_stat(self) -> AsOfStat:
        """Return the losses met in a view of an earlier checkpoint. `version` is 0 for any other volume."""
        row = sized("struct f2fs_as_of_stat *")
        self._handle.get(lib.f2fs_volume_as_of_stat, row)
        return results.from_c(AsOfStat, row)

    def versions(self, what: AnyPath | int | Inode) -> list[Version]:
        """Return the remaining versions of a file, the oldest first, the one in use last.

        Args:
            what: a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).versions(ino)

    def node_versions(self, what: AnyPath | int | Inode) -> list[NodeVersion]:
        """Return the remaining nodes below an inode: direct and indirect nodes, and that of the attributes. They are in
        the order of node ids, and for each id the oldest is first.

        Args:
            what: a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).node_versions(ino)

    def _number_of(self, what: AnyPath | int | Inode) -> int:
        if isinstance(what, Inode):
            return what.number
        return what if isinstance(what, int) else self.lookup(what).number

    def differences(self, first: Version | Inode | int, second: Version | Inode | int) -> list[VersionDifference]:
        """Return the differences between two versions of a file: fields, attributes and ranges of blocks.

        Each is a version, an inode, or the block address of one.
        """
        opened = [one if isinstance(one, Inode) else one.open() if isinstance(one, Version) else self.inode_at(one)
                  for one in (first, second)]
        if any(one.volume is not self for one in opened):
            raise ValueError("the versions belong to different volumes")
        return find_differences(opened[0], opened[1])

    def deleted(self, *, thorough: bool = False) -> list[Deleted]:
        """Return the deleted files of which something is left, each with its path as far as known, and how much is
        left.

        thorough: read every block."""
        return self.past(thorough=thorough).deleted()

    def former_names(self, *, thorough: bool = False) -> list[FormerName]:
        """Return former names of files in use: removed hard links, and names before a renaming.

        thorough: read every block."""
        return self.past(thorough=thorough).former_names()

    def timeline(self, *, thorough: bool = False) -> list[Moment]:
        """Return the times of all inodes, in use, deleted and old, with the checkpoint version as a second clock."""
        return self.past(thorough=thorough).timeline()

    def leftovers(self, *, empty: bool = False, thorough: bool = False) -> list[Leftover]:
        """Return the ranges of bytes that no file shows: free blocks, old nodes, and the slack after the ends of files.

        Args:
            empty: also slack of zeros, and free blocks that are holes of the image.
            thorough: read every block for nodes.
        """
        return self.past(thorough=thorough).leftovers(empty=empty)

    def carve(self, kinds: str | None = None, *, max_size: int = 0, max_files: int = 0, thorough: bool = False,
              slack: bool = True) -> list[Carved]:
        """Find files by their signatures when no inode leads to them any more: in free blocks, and after the ends of
        other files.

        Args:
            kinds: names as of `Carved.kind`, separated by commas; None: all.
            max_size: of one file; 0: 64 MiB.
            max_files: 0: no limit.
            thorough: read every block for nodes, which are left out.
            slack: also look after the ends of files. `Carved.slack_of` names the file.
        """
        return self.past(thorough=thorough).carver(kinds, max_size=max_size, max_files=max_files).run(slack=slack)

    def metadata(self, *, scramble: bool = False, used: bool = False, key: bytes | None = None) -> MetadataDevice:
        """Return a device with the volume's metadata and no contents of files, for reports of defects.

        If the volume is on several devices, the copy is one device with all of them in a row. It can be checked,
        opened, or saved with `Device.save_zstd()`. It may stay open longer than the volume.

        Args:
            scramble: give files other names, of the same length and in the same hash buckets.
            used: also the contents: all blocks in use, as they are.
            key: 16 bytes. The same key gives the same names. None: random.

        Raises:
            StateError: there are uncommitted changes.
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
