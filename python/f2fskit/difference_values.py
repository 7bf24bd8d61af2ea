# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of the two sides of a difference: what a field has in a volume or in a directory of the host."""

from __future__ import annotations

import os
import stat
from typing import Any, Callable, Mapping, Union

from . import errors
from .enums import InodeFlag
from .inode import Inode
from .volume import Volume

Side = Union[Volume, bytes, None]
"""A volume, the path of a directory, or None for an archive or manifest, whose values are not known any more."""

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


def field_values(side: Side, path: str, fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of fields of a path on one side. Contents have no value, nor does anything unreadable."""
    if side is None:
        return {}
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
