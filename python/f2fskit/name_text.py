# SPDX-License-Identifier: LGPL-2.1-or-later
"""Conversion of names and modes between arguments and the image."""

from __future__ import annotations

from typing import List, Tuple, Union

from ._core import number

# Several names or patterns. Not Sequence[str]: a single string is one, too, and would be a mistake.
Names = Union[List[str], Tuple[str, ...]]
Patterns = Union[List[str], List[bytes], List[Union[str, bytes]], Tuple[Union[str, bytes], ...]]


def encode_name(name: str | bytes) -> bytes:
    """Return a name or path of the image as its bytes: UTF-8, surrogates as the bytes they stand for."""
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"a name is str or bytes, not {type(name).__name__}")
    raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise ValueError("embedded null byte")
    return raw


def permissions(mode: int, what: str = "mode") -> int:
    """Return the permissions of a mode, and ignore its type, if any. ValueError for other bits."""
    return number(mode, what, 16) & 0o7777


def decode_name(raw: bytes) -> str:
    """Return a name of the image as str: UTF-8, other bytes as surrogates."""
    return raw.decode("utf-8", "surrogateescape")
