# SPDX-License-Identifier: LGPL-2.1-or-later
"""Patterns of `F2FSPath.glob()` and `F2FSPath.full_match()`."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator

from . import enums

if TYPE_CHECKING:
    from .path import F2FSPath


def matcher(pattern: str, exact: bool) -> Callable[[str], object]:
    """Return a function that compares a name with a pattern; exact: letters of both cases differ."""
    return re.compile(fnmatch.translate(pattern), 0 if exact else re.IGNORECASE).match


def full_match(parts: tuple[str, ...], patterns: tuple[str, ...], exact: bool) -> bool:
    """Do all components match all patterns? Places in the path that the patterns so far may have reached are kept. As in
    pathlib, /a/** matches what is below /a, and /** all."""
    places = {0}
    for i, pattern in enumerate(patterns):
        if pattern == "**":
            first = min(places, default=len(parts) + 1)
            places = set(range(first + (i == len(patterns) - 1 and first > 1), len(parts) + 1))
        else:
            matches = matcher(pattern, exact)
            places = {i + 1 for i in places if i < len(parts) and matches(parts[i])}
    return len(parts) in places


def glob(paths: Iterator[F2FSPath], parts: tuple[str, ...], exact: bool) -> Iterator[F2FSPath]:
    """Match the components of a pattern below each path, by one generator for each component."""
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        paths = _glob_part(paths, part, last, exact)
    return paths


def _glob_part(paths: Iterator[F2FSPath], part: str, last: bool, exact: bool) -> Iterator[F2FSPath]:
    if part == "**":
        for path in paths:
            yield from path._directories()
    elif part == ".." or (exact and not re.search(r"[*?\[]", part)):
        for path in paths:
            found = path / part
            if found._test(lambda inode: True, follow=False) if last else found.is_dir():
                yield found
    else:
        matches = matcher(part, exact)
        for path in paths:
            for found, entry in path._children():
                if matches(entry.name) and (last or _leads_on(found, entry)):
                    yield found


def _leads_on(path: F2FSPath, entry: Any) -> bool:
    return bool(entry.type == enums.FileType.DIRECTORY) or (entry.is_symlink() and path.is_dir())
