# SPDX-License-Identifier: LGPL-2.1-or-later
"""Comparing trees: an image with an image, or with a directory of the host."""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import os
import stat as stat_module
from typing import Any, Iterator, NamedTuple, Union

from . import errors
from .inode import Inode
from .volume import Volume, open as open_volume

_PIECE = 1 << 20


class Difference(NamedTuple):
    """A path at which two trees differ."""

    path: str
    kind: str
    """"added" (only in the second), "removed" (only in the first), "changed", or "unreadable" (one side could not be read)."""
    fields: tuple[str, ...]
    """Of a changed one: "type", "contents", "target", "device", "mode", "owner", "size", "mtime", "links", "xattrs", and
    between two images, when asked for, "layout"."""


class _Entry(NamedTuple):
    stat: Any
    digest: str | None  # of a regular file, or the target of a link
    xattrs: dict[str, bytes] | None  # None: not known
    layout: list[tuple[int, int]] | None
    error: str | None


def _digest(read: Any) -> str:
    digest = hashlib.sha256()
    while piece := read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _of_inode(inode: Inode, layout: bool) -> _Entry:
    stat = inode.stat()
    digest: str | None = None
    places: list[tuple[int, int]] | None = None
    error = None
    xattrs: dict[str, bytes] | None = None
    try:
        if inode.is_file():
            with inode.open() as file:
                digest = _digest(file.read)
        elif inode.is_symlink():
            digest = inode.readlink()
        xattrs = dict(inode.xattrs)
        if layout:
            places = [(extent.file_block, extent.addr) for extent in inode.extents() if extent.addr]
    except errors.Error as found:
        error = str(found)
    return _Entry(stat, digest, xattrs, places, error)


def _of_volume(volume: Volume, layout: bool) -> dict[str, _Entry]:
    found = {"/": _of_inode(volume.root, layout)}

    def note(error: errors.Error) -> None:
        broken.append(str(error))

    broken: list[str] = []
    for path, entry in volume.scan(onerror=note):
        try:
            found[path] = _of_inode(entry.inode(), layout)
        except errors.Error as error:
            found[path] = _Entry(None, None, None, None, str(error))
    if broken:  # entries of which not even the name is known
        found["/"] = found["/"]._replace(error=broken[0])
    return found


def _of_host(path: bytes) -> _Entry:
    stat = os.lstat(path)
    digest: str | None = None
    if stat_module.S_ISREG(stat.st_mode):
        with builtins.open(path, "rb") as file:
            digest = _digest(file.read)
    elif stat_module.S_ISLNK(stat.st_mode):
        digest = os.fsdecode(os.readlink(path))
    return _Entry(stat, digest, None, None, None)


def _of_directory(top: Any) -> dict[str, _Entry]:
    root = os.fsencode(top)
    found = {"/": _of_host(root)}
    for folder, dirs, files in os.walk(root):
        for name in dirs + files:
            path = os.path.join(folder, name)
            found["/" + os.fsdecode(os.path.relpath(path, root))] = _of_host(path)
    return found


def _fields(a: _Entry, b: _Entry) -> Iterator[str]:
    first, second = a.stat, b.stat
    kind = stat_module.S_IFMT(first.st_mode)
    if kind != stat_module.S_IFMT(second.st_mode):
        yield "type"
        return
    if stat_module.S_ISREG(kind) and (first.st_size, a.digest) != (second.st_size, b.digest):
        yield "contents"
    if stat_module.S_ISLNK(kind) and a.digest != b.digest:
        yield "target"
    if kind in (stat_module.S_IFCHR, stat_module.S_IFBLK) and first.st_rdev != second.st_rdev:
        yield "device"
    if first.st_mode != second.st_mode and not stat_module.S_ISLNK(kind):
        yield "mode"
    if (first.st_uid, first.st_gid) != (second.st_uid, second.st_gid):
        yield "owner"
    if stat_module.S_ISREG(kind) and first.st_size != second.st_size:
        yield "size"
    if first.st_mtime_ns != second.st_mtime_ns:
        yield "mtime"
    if not stat_module.S_ISDIR(kind) and first.st_nlink != second.st_nlink:
        yield "links"
    if a.xattrs is not None and b.xattrs is not None and a.xattrs != b.xattrs:
        yield "xattrs"
    if a.layout is not None and b.layout is not None and a.layout != b.layout:
        yield "layout"


@contextlib.contextmanager
def _tree(source: Any, layout: bool) -> Iterator[dict[str, _Entry]]:
    if isinstance(source, Volume):
        yield _of_volume(source, layout)
    elif isinstance(source, (str, bytes, os.PathLike)) and os.path.isdir(source):
        yield _of_directory(source)
    else:
        with open_volume(source) as volume:
            yield _of_volume(volume, layout)


def diff(a: Union[Volume, Any], b: Union[Volume, Any], *, layout: bool = False) -> list[Difference]:
    """Compare two trees; an empty list: they are equal.

    Args:
        a, b: an open `Volume`, what `open()` takes (an image), or a directory of the host.
        layout: between two images, also tell files whose blocks lie elsewhere.

    Contents are compared by SHA-256, metadata by what stat(2) shows and, between two images, by attributes. What cannot be
    read is "unreadable", whatever the other side holds: it is never called equal.
    """
    with _tree(a, layout) as first, _tree(b, layout) as second:
        found = []
        for path in sorted(first.keys() | second.keys()):
            left, right = first.get(path), second.get(path)
            if left is None or right is None:
                found.append(Difference(path, "added" if left is None else "removed", ()))
            elif left.error or right.error:
                found.append(Difference(path, "unreadable", ()))
            elif fields := tuple(_fields(left, right)):
                found.append(Difference(path, "changed", fields))
        return found
