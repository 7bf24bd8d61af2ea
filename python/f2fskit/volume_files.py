# SPDX-License-Identifier: LGPL-2.1-or-later
"""Access to a volume's files: by path, by number, by walks, and in whole trees."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Iterator, Sequence, cast

from . import errors, populate, tree
from ._core import lib, number
from .device import Path
from .directory import DirEntry, ErrorHandler, read_entries
from .inode import Inode
from .listing import ALL_COLUMNS, Column, InodeTable, read_table
from .name_text import encode_name
from .path import AnyPath, F2FSPath, path_text
from .volume_base import VolumeBase

if TYPE_CHECKING:
    from .listing import Array
    from .volume import Volume


def _as_str(path: AnyPath) -> str:
    found = path_text(path)
    return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found


class VolumeFiles(VolumeBase):
    """The part of a volume that leads to files."""

    __slots__ = ()

    def _whole(self) -> Volume:
        """Return itself, typed as the whole volume."""
        return cast("Volume", self)

    @property
    def root(self) -> Inode:
        """The root directory."""
        return self.inode(self._geometry.root_ino)

    def inode(self, ino: int) -> Inode:
        """Open an inode by number. NotFoundError when it is free or not an inode, CorruptError with the rule."""
        number(ino, "ino", 32)
        return Inode(self._whole(), self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_inode_open, ino))

    def lookup(self, path: AnyPath, *, follow: bool = False) -> Inode:
        """Open the inode of a path from the root.

        Symbolic links in the middle are followed within the volume. A link at the end is followed only with follow.
        """
        flags = lib.F2FS_LOOKUP_FOLLOW if follow else 0
        name = path_text(path)
        raw = encode_name(name)
        if not raw:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, "no such file or directory: the path is empty")
        try:
            handle = self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_lookup, raw, flags)
        except errors.Error as error:
            if isinstance(error, OSError):
                error.filename = name
            raise
        return Inode(self._whole(), handle)

    def path(self, *parts: AnyPath) -> F2FSPath:
        """Return a path of the volume as an object in the manner of pathlib."""
        return F2FSPath(self._whole(), *parts)

    def __getitem__(self, path: AnyPath) -> F2FSPath:
        """Return a path of the volume, as `path()` does. It need not exist."""
        return F2FSPath(self._whole(), path)

    def __contains__(self, path: object) -> bool:
        """Does a path exist? Symbolic links are followed."""
        return isinstance(path, (str, bytes, pathlib.PurePath, F2FSPath)) and F2FSPath(self._whole(), path).exists()

    def __iter__(self) -> Iterator[str]:
        """Refuse iteration over a volume: any `volume["/x"]` is a path. Use `scan()` or `walk()` to visit all files."""
        raise TypeError("a volume is not iterable: scan(), walk() and root.iterdir() are")

    def read_bytes(self, path: AnyPath, max_bytes: int | None = None) -> bytes:
        """Return the contents of a file, symbolic links followed. TooBigError when longer than max_bytes."""
        return self.lookup(path, follow=True).read_bytes(max_bytes)

    def walk(
        self, top: AnyPath = "/", *, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Walk a tree like os.walk: yield (path of a directory, names of directories in it, other names).

        Parents come first. Names deleted from the list of directories are not visited. Symbolic links are not followed.

        Args:
            top: where to start.
            onerror: called with the error of an unreadable directory or entry, and the walk continues. Without it the
                error is raised, so nothing is left out silently.
        """
        for path, inode, entries in self._directories(top, onerror):
            dirs = [entry for entry in entries if entry.is_dir()]
            names = [entry.name for entry in dirs]
            yield path, names, [entry.name for entry in entries if not entry.is_dir()]
            chosen = set(names)
            entries[:] = [entry for entry in dirs if entry.name in chosen]

    def scan(
        self, top: AnyPath = "/", *, stats: bool = False, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, DirEntry]]:
        """Yield (path, `DirEntry`) of everything below a directory, parents first. Symbolic links are not followed.

        Args:
            top: where to start.
            stats: read the inodes of a directory along with its names, so that `DirEntry.stat()` costs no further call.
            onerror: as in `walk()`.
        """
        for path, inode, entries in self._directories(top, onerror, stats):
            prefix = path if path.endswith("/") else path + "/"
            for entry in entries:
                yield prefix + entry.name, entry

    def inode_table(self, top: AnyPath = "/", *, unnamed: bool = False) -> InodeTable:
        """Read the names below a directory and their stat as one table, in one call of the library.

        Args:
            top: where to start; a symbolic link is followed.
            unnamed: also inodes of the last commit that no name below the top leads to, with the path "". Not of earlier
                checkpoints.

        Damage raises no error: the row of the inode or directory has the error's number.
        """
        path = _as_str(top)
        return read_table(self.lookup(top, follow=True), path, lib.F2FS_LISTING_UNNAMED if unnamed else 0)

    def inodes(
        self, top: AnyPath = "/", *, columns: Sequence[Column] | None = None, paths: bool = False, unnamed: bool = False
    ) -> Array:
        """Return the table of `inode_table()` as a structured NumPy array.

        Args:
            top, unnamed: as of `inode_table()`.
            columns: names of columns, see `listing.Column`; None: all but the path. Times are nanoseconds since 1970,
                or `NO_TIME`, and view("datetime64[ns]") of such a column has dates. The parent is a row number, -1 for
                none. The column error is 0, or the library's error number for an unreadable inode or directory.
            paths: put the column of paths before these.

        Raises:
            ImportError: NumPy is not installed.
        """
        table = self.inode_table(top, unnamed=unnamed)
        if paths and columns is None:
            columns = ALL_COLUMNS
        elif paths and "path" not in (columns or ()):
            columns = ["path", *(columns or ())]
        return table.array(columns)

    def _inode_of(self, path: str, ino: int, freed: int) -> Inode:
        """Open the inode that had a path and a number when `_numbers_freed()` was so."""
        if freed == self._numbers_freed():
            return self.inode(ino)
        found = self.lookup(path)
        if found.number != ino:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, f"{path!r} is another file now")
        return found

    def _directories(
        self, top: AnyPath, onerror: ErrorHandler | None, stats: bool = False
    ) -> Iterator[tuple[str, Inode, list[DirEntry]]]:
        """Yield (path, inode, entries) of each directory of a tree. Those left in entries are visited next.

        A directory is visited once, even on a damaged volume. Meeting it again is an error that names the rule.
        """
        path = _as_str(top)
        try:
            start = self.lookup(top, follow=True)
        except errors.Error as error:
            if onerror is None:
                raise
            onerror(error)
            return
        todo: list[tuple[str, Inode | int, int]] = [(path, start, 0)]
        seen = {start.number}
        while todo:
            path, what, freed = todo.pop()
            try:
                inode = what if isinstance(what, Inode) else self._inode_of(path, what, freed)
                found = read_entries(inode, path) if stats else None
                entries = list(inode.iterdir(onerror=onerror)) if found is None else found
            except errors.Error as error:
                if onerror is None:
                    raise
                onerror(error)
                continue
            yield path, inode, entries
            prefix = path if path.endswith("/") else path + "/"
            for entry in reversed([entry for entry in entries if entry.is_dir()]):
                if entry.ino in seen:
                    again = errors.make(lib.F2FS_ERR_CORRUPT, f"directory {prefix + entry.name!r} is met twice")
                    again.structure, again.rule, again.nid = "dentry", "DENTRY_PATH", entry.ino
                    if onerror is None:
                        raise again
                    onerror(again)
                else:
                    seen.add(entry.ino)
                    todo.append((prefix + entry.name, entry.ino, entry._freed))

    extract = tree.extract
    populate = populate.populate
