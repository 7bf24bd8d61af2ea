# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check and repair volumes."""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple, Sequence

from . import enums, errors
from ._core import Hooks, LogCallback, ProgressCallback, ffi, lib, put, sized, stray, text
from .context import Context
from .device import Device, Path, further_devices
from .source import Source, as_device, names_source
from .tree import host_path
from .volume_base import VolumeBase


class ProblemInfo(NamedTuple):
    """A row of the table of problems; numbers and names never change. docs/CHECKS.md lists them."""

    id: int
    name: str
    group: str
    """The pass that finds it."""
    severity: enums.Severity
    message: str
    """Template of the message."""
    fix: str
    """Action of a repair."""
    explanation: str
    repair: enums.RepairKind
    """NONE: there is no repair, or nothing is wrong. COMMON: any repair that writes fixes it. CHOICE: each finding can
    be fixed or skipped."""


class Problem(NamedTuple):
    """One finding. Members that do not apply are None, or empty if they are texts."""

    info: ProblemInfo
    message: str
    """A sentence for a person."""
    path: str
    """Of the inode, where a way from the root to it is known."""
    entry: str
    """Directory entry, attribute or field."""
    rule: str
    """Structural rule that is broken; see `rules`."""
    nid: int | None
    ino: int | None
    block: int | None
    segno: int | None
    slot: int | None
    found: int | None
    expected: int | None
    is_chosen: bool = False
    """A repair can fix it, and `only`, `except_` and `decide` choose it. In the argument of `decide`: it will be fixed
    unless `decide` says otherwise."""

    @property
    def id(self) -> int:
        """Number of the problem."""
        return self.info.id

    @property
    def name(self) -> str:
        """Name of the problem."""
        return self.info.name

    @property
    def severity(self) -> enums.Severity:
        """How bad it is."""
        return self.info.severity


class CheckReport(NamedTuple):
    """Findings of a check, and the result of a repair."""

    state: enums.CheckState
    problems: tuple[Problem, ...]
    """In a fixed order, notes included. Empty if on_problem was given."""
    found: int
    """Problems, notes not counted."""
    fixed: int
    left: int
    recovered_nodes: int
    """Of a repair: nodes written by fsync after the last checkpoint, made part of the volume first."""
    recovered_inodes: int
    recovered_orphans: int
    """Unlinked inodes that were deleted."""
    notes: int
    pending: int
    """Nodes written by fsync that wait to be recovered."""
    is_unmounted: bool
    files: int
    hard_links: int
    """Files with several names."""
    directories: int
    symlinks: int
    specials: int
    orphans: int
    inodes: int
    """All of them, hidden ones included."""
    nodes: int
    blocks: int
    free_segments: int
    memory: int
    """Bytes of the check's own tables."""

    severities: tuple[int, int, int, int]
    """How many findings of each `Severity` there are: NOTE, STALE, DAMAGE, LOSS."""

    @property
    def worst(self) -> enums.Severity | None:
        """The worst severity of all findings, NOTE included; None: there are none. STALE touches no user data: an
        example is a checkpoint pack with a damaged block while the other pack is good."""
        return max((kind for kind in enums.Severity if self.severities[kind]), default=None)

    @property
    def is_sound(self) -> bool:
        """Is nothing wrong, or nothing any more? Notes do not count; `problems` has them with `Severity.NOTE`. One note
        is a checkpoint pack that a power cut left unfinished or torn: the kernel uses the other pack and mounts the
        volume."""
        return self.state in (enums.CheckState.SOUND, enums.CheckState.REPAIRED)

    def _repr_html_(self) -> str:
        from .report import findings_html

        return findings_html(self)


def _info(row: Any) -> ProblemInfo:
    return ProblemInfo(
        row.id,
        text(row.name),
        text(row.group),
        enums.Severity(row.severity),
        text(row.message),
        text(row.fix),
        text(row.explanation),
        enums.RepairKind(lib.f2fs_problem_repair_kind(row)),
    )


def _table() -> tuple[ProblemInfo, ...]:
    found: list[ProblemInfo] = []
    while (row := lib.f2fs_problem_at(len(found))) != ffi.NULL:
        found.append(_info(row))
    return tuple(found)


problems: tuple[ProblemInfo, ...] = _table()
"""All problems that a check knows, in the order of their numbers."""
_by_id = {info.id: info for info in problems}


Decide = Callable[[Problem], "enums.Decision | bool"]


class _Run:
    """The user pointer of the callback."""

    def __init__(self, hooks: Hooks, on_problem: Callable[[Problem], object] | None, decide: Decide | None) -> None:
        self.hooks = hooks
        self.on_problem = on_problem
        self.decide = decide
        self.problems: list[Problem] = []

    def take(self, row: Any) -> int:
        found = Problem(
            _by_id[row.info.id],
            text(row.message),
            text(row.path),
            text(row.name),
            text(row.rule),
            row.nid or None,
            row.ino or None,
            None if row.block == lib.F2FS_NO_BLOCK else row.block,
            None if row.segno == lib.F2FS_NO_NUMBER else row.segno,
            None if row.slot == lib.F2FS_NO_NUMBER else row.slot,
            row.found if row.has_values else None,
            row.expected if row.has_values else None,
            row.action == lib.F2FS_ACTION_FIXED,
        )
        decision = enums.Decision.FIX
        if self.decide is not None:
            decision = enums.Decision(self.decide(found))
            found = found._replace(is_chosen=found.is_chosen and decision == enums.Decision.FIX)
        if self.on_problem is None:
            self.problems.append(found)
        else:
            self.on_problem(found)
        return int(decision)


class _Words:
    """An array of C strings; NULL when there are none."""

    def __init__(self, words: str | Iterable[str] | None) -> None:
        self.pointer: Any = ffi.NULL
        if words is not None:
            self.strings = [ffi.new("char[]", word.encode()) for word in ([words] if isinstance(words, str) else words)]
            self.pointer = ffi.new("char *[]", [*self.strings, ffi.NULL])


@ffi.def_extern(onerror=stray, error=-40)  # type: ignore[misc]
def py_check_options_problem(user: Any, problem: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.take(problem)
    except BaseException as error:
        run.hooks.keep(error)
        return int(lib.F2FS_ERR_CANCELED)


def _refuse(volume: VolumeBase) -> Exception:
    """Return the error for a check of an open volume."""
    if volume._is_view:
        return errors.make(
            lib.F2FS_ERR_UNSUPPORTED, "a view of an earlier checkpoint has no NAT, SIT and SSA of its time to be checked "
            "against: extract it or compare it with another tree, as_of_stat() then tells what is not left"
        )
    return TypeError("check() takes what a volume is opened from, not an open Volume")


@names_source
def check(
    source: Source,
    *,
    repair: bool = False,
    dry_run: bool = False,
    content: bool = False,
    undo: Path | None = None,
    offset: int = 0,
    devices: Sequence[Source] = (),
    max_findings: int = 0,
    on_problem: Callable[[Problem], object] | None = None,
    only: str | Iterable[str] | None = None,
    except_: str | Iterable[str] = (),
    decide: Decide | None = None,
    accept_unread: bool = False,
    accept_foreign: bool = False,
    cut_at: int | None = None,
    lock: bool = True,
    context: Context | None = None,
    log: LogCallback | None = None,
    progress: ProgressCallback | None = None,
) -> CheckReport:
    """Check a volume, and repair it when asked to.

    Args:
        source: as for `open()`: a path, `Device`, file object or buffer. It must be writable for a repair. The check
            covers the tables of the last checkpoint, so it refuses a view of an earlier one (`Volume.as_of()`):
            UnsupportedError.
        repair: fix the findings. A checkpoint makes everything permanent, so a power cut does no harm. A second check
            finds nothing.
        dry_run: repair a copy in memory, to see the effects of a repair. source is only read.
        content: also decompress all clusters and verify fs-verity trees.
        undo: path of a new file that keeps the bytes that the repair overwrites, for `Device.play_undo()`, or with
            several devices `Device.restore_undo()`.
        offset: byte where the volume starts.
        devices: of a volume on several devices, the further ones in order.
        max_findings: further ones are only counted; 0: a million.
        on_problem: called with each `Problem`, which is then not kept in the report. An exception ends the check, and
            nothing is repaired.
        only: repair nothing but these: numbers ("P604"), names or groups of problems.
        except_: skip these. Skipped findings of RepairKind.COMMON are no reason to write, but every repair that writes
            for another reason fixes them.
        decide: called with each `Problem`. In a repair it returns a `Decision`: FIX (or True), SKIP (or False), or
            STOP, which repairs nothing at all. An exception ends the check, and nothing is repaired.
        accept_foreign: repair even if the device has a signature of another system (FOREIGN).
        accept_unread: repair even if a superblock copy or checkpoint pack cannot be read, which loses it.
        cut_at: the volume was cut short to this many bytes. Everything after them, or past the end of its devices,
            counts as lost, and a repair drops it. FILE_CUT or DENTRY_CUT reports each file. DEVICE_SHORT stays
            until `resize()` shrinks the volume or the device is longer. None: report missing parts of the device, and
            repair nothing.
        lock: as of `open()`.
        context, log, progress: as for `open()`.

    Raises:
        InvalidError: only or except_ names no problem. NotF2fsError: there is no trace of a volume.
        OSError: nothing can be read, or a repair would lose a superblock copy or checkpoint pack that cannot be read.
        ReadOnlyError: a repair of a source that cannot be written.
        ValueError: undo without a repair that writes, or only, except_ or decide without a repair.
    """
    if undo is not None and (dry_run or not repair):
        raise ValueError("undo is for a repair that writes")
    if (only is not None or except_ or decide is not None) and not (repair or dry_run):
        raise ValueError("only, except_ and decide are for a repair, or a dry run of one")
    if cut_at is not None and cut_at <= 0:
        raise ValueError(f"cut_at has to be more than 0, not {cut_at}")
    if isinstance(source, VolumeBase):
        raise _refuse(source)
    if isinstance(source, Device):
        if context is not None and context is not source.context:
            raise ValueError("the device belongs to another context")
        context = source.context
    if context is not None and (log is not None or progress is not None):
        raise ValueError("log and progress belong to the context that is shared")
    shared = context or Context(log=log, progress=progress)
    writable = repair and not dry_run
    opened: list[Device] = []

    def open_one(one: Source) -> Device:
        device = as_device(one, shared, writable, lock)
        if device is not one:
            opened.append(device)
        return device

    run = _Run(shared._handle.core.hooks, on_problem, decide)
    chosen = _Words(only), _Words(except_ or None)
    try:
        device = open_one(source)
        further = [open_one(one) for one in devices]
        layers: list[Device] = []
        if dry_run:
            layers += [one.overlay() for one in (device, *further)]
        elif undo is not None and repair:
            layers = Device.record_undo([device, *further], host_path(undo))
        if layers:
            device, *further = layers
            opened += layers
        opening = sized("struct f2fs_open_options *")
        put(opening, offset=offset, accept_unread=accept_unread, accept_foreign=accept_foreign)
        row = _call(shared, device, further, run, opening, content, repair or dry_run, max_findings, chosen, cut_at or 0)
    finally:
        for device in reversed(opened):
            device.close()
    return _report(row, run)


def _call(
    context: Context,
    device: Device,
    further: Sequence[Device],
    run: _Run,
    opening: Any,
    content: bool,
    repair: bool,
    max_findings: int,
    chosen: tuple[_Words, _Words],
    cut_at: int,
) -> Any:
    handle = ffi.new_handle(run)
    options = sized("struct f2fs_check_options *")
    options.depth = lib.F2FS_CHECK_CONTENT if content else lib.F2FS_CHECK_FULL
    put(options, repair=repair, cut_at=cut_at, max_findings=max_findings)
    options.problem, options.user = lib.py_check_options_problem, handle
    options.only = chosen[0].pointer
    setattr(options, "except", chosen[1].pointer)
    options.open = opening
    row = sized("struct f2fs_check_result *")

    def call(pointer: Any) -> int:
        with further_devices(opening, further):
            return int(lib.f2fs_check(pointer, device._handle.held(), options, row))

    context._handle.call(call)
    return row


def _report(row: Any, run: _Run) -> CheckReport:
    values = {name: getattr(row, name) for name in CheckReport._fields if name not in ("problems", "severities")}
    values["state"] = enums.CheckState(row.state)
    values["is_unmounted"] = bool(row.is_unmounted)
    severities = row.severity[0], row.severity[1], row.severity[2], row.severity[3]
    return CheckReport(problems=tuple(run.problems), severities=severities, **values)
