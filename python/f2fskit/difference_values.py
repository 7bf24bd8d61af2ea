# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of the two sides of a difference: what a field has in a volume or in a directory of the host."""

from __future__ import annotations

import os
import stat
from typing import Any, Callable, Mapping, Union

from . import errors
from ._core import ffi, lib
from .enums import InodeFlag
from .inode import Inode
from .name_text import decode_name
from .volume import Volume

Side = Union[Volume, bytes, None]
"""A volume, the path of a directory, or None for an archive or manifest, whose values come with the difference."""

_TYPES = {
    stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink", stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket",
}  # fmt: skip
_NAMESPACES = ("user.", "trusted.", "security.", "system.posix_acl_")


def _of_stat(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda status, _: function(status)


def _target(_: Any, place: Inode | bytes) -> str:
    return place.readlink() if isinstance(place, Inode) else os.fsdecode(os.readlink(place))


def _xattrs(_: Any, place: Inode | bytes) -> dict[str, bytes]:
    if isinstance(place, Inode):
        return {name: value for name, value in place.xattrs.items() if name.startswith(_NAMESPACES)}
    names = (name for name in os.listxattr(place, follow_symlinks=False) if name.startswith(_NAMESPACES))
    return {name: os.getxattr(place, name, follow_symlinks=False) for name in names}


def _layout(_: Any, place: Inode | bytes) -> list[tuple[int, int, int]]:
    """Return the runs of blocks as (first block of the file, address, count)."""
    if not isinstance(place, Inode):
        return []
    return [(one.file_block, one.addr, one.count) for one in place.extents() if one.addr]


_FIELDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "type": _of_stat(lambda status: _TYPES.get(stat.S_IFMT(status.st_mode), "unknown")),
    "target": _target,
    "device": _of_stat(lambda status: status.st_rdev),
    "mode": _of_stat(lambda status: stat.S_IMODE(status.st_mode)),
    "owner": _of_stat(lambda status: (status.st_uid, status.st_gid)),
    "size": _of_stat(lambda status: status.st_size),
    "mtime": _of_stat(lambda status: status.st_mtime_ns),
    "links": _of_stat(lambda status: status.st_nlink),
    "xattrs": _xattrs,
    "flags": _of_stat(lambda status: InodeFlag(status.st_flags) if hasattr(status, "st_flags") else None),
    "project": _of_stat(lambda status: getattr(status, "st_projid", None)),
    "layout": _layout,
}


def field_values(side: Union[Volume, bytes], path: str, fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of fields of a path on one side. Contents have no value, nor does anything unreadable."""
    place: Inode | bytes
    found = {}
    try:
        place = side.lookup(path) if isinstance(side, Volume) else os.path.join(side, os.fsencode(path.lstrip("/")))
        status = place.stat() if isinstance(place, Inode) else os.lstat(place)
    except (errors.Error, OSError):
        return {}
    for field in fields:
        if field in _FIELDS:
            try:
                value = _FIELDS[field](status, place)
            except (errors.Error, OSError):
                continue
            if value is not None:
                found[field] = value
    if isinstance(place, Inode):
        place.close()
    return found


_KNOWN: Mapping[str, Callable[[Any], Any]] = {
    "type": lambda side: _TYPES.get(stat.S_IFMT(side.mode), "unknown"),
    "target": lambda side: decode_name(ffi.buffer(side.target, side.target_length)[:]),
    "device": lambda side: os.makedev(side.rdev_major, side.rdev_minor),
    "mode": lambda side: stat.S_IMODE(side.mode),
    "owner": lambda side: (side.uid, side.gid),
    "size": lambda side: side.size,
    "mtime": lambda side: side.mtime.seconds * 1_000_000_000 + side.mtime.nanoseconds,
    "links": lambda side: side.nlink if side.link == ffi.NULL else "/" + decode_name(ffi.string(side.link)),
    "xattrs": lambda side: _unpack(ffi.buffer(side.xattrs, side.xattrs_length)[:] if side.xattrs_length else b""),
    "flags": lambda side: InodeFlag(side.flags),
    "project": lambda side: side.projid,
}
_BITS: Mapping[str, int] = {name: getattr(lib, f"F2FS_DIFF_{name.upper()}") for name in _KNOWN}


def _unpack(raw: bytes) -> dict[str, bytes]:
    """Return the attributes of struct f2fs_diff_side."""
    found = {}
    at = 0
    while at < len(raw):
        size = int.from_bytes(raw[at : at + 4], "little")
        end = raw.index(b"\0", at + 4)
        found[decode_name(raw[at + 4 : end])] = raw[end + 1 : end + 1 + size]
        at = end + 1 + size
    return found


def side_values(side: Any, fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of fields that came with a difference, as struct f2fs_diff_side or NULL."""
    if side == ffi.NULL:
        return {}
    return {field: _KNOWN[field](side) for field in fields if field in _KNOWN and side.known & _BITS[field]}
