# SPDX-License-Identifier: LGPL-2.1-or-later
"""The on-disk format as tables: structures, fields and rules, read from the library at import.

`structs["superblock"]` describes a structure, `structs["nat_entry"].dtype()` is what `numpy.dtype` takes, and
`structs[...].record(raw)` gives the fields of raw bytes as attributes.
"""

from __future__ import annotations

import struct
import types
import uuid
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Union

from . import enums
from ._core import lib, text

Buffer = Union[bytes, bytearray, memoryview]

_STRUCT_CODES = {
    lib.F2FS_FIELD_U8: "B",
    lib.F2FS_FIELD_U16: "H",
    lib.F2FS_FIELD_U32: "I",
    lib.F2FS_FIELD_U64: "Q",
    lib.F2FS_FIELD_S64: "q",
}
# Text fields that are lists of names, and the bytes of one name.
_LISTS = {"extension_list": 8}

_NUMPY_CODES = {"B": "u1", "H": "<u2", "I": "<u4", "Q": "<u8", "q": "<i8"}


class Field(NamedTuple):
    """One field of a structure."""

    name: str
    offset: int
    """Bytes from the start of the structure."""
    count: int  # type: ignore[assignment]
    """Elements of an array; bytes of a field of bytes; else 1."""
    code: str
    """Type of an element as in the struct module: B, H, I, Q, q; s for bytes. All are little-endian."""
    show: enums.FieldShow
    """How the value is meant to be shown."""
    doc: str

    @property
    def size(self) -> int:
        """Bytes of the whole field."""
        return self.count if self.code == "s" else self.count * struct.calcsize("<" + self.code)

    def convert(self, value: Any) -> Any:
        """Convert an unpacked value to its form in records: text as str, flags as an enum, ..."""
        if self.show == enums.FieldShow.FLAGS:
            kind = enums.FLAGS.get(self.name)
            return value if kind is None else kind(value)
        if self.code == "s":
            if self.name in _LISTS:
                width = _LISTS[self.name]
                names = (_decode_text(value[at : at + width]) for at in range(0, len(value), width))
                return tuple(name for name in names if name)
            if self.show == enums.FieldShow.TEXT:
                return _decode_text(value)
            if self.show == enums.FieldShow.UTF16:
                return value.decode("utf-16-le", "replace").split("\0", 1)[0]
            if self.show == enums.FieldShow.UUID:
                return uuid.UUID(bytes=value)
        return value

    def numpy_format(self) -> str:
        """Return the field's type as NumPy writes it."""
        if self.code == "s":
            if self.name in _LISTS:
                return f"({self.count // _LISTS[self.name]},)S{_LISTS[self.name]}"
            return f"S{self.count}" if self.show == enums.FieldShow.TEXT else f"({self.count},)u1"
        element = _NUMPY_CODES[self.code]
        return element if self.count == 1 else f"({self.count},){element}"


def _decode_text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


class Struct:
    """One structure of the format."""

    __slots__ = ("name", "doc", "section", "size", "fields", "codec")

    name: str
    doc: str
    section: str
    """Section of docs/FORMAT.md."""
    size: int
    """Bytes."""
    fields: Mapping[str, Field]
    """By name, in the order of their offsets. Together they cover every byte."""
    codec: struct.Struct
    """The structure for the struct module."""

    def __init__(self, pointer: Any) -> None:
        self.name = text(pointer.name)
        self.doc = text(pointer.doc)
        self.section = text(pointer.section)
        self.size = pointer.size
        found = {}
        code = "<"
        for i in range(pointer.field_count):
            row = pointer.fields[i]
            field = Field(
                text(row.name),
                row.offset,
                row.count,
                _STRUCT_CODES.get(row.type, "s"),
                enums.FieldShow(row.show),
                text(row.doc),
            )
            found[field.name] = field
            code += field.code if field.count == 1 and field.code != "s" else f"{field.count}{field.code}"
        self.fields = types.MappingProxyType(found)
        self.codec = struct.Struct(code)

    def __repr__(self) -> str:
        return f"<f2fskit structure {self.name}, {self.size} bytes>"

    def dtype(self) -> dict[str, Any]:
        """Return a description that numpy.dtype() takes."""
        fields = self.fields.values()
        return {
            "names": [field.name for field in fields],
            "formats": [field.numpy_format() for field in fields],
            "offsets": [field.offset for field in fields],
            "itemsize": self.size,
        }

    def unpack(self, raw: Buffer, offset: int = 0) -> dict[str, Any]:
        """Return all fields of the structure at a byte offset of raw."""
        values = self.codec.unpack_from(raw, offset)
        found = {}
        i = 0
        for field in self.fields.values():
            if field.code == "s" or field.count == 1:
                found[field.name] = field.convert(values[i])
                i += 1
            else:
                found[field.name] = values[i : i + field.count]
                i += field.count
        return found

    def record(self, raw: Buffer, offset: int = 0) -> Any:
        """Return the structure at a byte offset of raw with its fields as attributes: a `Record`, of the class that `records`
        has for it."""
        return record_classes.get(self.name, Record)(self, bytes(memoryview(raw)[offset : offset + self.size]))


class Record:
    """Raw bytes of a structure. Its fields are attributes, named as in the format."""

    __slots__ = ("_struct", "_raw", "_values")

    def __init__(self, kind: Struct, raw: bytes) -> None:
        if len(raw) != kind.size:
            raise ValueError(f"{kind.name} takes {kind.size} bytes, not {len(raw)}")
        self._struct = kind
        self._raw = raw
        self._values: dict[str, Any] | None = None

    @property
    def struct(self) -> Struct:
        """The structure's description."""
        return self._struct

    @property
    def raw(self) -> bytes:
        """The bytes as stored."""
        return self._raw

    def fields(self) -> dict[str, Any]:
        """Return all fields by name."""
        if self._values is None:
            self._values = self._struct.unpack(self._raw)
        return dict(self._values)

    if not TYPE_CHECKING:  # type checkers know the fields of each class from records.pyi

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if self._values is None:
                self._values = self._struct.unpack(self._raw)
            try:
                return self._values[name]
            except KeyError:
                raise AttributeError(f"{self._struct.name} has no field {name}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._struct.fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._struct is other._struct and self._raw == other._raw

    def __hash__(self) -> int:
        return hash((self._struct.name, self._raw))

    def __reduce__(self) -> Any:
        return record, (self._struct.name, self._raw)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value!r}"
            for name, value in self.fields().items()
            if not (isinstance(value, bytes) and len(value) > 32)
        )
        return f"<{self._struct.name} {shown}>"


record_classes: dict[str, type[Record]] = {}  # by the structure's name; records.py makes them


class Rule(NamedTuple):
    """One rule of the format. Numbers and names are persistent."""

    id: int
    name: str
    structure: str
    text: str
    """What must hold."""
    section: str
    """Section of docs/FORMAT.md."""


def _each(function: Any) -> Iterator[Any]:
    i = 0
    while row := function(i):
        yield row
        i += 1


structs: Mapping[str, Struct] = types.MappingProxyType(
    {found.name: found for found in map(Struct, _each(lib.f2fs_struct_at))}
)
"""Every structure by name."""

rules: Mapping[str, Rule] = types.MappingProxyType(
    {
        found.name: found
        for found in (
            Rule(row.id, text(row.name), text(row.structure), text(row.text), text(row.section))
            for row in _each(lib.f2fs_rule_at)
        )
    }
)
"""Every rule by name."""

rules_by_id: Mapping[int, Rule] = types.MappingProxyType({rule.id: rule for rule in rules.values()})


def dtype(name: str) -> dict[str, Any]:
    """Return the description of a structure that numpy.dtype() takes: `numpy.dtype(f2fskit.dtype("nat_entry"))`."""
    return structs[name].dtype()


def record(name: str, raw: Buffer) -> Any:
    """Return raw bytes as a structure whose fields are attributes: a `Record`."""
    return structs[name].record(raw)


__all__ = ["Buffer", "Field", "Record", "Rule", "Struct", "dtype", "record", "rules", "rules_by_id", "structs"]
