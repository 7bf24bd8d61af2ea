# SPDX-License-Identifier: LGPL-2.1-or-later
"""Paths inside a volume, in the manner of pathlib."""

from __future__ import annotations

import functools
import io
import os
import pathlib
import stat
import warnings
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, Iterator, Literal, Union, overload

from . import enums, errors, results
from . import errors as _errors  # methods have parameters called errors
from ._core import lib
from .inode import Inode
from .moment import Moment, nanoseconds
from .name_text import decode_name, encode_name, permissions
from .path_info import PathInfo, account_name
from .path_pattern import full_match, glob
from .xattrs import Xattrs

if TYPE_CHECKING:
    from os import PathLike

    from _typeshed import (
        OpenBinaryMode,
        OpenBinaryModeReading,
        OpenBinaryModeUpdating,
        OpenBinaryModeWriting,
        OpenTextMode,
    )

    from .io import InodeIO
    from .volume import Volume

AnyPath = Union[str, bytes, pathlib.PurePath, "F2FSPath"]


def path_text(path: Any) -> Union[str, bytes]:
    """Return a path as it was written. TypeError for anything else."""
    if isinstance(path, (pathlib.PurePath, F2FSPath)):
        return str(path)
    if isinstance(path, (str, bytes)):
        return path
    raise TypeError(f"a path is str, bytes or a path object, not {type(path).__name__}")


_MOST_LINKS = 40  # of a path, as the kernel has it
_COPY_BYTES = 4 << 20
UMASK = 0o022  # for files made without a mode
_ABSENT = (lib.F2FS_ERR_NOT_FOUND, lib.F2FS_ERR_NOT_DIR, lib.F2FS_ERR_LOOP, lib.F2FS_ERR_NAME_TOO_LONG)


class F2FSPath:
    """A path inside a volume. Always absolute; immutable; made by `Volume.path()` and the / operator.

    As in pathlib, methods follow a symbolic link in the last component unless their description says otherwise.
    """

    __slots__ = ("_volume", "_pure", "_info")

    _volume: Volume
    _pure: pathlib.PurePosixPath
    _info: PathInfo | None

    def __init__(self, volume: Volume, *parts: Union[str, bytes, PathLike[str], F2FSPath]) -> None:
        self._volume = volume
        self._info = None
        names = [part._pure if isinstance(part, F2FSPath) else decode_name(part) if isinstance(part, bytes) else part for part in parts]
        pure = pathlib.PurePosixPath("/", *names)
        # POSIX lets "//" mean something else than "/"; here it does not.
        self._pure = pathlib.PurePosixPath(str(pure)[1:]) if pure.root == "//" else pure

    def _make(self, pure: pathlib.PurePosixPath) -> F2FSPath:
        path = F2FSPath.__new__(F2FSPath)
        path._volume = self._volume
        path._pure = pure
        path._info = None
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

    def joinpath(self, *parts: Union[str, bytes, PathLike[str], F2FSPath]) -> F2FSPath:
        """Return this path with parts appended."""
        return F2FSPath(self._volume, self, *parts)

    def __truediv__(self, part: Union[str, bytes, PathLike[str], F2FSPath]) -> F2FSPath:
        return self.joinpath(part)

    def with_name(self, name: str) -> F2FSPath:
        """Return this path with another last component."""
        return self._make(self._pure.with_name(name))

    def with_suffix(self, suffix: str) -> F2FSPath:
        """Return this path with another suffix."""
        return self._make(self._pure.with_suffix(suffix))

    def with_stem(self, stem: str) -> F2FSPath:
        """Return this path with another name before the suffix."""
        return self.with_name(stem + self.suffix)

    def with_segments(self, *parts: Union[str, bytes, PathLike[str], F2FSPath]) -> F2FSPath:
        """Return a path of the same volume made of these parts."""
        return F2FSPath(self._volume, *parts)

    @property
    def drive(self) -> str:
        """"": paths of a volume have none."""
        return ""

    @property
    def root(self) -> str:
        """"/"."""
        return "/"

    @property
    def anchor(self) -> str:
        """"/"."""
        return "/"

    def is_absolute(self) -> bool:
        """Is it absolute? Every path of a volume is."""
        return True

    def absolute(self) -> F2FSPath:
        """Return the path itself."""
        return self

    def is_junction(self) -> bool:
        """Is it a junction? No path of a volume is."""
        return False

    def is_relative_to(self, other: Union[str, F2FSPath]) -> bool:
        """Is the path other, or below it, by its text?"""
        pure = other._pure if isinstance(other, F2FSPath) else pathlib.PurePosixPath(other)
        return pure == self._pure or pure in self._pure.parents

    def relative_to(self, other: Union[str, F2FSPath], *, walk_up: bool = False) -> pathlib.PurePosixPath:
        """Return the relative path from other to this path. ValueError when it is not below other.

        walk_up: go up with ".." if it is not below.
        """
        pure = other._pure if isinstance(other, F2FSPath) else pathlib.PurePosixPath(other)
        if walk_up and pure.is_absolute():
            return pathlib.PurePosixPath(os.path.relpath(self._pure, pure))
        return self._pure.relative_to(pure)

    def match(self, pattern: str, *, case_sensitive: bool | None = None) -> bool:
        """Does the path match a pattern, from the right when the pattern is relative?

        case_sensitive: False: letters of both cases are the same.
        """
        if case_sensitive is None or case_sensitive:
            return self._pure.match(pattern)
        return pathlib.PurePosixPath(str(self._pure).lower()).match(pattern.lower())

    def full_match(self, pattern: str, *, case_sensitive: bool | None = None) -> bool:
        """Does the whole path match a pattern? A component ** stands for any number of directories.

        case_sensitive: False: letters of both cases are the same.
        """
        return full_match(self.parts, pathlib.PurePosixPath(pattern).parts, case_sensitive is not False)

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
        return self._pure < other._pure if isinstance(other, F2FSPath) else NotImplemented

    def __le__(self, other: F2FSPath) -> bool:
        return self._pure <= other._pure if isinstance(other, F2FSPath) else NotImplemented

    def __gt__(self, other: F2FSPath) -> bool:
        return self._pure > other._pure if isinstance(other, F2FSPath) else NotImplemented

    def __ge__(self, other: F2FSPath) -> bool:
        return self._pure >= other._pure if isinstance(other, F2FSPath) else NotImplemented

    def __hash__(self) -> int:
        return hash((id(self._volume), self._pure))

    # The file at the path.

    def inode(self, *, follow: bool = True) -> Inode:
        """Open the inode."""
        return self._volume.lookup(self, follow=follow)

    def stat(self, *, follow_symlinks: bool = True) -> results.StatResult:
        """Return the result of stat(2)."""
        return self.inode(follow=follow_symlinks).stat()

    def lstat(self) -> results.StatResult:
        """Return the result of lstat(2): for a symbolic link, of the link itself."""
        return self.stat(follow_symlinks=False)

    def _test(self, question: Callable[[Inode], bool], follow: bool = True) -> bool:
        try:
            return question(self.inode(follow=follow))
        except errors.Error as error:
            if error.code in _ABSENT:
                return False
            raise

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Does it exist? False for a dangling symbolic link that is followed."""
        return self._test(lambda inode: True, follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Is it a directory?"""
        return self._test(Inode.is_dir, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Is it a regular file?"""
        return self._test(Inode.is_file, follow_symlinks)

    def is_symlink(self) -> bool:
        """Is it a symbolic link? Not followed."""
        return self._test(Inode.is_symlink, follow=False)

    def _format(self, follow: bool) -> int | None:
        """Return the type of the file, as in its mode; None: there is none."""
        try:
            return stat.S_IFMT(self.inode(follow=follow).mode)
        except errors.Error as error:
            if error.code in _ABSENT:
                return None
            raise

    @property
    def info(self) -> PathInfo:
        """Type of the file, looked up once and remembered. `iterdir()` gives paths with a known type."""
        if self._info is None:
            self._info = PathInfo(self)
        return self._info

    def _is_of(self, kind: Callable[[int], bool]) -> bool:
        return self._test(lambda inode: kind(inode.mode))

    def is_fifo(self) -> bool:
        """Is it a FIFO?"""
        return self._is_of(stat.S_ISFIFO)

    def is_socket(self) -> bool:
        """Is it a socket?"""
        return self._is_of(stat.S_ISSOCK)

    def is_block_device(self) -> bool:
        """Is it a block device?"""
        return self._is_of(stat.S_ISBLK)

    def is_char_device(self) -> bool:
        """Is it a character device?"""
        return self._is_of(stat.S_ISCHR)

    def is_mount(self) -> bool:
        """Is it the root?"""
        return not self.name

    def samefile(self, other: Union[str, F2FSPath]) -> bool:
        """Is other a name of the same inode? Both have to exist."""
        there = other if isinstance(other, F2FSPath) else F2FSPath(self._volume, other)
        return self._volume is there._volume and self.inode().number == there.inode().number

    def resolve(self, strict: bool = False) -> F2FSPath:
        """Return the path without symbolic links and "..".

        strict: NotFoundError when it does not exist. False: append the missing components as they are. A loop of
        symbolic links is a LoopError.
        """
        todo = list(reversed(self.parts[1:]))
        found = self._make(pathlib.PurePosixPath("/"))
        links = 0
        while todo:
            name = todo.pop()
            if name == "..":
                found = found.parent
                continue
            path = found / name
            try:
                inode = path.inode(follow=False)
            except _errors.Error as error:
                if strict or error.code not in _ABSENT:
                    raise
                found = path
                continue
            if not inode.is_symlink():
                found = path
                continue
            links += 1
            if links > _MOST_LINKS:
                raise _errors.make(lib.F2FS_ERR_LOOP, f"{self} leads through too many symbolic links")
            target = pathlib.PurePosixPath(inode.readlink())
            found = self._make(pathlib.PurePosixPath("/")) if target.is_absolute() else found
            todo.extend(reversed([part for part in target.parts if part.strip("/")]))
        return found

    def owner_id(self) -> int:
        """Return the user id."""
        return self.stat().st_uid

    def group_id(self) -> int:
        """Return the group id."""
        return self.stat().st_gid

    def owner(self, *, follow_symlinks: bool = True) -> str:
        """Return the name of the user, as /etc/passwd of the volume has it. KeyError when it has none."""
        return account_name(self._make(pathlib.PurePosixPath("/etc/passwd")), self.stat(follow_symlinks=follow_symlinks).st_uid)

    def group(self, *, follow_symlinks: bool = True) -> str:
        """Return the name of the group, as /etc/group of the volume has it. KeyError when it has none."""
        return account_name(self._make(pathlib.PurePosixPath("/etc/group")), self.stat(follow_symlinks=follow_symlinks).st_gid)

    @property
    def xattrs(self) -> Xattrs:
        """Extended attributes as a mapping."""
        return Xattrs(self.inode(), str(self))

    def readlink(self) -> str:
        """Return the target of a symbolic link, as stored."""
        return self.inode(follow=False).readlink()

    # Directories.

    def walk(
        self, top_down: bool = True, on_error: Callable[[_errors.Error], object] | None = None, follow_symlinks: bool = False
    ) -> Iterator[tuple[F2FSPath, list[str], list[str]]]:
        """Walk the tree below: yield (path of a directory, names of directories in it, other names), as pathlib has it.

        Args:
            top_down: parents come first, and names deleted from the list of directories are not visited. Otherwise they
                come last.
            on_error: called with the error of an unreadable directory or entry. Without it the error is raised.
            follow_symlinks: has to be False.
        """
        if follow_symlinks:
            raise NotImplementedError("symbolic links are not followed by a walk")
        found = (
            (self._make(pathlib.PurePosixPath(path)), dirs, names)
            for path, dirs, names in self._volume.walk(self, onerror=on_error)
        )
        yield from found if top_down else reversed(list(found))

    def iterdir(self) -> Iterator[F2FSPath]:
        """Yield the paths in a directory, in the directory's order."""
        with errors.naming(str(self)):
            for entry in self.inode().iterdir():
                path = self._make(self._pure / entry.name)
                path._info = PathInfo(path, entry.type)
                yield path

    def glob(self, pattern: str, *, case_sensitive: bool | None = None) -> Iterator[F2FSPath]:
        """Yield the paths below that match a relative pattern: * ? [] within a component, ** for any directories.

        Names are compared as they are, in case-insensitive directories too, unless case_sensitive is False. Symbolic
        links are not followed by **.
        """
        parts = pathlib.PurePosixPath(pattern).parts
        if not parts or parts[0] == "/":
            raise ValueError(f"not a relative pattern: {pattern!r}")
        found = [self] if self.is_dir() else []
        seen: set[F2FSPath] = set()
        for path in glob(iter(found), parts, case_sensitive is not False):
            if path not in seen:
                seen.add(path)
                yield path

    def rglob(self, pattern: str, *, case_sensitive: bool | None = None) -> Iterator[F2FSPath]:
        """Like glob() with "**/" in front."""
        return self.glob(f"**/{pattern}", case_sensitive=case_sensitive)

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

    @overload
    def open(
        self,
        mode: OpenTextMode = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> io.TextIOWrapper: ...

    @overload
    def open(
        self,
        mode: OpenBinaryMode,
        buffering: Literal[0],
        encoding: None = None,
        errors: None = None,
        newline: None = None,
    ) -> InodeIO: ...

    @overload
    def open(
        self,
        mode: OpenBinaryModeUpdating,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
    ) -> io.BufferedRandom: ...

    @overload
    def open(
        self,
        mode: OpenBinaryModeWriting,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
    ) -> io.BufferedWriter: ...

    @overload
    def open(
        self,
        mode: OpenBinaryModeReading,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
    ) -> io.BufferedReader: ...

    @overload
    def open(
        self,
        mode: OpenBinaryMode,
        buffering: int = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
    ) -> BinaryIO: ...

    @overload
    def open(
        self,
        mode: str,
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]: ...

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> Any:
        """Open as the built-in open() does: r, w, a or x, with + and b or t. The default encoding is UTF-8.

        buffering 0 (bytes only) returns the raw file, `InodeIO`. New files have mode 0644 and belong to root.
        """
        letters = set(mode)
        if len(letters) != len(mode) or letters - set("rwaxbt+") or len(letters & set("rwax")) != 1 or letters >= set("bt"):
            raise ValueError(f"invalid mode: {mode!r}")
        binary = "b" in letters
        if binary and (encoding is not None or errors is not None or newline is not None):
            raise ValueError("binary mode takes no encoding, errors or newline")
        if not binary and buffering == 0:
            raise ValueError("can't have unbuffered text I/O")
        if binary and buffering == 1:
            message = "line buffering (buffering=1) isn't supported in binary mode, the default buffer size will be used"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        access = "".join(sorted(letters & set("rwax+"), key="rwax+".index))
        raw = self._inode_for(mode).open(access[0] + "b" + access[1:])
        raw.name = str(self)
        raw._is_begun = "r" not in letters and "a" not in letters
        if buffering == 0:
            return raw
        size = buffering if buffering > 1 else 1 << 16 if "r" in letters else 1 << 20
        file: Any
        if "+" in letters:
            file = io.BufferedRandom(raw, size)
        else:
            file = io.BufferedReader(raw, size) if "r" in letters else io.BufferedWriter(raw, size)
        if not binary:
            file = io.TextIOWrapper(file, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)
            file.mode = mode
        if self._volume.writable:
            self._volume._keep_file(file, raw)
        return file

    def _inode_for(self, mode: str) -> Inode:
        """Return the inode that a mode of open() works on: as it is, emptied, or new."""
        if "r" in mode:
            return self.inode()
        self._volume._need_writable()
        with self._volume._handle.alone():
            try:
                if "x" in mode:
                    raise _errors.make(lib.F2FS_ERR_NOT_FOUND, "made in any case")
                inode = self.inode()
            except _errors.Error as error:
                if error.code != lib.F2FS_ERR_NOT_FOUND:
                    raise
                return self._create(stat.S_IFREG | 0o666, umask=UMASK)
            if "w" in mode:
                if inode.is_dir():
                    raise _errors.make(lib.F2FS_ERR_IS_DIR, f"{self} is a directory")
                inode.truncate(0)
            return inode

    def read_bytes(self, max_bytes: int | None = None) -> bytes:
        """Return the whole contents. TooBigError when they are longer than max_bytes; see `Inode.read_bytes()`."""
        return self.inode().read_bytes(max_bytes)

    def read_text(self, encoding: str | None = None, errors: str | None = None, newline: str | None = None) -> str:
        """Return the whole contents as text, by default in UTF-8. TooBigError as `Inode.read_bytes()`."""
        self.inode()._need_length(None)
        with self.open("r", encoding=encoding, errors=errors, newline=newline) as file:
            return str(file.read())

    def write_bytes(self, data: bytes | bytearray | memoryview) -> int:
        """Replace the contents by data, and make the file if needed. Return the length."""
        with memoryview(data) as view:  # before the file is emptied: an object that is no buffer leaves it unchanged
            contents = view.cast("B") if view.c_contiguous else bytes(view)
            with self._volume._handle.alone(), self._volume._as_a_whole():
                inode = self._emptied()
                return inode.pwrite(contents, 0) if len(contents) else 0

    def _emptied(self) -> Inode:
        """Return the inode of a new file, or of the existing file after emptying it."""
        if self.name not in ("", ".."):
            try:
                return self._directory().create(self.name, stat.S_IFREG | 0o666, umask=UMASK)
            except _errors.Error as error:
                if error.code != lib.F2FS_ERR_EXISTS:
                    raise
        return self._inode_for("w")

    def write_text(
        self, data: str, encoding: str | None = None, errors: str | None = None, newline: str | None = None
    ) -> int:
        """Replace the contents by text, by default in UTF-8, and make the file if needed. Return its length.

        ValueError for text that the encoding cannot express. The file stays as it was then.
        """
        raw = io.BytesIO()
        file = io.TextIOWrapper(raw, encoding or "utf-8", errors, newline)
        length = file.write(data)
        file.flush()
        self.write_bytes(raw.getvalue())
        return length

    # Changes.

    def _directory(self) -> Inode:
        """Open the directory of the last component, which need not exist."""
        if self.name in ("", ".."):
            raise _errors.make(lib.F2FS_ERR_INVALID, f"{self} has no name to be changed")
        return self._volume.lookup(self.parent, follow=True)

    def _create(self, mode: int, **options: Any) -> Inode:
        try:
            return self._directory().create(self.name, mode, **options)
        except _errors.Error as error:
            if isinstance(error, OSError):
                error.filename = str(self)
            raise

    def _create_as(self, kind: int, mode: int | None, usual: int) -> Inode:
        """Make an inode with the permissions asked for, or with the usual ones less UMASK."""
        if mode is None:
            return self._create(kind | usual, umask=UMASK)
        return self._create(kind | permissions(mode))

    def touch(self, mode: int | None = None, exist_ok: bool = True) -> None:
        """Make an empty file. If it exists, set its times, or raise ExistsError without exist_ok.

        mode: permissions; None: 0o644, or those of a default ACL of the directory.
        """
        with self._volume._handle.alone():
            if exist_ok and self.exists():
                self._volume._need_writable()
                moment = nanoseconds(self._volume._clock(), "now")
                self.inode().set(atime_ns=moment, mtime_ns=moment)
            else:
                self._create_as(stat.S_IFREG, mode, 0o666)

    def mkdir(self, mode: int | None = None, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a directory, and with parents also missing ones above it. ExistsError if it exists, unless exist_ok.

        mode: permissions; None: 0o755, or those of a default ACL of the directory above.
        """
        with self._volume._handle.alone():
            if parents:
                for above in reversed(self.parents):
                    if not above.exists():
                        above.mkdir()
            try:
                self._create_as(stat.S_IFDIR, mode, 0o777)
            except _errors.Error as error:
                if error.code == lib.F2FS_ERR_INVALID and not self.name:
                    error = _errors.make(lib.F2FS_ERR_EXISTS, "/ exists")
                if error.code != lib.F2FS_ERR_EXISTS or not exist_ok or not self.is_dir():
                    raise error

    def mknod(self, mode: int, device: int = 0) -> None:
        """Make an inode of any type: a device (with its number as os.makedev() makes it), a FIFO, a socket."""
        self._create(mode, device=device)

    def symlink_to(self, target: Union[str, bytes, pathlib.PurePath, F2FSPath], target_is_directory: bool = False) -> None:
        """Make this path a symbolic link that holds target."""
        self._create(stat.S_IFLNK | 0o777, target=path_text(target))

    def hardlink_to(self, target: Union[str, F2FSPath]) -> None:
        """Make this path a further name of the file target. A symbolic link is not followed."""
        self._directory().link(self.name, self._volume.lookup(target))

    def _remove(self, directory: bool) -> None:
        """Remove the name of a directory, or of something else. The inode is not opened: it would outlive its name."""
        if not self.name:
            raise _errors.make(lib.F2FS_ERR_INVALID if directory else lib.F2FS_ERR_IS_DIR, "/ cannot be removed")
        with self._volume._handle.alone():
            above = self._directory()
            if above.entry(self.name).is_dir() != directory:
                code = lib.F2FS_ERR_NOT_DIR if directory else lib.F2FS_ERR_IS_DIR
                raise _errors.make(code, f"{self} is {'not ' if directory else ''}a directory")
            above.remove(self.name)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file. IsDirError for directories."""
        try:
            self._remove(directory=False)
        except _errors.Error as error:
            if not missing_ok or error.code != lib.F2FS_ERR_NOT_FOUND:
                raise

    def rmdir(self) -> None:
        """Remove an empty directory."""
        self._remove(directory=True)

    def rmtree(self) -> None:
        """Remove a directory and all that is in it."""
        if not self._directory().entry(self.name).is_dir():
            raise _errors.make(lib.F2FS_ERR_NOT_DIR, f"{self} is not a directory")
        found = [name for name, _ in self._volume.scan(self)]
        with self._volume._as_a_whole():
            for name in reversed(found):
                path = self._volume.path(name)
                path._directory().remove(path.name)
            self.rmdir()

    def rename(self, target: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Rename, also into another directory, and return the new path. A file with the new name is replaced."""
        new = self.parent.joinpath(target)
        self._directory().rename(self.name, new._directory(), new.name)
        return new

    replace = rename

    def copy(self, target: Union[str, pathlib.PurePath, F2FSPath], *, follow_symlinks: bool = True) -> F2FSPath:
        """Copy a file or a whole directory to a new name, here or in another volume. Return the new path.

        The copy keeps contents, permissions, owners, times and extended attributes. Symbolic links in directories stay
        links. ExistsError if the name exists.
        """
        new = self.parent.joinpath(target) if not isinstance(target, F2FSPath) else target
        if new._volume is self._volume and new.is_relative_to(self):
            raise _errors.make(lib.F2FS_ERR_INVALID, f"{self} cannot be copied into itself")
        with new._volume._as_a_whole():
            self._copy_to(new, follow_symlinks)
            if self.inode(follow=follow_symlinks).is_dir():
                todo: list[tuple[F2FSPath, F2FSPath]] = [(self, new)]
                while todo:
                    here, there = todo.pop()
                    for child in here.iterdir():
                        child._copy_to(there / child.name, False)
                        if child.inode(follow=False).is_dir():
                            todo.append((child, there / child.name))
                    _copy_attributes(here.inode(), there.inode())
        return new

    def _copy_to(self, new: F2FSPath, follow: bool) -> None:
        inode = self.inode(follow=follow)
        status = inode.stat()
        kind = stat.S_IFMT(status.st_mode)
        target = inode.readlink_bytes() if kind == stat.S_IFLNK else None
        made = new._directory().create(new.name, status.st_mode, uid=status.st_uid, gid=status.st_gid, device=status.st_rdev,
                                       target=target, exact=True)  # fmt: skip
        if kind == stat.S_IFREG:
            with inode.open() as source, made.open("wb") as file:
                while piece := source.read(_COPY_BYTES):
                    file.write(piece)
            made.truncate(status.st_size)
        if kind != stat.S_IFDIR:  # the times of a directory are set when it is full
            _copy_attributes(inode, made)

    def move(self, target: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Move to a new name, here or into another volume. Return the new path. ExistsError if the name exists."""
        new = self.parent.joinpath(target) if not isinstance(target, F2FSPath) else target
        if new._volume is self._volume:
            self._directory().rename(self.name, new._directory(), new.name, enums.RenameFlag.NO_REPLACE)
            return new
        self.copy(new, follow_symlinks=False)
        if self.inode(follow=False).is_dir():
            self.rmtree()
        else:
            self.unlink()
        return new

    def copy_into(self, directory: Union[str, pathlib.PurePath, F2FSPath], *, follow_symlinks: bool = True) -> F2FSPath:
        """Copy into a directory under the same name, as `copy()` does. Return the new path."""
        return self.copy(self._within(directory), follow_symlinks=follow_symlinks)

    def move_into(self, directory: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Move into a directory under the same name, as `move()` does. Return the new path."""
        return self.move(self._within(directory))

    def _within(self, directory: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        if not self.name:
            raise ValueError(f"{self} has no name")
        return (directory if isinstance(directory, F2FSPath) else self.parent.joinpath(directory)) / self.name

    def lchmod(self, mode: int) -> None:
        """Set permissions, of a symbolic link itself."""
        self.chmod(mode, follow_symlinks=False)

    def chmod(self, mode: int, *, follow_symlinks: bool = True) -> None:
        """Set permissions."""
        self.inode(follow=follow_symlinks).set(mode=mode)

    def chown(self, uid: int | None = None, gid: int | None = None, *, follow_symlinks: bool = True) -> None:
        """Set owner and group by number; None leaves one as it is."""
        self.inode(follow=follow_symlinks).set(uid=uid, gid=gid)

    def utime(self, ns: tuple[Moment, Moment], *, follow_symlinks: bool = True) -> None:
        """Set the times of access and modification: nanoseconds since 1970, or datetimes with a time zone."""
        self.inode(follow=follow_symlinks).set(atime_ns=ns[0], mtime_ns=ns[1])

    def truncate(self, size: int) -> None:
        """Set the size of a file."""
        self.inode().truncate(size)


def _copy_attributes(source: Inode, target: Inode) -> None:
    """Give a file the extended attributes and times of another one."""
    for name, value in source.xattrs.items():
        target.xattrs[name] = value
    status = source.stat()
    target.set(mode=status.st_mode, atime_ns=status.st_atime_ns, mtime_ns=status.st_mtime_ns)


def _naming(method: Any) -> Any:
    """Wrap a method so that its errors name its path, and that of its first argument if it is another path."""

    @functools.wraps(method)
    def named(self: F2FSPath, *arguments: Any, **options: Any) -> Any:
        second = arguments[0] if arguments and method.__name__ in ("rename", "hardlink_to", "copy", "move") else None
        with errors.naming(str(self), None if second is None else os.fspath(second) if isinstance(second, os.PathLike) else str(second)):
            return method(self, *arguments, **options)

    return named


for _name in ("inode", "stat", "readlink", "open", "read_bytes", "read_text", "write_bytes", "write_text", "touch", "mkdir", "mknod",
              "symlink_to", "hardlink_to", "unlink", "rmdir", "rmtree", "rename", "copy", "move", "resolve", "samefile", "chmod", "chown", "utime", "truncate"):
    setattr(F2FSPath, _name, _naming(getattr(F2FSPath, _name)))
setattr(F2FSPath, "replace", F2FSPath.rename)
