# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare trees: a volume with a volume, a directory of the host, an archive or a manifest."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator, Mapping, NamedTuple, Sequence, Union

from ._core import ffi, get_ident, lib, sized, stray, text
from .difference_values import Side, field_values, side_values
from .name_text import Patterns, decode_name
from .populate import Reader, make_input
from .tree import Memory, host_path
from .volume import Volume, open as open_volume

_KINDS = {
    lib.F2FS_DIFF_ADDED: "added",
    lib.F2FS_DIFF_REMOVED: "removed",
    lib.F2FS_DIFF_CHANGED: "changed",
    lib.F2FS_DIFF_UNREADABLE: "unreadable",
}
_OPPOSITE = {"added": "removed", "removed": "added"}


class Difference(NamedTuple):
    """A path at which two trees differ."""

    path: str
    kind: str
    """"added" (only in the second), "removed" (only in the first), "changed", or "unreadable" (one side could not be read)."""
    fields: tuple[str, ...]
    """Of a changed one: "type", "contents", "target", "device", "mode", "owner", "size", "mtime", "links", "xattrs",
    "flags", "project", and between two images, when asked for, "layout"."""
    message: str = ""
    """Of an unreadable one: why."""
    old: Mapping[str, Any] = {}
    """Values of the fields in the first tree, as far as they can be read: "mode" 0o644, "owner" (0, 0), "mtime" in
    nanoseconds, "xattrs" as a dictionary. In archives and manifests "links" may be the path that the hard link names.
    Contents have no value. Of a removed one: the type."""
    new: Mapping[str, Any] = {}
    """The same of the second tree. Of an added one: the type."""


_FIELDS = {}
for _bit in range(32):
    if _name := lib.f2fs_diff_field_name(1 << _bit):
        _FIELDS[text(_name)] = 1 << _bit


class _Run:
    def __init__(self, hooks: Any, found: list[Difference], takes_values: bool) -> None:
        self.hooks = hooks
        self.found = found
        self.takes_values = takes_values


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_diff_options_visit(user: Any, row: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        fields = tuple(name for name, bit in _FIELDS.items() if row.fields & bit)
        message = text(row.detail.message) if row.detail else ""
        new = side_values(row.other, fields or ("type",)) if run.takes_values else {}
        run.found.append(Difference(decode_name(ffi.string(row.path)), _KINDS[row.kind], fields, message, {}, new))
        return 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@contextlib.contextmanager
def _held(first: Volume, second: Volume) -> Iterator[Any]:
    """Keep other threads out of the contexts of two volumes, and yield the pointer of the second one. All threads take
    both locks in the same order, to prevent a deadlock."""
    me = get_ident()
    cores = {first._handle.core, second._handle.core}
    other = second._handle.core
    if any(core.owner == me for core in cores):
        raise RuntimeError("volume: not possible inside a callback of the same context")
    with contextlib.ExitStack() as locks:
        for core in sorted(cores, key=id):
            locks.enter_context(core.lock)
        if other is not first._handle.core:
            other.owner = me
            locks.callback(setattr, other, "owner", 0)
        yield second._handle.held()
    other.drain()


def _compare(volume: Volume, memory: Memory, options: Any, takes_values: bool) -> list[Difference]:
    found: list[Difference] = []
    options.user = memory.keep(ffi.new_handle(_Run(volume._handle.core.hooks, found, takes_values)))
    options.visit = lib.py_diff_options_visit
    volume._handle.call(lib.f2fs_diff, options, ffi.NULL)
    found.sort(key=lambda one: one.path)
    return found


def _is_directory(source: Any) -> bool:
    return isinstance(source, (str, bytes, os.PathLike)) and os.path.isdir(source)


def diff(
    a: Union[Volume, Any],
    b: Union[Volume, Any, None] = None,
    *,
    tar: Union[str, bytes, os.PathLike[Any], Reader, None] = None,
    manifest: Union[str, bytes, os.PathLike[Any], Reader, None] = None,
    layout: bool = False,
    ignore: Sequence[str] = (),
    include: Patterns = (),
    exclude: Patterns = (),
) -> list[Difference]:
    """Compare two trees and return their differences. An empty list means that they are equal.

    Args:
        a, b: an open `Volume`, a source of `open()` (an image), or a directory of the host. Only one may be a
            directory.
        tar: an archive instead of b.
        manifest: a manifest instead of b, as extraction writes it. With it, b is a directory with the contents. Without
            contents only sizes are compared.
        layout: between two images, also report files whose blocks are at other addresses.
        ignore: names of fields that are not compared.
        include, exclude: patterns, as of `Volume.extract()`.

    Contents are compared byte by byte. Unreadable contents are "unreadable", whatever the other side has, and never
    equal. The list is in the order of the paths.
    """
    swapped = _is_directory(a)
    other: Side = None
    if swapped:
        if b is None or _is_directory(b):
            raise TypeError("one side must be a volume")
        a, b = b, a
    if (b is not None) + (tar is not None) + (manifest is not None) != 1 and not (manifest is not None and _is_directory(b)):
        raise TypeError("diff() takes one other side: a tree, tar= or manifest=")
    with contextlib.ExitStack() as stack:
        first = a if isinstance(a, Volume) else stack.enter_context(open_volume(a))
        memory = Memory(first._handle.core.hooks)
        options = memory.keep(sized("struct f2fs_diff_options *"))
        options.fields = lib.F2FS_DIFF_ALL if layout else lib.F2FS_DIFF_DEFAULT
        for name in ignore:
            options.fields &= ~_FIELDS[name]
        for patterns, values in (("include", include), ("exclude", exclude)):
            if isinstance(values, (str, bytes)):
                raise TypeError(f"{patterns}: a sequence of strings is wanted")
            if values:
                setattr(options, patterns, memory.texts(values))
                setattr(options, f"{patterns}_count", len(values))
        if tar is not None:
            options.tar = make_input(memory, tar)
        if manifest is not None:
            options.manifest = make_input(memory, manifest)
        if isinstance(b, Volume) or (b is not None and not _is_directory(b)):
            second = b if isinstance(b, Volume) else stack.enter_context(open_volume(b))
            other = second
        elif b is not None:
            options.directory = memory.text(host_path(b))
            other = host_path(b) if manifest is None else None
        with contextlib.ExitStack() as locks:
            if isinstance(other, Volume):
                options.volume = locks.enter_context(_held(first, other))
            found = _compare(first, memory, options, other is None)
        found = [_with_values(one, first, other) for one in found]
    return [_swap(one) for one in found] if swapped else found


def _with_values(one: Difference, first: Volume, second: Side) -> Difference:
    """Add the values of both sides to a difference."""
    fields = one.fields if one.kind == "changed" else ("type",)
    old = field_values(first, one.path, fields) if one.kind in ("changed", "removed") else {}
    new = field_values(second, one.path, fields) if second is not None and one.kind in ("changed", "added") else one.new
    return one._replace(old=old, new=new)


def _swap(one: Difference) -> Difference:
    """Exchange the two sides."""
    return one._replace(kind=_OPPOSITE.get(one.kind, one.kind), old=one.new, new=one.old)
