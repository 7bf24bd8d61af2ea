# SPDX-License-Identifier: LGPL-2.1-or-later
"""Answers about paths: `F2FSPath.info`, `owner()` and `group()`."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from . import enums

if TYPE_CHECKING:
    from .path import F2FSPath

_FORMATS = {
    enums.FileType.REGULAR: stat.S_IFREG, enums.FileType.DIRECTORY: stat.S_IFDIR, enums.FileType.SYMLINK: stat.S_IFLNK,
    enums.FileType.CHARACTER: stat.S_IFCHR, enums.FileType.BLOCK: stat.S_IFBLK, enums.FileType.FIFO: stat.S_IFIFO,
    enums.FileType.SOCKET: stat.S_IFSOCK,
}  # fmt: skip


class PathInfo:
    """Type of a file: the protocol of `pathlib.types.PathInfo`. Each answer is found once and remembered."""

    __slots__ = ("_path", "_formats")

    def __init__(self, path: F2FSPath, kind: enums.FileType = enums.FileType.UNKNOWN) -> None:
        self._path = path
        self._formats: dict[bool, int | None] = {}  # of the file, by whether symbolic links are followed; None: there is none
        if kind in _FORMATS:  # a directory said it
            self._formats[False] = _FORMATS[kind]
            if kind != enums.FileType.SYMLINK:
                self._formats[True] = _FORMATS[kind]

    def _format(self, follow: bool) -> int | None:
        if follow not in self._formats:
            self._formats[follow] = self._path._format(follow)
        return self._formats[follow]

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Does it exist?"""
        return self._format(follow_symlinks) is not None

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Is it a directory?"""
        return self._format(follow_symlinks) == stat.S_IFDIR

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Is it a regular file?"""
        return self._format(follow_symlinks) == stat.S_IFREG

    def is_symlink(self) -> bool:
        """Is it a symbolic link?"""
        return self._format(False) == stat.S_IFLNK

    def __repr__(self) -> str:
        return f"<PathInfo of {str(self._path)!r}>"


def account_name(table: F2FSPath, number: int) -> str:
    """Return the name of an id in a file like /etc/passwd. KeyError: it has none, or there is no such file."""
    lines = table.read_text("utf-8", "surrogateescape").splitlines() if table.is_file() else []
    for line in lines:
        fields = line.split(":")
        if len(fields) > 2 and fields[2] == str(number):
            return fields[0]
    raise KeyError(f"{table} of the volume has no name for the id {number}")
