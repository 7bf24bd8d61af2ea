# SPDX-License-Identifier: LGPL-2.1-or-later
"""Power cuts: every state that a power cut during a procedure may leave on a disk with a volatile cache.

The disk keeps its promises: writes before a completed flush are durable. Later writes may be there or not, in any
combination, and a write may be there in part, sector by sector. A discarded range may have any contents.
"""

from __future__ import annotations

import collections.abc
import random
from typing import Any, Callable, Iterator, Literal, Union

from . import enums, errors
from .checker import check
from .context import Context
from .device import Device, MemoryDevice
from .results import DeviceRecord
from .source import Source, as_device
from .volume import Volume, open as open_volume

SECTOR = 512
_PIECE = 4 << 20  # bytes copied at once; the largest discard that is filled with bytes
_ALL = 12  # with at most so many writes, combinations are numbered
_USUAL_TEARS = 3
_USUAL_ORDERS = 16

Procedure = Callable[[Device], Union[Iterator[object], object]]


class PowerCut:
    """The state of a disk after a power cut."""

    def __init__(self, device: MemoryDevice, kind: str, durable: int, issued: int, total: int, steps: int) -> None:
        """Not for users: see `power_cuts()`."""
        self.device = device
        """The disk before any mount. It is a copy of its own."""
        self.kind = kind
        """"prefix": writes up to some point. "torn": the last of them in part. "reordered": some of them, or parts."""
        self.durable = durable
        """Number of the procedure's operations (writes, discards, flushes) that are surely there."""
        self.issued = issued
        """Number of operations that had begun."""
        self.total = total
        """Number of operations of the whole procedure."""
        self.steps = steps
        """Number of the procedure's steps that were surely durable, see `power_cuts()`."""

    @property
    def is_complete(self) -> bool:
        """Had the procedure ended before the cut, with everything durable?"""
        return self.durable == self.total

    def mount(self, access: Literal["r", "r+"] = "r") -> Volume:
        """Mount the disk as the kernel does, and open the volume.

        This recovers fsynced data, deletes orphans, and refuses a volume that the kernel would refuse. It changes
        `device`, as a mount changes a disk.
        """
        open_volume(self.device, mode="strict", recover="apply").close()
        return open_volume(self.device, access, mode="strict")

    def judge(self) -> None:
        """Raise `PowerCutError` unless the kernel would mount the disk, and a check finds no damage afterwards.

        A stale or torn copy of a superblock or checkpoint is no damage: the kernel uses the other one.
        """
        with self.device.fork() as disk:
            try:
                open_volume(disk, mode="strict", recover="apply").close()
            except errors.Error as error:
                raise PowerCutError(f"after a power cut ({self}) the kernel would refuse the volume: {error}", self) from error
            report = check(disk)
        wrong = [problem for problem in report.problems if problem.severity >= enums.Severity.DAMAGE and problem.name != "SB_COPY"]
        if wrong:
            raise PowerCutError(f"after a power cut ({self}) the volume is damaged: {wrong[0].message}", self)

    def __str__(self) -> str:
        return f"{self.kind}, {self.durable} to {self.issued} of {self.total} operations, {self.steps} steps done"

    def __repr__(self) -> str:
        return f"<f2fskit.PowerCut {self}>"


class PowerCutError(AssertionError):
    """A power cut left a volume that is damaged, or that the kernel would refuse.

    Attributes:
        cut: the `PowerCut`. `cut.device.save(path)` keeps it for a closer look.
    """

    def __init__(self, message: str, cut: PowerCut) -> None:
        super().__init__(message)
        self.cut = cut


def power_cuts(
    image: Source,
    procedure: Procedure,
    *,
    reorder: bool | int = True,
    torn: bool | int = True,
    seed: int = 0,
    judge: bool = True,
) -> Iterator[PowerCut]:
    """Run a procedure on a copy of an image, and yield each state that a power cut may leave on the disk.

    The disk is one with a volatile cache: it may reorder and tear writes that no flush has made durable.

    Args:
        image: source of `open()`, of one device. It is not changed.
        procedure: called once with a writable `Device`, which it may open, format, repair or resize. If it is a
            generator, each yield ends a step, whose durable effects are promised from then on. Its end is the last
            step. `PowerCut.steps` counts those that a state has to show.
        reorder: how many combinations of the writes between two flushes arrive, and as many random choices of their
            sectors. If there are fewer combinations, all of them. True: 16. False: none.
        torn: in how many places each single write is cut. True: 3. False: none.
        seed: of the random choices.
        judge: judge each state by `PowerCut.judge()` before it is yielded.

    Raises:
        PowerCutError: a state is not one that the kernel would mount and find sound.
        Any exception of the procedure.
    """
    orders = _USUAL_ORDERS if reorder is True else int(reorder)
    tears = _USUAL_TEARS if torn is True else int(torn)
    if orders < 0 or tears < 0:
        raise ValueError("reorder and torn are not negative")
    with _copy(image) as disk, disk.fork() as before:
        with disk.recorder() as recorder:
            ends = _run(procedure, recorder)
            records = list(recorder.records)
        for cut in _Walk(before, records, ends, random.Random(seed)).cuts(orders, tears):
            with cut.device:
                if judge:
                    cut.judge()
                yield cut


def _copy(image: Source) -> MemoryDevice:
    """Return a copy of an image in memory."""
    if isinstance(image, MemoryDevice):
        return image.fork()
    context = image.context if isinstance(image, Device) else Context()
    device = as_device(image, context)
    try:
        copy = Device.memory(device.size, context=context)
        for extent in device.extents():
            if not extent.is_hole:
                for at in range(extent.offset, extent.offset + extent.length, _PIECE):
                    copy.write(at, device.read(at, min(_PIECE, extent.offset + extent.length - at)))
        return copy
    finally:
        if device is not image:
            device.close()


def _run(procedure: Procedure, recorder: Any) -> list[int]:
    """Run the procedure. Return the number of records at the end of each step."""
    ends = []
    steps = procedure(recorder)
    if isinstance(steps, collections.abc.Iterator):
        for _ in steps:
            ends.append(len(recorder.records))
    ends.append(len(recorder.records))
    return ends


class _Walk:
    """Walks from flush to flush. Each state is a fork of the durable contents with some of the writes that follow."""

    def __init__(self, before: MemoryDevice, records: list[DeviceRecord], ends: list[int], chance: random.Random) -> None:
        self.records = records
        self.ends = ends
        self.chance = chance
        self.durable = before
        self.first = 0

    def cuts(self, orders: int, tears: int) -> Iterator[PowerCut]:
        """Yield all states."""
        while self.first <= len(self.records):
            end = self.first
            while end < len(self.records) and self.records[end].kind != enums.RecordKind.FLUSH:
                end += 1
            yield from self._in_order(end, tears)
            if orders:
                yield from self._out_of_order(end, orders)
            for record in self.records[self.first : end]:
                _apply(self.durable, record, 0, record.length)
            self.first = end + 1

    def _cut(self, device: MemoryDevice, kind: str, issued: int) -> PowerCut:
        total = len(self.records)
        durable = min(self.first, total)
        return PowerCut(device, kind, durable, issued, total, sum(end <= durable for end in self.ends))

    def _in_order(self, end: int, tears: int) -> Iterator[PowerCut]:
        with self.durable.fork() as disk:
            for i in range(self.first, end + 1):
                yield self._cut(disk.fork(), "prefix", i)
                if i == end:
                    break
                record = self.records[i]
                for place in _tears(record.length, tears):
                    torn = disk.fork()
                    _apply(torn, record, 0, place)
                    yield self._cut(torn, "torn", i + 1)
                _apply(disk, record, 0, record.length)

    def _out_of_order(self, end: int, orders: int) -> Iterator[PowerCut]:
        records = self.records[self.first : end]
        for chosen in _combinations(len(records), orders, self.chance):
            disk = self.durable.fork()
            for record, is_there in zip(records, chosen):
                if is_there:
                    _apply(disk, record, 0, record.length)
            yield self._cut(disk, "reordered", end)
        for _ in range(orders if records else 0):
            disk = self.durable.fork()
            for record in records:
                self._scatter(disk, record)
            yield self._cut(disk, "reordered", end)

    def _scatter(self, disk: MemoryDevice, record: DeviceRecord) -> None:
        """Let runs of a record's sectors arrive or not, as disks lose pages rather than single sectors."""
        at = 0
        while at < record.length:
            to = min(at + (SECTOR << self.chance.randrange(10)), record.length)
            if self.chance.random() < 0.5:
                _apply(disk, record, at, to)
            at = to


def _tears(length: int, count: int) -> list[int]:
    """Return the places, in bytes, where a write is cut: after its first and before its last sector, and between."""
    sectors = (length + SECTOR - 1) // SECTOR
    if count >= sectors - 1:
        return [i * SECTOR for i in range(1, sectors)]
    if count == 1:
        return [sectors // 2 * SECTOR]
    return sorted({(1 + i * (sectors - 2) // (count - 1)) * SECTOR for i in range(count)})


def _combinations(count: int, wanted: int, chance: random.Random) -> Iterator[list[bool]]:
    """Yield choices of writes. Those that writes in order leave too are left out."""
    if count <= _ALL and (1 << count) <= wanted + count + 1:
        numbers = iter(range(1 << count))
    else:
        alone = [1 << i for i in range(count)]
        without = [(1 << count) - 1 - one for one in alone]
        mixed = [chance.getrandbits(count) for _ in range(wanted)]
        numbers = iter(_spread([*without, *alone], (wanted + 1) // 2) + mixed[: wanted // 2])
    for number in numbers:
        if number & (number + 1):  # not the first n of them
            yield [bool(number >> i & 1) for i in range(count)]


def _spread(numbers: list[int], count: int) -> list[int]:
    """Return at most count of the numbers, evenly spread."""
    return numbers if len(numbers) <= count else [numbers[i * len(numbers) // count] for i in range(count)]


def _apply(disk: Device, record: DeviceRecord, start: int, end: int) -> None:
    """Do bytes start to end of a record."""
    if record.kind == enums.RecordKind.WRITE:
        assert record.data is not None
        disk.write(record.offset + start, memoryview(record.data)[start:end])
    elif record.kind == enums.RecordKind.ZERO or (record.kind == enums.RecordKind.DISCARD and end - start > _PIECE):
        disk.zero(record.offset + start, end - start)
    elif record.kind == enums.RecordKind.DISCARD:
        disk.write(record.offset + start, b"\xd1" * (end - start))
