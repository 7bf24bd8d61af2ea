# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole trees into a volume: from a directory of the host, or from a tar archive."""

from __future__ import annotations

import errno
import os
from typing import Any, Callable, NamedTuple, Protocol, Sequence, Union

from . import enums, errors
from ._core import Hooks, ffi, lib, stray, text
from .device import Path
from .inode import encode_name
from .path import AnyPath
from .tree import MAX_PROBLEMS, Memory, host_path


class Reader(Protocol):
    """What an archive can be read from: a binary file object."""

    def read(self, n: int, /) -> bytes: ...


class PopulateProblem(NamedTuple):
    """One thing that could not be copied."""

    path: str
    """Below the source's top."""
    what: str
    """Name of an attribute; "" when it is the entry itself."""
    error: errors.Error


class PopulateResult(NamedTuple):
    """What was copied."""

    files: int
    directories: int
    symlinks: int
    specials: int
    links: int
    """Further names of files."""
    bytes: int
    """Of contents."""
    problems: int
    problem_list: tuple[PopulateProblem, ...]
    """The first 1000."""


class _Run:
    """What the callbacks of a run need; their user pointer."""

    def __init__(
        self,
        hooks: Hooks,
        on_entry: Callable[[str], object] | None,
        on_problem: Callable[[PopulateProblem], object] | None,
    ) -> None:
        self.hooks = hooks
        self.on_entry = on_entry
        self.on_problem = on_problem
        self.problems: list[PopulateProblem] = []

    def problem(self, path: Any, what: Any, detail: Any) -> int:
        found = PopulateProblem(text(path), text(what), errors.from_detail(detail.code, detail))
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(found)
        return 1 if self.on_problem is not None and self.on_problem(found) else 0


class _Input:
    """A file object of the host as struct f2fs_input."""

    def __init__(self, hooks: Hooks, file: Reader) -> None:
        self.hooks = hooks
        self.file = file


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_populate_options_entry(user: Any, path: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return 1 if run.on_entry is not None and run.on_entry(text(path)) else 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_populate_options_problem(user: Any, path: Any, what: Any, detail: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.problem(path, what, detail)
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=errno.EIO)  # type: ignore[misc]
def py_input_read(user: Any, buffer: Any, length: int, got: Any) -> int:
    source: _Input = ffi.from_handle(user)
    try:
        data = source.file.read(length)
        if len(data) > length:
            raise ValueError(f"file object gave {len(data)} bytes when asked for {length}")
        ffi.memmove(buffer, data, len(data))
        got[0] = len(data)
        return 0
    except BaseException as error:
        source.hooks.keep(error)
        return errno.EIO


def populate(
    volume: Any,
    directory: Path | None = None,
    *,
    tar: Union[Path, Reader, None] = None,
    target: AnyPath = "/",
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: int | None = None,
    include: Sequence[str | bytes] = (),
    exclude: Sequence[str | bytes] = (),
    on_entry: Callable[[str], object] | None = None,
    on_problem: Callable[[PopulateProblem], object] | None = None,
    check: bool = True,
) -> PopulateResult:
    """The method Volume.populate()."""
    handle = volume._handle
    hooks = handle.core.hooks
    if (directory is None) == (tar is None):
        raise TypeError("populate() takes either a directory or tar=")
    memory = Memory(hooks)
    run = _Run(hooks, on_entry, on_problem)
    options = ffi.new("struct f2fs_populate_options *")
    if directory is not None:
        options.directory = memory.text(host_path(directory))
    if tar is not None:
        options.tar = source = memory.keep(ffi.new("struct f2fs_input *"))
        source.fd = -1
        if isinstance(tar, (str, bytes, os.PathLike)):
            source.path = memory.text(host_path(tar))
        else:
            source.user = memory.keep(ffi.new_handle(_Input(hooks, tar)))
            source.read = lib.py_input_read
    options.target = memory.text(encode_name(target if isinstance(target, bytes) else str(target)))
    if owner is not None:
        keep &= ~enums.Keep.OWNER
        options.uid, options.gid = owner
    options.keep = keep if keep else enums.Keep.NOTHING
    if time is not None:
        options.has_time = 1
        options.time.seconds, options.time.nanoseconds = divmod(time, 1_000_000_000)
    for name, values in (("include", include), ("exclude", exclude)):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name}: a sequence of strings is wanted")
        if values:
            setattr(options, name, memory.texts(values))
            setattr(options, f"{name}_count", len(values))
    options.user = memory.keep(ffi.new_handle(run))
    if on_entry is not None:
        options.entry = lib.py_populate_options_entry
    options.problem = lib.py_populate_options_problem
    row = ffi.new("struct f2fs_populate_result *")

    def finish() -> PopulateResult:
        counts = (row.files, row.directories, row.symlinks, row.specials, row.links, row.bytes, row.problems)
        return PopulateResult(*counts, tuple(run.problems))

    try:
        volume._prepare(stamp=False)
        handle.call(lib.f2fs_populate, options, row)
    except errors.Error as error:
        if error.code == lib.F2FS_ERR_INCOMPLETE and not check:
            return finish()
        error.result = finish()
        raise
    return finish()
