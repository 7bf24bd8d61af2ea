# SPDX-License-Identifier: LGPL-2.1-or-later
"""NAT, SIT and SSA as sequences, and as buffers for NumPy.

Each table is a sequence of named tuples; `buffer()` gives its raw entries, packed as on disk and with the journal
applied, in one piece:

    >>> nat = numpy.frombuffer(volume.nat.buffer(), numpy.dtype(f2fskit.dtype("nat_entry")))   # doctest: +SKIP
    >>> numpy.count_nonzero(nat["block_addr"])                                                 # doctest: +SKIP
"""

from __future__ import annotations

import collections.abc
import operator
from typing import TYPE_CHECKING, Any, Generic, Iterator, TypeVar, Union, overload

from . import enums, errors, format, results
from ._core import ffi, lib, number

if TYPE_CHECKING:
    from .volume_base import VolumeBase

E = TypeVar("E")

_SOURCES = {int(source): source for source in enums.EntrySource}


class Table(collections.abc.Sequence[E], Generic[E]):
    """A table of the volume: `table[i]`, slices, len(), iteration."""

    __slots__ = ("_volume",)

    def __init__(self, volume: VolumeBase) -> None:
        self._volume = volume

    def _get(self, index: int) -> E:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> E: ...

    @overload
    def __getitem__(self, index: slice) -> list[E]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[E, list[E]]:
        n = len(self)
        if isinstance(index, slice):
            return [self._get(i) for i in range(*index.indices(n))]
        i = operator.index(index)
        if i < 0:
            i += n
        if not 0 <= i < n:
            raise IndexError(f"{type(self).__name__} index {index} out of range")
        return self._get(i)

    def __iter__(self) -> Iterator[E]:
        return map(self._get, range(len(self)))

    def _range(self, start: int, stop: int | None) -> range:
        return range(*slice(start, stop).indices(len(self)))


class Nat(Table[results.NatEntry]):
    """The node address table by node id. Iteration gives free entries too; `used()` does not."""

    __slots__ = ()

    def __len__(self) -> int:
        return self._volume.geometry.max_nid

    def _get(self, index: int) -> results.NatEntry:
        row = ffi.new("struct f2fs_nat_entry *")
        self._volume._handle.call(lib.f2fs_nat_lookup, index, row)
        return _nat_entry(row)

    def used(self, start: int = 0) -> Iterator[results.NatEntry]:
        """Yield the entries of node ids in use from start on; reads only the NAT, in order."""
        row = ffi.new("struct f2fs_nat_entry *")
        nid = number(start, "start", 32)
        while nid < len(self):
            try:
                self._volume._handle.call(lib.f2fs_nat_next, nid, row)
            except errors.Error as error:
                if error.code == lib.F2FS_ERR_NOT_FOUND:
                    return
                raise
            yield _nat_entry(row)
            nid = row.nid + 1

    def buffer(self, start: int = 0, stop: int | None = None) -> memoryview:
        """Return the raw entries [start, stop), 9 bytes each; structure "nat_entry"."""
        return _read(self._volume, lib.f2fs_nat_read, self._range(start, stop), _NAT_SIZE)


class Sit(Table[results.SitEntry]):
    """The segment information table by segment number."""

    __slots__ = ()

    def __len__(self) -> int:
        return self._volume.geometry.segment_count_main

    def _get(self, index: int) -> results.SitEntry:
        row = ffi.new("struct f2fs_sit_entry *")
        self._volume._handle.call(lib.f2fs_sit_lookup, index, row)
        return results.SitEntry(
            row.segno,
            row.valid_blocks,
            _LOG_TYPES.get(row.type, row.type),
            _SOURCES[row.source],
            row.mtime,
            bytes(ffi.buffer(row.valid_map)),
            row.table_block,
        )

    def buffer(self, start: int = 0, stop: int | None = None) -> memoryview:
        """Return the raw entries [start, stop), 74 bytes each; structure "sit_entry"."""
        return _read(self._volume, lib.f2fs_sit_read, self._range(start, stop), _SIT_SIZE)


class SegmentSummary(Table[results.Summary]):
    """The owners of a segment's 512 blocks."""

    __slots__ = ("segno", "entry_type", "source", "_raw")

    segno: int
    entry_type: int
    """0 data, 1 node."""
    source: enums.SummarySource
    """Where it was found: the SSA, the checkpoint pack or the nodes' footers (logs), or nowhere."""

    def __init__(self, volume: VolumeBase, segno: int) -> None:
        super().__init__(volume)
        raw = bytearray(_SUMMARY_SIZE * lib.F2FS_SEGMENT_BLOCKS)
        entry_type = ffi.new("uint8_t *")
        source = ffi.new("int *")
        volume._handle.call(lib.f2fs_ssa_read, segno, ffi.from_buffer(raw), entry_type, source)
        self.segno = segno
        self.entry_type = entry_type[0]
        self.source = enums.SummarySource(source[0])
        self._raw = memoryview(raw).toreadonly()

    def __len__(self) -> int:
        return int(lib.F2FS_SEGMENT_BLOCKS)

    def _get(self, index: int) -> results.Summary:
        return results.Summary(*_SUMMARY.codec.unpack_from(self._raw, index * _SUMMARY_SIZE))

    def buffer(self) -> memoryview:
        """Return the raw entries, 7 bytes each; structure "summary_entry"."""
        return self._raw

    def __repr__(self) -> str:
        return f"<SegmentSummary of segment {self.segno}, {'node' if self.entry_type else 'data'}, {self.source.name}>"


class Ssa(Table[SegmentSummary]):
    """The segment summary area by segment number."""

    __slots__ = ()

    def __len__(self) -> int:
        return self._volume.geometry.segment_count_main

    def _get(self, index: int) -> SegmentSummary:
        return SegmentSummary(self._volume, index)

    def buffer(self, start: int = 0, stop: int | None = None) -> memoryview:
        """Return the raw entries of segments [start, stop), 512 of 7 bytes each; structure "summary_entry"."""
        segments = self._range(start, stop)
        size = _SUMMARY_SIZE * lib.F2FS_SEGMENT_BLOCKS
        raw = bytearray(size * len(segments))
        entry_type = ffi.new("uint8_t *")
        source = ffi.new("int *")
        pointer = ffi.from_buffer("uint8_t[]", raw)
        for i, segno in enumerate(segments):
            self._volume._handle.call(lib.f2fs_ssa_read, segno, pointer + i * size, entry_type, source)
        ffi.release(pointer)
        return memoryview(raw).toreadonly()


_NAT_SIZE = format.structs["nat_entry"].size
_SIT_SIZE = format.structs["sit_entry"].size
_SUMMARY = format.structs["summary_entry"]
_SUMMARY_SIZE = _SUMMARY.size
_LOG_TYPES = {int(kind): kind for kind in enums.LogType}


def _nat_entry(row: Any) -> results.NatEntry:
    return results.NatEntry(row.nid, row.ino, row.block_addr, row.version, _SOURCES[row.source], row.table_block)


def _read(volume: VolumeBase, function: Any, wanted: range, size: int) -> memoryview:
    raw = bytearray(len(wanted) * size)
    if raw:
        volume._handle.call(function, wanted.start, len(wanted), ffi.from_buffer(raw))
    return memoryview(raw).toreadonly()
