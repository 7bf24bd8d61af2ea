# SPDX-License-Identifier: LGPL-2.1-or-later
"""NAT, SIT and SSA as sequences, and as buffers for NumPy.

Each table is a sequence of named tuples. `buffer()` returns its raw entries in one piece, packed as on disk and with
the journal applied:

    >>> nat = numpy.frombuffer(volume.nat.buffer(), numpy.dtype(f2fskit.dtype("nat_entry")))   # doctest: +SKIP
    >>> numpy.count_nonzero(nat["block_addr"])                                                 # doctest: +SKIP

`array()` returns the same as a structured NumPy array, with a number for each row and with packed words split into
fields.
"""

from __future__ import annotations

import collections.abc
import operator
from typing import TYPE_CHECKING, Any, Generic, Iterator, TypeVar, Union, cast, overload

from . import enums, errors, format, results
from ._core import ffi, lib, number
from .listing import load_numpy

if TYPE_CHECKING:
    from .listing import Array
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

    def __repr__(self) -> str:
        shown = "of a closed volume" if self._volume.closed else f"of {len(self)} entries"
        return f"<f2fskit.{type(self).__name__} {shown}>"


class Nat(Table[results.NatEntry]):
    """The node address table by node id. Iteration gives free entries too; `used()` does not."""

    __slots__ = ()

    def __len__(self) -> int:
        return self._volume.geometry.max_nid

    def _get(self, index: int) -> results.NatEntry:
        row = ffi.new("struct f2fs_nat_info *")
        self._volume._handle.call(lib.f2fs_nat_lookup, index, row)
        return _nat_entry(row)

    def used(self, start: int = 0) -> Iterator[results.NatEntry]:
        """Yield the entries of node ids in use from start on. It reads only the NAT, in order."""
        row = ffi.new("struct f2fs_nat_info *")
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

    def array(self, start: int = 0, stop: int | None = None, *, used: bool = True) -> Array:
        """Return the entries [start, stop) as a NumPy array: nid, ino, block_addr, version.

        used: without those of node ids that are free.
        """
        numpy = load_numpy("buffer() gives the raw entries")
        wanted = self._range(start, stop)
        raw = numpy.frombuffer(self.buffer(start, stop), format.dtype("nat_entry"))
        found: Array = numpy.empty(len(raw), [("nid", "u4"), ("ino", "u4"), ("block_addr", "u4"), ("version", "u1")])
        found["nid"] = numpy.arange(wanted.start, wanted.start + len(raw))
        for name in ("ino", "block_addr", "version"):
            found[name] = raw[name]
        return cast("Array", found[found["block_addr"] != 0]) if used else found


class Sit(Table[results.SitEntry]):
    """The segment information table by segment number."""

    __slots__ = ()

    def __len__(self) -> int:
        return self._volume.geometry.segment_count_main

    def _get(self, index: int) -> results.SitEntry:
        row = ffi.new("struct f2fs_segment_info *")
        self._volume._handle.call(lib.f2fs_sit_lookup, index, row)
        return results.SitEntry(
            row.segno,
            row.valid_blocks,
            _LOG_TYPES[row.type] if row.type in _LOG_TYPES else row.type,
            _SOURCES[row.source],
            row.mtime,
            bytes(ffi.buffer(row.valid_map)),
            row.table_block,
        )

    def buffer(self, start: int = 0, stop: int | None = None) -> memoryview:
        """Return the raw entries [start, stop), 74 bytes each; structure "sit_entry"."""
        return _read(self._volume, lib.f2fs_sit_read, self._range(start, stop), _SIT_SIZE)

    def array(self, start: int = 0, stop: int | None = None) -> Array:
        """Return the entries [start, stop) as a NumPy array: segno, valid_blocks, type (a `LogType`), mtime, and valid, a bool
        for each of the segment's 512 blocks."""
        numpy = load_numpy("buffer() gives the raw entries")
        wanted = self._range(start, stop)
        raw = numpy.frombuffer(self.buffer(start, stop), format.dtype("sit_entry"))
        kinds = [("segno", "u4"), ("valid_blocks", "u2"), ("type", "u1"), ("mtime", "u8"), ("valid", "?", (512,))]
        found: Array = numpy.empty(len(raw), kinds)
        found["segno"] = numpy.arange(wanted.start, wanted.start + len(raw))
        found["valid_blocks"] = raw["vblocks"] & _VALID_MASK
        found["type"] = raw["vblocks"] >> _VALID_BITS
        found["mtime"] = raw["mtime"]
        found["valid"] = numpy.unpackbits(raw["valid_map"], axis=1)
        return found


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
        return memoryview(self._load(start, stop)[0]).toreadonly()

    def _load(self, start: int, stop: int | None) -> tuple[bytearray, bytes, bytes]:
        """Read the raw entries of segments, the type and the source of each, in one call."""
        segments = self._range(start, stop)
        size = _SUMMARY_SIZE * lib.F2FS_SEGMENT_BLOCKS
        raw, types, sources = bytearray(size * len(segments)), bytearray(), bytearray()
        entry_type = ffi.new("uint8_t *")
        source = ffi.new("int *")
        pointer: Any = ffi.NULL

        def read(volume: Any) -> int:
            for i, segno in enumerate(segments):
                result = int(lib.f2fs_ssa_read(volume, segno, pointer + i * size, entry_type, source))
                if result < 0:
                    return result
                types.append(entry_type[0])
                sources.append(source[0])
            return 0

        with ffi.from_buffer("uint8_t[]", raw) as pointer:
            self._volume._handle.call(read)
        return raw, bytes(types), bytes(sources)

    def array(self, start: int = 0, stop: int | None = None) -> Array:
        """Return the owners of the blocks of segments [start, stop) as a NumPy array, a row for each block.

        The columns are segno, offset, entry_type (0 data, 1 node), source (a `SummarySource`), nid, version,
        ofs_in_node.
        """
        numpy = load_numpy("buffer() gives the raw entries")
        blocks = int(lib.F2FS_SEGMENT_BLOCKS)
        entries, types, sources = self._load(start, stop)
        raw = numpy.frombuffer(entries, format.dtype("summary_entry"))
        kinds = [("segno", "u4"), ("offset", "u2"), ("entry_type", "u1"), ("source", "u1"), ("nid", "u4"), ("version", "u1"),
                 ("ofs_in_node", "u2")]  # fmt: skip
        found: Array = numpy.empty(len(raw), kinds)
        first = self._range(start, stop).start
        found["segno"] = numpy.repeat(numpy.arange(first, first + len(types)), blocks)
        found["offset"] = numpy.tile(numpy.arange(blocks), len(types))
        for name, values in (("entry_type", types), ("source", sources)):
            found[name] = numpy.repeat(numpy.frombuffer(values, "u1"), blocks)
        for name in ("nid", "version", "ofs_in_node"):
            found[name] = raw[name]
        return found


_NAT_SIZE = format.structs["nat_entry"].size
_SIT_SIZE = format.structs["sit_entry"].size
_SUMMARY = format.structs["summary_entry"]
_SUMMARY_SIZE = _SUMMARY.size
_VALID_BITS = 10  # of vblocks: the type is above
_VALID_MASK = (1 << _VALID_BITS) - 1
_LOG_TYPES = {int(kind): kind for kind in enums.LogType}


def _nat_entry(row: Any) -> results.NatEntry:
    return results.NatEntry(row.nid, row.ino, row.block_addr, row.version, _SOURCES[row.source], row.table_block)


def _read(volume: VolumeBase, function: Any, wanted: range, size: int) -> memoryview:
    raw = bytearray(len(wanted) * size)
    if raw:
        volume._handle.call(function, wanted.start, len(wanted), ffi.from_buffer(raw))
    return memoryview(raw).toreadonly()
