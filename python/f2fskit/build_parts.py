# SPDX-License-Identifier: LGPL-2.1-or-later
"""Optional parts of the library."""

from __future__ import annotations

from ._core import lib, sized, text
from .results import BuildPart

__all__ = ["build_info"]


def build_info() -> dict[str, BuildPart]:
    """Return the optional parts of this build by their names.

    A call that needs a part which cannot be used raises UnsupportedError, and names its library.
    """
    parts: dict[str, BuildPart] = {}
    row = sized("struct f2fs_build_part *")
    while lib.f2fs_build_info(len(parts), row) == 0:
        part = BuildPart(text(row.name), text(row.library), text(row.purpose), bool(row.is_built_in), bool(row.is_usable))
        parts[part.name] = part
    return parts
