# SPDX-License-Identifier: LGPL-2.1-or-later
"""A class for the records of each structure, made at import from the format's tables. records.pyi lists their fields.

`Superblock` is the class of `volume.superblock`, `SitEntry` that of `f2fskit.record("sit_entry", raw)`.
"""

from __future__ import annotations

from .format import Record, record_classes, structs


def class_name(structure: str) -> str:
    """Return the name of the class for a structure: "sit_entry" has SitEntry."""
    return "".join(part.capitalize() for part in structure.split("_"))


class InodeFields:
    """The fields of an inode that `Inode` shows as attributes. Those of extra attributes exist only if the inode has
    them."""

    __slots__ = ()


for _found in structs.values():
    _kind = type(class_name(_found.name), (Record,), {"__slots__": (), "__doc__": _found.doc, "__module__": __name__})
    record_classes[_found.name] = globals()[_kind.__name__] = _kind

__all__ = ["InodeFields", *sorted(kind.__name__ for kind in record_classes.values())]  # pyright: ignore[reportUnsupportedDunderAll]
