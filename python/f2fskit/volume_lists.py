# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists as the programs write them: an overview, digests, timelines for other tools; and copies of a volume."""

from __future__ import annotations

import stat
import struct
from typing import TYPE_CHECKING, Any, Iterator, Literal

from . import enums
from ._core import ffi, lib
from .device import BinaryWriter, Path, container_of
from .name_text import encode_name
from .volume_past import VolumePast
from .volume_structures import VolumeStructures

if TYPE_CHECKING:
    from .forensics import Moment
    from .inode import DigestName

_CSV_HEAD = "state,ino,block,cp_ver,age,mode,uid,gid,size,mtime,atime,ctime,crtime,path_state,path"
_FOOTER = 64  # bytes of the footer of verified boot
_LARGE_NAT_BITMAP = 0x400  # of ckpt_flags
_SUM_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}


def printable(text: str | bytes) -> str:
    """Return a text of an image for one line of a terminal or list. Bytes that cannot be shown become \\xNN."""
    raw = text if isinstance(text, bytes) else encode_name(text)
    out = ffi.new("char[]", 4 * len(raw) + 1)
    length = lib.f2fs_text_printable(raw, len(raw), out, 4 * len(raw) + 1)
    shown: bytes = ffi.buffer(out, length)[:]
    return shown.decode("utf-8", "replace")


def _names(flags: Any) -> list[str]:
    return [flag.name.lower() for flag in flags.__class__ if flag in flags]


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds // 1_000_000_000}.{nanoseconds % 1_000_000_000:09d}"


def _birth(status: Any) -> int | None:
    """Return the creation time in nanoseconds, or None."""
    found: int | None = getattr(status, "st_birthtime_ns", None)
    return found


def body_line(moment: Moment) -> str:
    """Return an inode's times as a line of a bodyfile: MD5|name|inode|mode|UID|GID|size|atime|mtime|ctime|crtime."""
    status = moment.stat
    note = ""
    if moment.state == enums.MomentState.OLD:
        note = f" (old, checkpoint {moment.cp_ver})"
    elif moment.state == enums.MomentState.DELETED:
        blank = "blank, " if moment.confidence == enums.Confidence.BLANK else ""
        note = f" (deleted, {blank}checkpoint {moment.cp_ver})"
    times = (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns, _birth(status) or 0)
    shown = "|".join(str(time // 1_000_000_000) for time in times)
    name = printable(moment.path).replace("|", "\\x7c")
    return f"0|{name}{note}|{moment.ino}|{status.filemode}|{status.st_uid}|{status.st_gid}|{status.st_size}|{shown}"


def csv_line(moment: Moment) -> str:
    """Return an inode's times as a line of comma-separated values."""
    status = moment.stat
    born = _birth(status)
    fields = [
        moment.state.name.lower(), moment.ino, moment.addr, moment.cp_ver, moment.age, f"{status.st_mode:07o}", status.st_uid,
        status.st_gid, status.st_size, _seconds(status.st_mtime_ns), _seconds(status.st_atime_ns),
        _seconds(status.st_ctime_ns), "" if born is None else _seconds(born), moment.path_state.name.lower(),
    ]  # fmt: skip
    name = printable(moment.path).replace('"', '""')
    return f'{",".join(map(str, fields))},"{name}"'


def sum_line(digest: str, path: str) -> str:
    """Return a digest as a line of sha256sum(1) and the like. A backslash in front marks an escaped name."""
    name = "".join(_SUM_ESCAPES.get(letter, letter) for letter in path.lstrip("/"))
    return f"{chr(92) if name != path.lstrip('/') else ''}{digest}  {name}"


def _volume_evidence(volume: Any, row: Any) -> int:
    return int(lib.f2fs_device_evidence(lib.f2fs_volume_device(volume), row))


def _read_end(volume: Any, buffer: Any) -> int:
    """Read the last bytes of the device of a volume. -1: it has fewer."""
    device = lib.f2fs_volume_device(volume)
    size = lib.f2fs_device_info(device).size
    return int(lib.f2fs_device_read(device, size - _FOOTER, buffer, _FOOTER)) if size >= _FOOTER else -1


class VolumeLists(VolumeStructures, VolumePast):
    """The part of a volume that makes lists."""

    __slots__ = ()

    def info(self) -> dict[str, Any]:
        """Return an overview, with the names and values that `dump.f2fs --info --json` has, less the image's path."""
        usage = self.statfs()
        geometry = self.geometry
        slots, nids = geometry.addrs_per_block, geometry.nids_per_block
        flags = enums.CheckpointFlag(self.checkpoint.ckpt_flags)
        return {
            **self._wrapping(),
            "label": self.label,
            "uuid": str(self.uuid),
            "feature": int(geometry.feature),
            "feature_names": _names(geometry.feature),
            "block_size": geometry.block_size,
            "volume_bytes": geometry.block_count * geometry.block_size,
            "block_count": usage.block_count,
            "free_blocks": usage.free_blocks,
            "valid_blocks": usage.valid_blocks,
            "user_blocks": usage.user_blocks,
            "max_files": usage.max_files,
            "free_files": usage.free_files,
            "valid_nodes": usage.valid_nodes,
            "valid_inodes": usage.valid_inodes,
            "max_nodes": geometry.max_nid - 3,
            "max_file_bytes": min(slots * (2 + 2 * nids + nids * nids), 1 << 32) * geometry.block_size,
            "segments": geometry.segment_count_main,
            "free_segments": usage.free_segments,
            "segs_per_sec": geometry.segs_per_sec,
            "secs_per_zone": geometry.secs_per_zone,
            "checkpoint_ver": self.checkpoint.checkpoint_ver,
            "ckpt_flags": int(flags),
            "ckpt_flags_names": _names(flags),
            "is_clean": bool(flags & 1),
            "orphans": len(self.orphans),
            "grub": self._grub(),
            "pending_fsync_nodes": self.pending,
            "superblocks": [
                {"state": self._state_name(copy), "in_use": copy == self.superblock_copy} for copy in (0, 1)
            ],
            "packs": [
                {"state": pack.broken_rule or "valid", "version": pack.version, "in_use": pack.is_current}
                for pack in self.checkpoints()
            ],
            "notes": self.notes,
        }

    def _wrapping(self) -> dict[str, Any]:
        """Return what the volume is wrapped in: a container with its digests, a partition, the footer of verified boot."""
        found: dict[str, Any] = {}
        container = container_of(self._handle.call, _volume_evidence)
        if container is not None:
            found = {"container": container.format, "container_bytes": container.bytes}
            found |= {"stored_md5": container.md5} if container.md5 else {}
            found |= {"stored_sha1": container.sha1} if container.sha1 else {}
            found |= {"is_incomplete": True} if container.is_incomplete else {}
        offset = self._handle.get(lambda volume: lib.f2fs_device_offset(lib.f2fs_volume_device(volume)))
        if offset:
            found["volume_offset"] = offset
        footer = ffi.new("uint8_t[]", _FOOTER)
        if self._handle.get(_read_end, footer) == 0:
            magic, image, table, length = struct.unpack_from(">4s8xQQQ", ffi.buffer(footer)[:])
            if magic == b"AVBf":
                found |= {"verified_boot_image_bytes": image, "verified_boot_table_offset": table, "verified_boot_table_bytes": length}
        return found

    def _grub(self) -> str:
        """Return whether GRUB 2.06 and 2.12 read the volume, in the words of the program."""
        obstacles = {
            "extra_attr": enums.Feature.EXTRA_ATTR in self.geometry.feature,
            "large_nat_bitmap": bool(self.checkpoint.ckpt_flags & _LARGE_NAT_BITMAP),
            "block_size": self.block_size != 4096,
        }
        found = [name for name, is_there in obstacles.items() if is_there]
        return f"cannot read: {', '.join(found)}" if found else "reads"

    def _state_name(self, copy: int) -> str:
        try:
            rule = self.superblock_state(copy)
        except OSError:
            return "unreadable"
        return "valid" if rule is None else rule.name

    def hashes(self, *names: DigestName) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield (path, digests) of all regular files, as of `Inode.digests()`.

        names: of digests; none: "sha256".
        """
        known: dict[int, dict[str, str]] = {}  # of files with several names
        for path, entry in self.scan(stats=True):
            status = entry.stat()
            if not stat.S_ISREG(status.st_mode):
                continue
            found = known.get(status.st_ino)
            if found is None:
                found = entry.inode().digests(*names)
                if status.st_nlink > 1:
                    known[status.st_ino] = found
            yield path, dict(found)

    def timeline_lines(self, form: Literal["body", "csv"] = "body", *, thorough: bool = False) -> Iterator[str]:
        """Yield the lines that `dump.f2fs --timeline` writes.

        Args:
            form: "body" is the bodyfile of the Sleuth Kit, for mactime(1). "csv" has nanoseconds, the block and the
                version of the checkpoint, and a first line with names.
            thorough: read every block for old nodes.
        """
        if form not in ("body", "csv"):
            raise ValueError(f"form is body or csv, not {form!r}")
        if form == "csv":
            yield _CSV_HEAD
        line = csv_line if form == "csv" else body_line
        for moment in self.timeline(thorough=thorough):
            yield line(moment)

    def save(self, target: Path | BinaryWriter, form: Literal["raw", "sparse", "zstd"] = "raw") -> None:
        """Write a copy of the volume to a file: all blocks in use, and holes in place of free ones.

        A volume on several devices becomes one with all of them in a row. Deleted files are not in the copy. To copy
        every block of a device, use `Device.save()`.

        Args:
            target: path of a new file, or a binary file object.
            form: "raw", "sparse" for an Android sparse file, or "zstd" for one within a zstd file that `open()` takes.

        Raises:
            StateError: there are uncommitted changes.
        """
        with self.metadata(used=True) as copy:
            copy.save(target, form)
