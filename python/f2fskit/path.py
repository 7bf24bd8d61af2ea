# SPDX-License-Identifier: LGPL-2.1-or-later
"""Paths inside a volume, in the manner of pathlib."""

from __future__ import annotations

import fnmatch
import io
import pathlib
import re
from typing import IO, TYPE_CHECKING, Any, Callable, Iterator, Union

from . import enums, errors, results
from ._core import lib
from .inode import Inode, Xattrs, encode_name

if TYPE_CHECKING:
    from .volume import Volume

AnyPath = Union[str, bytes, pathlib.PurePath, "F2FSPath"]

_ABSENT = (lib.F2FS_ERR_NOT_FOUND, lib.F2FS_ERR_NOT_DIR, lib.F2FS_ERR_LOOP, lib.F2FS_ERR_NAME_TOO_LONG)


class F2FSPath:
    """A path inside a volume. Always absolute; immutable; made by `Volume.path()` and the / operator.

    As in pathlib, methods follow a symbolic link in the last component unless their description says otherwise.
    """

    __slots__ = ("_volume", "_pure")

    _volume: Volume
    _pure: pathlib.PurePosixPath

    def __init__(self, volume: Volume, *parts: Union[str, pathlib.PurePath, F2FSPath]) -> None:
        self._volume = volume
        names = [part._pure if isinstance(part, F2FSPath) else part for part in parts]
        pure = pathlib.PurePosixPath("/", *names)
        # POSIX lets "//" mean something else than "/"; here it does not.
        self._pure = pathlib.PurePosixPath(str(pure)[1:]) if pure.root == "//" else pure

    def _make(self, pure: pathlib.PurePosixPath) -> F2FSPath:
        path = F2FSPath.__new__(F2FSPath)
        path._volume = self._volume
        path._pure = pure
        return path

    # The path itself.

    @property
    def volume(self) -> Volume:
        """The volume it is in."""
        return self._volume

    @property
    def parts(self) -> tuple[str, ...]:
        """Components; the first is "/"."""
        return self._pure.parts

    @property
    def name(self) -> str:
        """The last component, "" of the root."""
        return self._pure.name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return self._pure.stem

    @property
    def suffix(self) -> str:
        """The name's last ".xyz" or ""."""
        return self._pure.suffix

    @property
    def suffixes(self) -> list[str]:
        """All of the name's suffixes."""
        return self._pure.suffixes

    @property
    def parent(self) -> F2FSPath:
        """The path without its last component; the root is its own parent."""
        return self._make(self._pure.parent)

    @property
    def parents(self) -> list[F2FSPath]:
        """All directories above, nearest first."""
        return [self._make(parent) for parent in self._pure.parents]

    def joinpath(self, *parts: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Return this path with parts appended."""
        return F2FSPath(self._volume, self, *parts)

    def __truediv__(self, part: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        return self.joinpath(part)

    def with_name(self, name: str) -> F2FSPath:
        """Return this path with another last component."""
        return self._make(self._pure.with_name(name))

    def with_suffix(self, suffix: str) -> F2FSPath:
        """Return this path with another suffix."""
        return self._make(self._pure.with_suffix(suffix))

    def relative_to(self, other: Union[str, F2FSPath]) -> pathlib.PurePosixPath:
        """Return what leads from other to this path. ValueError when it is not below other."""
        return self._pure.relative_to(other._pure if isinstance(other, F2FSPath) else other)

    def match(self, pattern: str) -> bool:
        """Does the path match a pattern, from the right when the pattern is relative?"""
        return self._pure.match(pattern)

    def as_posix(self) -> str:
        """Return the path as str."""
        return str(self._pure)

    def __str__(self) -> str:
        return str(self._pure)

    def __bytes__(self) -> bytes:
        return encode_name(str(self._pure))

    def __repr__(self) -> str:
        return f"F2FSPath({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, F2FSPath) and self._volume is other._volume and self._pure == other._pure

    def __lt__(self, other: F2FSPath) -> bool:
        return self._pure < other._pure

    def __hash__(self) -> int:
        return hash((id(self._volume), self._pure))

    # What is there.

    def inode(self, *, follow: bool = True) -> Inode:
        """Open the inode."""
        return self._volume.lookup(self, follow=follow)

    def stat(self, *, follow_symlinks: bool = True) -> results.StatResult:
        """Return what stat(2) shows."""
        return self.inode(follow=follow_symlinks).stat()

    def lstat(self) -> results.StatResult:
        """Return what lstat(2) shows: of a symbolic link itself."""
        return self.stat(follow_symlinks=False)

    def _test(self, question: Callable[[Inode], bool], follow: bool = True) -> bool:
        try:
            return question(self.inode(follow=follow))
        except errors.Error as error:
            if error.code in _ABSENT:
                return False
            raise

    def exists(self) -> bool:
        """Does it exist? False for a dangling symbolic link."""
        return self._test(lambda inode: True)

    def is_dir(self) -> bool:
        """Is it a directory?"""
        return self._test(Inode.is_dir)

    def is_file(self) -> bool:
        """Is it a regular file?"""
        return self._test(Inode.is_file)

    def is_symlink(self) -> bool:
        """Is it a symbolic link? Not followed."""
        return self._test(Inode.is_symlink, follow=False)

    def owner_id(self) -> int:
        """Return the user id."""
        return self.stat().st_uid

    def group_id(self) -> int:
        """Return the group id."""
        return self.stat().st_gid

    @property
    def xattrs(self) -> Xattrs:
        """Extended attributes as a mapping."""
        return self.inode().xattrs

    def readlink(self) -> str:
        """Return the target of a symbolic link, as stored."""
        return self.inode(follow=False).readlink()

    # Directories.

    def iterdir(self) -> Iterator[F2FSPath]:
        """Yield the paths in a directory, in the directory's order."""
        for entry in self.inode().iterdir():
            yield self._make(self._pure / entry.name)

    def glob(self, pattern: str) -> Iterator[F2FSPath]:
        """Yield the paths below that match a relative pattern: * ? [] within a component, ** for any directories.

        Names are compared as they are, in case-insensitive directories too. Symbolic links are not followed by **.
        """
        parts = pathlib.PurePosixPath(pattern).parts
        if not parts or parts[0] == "/":
            raise ValueError(f"not a relative pattern: {pattern!r}")
        found = [self] if self.is_dir() else []
        seen: set[F2FSPath] = set()
        for path in _glob(iter(found), parts):
            if path not in seen:
                seen.add(path)
                yield path

    def rglob(self, pattern: str) -> Iterator[F2FSPath]:
        """Like glob() with "**/" in front."""
        return self.glob(f"**/{pattern}")

    def _children(self) -> Iterator[tuple[F2FSPath, Any]]:
        for entry in self.inode().iterdir():
            yield self._make(self._pure / entry.name), entry

    def _directories(self) -> Iterator[F2FSPath]:
        """Yield this directory and all below it."""
        yield self
        for path, entry in self._volume.scan(self):
            if entry.is_dir():
                yield self._make(pathlib.PurePosixPath(path))

    # Contents.

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        """Open for reading: "rb" gives bytes (buffering 0: the raw file), "r" text, in UTF-8 unless told otherwise."""
        if set(mode) not in ({"r"}, {"r", "b"}, {"r", "t"}) or len(mode) != len(set(mode)):
            raise ValueError(f"mode {mode!r}: volumes are opened for reading")
        raw = self.inode().open()
        if "b" in mode:
            if encoding is not None or errors is not None or newline is not None:
                raise ValueError("binary mode takes no encoding, errors or newline")
            if buffering == 0:
                return raw  # type: ignore[return-value]
        elif buffering == 0:
            raise ValueError("can't have unbuffered text I/O")
        reader = io.BufferedReader(raw, buffering if buffering > 1 else 1 << 16)
        if "b" in mode:
            return reader
        return io.TextIOWrapper(reader, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)

    def read_bytes(self, max_bytes: int | None = None) -> bytes:
        """Return the whole contents. TooBigError when they are longer than max_bytes."""
        return self.inode().read_bytes(max_bytes)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """Return the whole contents as text, UTF-8 unless told otherwise."""
        with self.open("r", encoding=encoding, errors=errors) as file:
            return str(file.read())


def _glob(paths: Iterator[F2FSPath], parts: tuple[str, ...]) -> Iterator[F2FSPath]:
    """Match the first component of the pattern below each path, and so on: generators, one for each component."""
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        paths = _glob_part(paths, part, last)
    return paths


def _glob_part(paths: Iterator[F2FSPath], part: str, last: bool) -> Iterator[F2FSPath]:
    if part == "**":
        for path in paths:
            yield from path._directories()
    elif part == ".." or not re.search(r"[*?\[]", part):
        for path in paths:
            found = path / part
            if found._test(lambda inode: True, follow=False) if last else found.is_dir():
                yield found
    else:
        matches = re.compile(fnmatch.translate(part)).match
        for path in paths:
            for found, entry in path._children():
                if matches(entry.name) and (last or _leads_on(found, entry)):
                    yield found


def _leads_on(path: F2FSPath, entry: Any) -> bool:
    return bool(entry.type == enums.FileType.DIRECTORY) or (entry.is_symlink() and path.is_dir())
