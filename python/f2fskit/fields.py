# SPDX-License-Identifier: LGPL-2.1-or-later
"""Single fields of any structure by address, on volumes in any state, to test and inspect damage."""

from __future__ import annotations

import collections.abc
import uuid
from typing import Any, NamedTuple, Sequence, Union

from . import enums
from ._core import Handle, ffi, lib, put, sized, text
from .context import Closable, Context
from .name_text import encode_name
from .source import Source, as_device, names_source

Value = Union[int, str, bytes, uuid.UUID]


class FieldValue(NamedTuple):
    """A field at an address, with its value."""

    structure: str
    """Name of the table, as in `structs`."""
    field: str
    value: Value
    """Numbers as int (flags as their enum), texts as str, UUIDs, other bytes as bytes."""
    offset: int
    """Byte of the field on the volume."""


class Fields(Closable, collections.abc.MutableMapping[str, Value]):
    """The fields of a volume: fields["inode[3].i_links"], fields["sb[2].feature"] = 0.

    include/f2fskit/inject.h describes addresses, and values given as str ("+=1", "ro|quota", "hex:00ff"). Every change is
    written at once, in place, without any protection.
    """

    __slots__ = ("_flags", "_context")

    def __init__(self, handle: Handle, context: Context, flags: int) -> None:
        """Not for users: see `fields()`."""
        self._handle = handle
        self._context = context  # kept, since closing it closes everything below it
        self._flags = flags

    def describe(self, address: str) -> FieldValue:
        """Return the field at an address, with its value and place."""
        row = ffi.new("struct f2fs_inject_value *")
        self._handle.call(lib.f2fs_inject_get, encode_name(address), row)
        field = row.field
        value: Any = int(row.number)
        if row.size:
            value = bytes(ffi.buffer(row.bytes, row.size))
            if field.show == lib.F2FS_SHOW_TEXT:
                value = value.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
            elif field.show == lib.F2FS_SHOW_UTF16:
                value = value.decode("utf-16-le", "replace").split("\0", 1)[0]
            elif field.show == lib.F2FS_SHOW_UUID:
                value = uuid.UUID(bytes=value)
        elif field.type == lib.F2FS_FIELD_S64 and value >= 1 << 63:
            value -= 1 << 64
        elif field.show == lib.F2FS_SHOW_FLAGS and text(field.name) in enums.FLAGS:
            value = enums.FLAGS[text(field.name)](value)
        return FieldValue(text(row.structure), text(field.name), value, int(row.offset + field.offset))

    def __getitem__(self, address: str) -> Value:
        return self.describe(address).value

    def __setitem__(self, address: str, value: Value) -> None:
        if isinstance(value, (bytes, bytearray)):
            value = "hex:" + value.hex()
        elif isinstance(value, int):
            value = int(value)
        self._handle.call(lib.f2fs_inject_set, encode_name(address), encode_name(str(value)), self._flags, ffi.NULL)

    def __delitem__(self, address: str) -> None:
        raise TypeError("fields cannot be deleted")

    def __iter__(self) -> Any:
        raise TypeError("there are too many fields to list them; format.structs has their names")

    def __len__(self) -> int:
        raise TypeError("there are too many fields to count them")

    def __bool__(self) -> bool:
        return True


@names_source
def fields(
    source: Source,
    access: str = "r",
    *,
    raw: bool = False,
    force: bool = False,
    offset: int = 0,
    devices: Sequence[Source] = (),
    accept_unread: bool = False,
    accept_foreign: bool = False,
    lock: bool = True,
    context: Context | None = None,
) -> Fields:
    """Open a volume in any state for access to its single fields.

    Args:
        source, offset, devices, accept_unread, accept_foreign, lock, context: as of `open()`.
        access: "r", or "r+" to change fields.
        raw: leave checksums as they are.
        force: write even if neither superblock is one of F2FS, instead of raising NotF2fsError.
    """
    if access not in ("r", "r+"):
        raise ValueError('access is "r" or "r+"')
    shared: Context = context or getattr(source, "context", None) or Context()
    opened = [as_device(one, shared, access == "r+", lock) for one in (source, *devices)]
    options = sized("struct f2fs_open_options *")
    put(options, offset=offset, accept_unread=accept_unread, accept_foreign=accept_foreign)
    table = ffi.new("struct f2fs_device *[]", [one._handle.get(lambda pointer: pointer) for one in opened])
    if devices:
        options.devices, options.device_count = table + 1, len(devices)
    try:
        return Fields(
            shared._handle.open(
                "fields", lib.f2fs_inject_close, "f2fs_inject", lib.f2fs_inject_open, table[0], options
            ),
            shared,
            (lib.F2FS_INJECT_RAW if raw else 0) | (lib.F2FS_INJECT_FORCE if force else 0),
        )
    finally:
        for one, given in zip(opened, (source, *devices)):
            if one is not given:
                one.close()


__all__ = ["FieldValue", "Fields", "fields"]
