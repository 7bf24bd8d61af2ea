# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fragmentation of files and free space, and defragmentation: `Volume.fragmentation()`, `Volume.segment_map()`,
`Volume.defrag()`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence, Tuple, Union

from . import enums, results
from ._core import Hooks, ffi, lib, number, put, sized, stray
from .path import AnyPath
from .tree import Memory
from .name_text import Patterns


class FileFragments(NamedTuple):
    """Fragmentation of one file. Extents are counted as the kernel's FIEMAP merges them. Fragments are the runs of
    stored blocks that a reader of the whole file meets."""

    path: str | None
    """None: a file of quotas, which has no name."""
    ino: int
    type: enums.FileType
    is_inline: bool
    """The contents are in the inode."""
    is_compressed: bool
    is_pinned: bool
    """Or an alias of a device."""
    error: int
    """0, or the code of why not all of it could be read."""
    size: int
    """Bytes."""
    blocks: int
    """Stored."""
    extents: int
    fragments: int
    ideal: int
    """Fragments of the best possible placement."""
    small_blocks: int
    """Blocks in fragments below 64 KiB."""
    requests: int
    """Reads that a sequential reader needs, of 128 KiB at most each."""


class DirFragments(NamedTuple):
    """Sums over a directory and all that is below it."""

    path: str
    ino: int
    depth: int
    files: int
    """With blocks, directories included."""
    blocks: int
    extents: int
    fragments: int
    small_blocks: int
    requests: int


class FreeRuns(NamedTuple):
    """Runs of free blocks of one class of lengths."""

    shortest: int
    """Blocks."""
    longest: int
    runs: int
    blocks: int


class SegmentUse(NamedTuple):
    """Segments in use of one type."""

    type: enums.LogType
    segments: int
    blocks: int
    """In use."""
    by_use: tuple[int, ...]
    """Segments used to 0 to 9 percent, 10 to 19, ..., 90 to 99, and full ones."""


class Fragments(NamedTuple):
    """Result of `Volume.fragmentation()`: sums over the files, the free space, and the single files and directories."""

    files: int
    """Regular files, directories and symbolic links with blocks, files of quotas."""
    inlines: int
    """Files whose contents are in the inode."""
    broken: int
    """Files in more fragments than they need."""
    unreadable: int
    blocks: int
    extents: int
    fragments: int
    ideal: int
    small_blocks: int
    requests: int
    ideal_requests: int
    free_blocks: int
    free_runs: int
    longest_run: int
    free_sections: int
    free_segments: int
    run_lengths: tuple[FreeRuns, ...]
    """Classes that there are any of."""
    segments: tuple[SegmentUse, ...]
    by_file: tuple[FileFragments, ...]
    by_directory: tuple[DirFragments, ...]


class _Run:
    """Rows that the callbacks of a run collect."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.files: list[FileFragments] = []
        self.directories: list[DirFragments] = []


def _path(raw: Any) -> str:
    name: bytes = ffi.string(raw)
    return name.decode("utf-8", "surrogateescape")


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_fragments_options_file(user: Any, file: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        run.files.append(
            results.from_c(FileFragments, file)._replace(
                path=_path(file.path) if file.path else None,
                type=enums.FileType(file.type),
                is_inline=bool(file.is_inline),
                is_compressed=bool(file.is_compressed),
                is_pinned=bool(file.is_pinned),
            )
        )
        return 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_fragments_options_directory(user: Any, directory: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        run.directories.append(results.from_c(DirFragments, directory)._replace(path=_path(directory.path)))
        return 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


def fragmentation(volume: Any, paths: Sequence[AnyPath] | None, small_bytes: int, read_bytes: int) -> Fragments:
    """The method Volume.fragmentation()."""
    hooks = volume._handle.core.hooks
    memory = Memory(hooks)
    run = _Run(hooks)
    options = sized("struct f2fs_fragments_options *")
    put(options, small_bytes=small_bytes, read_bytes=read_bytes)
    if isinstance(paths, (str, bytes)):
        raise TypeError("paths: a sequence of paths is wanted")
    if paths:
        options.paths, options.path_count = memory.texts(paths), len(paths)
    options.user = memory.keep(ffi.new_handle(run))
    options.file = lib.py_fragments_options_file
    options.directory = lib.py_fragments_options_directory
    row = ffi.new("struct f2fs_fragments *")
    volume._handle.call(lib.f2fs_fragments_count, options, row)
    return _fragments(row, run)


def _fragments(row: Any, run: _Run) -> Fragments:
    """Return `Fragments` of struct f2fs_fragments and the rows that callbacks collected."""
    sums = [getattr(row, name) for name in Fragments._fields[: Fragments._fields.index("run_lengths")]]
    runs = tuple(
        FreeRuns(1 << k, (2 << k) - 1, row.run_counts[k], row.run_blocks[k])
        for k in range(lib.F2FS_RUN_CLASSES)
        if row.run_counts[k]
    )
    classes = lib.F2FS_USE_CLASSES
    segments = tuple(
        SegmentUse(
            enums.LogType(t),
            row.type_segments[t],
            row.type_blocks[t],
            tuple(row.used_segments[t * classes + k] for k in range(classes)),
        )
        for t in range(lib.F2FS_SEGMENT_TYPES)
    )
    return Fragments._make([*sums, runs, segments, tuple(run.files), tuple(run.directories)])


class _Text:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.pieces: list[bytes] = []


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_segment_map_draw_write(user: Any, data: Any, length: int) -> int:
    text: _Text = ffi.from_handle(user)
    try:
        text.pieces.append(ffi.buffer(data, length)[:])
        return 0
    except BaseException as error:
        text.hooks.keep(error)
        return 1


class SegmentMap(str):
    """A map of the segments' use. A notebook shows one in the form svg as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        return str(self) if self.startswith("<svg") else None


def segment_map(volume: Any, form: enums.SegmentMapForm | enums.SegmentMapFormName = "svg") -> SegmentMap:
    """The method Volume.segment_map()."""
    text = _Text(volume._handle.core.hooks)
    user = ffi.new_handle(text)
    volume._handle.call(lib.f2fs_segment_map_draw, enums.choose(enums.SegmentMapForm, form), lib.py_segment_map_draw_write, user)
    return SegmentMap(b"".join(text.pieces).decode("ascii"))


#: A line of an access list: a path, or (path, offset, length) in bytes; length 0: to the end.
Part = Union[AnyPath, Tuple[AnyPath, int, int]]


class DefragResult(NamedTuple):
    """Result of `Volume.defrag()`, or of a dry run."""

    files: int
    """That were to be placed at the beginning."""
    files_placed: int
    blocks_placed: int
    """Moved to where they belong."""
    blocks_cleared: int
    """Moved out of the way."""
    blocks_often: int
    """Moved more than twice."""
    most_moves: int
    """Of one block, up to 3: three or more."""
    nodes_cleared: int
    commits: int
    end: enums.DefragEnd
    pinned: int
    """Files and sections left alone: pinned, or an alias of a device."""
    unconfirmed: int
    """The same: an owner and a summary do not confirm each other."""
    unreadable: int
    before: Fragments
    """Of the whole volume, without rows of files and directories."""
    after: Fragments


def defrag(
    volume: Any,
    order: enums.DefragOrder | enums.DefragOrderName = "score",
    *,
    paths: Sequence[AnyPath] = (),
    include: Patterns = (),
    parts: Sequence[Part] = (),
    blocks: int = 0,
    seconds: int = 0,
    free: int = 0,
    move_pinned: bool = False,
    dry_run: bool = False,
    spill_dir: str | None = None,
) -> DefragResult:
    """The method Volume.defrag()."""
    hooks = volume._handle.core.hooks
    memory = Memory(hooks)
    options = sized("struct f2fs_defrag_options *")
    options.order = enums.choose(enums.DefragOrder, order)
    for name, values in (("paths", paths), ("include", include)):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name}: a sequence of strings is wanted")
    if paths:
        options.paths, options.path_count = memory.texts(paths), len(paths)
    if include:
        options.include, options.include_count = memory.texts(include), len(include)
    if parts:
        rows = memory.keep(ffi.new("struct f2fs_defrag_part[]", len(parts)))
        for row, part in zip(rows, parts):
            path, offset, length = part if isinstance(part, tuple) else (part, 0, 0)
            put(row, offset=offset, length=length)
            row.path = memory.texts([path])[0]
        options.list, options.list_count = rows, len(parts)
    put(options, blocks=blocks, seconds=seconds)
    options.free_goal = number(free, "free", 32)
    options.move_pinned, options.dry_run = move_pinned, dry_run
    if spill_dir is not None:
        options.spill_dir = memory.text(os.fsencode(spill_dir))
    row = sized("struct f2fs_defrag_result *")
    volume._handle.call(lib.f2fs_defrag, options, row)
    found = results.from_c(DefragResult, row)
    none = _Run(hooks)
    return found._replace(
        end=enums.DefragEnd(found.end), before=_fragments(row.before, none), after=_fragments(row.after, none)
    )


class DefragRangeResult(NamedTuple):
    """Result of `Volume.defrag_range()`."""

    moved: int
    """Blocks."""
    left: int
    """Sections left alone: damaged, unreadable, pinned."""


def defrag_range(volume: Any, start: int, length: int, target: int, leftwards: bool) -> DefragRangeResult:
    """The method Volume.defrag_range()."""
    row = sized("struct f2fs_defrag_range_result *")
    ends = [number(value, name, 32) for name, value in (("start", start), ("length", length), ("target", target))]
    volume._handle.call(lib.f2fs_defrag_range, *ends, leftwards, row)
    return results.from_c(DefragRangeResult, row)
