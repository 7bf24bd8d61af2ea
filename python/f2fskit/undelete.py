# SPDX-License-Identifier: LGPL-2.1-or-later
"""Restore deleted files to a directory of the host, or into their volume."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Union

from . import enums, errors
from ._core import Hooks, ffi, lib, number, sized, stray, text
from .device import Path
from .name_text import encode_name
from .path import AnyPath, path_text
from .tree import MAX_PROBLEMS, Memory, host_path, name_first

if TYPE_CHECKING:
    from .forensics import Deleted, Past

#: Choice of deleted files: None for all, a shell pattern for their paths, or a function.
Choice = Optional[Union[str, Callable[["Deleted"], object]]]


class UndeleteReport(NamedTuple):
    """Outcome for a deleted file, or a missing part of it."""

    path: str
    outcome: enums.UndeleteOutcome
    count: int  # type: ignore[assignment]
    """Blocks, of HOLES, BLANK_HOLES and BLANK_KEPT."""
    what: str
    """Name of the attribute, of NO_ATTRIBUTE."""
    error: errors.Error
    """The failure that caused it, or its outcome in words."""

    @property
    def is_back(self) -> bool:
        """Was the file restored, as a whole or in part?"""
        return self.outcome == enums.UndeleteOutcome.DONE or self.outcome >= enums.UndeleteOutcome.HOLES


class UndeleteResult(NamedTuple):
    """Numbers of restored files, which include directories and links."""

    found: int
    """That were wanted."""
    whole: int
    """Back, all of it."""
    likely: int
    """Back, and nothing speaks against it."""
    part: int
    """Back, with blocks or attributes missing."""
    left_out: int
    """Not back."""
    blank: int
    """With blank blocks, back or not."""
    reports: tuple[UndeleteReport, ...]
    """Files left out and missing parts: the first 1000."""


class _Run:
    """State of a run for its callbacks, and their user pointer."""

    def __init__(
        self, hooks: Hooks, past: Past, choose: Choice, on_report: Callable[[UndeleteReport], object] | None
    ) -> None:
        self.hooks = hooks
        self.past = past
        self.choose = choose
        self.on_report = on_report
        self.reports: list[UndeleteReport] = []

    def wants(self, row: Any) -> bool:
        from .forensics import Deleted  # which needs this module

        file = Deleted(self.past, row)
        if isinstance(self.choose, str):
            return fnmatch.fnmatchcase(file.path, self.choose)
        assert self.choose is not None
        return bool(self.choose(file))

    def report(self, row: Any) -> int:
        outcome = enums.UndeleteOutcome(row.outcome)
        if row.detail:
            error = errors.from_detail(row.detail.code, row.detail)
        else:
            error = errors.make(lib.F2FS_ERR_INCOMPLETE, text(lib.f2fs_undelete_text(row.outcome)))
        found = UndeleteReport(text(row.path), outcome, row.count, text(row.what), error)
        if outcome != enums.UndeleteOutcome.DONE and len(self.reports) < MAX_PROBLEMS:
            self.reports.append(found)
        return 1 if self.on_report is not None and self.on_report(found) else 0


@ffi.def_extern(onerror=stray, error=0)  # type: ignore[misc]
def py_undelete_options_choose(user: Any, file: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return int(run.wants(file))
    except BaseException as error:
        run.hooks.keep(error)
        return 0


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_undelete_options_report(user: Any, report: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.report(report)
    except BaseException as error:
        run.hooks.keep(error)
        return 1


def undelete(
    past: Past,
    directory: Path | None = None,
    *,
    into: AnyPath | None = None,
    choose: Choice = None,
    addr: int = 0,
    parts: bool = False,
    as_blank: bool = False,
    accept_unread: bool = False,
    temporary: Path | None = None,
    on_report: Callable[[UndeleteReport], object] | None = None,
    check: bool = True,
) -> UndeleteResult:
    """The method Past.undelete()."""
    if directory is not None and into is not None:
        raise TypeError("undelete() takes either a directory of the host or into=")
    volume = past.volume
    handle = past._handle
    hooks = handle.core.hooks
    memory = Memory(hooks)
    run = _Run(hooks, past, choose, on_report)
    options = sized("struct f2fs_undelete_options *")
    if directory is not None:
        options.directory = memory.text(host_path(directory))
    else:
        options.into = memory.text(encode_name(path_text("/" if into is None else into)))
    if temporary is not None:
        options.temporary = memory.text(host_path(temporary))
    for wanted, flag in (
        (parts, lib.F2FS_UNDELETE_PARTS),
        (as_blank, lib.F2FS_UNDELETE_AS_BLANK),
        (accept_unread, lib.F2FS_UNDELETE_UNREAD),
    ):
        options.flags |= flag if wanted else 0
    options.addr = number(addr, "addr", 32)
    options.user = memory.keep(ffi.new_handle(run))
    options.report = lib.py_undelete_options_report
    if choose is not None:
        options.choose = lib.py_undelete_options_choose
    row = sized("struct f2fs_undelete_result *")

    def finish() -> UndeleteResult:
        if directory is None:
            volume._count_change()
        return UndeleteResult(row.found, row.whole, row.likely, row.part, row.left_out, row.blank, tuple(run.reports))

    try:
        if directory is None:
            volume._prepare(stamp=False)
            options.now = volume._now()[0]
        handle.call(lib.f2fs_undelete, options, row)
    except errors.Error as error:
        if error.code == lib.F2FS_ERR_INCOMPLETE and not check:
            return finish()
        named = name_first(error, run.reports, directory)
        named.result = finish()
        raise named from None
    return finish()
