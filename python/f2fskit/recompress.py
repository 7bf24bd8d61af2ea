# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compress files that are there, or make them uncompressed: `Volume.compress_files()`."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from . import enums
from ._core import Hooks, ffi, lib, sized, stray
from .inode import CompressionName, make_compression
from .name_text import Patterns, decode_name
from .path import AnyPath
from .tree import Memory


class CompressedFile(NamedTuple):
    """What became of one file."""

    path: str
    ino: int
    left: enums.CompressLeft
    """Why it stays as it is; NONE: it is changed."""
    blocks_before: int
    """Blocks that stored its contents. 0 unless it is changed."""
    blocks_after: int
    """The same after the change."""


class CompressFilesResult(NamedTuple):
    """Result of `Volume.compress_files()`, or of a dry run."""

    files: int
    """Regular files that were asked for."""
    changed: int
    directories: int
    """That were marked, or cease to be."""
    unreadable: int
    """Entries whose inode or directory cannot be read."""
    blocks_before: int
    """Blocks that stored the contents of the changed files."""
    blocks_after: int
    """The same after the change."""
    rows: tuple[CompressedFile, ...]
    """One for each file."""


class _Run:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.rows: list[CompressedFile] = []


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_compress_files_options_file(user: Any, file: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        left = enums.CompressLeft(file.left)
        path = decode_name(ffi.string(file.path))
        run.rows.append(CompressedFile(path, file.ino, left, file.blocks_before, file.blocks_after))
        return 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


def compress_files(
    volume: Any,
    algorithm: CompressionName | None,
    level: int,
    log_cluster: int,
    checksum: bool,
    paths: Sequence[AnyPath],
    include: Patterns,
    exclude: Patterns,
    directories: bool,
    release: bool,
    dry_run: bool,
) -> CompressFilesResult:
    """The method Volume.compress_files()."""
    hooks = volume._handle.core.hooks
    memory, run = Memory(hooks), _Run(hooks)
    options, row = sized("struct f2fs_compress_files_options *"), sized("struct f2fs_compress_files_result *")
    if algorithm is not None:
        options.how = memory.keep(make_compression(algorithm, level, log_cluster, checksum))
    for name, values in (("paths", paths), ("include", include), ("exclude", exclude)):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name}: a sequence of strings is wanted")
    if paths:
        options.paths, options.path_count = memory.texts(paths), len(paths)
    if include:
        options.include, options.include_count = memory.texts(include), len(include)
    if exclude:
        options.exclude, options.exclude_count = memory.texts(exclude), len(exclude)
    options.directories, options.release, options.dry_run = directories, release, dry_run
    options.file = lib.py_compress_files_options_file
    options.user = memory.keep(ffi.new_handle(run))
    volume._handle.call(lib.f2fs_compress_files, options, row)
    numbers = [getattr(row, name) for name in CompressFilesResult._fields[:-1]]
    return CompressFilesResult._make([*numbers, tuple(run.rows)])
