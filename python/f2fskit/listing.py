# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inodes in bulk: the names of a tree and their inodes as one table, read in one call of the library.

`Volume.inodes()` returns the table as a structured NumPy array. Without NumPy, `Volume.inode_table()` returns a buffer
of struct f2fs_listing_row (docs/API.md has its members), and the names separately.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Iterator, Literal, Sequence

from ._core import ffi, lib
from .name_text import decode_name
from .stat_result import MEMBERS, STAT_SIZE, StatResult

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    from .inode import Inode

    Array = numpy.typing.NDArray[numpy.void]  # structured: columns by name

Column = Literal[
    "path", "name", "ino", "parent", "type", "mode", "nlink", "uid", "gid", "projid", "size", "blocks", "atime_ns", "mtime_ns",
    "ctime_ns", "crtime_ns", "flags", "generation", "rdev_major", "rdev_minor", "advise", "inline_flags", "is_encrypted",
    "is_verity", "is_compressed", "is_casefold", "is_inline", "error",
]  # fmt: skip

NO_TIME = -(1 << 63)
"""Stands in a column for a time that the inode does not have, or that 64 bits of nanoseconds cannot hold: NaT of NumPy."""

_ROW = "struct f2fs_listing_row"
ROW_SIZE: int = ffi.sizeof(_ROW)
_NUMPY = {"B": "u1", "I": "u4", "Q": "u8", "q": "i8", "i": "i4"}
_ENTRY = {"name": "Q", "position": "Q", "parent": "I", "hash": "I", "error": "i", "name_length": "I", "raw_length": "I", "type": "B"}
_OFFSETS = {name: ffi.offsetof(_ROW, name) for name in _ENTRY}
_TIMES = ("atime", "mtime", "ctime", "crtime")
_TEXTS = ("path", "name")
ALL_COLUMNS: tuple[Column, ...] = Column.__args__  # type: ignore[attr-defined]


def load_numpy(otherwise: str) -> Any:
    """Import NumPy, which the package does not need for anything else."""
    try:
        import numpy
    except ImportError:
        raise ImportError(f"NumPy is not installed; {otherwise} without it") from None
    return numpy


def _layout() -> dict[str, tuple[int, str]]:
    """Return (offset, code) of each member of a row: those of the stat, and those of the entry, names with "entry." before."""
    found = dict(MEMBERS)
    found.update({f"entry.{name}": (_OFFSETS[name], code) for name, code in _ENTRY.items()})
    return found


def _codec(*names: str) -> struct.Struct:
    """Return the codec of whole rows that gives these members of the entry. ino is the one of the stat."""
    places = sorted((_OFFSETS[name], _ENTRY[name]) if name != "ino" else MEMBERS["ino"] for name in names)
    code, at = "=", 0
    for offset, letter in places:
        code += f"{offset - at}x{letter}"
        at = offset + struct.calcsize("=" + letter)
    return struct.Struct(f"{code}{ROW_SIZE - at}x")


_NAMES = _codec("name", "name_length")
_PARENTS = _codec("parent")
_ENTRIES = _codec("ino", "error", "type")
_PLACE = _codec("name", "position", "hash", "name_length", "raw_length")
_ERROR = _codec("error")


class InodeTable:
    """The names of a tree and their inodes, as one `Volume.inode_table()` call found them.

    Row 0 is the top itself; parents come before children. An inode with several names has a row for each, one without a
    name (`unnamed=True`) has the path "".
    """

    __slots__ = ("_top", "_rows", "_text", "_block_size", "_names", "epoch")

    def __init__(self, top: str, rows: bytes, text: bytes, block_size: int, epoch: int) -> None:
        """Not for users."""
        self._top = top
        self._rows = rows
        self._text = text
        self._block_size = block_size
        self._names: list[str] | None = None
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self._rows) // ROW_SIZE

    def __repr__(self) -> str:
        return f"<f2fskit.InodeTable {len(self)} rows below {self._top!r}>"

    def buffer(self) -> memoryview:
        """Return the rows, struct f2fs_listing_row each, in host byte order. `dtype()` describes one."""
        return memoryview(self._rows)

    @staticmethod
    def dtype() -> dict[str, Any]:
        """Return a description of a row that numpy.dtype() takes. Members of the entry begin with "entry."."""
        layout = sorted(_layout().items(), key=lambda one: one[1])
        return {
            "names": [name for name, _ in layout],
            "formats": [_NUMPY[code] for _, (_, code) in layout],
            "offsets": [offset for _, (offset, _) in layout],
            "itemsize": ROW_SIZE,
        }

    @property
    def names(self) -> list[str]:
        """The name of each row, "" for row 0 and for inodes without a name."""
        if self._names is None:
            found = decode_name(self._text).split("\0")
            found.pop()
            if len(found) != len(self):  # between them are the names as stored
                found = [decode_name(self._text[at : at + n]) for at, n in _NAMES.iter_unpack(self._rows)]
            self._names = found
        return self._names

    @property
    def paths(self) -> list[str]:
        """The path of each row."""
        found: list[str] = []
        last, prefix = -1, ""
        for (parent,), name in zip(_PARENTS.iter_unpack(self._rows), self.names):
            if parent == lib.F2FS_NO_ROW:
                found.append("" if found else self._top)
                continue
            if parent != last:
                last, prefix = parent, found[parent].rstrip("/") + "/"
            found.append(prefix + name)
        return found

    def stat(self, row: int) -> StatResult:
        """Return the stat of a row."""
        at = range(len(self))[row] * ROW_SIZE
        return StatResult(self._rows[at : at + STAT_SIZE], self._block_size)

    def error(self, row: int) -> int:
        """Return why the inode of a row, or the rest of its directory, cannot be read: a number of the library, or 0."""
        return int(_ERROR.unpack_from(self._rows, range(len(self))[row] * ROW_SIZE)[0])

    def _entries(self) -> Iterator[tuple[Any, ...]]:
        """Yield (ino, error, type) of each row."""
        return _ENTRIES.iter_unpack(self._rows)

    def _place(self, row: int) -> tuple[bytes, int, int]:
        """Return (name as stored, position, hash) of a row's entry."""
        at, position, hash_, length, raw_length = _PLACE.unpack_from(self._rows, row * ROW_SIZE)
        at, length = (at + length + 1, raw_length) if raw_length else (at, length)
        return self._text[at : at + length], position, hash_

    def array(self, columns: Sequence[Column] | None = None) -> Array:
        """Return columns of the table as a structured NumPy array. Without names, return all of them but the path."""
        numpy = load_numpy("inode_table() gives the same as a buffer")
        chosen: list[Column] = [name for name in ALL_COLUMNS if name != "path"] if columns is None else list(columns)
        unknown = [name for name in chosen if name not in ALL_COLUMNS]
        if unknown or isinstance(columns, str):
            raise ValueError(f"there is no column {', '.join(unknown) or columns!r}; columns are {', '.join(ALL_COLUMNS)}")
        rows = numpy.frombuffer(self._rows, numpy.dtype(self.dtype()))
        values = {name: self._column(numpy, rows, name) for name in chosen}
        found: Array = numpy.empty(len(self), [(name, value.dtype) for name, value in values.items()])
        for name, value in values.items():
            found[name] = value
        return found

    def _column(self, numpy: Any, rows: Any, name: Column) -> Any:
        if name in _TEXTS:
            found = numpy.empty(len(self), object)
            found[:] = self.paths if name == "path" else self.names
            return found
        if name.endswith("_ns"):
            seconds, rest = rows[f"{name[:-3]}.seconds"], rows[f"{name[:-3]}.nanoseconds"]
            fits = numpy.abs(seconds) < 9_223_372_036
            if name == "crtime_ns":
                fits &= rows["has_crtime"] != 0
            return numpy.where(fits, numpy.where(fits, seconds, 0) * 1_000_000_000 + rest, NO_TIME)
        if name == "parent":
            parent = rows["entry.parent"].astype("i8")
            return numpy.where(parent == lib.F2FS_NO_ROW, -1, parent)
        if name in ("type", "error"):
            return rows[f"entry.{name}"]
        return rows[name].astype(bool) if name.startswith("is_") else rows[name]


def read_table(inode: Inode, top: str, flags: int = 0) -> InodeTable:
    """Read the table of everything below a directory."""
    volume = inode.volume
    out = ffi.new("struct f2fs_listing **")
    count = ffi.new("size_t *")
    length = ffi.new("size_t *")
    found: list[bytes] = []
    epoch = volume._epoch

    def read(pointer: Any) -> int:
        result = int(lib.f2fs_listing_read(pointer, flags, out))
        if result < 0:
            return result
        try:
            rows = lib.f2fs_listing_rows(out[0], count)
            text = lib.f2fs_listing_text(out[0], length)
            found.append(ffi.buffer(rows, count[0] * ROW_SIZE)[:])
            found.append(ffi.buffer(text, length[0])[:])
        finally:
            lib.f2fs_listing_free(out[0])
        return 0

    inode._handle.call(read)
    return InodeTable(top, found[0], found[1], volume.block_size, epoch)
