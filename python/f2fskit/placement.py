# SPDX-License-Identifier: LGPL-2.1-or-later
"""Placements: group contents of files in streams, so that data that changes together is freed together."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from . import results
from ._core import Handle, Owner, ffi, lib, sized, stray

#: No stream: the block is written as without a placement.
NO_STREAM: int = lib.F2FS_STREAM_NONE
"""No stream: the block goes to the log that it has without a placement."""


class Placement(Protocol):
    """A placement for Volume.set_placement(): an object with `streams` and `classify`. All other methods are optional.

    The methods are called while the volume is changed, so they cannot use it. Addresses are in blocks; 0 is none. The
    call that made the change raises a method's exceptions, but the change is made all the same. A policy in Python is
    slow: some microseconds for each block.
    """

    #: How many streams there are, 1 to 16.
    streams: int

    def classify(self, ino: int, file_block: int, old: int) -> int:
        """Return the stream of a block that is about to be written in place of the one at `old`, or NO_STREAM."""
        ...

    # written(ino, file_block, old, addr): the block was written
    # moving(ino, old) -> int: the stream of a block that GC is about to move
    # moved(old, addr), freed(addr): GC moved a block; a block is in use no more
    # delay(ino, file_block, old) -> int: rounds for which a whole block may wait in memory, 0 to 15
    # heat(segno, blocks) -> int: how hot a segment is, for GC by "hotness"


class Streams(NamedTuple):
    """Numbers of the streams since the placement was set."""

    blocks: tuple[int, ...]
    """Written to each, moved ones included."""
    refused: int
    """Blocks that found no room in their stream."""
    segments: int
    """Begun."""
    submissions: int
    """Writes to the device."""
    partial: int
    """Those of them that did not end a segment."""
    held: int
    """Blocks that waited by their delay."""
    saved: int
    """Writes that changed a block that waited."""


class HotnessStat(NamedTuple):
    """Statistics of a learning method, and its memory."""

    written: int
    known: int
    """Written blocks of which the method knew something before."""
    memory: int
    """Bytes that entries and tables take now."""
    hits: int
    misses: int
    evictions: int
    sidecar_reads: int
    sidecar_writes: int
    sidecar_errors: int
    sidecar_fits: int
    """1: the contents of the sidecar were used."""
    clusterings: int
    rounds: int
    separates: int
    """For "adaptive": 0 while no stream would pay. For the others: 1."""
    classes: int
    borders: tuple[int, ...]
    """The largest distance, or lifetime, of each class, in blocks written."""


class Hotness(Owner):
    """A method that learns while the volume is written; see docs/HOTNESS.md. It ends with `close()` or the volume."""

    def __init__(self, volume: Any, handle: Handle, sidecar: Any) -> None:
        self._volume = volume
        self._handle = handle
        self._sidecar = sidecar  # must stay open as long

    @property
    def stat(self) -> HotnessStat:
        """Statistics so far."""
        row = sized("struct f2fs_hotness_stat *")
        self._handle.get(lib.f2fs_hotness_stat, row)
        values = [getattr(row, name) for name in HotnessStat._fields[:-1]]
        return HotnessStat._make([*values, tuple(row.borders[i] for i in range(min(row.classes, lib.F2FS_STREAMS)))])

    def close(self) -> None:
        """Remove the placement and save the sidecar. StateError: there are uncommitted changes."""
        if not self._handle.closed:
            self._volume.set_placement(None)


class _Asked:
    """The placement that callbacks ask."""

    def __init__(self, hooks: Any, placement: Any) -> None:
        self.hooks = hooks
        self.placement = placement

    def ask(self, method: str, default: int, *arguments: int) -> int:
        try:
            answer = getattr(self.placement, method)(*arguments)
            return default if answer is None else int(answer)
        except BaseException as error:
            self.hooks.keep(error)
            return default


def _answer(user: Any, method: str, default: int, most: int, *arguments: int) -> int:
    asked: _Asked = ffi.from_handle(user)
    answer = asked.ask(method, default, *arguments)
    return answer if 0 <= answer <= most else default


@ffi.def_extern(onerror=stray, error=NO_STREAM)  # type: ignore[misc]
def py_placement_classify(user: Any, ino: int, file_block: int, old: int) -> int:
    return _answer(user, "classify", NO_STREAM, NO_STREAM, ino, file_block, old)


@ffi.def_extern(onerror=stray)  # type: ignore[misc]
def py_placement_written(user: Any, ino: int, file_block: int, old: int, addr: int) -> None:
    _answer(user, "written", 0, 0, ino, file_block, old, addr)


@ffi.def_extern(onerror=stray, error=NO_STREAM)  # type: ignore[misc]
def py_placement_moving(user: Any, ino: int, old: int) -> int:
    return _answer(user, "moving", NO_STREAM, NO_STREAM, ino, old)


@ffi.def_extern(onerror=stray)  # type: ignore[misc]
def py_placement_moved(user: Any, old: int, addr: int) -> None:
    _answer(user, "moved", 0, 0, old, addr)


@ffi.def_extern(onerror=stray)  # type: ignore[misc]
def py_placement_freed(user: Any, addr: int) -> None:
    _answer(user, "freed", 0, 0, addr)


@ffi.def_extern(onerror=stray, error=0)  # type: ignore[misc]
def py_placement_delay(user: Any, ino: int, file_block: int, old: int) -> int:
    return _answer(user, "delay", 0, lib.F2FS_DELAY_MAX, ino, file_block, old)


@ffi.def_extern(onerror=stray, error=0)  # type: ignore[misc]
def py_placement_heat(user: Any, segno: int, blocks: int) -> int:
    return _answer(user, "heat", 0, (1 << 64) - 1, segno, blocks)


_METHODS = ("classify", "written", "moving", "moved", "freed", "delay", "heat")


def set_own(volume: Any, placement: Any) -> Any:
    """Set a placement written in Python. Return the object that must be kept as long as it is set."""
    asked = _Asked(volume._handle.core.hooks, placement)
    user = ffi.new_handle(asked)
    row = sized("struct f2fs_placement *", {"user": user, "streams": placement.streams})
    for method in _METHODS:
        if callable(getattr(placement, method, None)):
            setattr(row, method, getattr(lib, f"py_placement_{method}"))
    volume._handle.call(lib.f2fs_volume_set_placement, row)
    return user, asked


def set_method(volume: Any, name: str, sidecar: Any, options: dict[str, int]) -> Hotness:
    """Set a method of the library."""
    row = sized("struct f2fs_hotness_options *")
    method = lib.f2fs_hotness_find(name.encode())
    if method < 0:
        known = ", ".join(ffi.string(lib.f2fs_hotness_name(i)).decode() for i in range(4))
        raise ValueError(f"{name!r} is none of {known}")
    row.method = method
    members = {key for key, _ in ffi.typeof("struct f2fs_hotness_options").fields} - {"method", "sidecar"}
    for key, value in options.items():
        if key not in members:
            raise TypeError(f"set_placement() has no option {key!r}; there are {', '.join(sorted(members))}")
        setattr(row, key, value)
    if sidecar is not None:
        row.sidecar = sidecar._handle.get(lib.f2fs_device_ref)
    pointer = volume._handle.held()

    def let_go() -> None:
        device, row.sidecar = row.sidecar, ffi.NULL
        lib.f2fs_device_close(device)

    def release(hotness: Any) -> None:
        if lib.f2fs_hotness_close(hotness) < 0:  # with the volume: drop uncommitted changes first
            lib.f2fs_volume_rollback(pointer)
            lib.f2fs_hotness_close(hotness)
        let_go()

    try:
        handle = volume._handle.open("the placement", release, "f2fs_hotness", lib.f2fs_hotness_open, row)
    except BaseException:
        let_go()
        raise
    return Hotness(volume, handle, sidecar)


def take_away(volume: Any, hotness: Hotness | None) -> None:
    """Write without a placement from now on."""
    volume._handle.call(lib.f2fs_volume_set_placement, ffi.NULL)  # refused while changes wait
    if hotness is not None:
        hotness._handle.close()


def streams(volume: Any) -> Streams:
    """The property Volume.streams."""
    row = sized("struct f2fs_stream_stat *")
    volume._handle.get(lib.f2fs_volume_streams, row)
    return results.from_c(Streams, row)._replace(blocks=tuple(row.blocks))
