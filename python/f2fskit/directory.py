# SPDX-License-Identifier: LGPL-2.1-or-later
"""Entries of directories."""

from __future__ import annotations

import collections.abc
from typing import TYPE_CHECKING, Any, Callable

from . import enums, errors, results
from ._core import Handle, Owner, ffi, lib
from .listing import InodeTable, read_table

if TYPE_CHECKING:
    from .inode import Inode

ErrorHandler = Callable[[errors.Error], object]

_SKIPPABLE = (lib.F2FS_ERR_CORRUPT, lib.F2FS_ERR_IO)


class DirEntry:
    """One entry of a directory."""

    __slots__ = ("name", "ino", "type", "_directory", "_freed", "_place", "_table", "_row")

    name: str
    """UTF-8, other bytes as surrogates (os.fsencode). In an encrypted directory the printable form without the key."""
    ino: int
    type: enums.FileType

    def __init__(self, directory: Inode, row: Any) -> None:
        self._directory = directory
        self._freed = directory.volume._numbers_freed()
        self.name = ffi.buffer(row.name, row.name_len)[:].decode("utf-8", "surrogateescape")
        self.ino = row.ino
        self.type = _FILE_TYPES.get(row.type, enums.FileType.UNKNOWN)
        self._place: tuple[bytes, int, int] | None = (ffi.buffer(row.raw_name, row.raw_len)[:], row.position, row.hash)
        self._table: InodeTable | None = None
        self._row = 0

    def _stored(self) -> tuple[bytes, int, int]:
        if self._place is None:
            assert self._table is not None
            self._place = self._table._place(self._row)
        return self._place

    @property
    def raw_name(self) -> bytes:
        """As stored: ciphertext in an encrypted directory."""
        return self._stored()[0]

    @property
    def hash(self) -> int:
        """Hash of the name as stored."""
        return self._stored()[2]

    @property
    def position(self) -> int:
        """The kernel's directory position: block * entries per block + slot."""
        return self._stored()[1]

    @property
    def directory(self) -> Inode:
        """The directory it was read from."""
        return self._directory

    def inode(self) -> Inode:
        """Open the inode. NotFoundError when this name in the directory no longer leads to it."""
        directory = self._directory
        volume = directory.volume
        if volume._numbers_freed() != self._freed:  # the number may be another file's by now
            if directory.closed and not directory._handle.gone:
                directory = volume.inode(directory.number)
            if directory.entry(self.name).ino != self.ino:
                raise errors.make(lib.F2FS_ERR_NOT_FOUND, f"the name {self.name!r} is another file's now")
        return volume.inode(self.ino)

    def stat(self) -> results.StatResult:
        """Return the stat of the inode. A symbolic link is not followed.

        If the entry was read with its stat (`Volume.scan(stats=True)`), return that until the volume is changed.
        """
        table = self._table
        if table is not None and table.epoch == self._directory.volume._epoch:
            return table.stat(self._row)
        return self.inode().stat()

    def is_dir(self) -> bool:
        """Is it a directory, by the entry's type?"""
        return self.type == enums.FileType.DIRECTORY

    def is_file(self) -> bool:
        """Is it a regular file, by the entry's type?"""
        return self.type == enums.FileType.REGULAR

    def is_symlink(self) -> bool:
        """Is it a symbolic link, by the entry's type?"""
        return self.type == enums.FileType.SYMLINK

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r} {self.type.name} inode {self.ino}>"


_FILE_TYPES = {int(kind): kind for kind in enums.FileType}


def read_entries(directory: Inode, path: str) -> list[DirEntry] | None:
    """Read the entries of a directory with the stat of each, in one call; None when the directory is damaged."""
    table = read_table(directory, path, lib.F2FS_LISTING_FLAT)
    if table.error(0):
        return None
    freed = directory.volume._numbers_freed()
    found = []
    rows = enumerate(zip(table._entries(), table.names))
    next(rows)
    for row, ((ino, error, kind), name) in rows:
        entry = DirEntry.__new__(DirEntry)
        entry.name = name
        entry.ino = ino
        entry.type = _FILE_TYPES.get(kind, enums.FileType.UNKNOWN)
        entry._directory = directory
        entry._freed = freed
        entry._place = None
        entry._table = table
        entry._row = row
        if error:  # without a stat here, stat() opens the inode, and its error gives the reason
            entry._place, entry._table = table._place(row), None
        found.append(entry)
    return found


class DirReader(Owner, collections.abc.Iterator[DirEntry]):
    """The entries of a directory in the kernel's order.

    A damaged entry raises `CorruptError`, and the next call continues after it. If onerror is given, it is called
    instead.
    """

    __slots__ = ("_inode", "_handle", "_row", "_dots", "_onerror", "_done")

    def __init__(self, inode: Inode, dots: bool, onerror: ErrorHandler | None) -> None:
        self._inode = inode
        self._handle: Handle | None = inode._handle.open(
            "directory", lib.f2fs_dir_close, "f2fs_dir", lib.f2fs_dir_open
        )
        self._row = ffi.new("struct f2fs_dirent *")
        self._dots = dots
        self._onerror = onerror

    def __next__(self) -> DirEntry:
        row = self._row
        while True:
            handle = self._handle
            if handle is None:
                raise StopIteration
            entry = None
            try:
                with handle.alone():  # threads may share it: the row is ours until the entry is made
                    if self._handle is None:
                        raise StopIteration
                    handle.call(lib.f2fs_dir_next, row)
                    if self._dots or not (row.name_len <= 2 and ffi.string(row.name) in (b".", b"..")):
                        entry = DirEntry(self._inode, row)
            except errors.Error as error:
                if error.code == lib.F2FS_ERR_NOT_FOUND:
                    self.close()
                    raise StopIteration from None
                if error.code not in _SKIPPABLE:
                    self.close()
                if self._onerror is None:
                    raise
                self._onerror(error)
                continue
            if entry is not None:
                return entry

    def close(self) -> None:
        """Stop reading."""
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            handle.drop()
