# SPDX-License-Identifier: LGPL-2.1-or-later
"""F2FS images as a file system of fsspec: `f2fs://etc/passwd::disk.img`, also over http, memory and others.

An installed package registers the protocol f2fs by itself. Nothing else of f2fskit needs fsspec.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import os
import stat
import tempfile
from typing import Any, Iterator, Literal, Sequence

import fsspec  # type: ignore[import]
from fsspec.transaction import Transaction  # type: ignore[import]

from . import errors
from .directory import read_entries
from .enums import OpenRecoverName
from .moment import Clock, Moment
from .path import F2FSPath
from .volume import Volume, open as open_volume

_LOCAL = ("file", "local")
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


class _Ranges:
    """A file of another file system as a source of a volume, read in ranges."""

    def __init__(self, fs: Any, path: str) -> None:
        self._fs = fs
        self._path = path
        size = fs.info(path)["size"]
        if size is None:
            raise ValueError(f"{path}: the size is unknown")
        self.size = int(size)

    def pread(self, length: int, offset: int) -> bytes:
        """Return bytes at an offset."""
        found: bytes = self._fs.cat_file(self._path, start=offset, end=offset + length)
        return found


class F2FSTransaction(Transaction):  # type: ignore[misc]
    """Changes that are committed together, when a with block of `fs.transaction` ends."""

    def start(self) -> None:
        """Begin: from here on nothing is committed."""
        fs: Any = self.fs
        fs._intrans = True

    def complete(self, commit: bool = True) -> None:
        """Commit all changes, or drop them."""
        fs: Any = self.fs
        try:
            if commit:
                fs._commit()
            else:
                fs.volume.rollback()
        finally:
            self.files.clear()  # the volume knows them
            fs._intrans = False


class F2FSFile(io.BufferedIOBase):
    """An open file of an image. Closing a written one outside of a transaction commits."""

    def __init__(self, fs: F2FSFileSystem, path: str, mode: str) -> None:
        """Not for users: see `F2FSFileSystem.open()`."""
        self._file: Any = None
        self.fs, self.path, self.mode = fs, path, mode
        with fs._changing() if mode != "rb" else contextlib.nullcontext():
            place = fs.volume[path]
            if "r" not in mode:
                place.parent.mkdir(parents=True, exist_ok=True)
            self._file = place.open(mode)
        self.name = path

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self.fs.volume.lookup(self.path, follow=True).size)

    @property
    def details(self) -> dict[str, Any]:
        """Facts about the file, as of `F2FSFileSystem.info()`."""
        return self.fs.info(self.path)

    def readable(self) -> bool:
        """Can it be read?"""
        return bool(self._file.readable())

    def writable(self) -> bool:
        """Can it be written?"""
        return bool(self._file.writable())

    def seekable(self) -> bool:
        """Always true."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read up to size bytes, or all that follow."""
        found: bytes = self._file.read(-1 if size is None else size)
        return found

    def read1(self, size: int = -1) -> bytes:
        """Read up to size bytes, those in the buffer if there are any."""
        found: bytes = self._file.read1(size)
        return found

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, and return the number of bytes."""
        return int(self._file.readinto(buffer))

    def write(self, data: Any) -> int:
        """Write bytes, and return their number."""
        return int(self._file.write(data))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place, and return it."""
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Return the place."""
        return int(self._file.tell())

    def truncate(self, size: int | None = None) -> int:
        """Set the size: by default up to the place."""
        return int(self._file.truncate(size))

    def flush(self) -> None:
        """Write the buffer to the volume. This does not commit."""
        if self._file is not None and not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Close it, and commit what was written unless a transaction is running."""
        if self.closed or self._file is None:
            return
        try:
            if self.mode == "rb" or self._file.closed:
                self._file.close()
            else:
                with self.fs._changing():
                    self._file.close()
        finally:
            super().close()

    def __reduce__(self) -> Any:
        if self.mode != "rb":
            raise TypeError("a file that is open for writing cannot be pickled")
        return _reopen, (self.fs, self.path, self.tell())


def _reopen(fs: F2FSFileSystem, path: str, place: int) -> F2FSFile:
    file = F2FSFile(fs, path, "rb")
    file.seek(place)
    return file


class F2FSFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """An F2FS image as a file system.

    It can be pickled where its arguments can. Each process then opens the image itself, so changes want one process.

    Args:
        fo: path of the image, or any source of `f2fskit.open()`.
        access: "r" for reading, "r+" for reading and changing.
        target_protocol, target_options: file system of fsspec that has fo; None: the host's. Its file is read in ranges.
            With "r+" it is copied to a temporary file, and each commit copies that back.
        as_of: number of an earlier checkpoint to show, as of `Volume.as_of()`; None: the last one.
        keys: of encrypted files, see `Volume.add_key()`.
        recover: as of `f2fskit.open()`.
        now: as of `f2fskit.open()`.

    Missing directories above a new file are made. Each change is committed at once, and a file when it is closed. In a
    with block of `fs.transaction` all are committed together at its end. They are dropped if an exception leaves the
    block.
    """

    protocol = "f2fs"
    root_marker = "/"
    cachable = False  # an image that others have changed is to be opened anew
    transaction_type = F2FSTransaction
    _transaction: F2FSTransaction | None = None

    def __init__(
        self,
        fo: Any = "",
        access: Literal["r", "r+"] = "r",
        *,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        as_of: int | None = None,
        keys: Sequence[bytes] = (),
        recover: OpenRecoverName = "none",
        now: Clock | Moment | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._copied: tuple[Any, str, Any] | None = None  # other file system, its path, our temporary file
        if fo == "":
            raise ValueError("no image is named: f2fs://path::image, or fo=image")
        source = fo
        if target_protocol is not None and target_protocol not in _LOCAL:
            source = self._other(fo, target_protocol, target_options or {}, access)
        elif isinstance(fo, (str, os.PathLike)):
            source = fsspec.filesystem("file")._strip_protocol(os.fspath(fo))
        self._opened = open_volume(source, access, recover=recover, now=now)
        for key in keys:
            self._opened.add_key(key)
        self.volume: Volume = self._opened if as_of is None else self._opened.as_of(as_of)
        """The open volume, with all that fsspec has no names for."""

    def _other(self, fo: str, protocol: str, options: dict[str, Any], access: str) -> Any:
        """Return a file of another file system as a source of a volume."""
        fs = fsspec.filesystem(protocol, **options)
        if access == "r":
            return _Ranges(fs, fo)
        file = tempfile.NamedTemporaryFile(prefix="f2fskit-", suffix=".img")
        fs.get_file(fo, file.name)
        self._copied = fs, fo, file
        return file.name

    def close(self) -> None:
        """Close the image, and drop changes of a transaction that still runs."""
        self._opened.close()
        if self._copied:
            self._copied[2].close()

    # Changes.

    @property
    def transaction(self) -> F2FSTransaction:
        """A with block of it commits all changes together."""
        if self._transaction is None:
            self._transaction = F2FSTransaction(self)
        return self._transaction

    def start_transaction(self) -> F2FSTransaction:
        """Begin a transaction without a with block."""
        self._transaction = started = F2FSTransaction(self)
        started.start()
        return started

    def end_transaction(self) -> None:
        """Commit a transaction without a with block."""
        self.transaction.complete()
        self._transaction = None  # the next one is made by `transaction`

    def _commit(self) -> None:
        self.volume.commit()
        if self._copied:
            fs, path, file = self._copied
            fs.put_file(file.name, path)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Volume]:
        """Make a change. Commit it unless a transaction is running, and drop one that fails half-way."""
        try:
            yield self.volume
        except BaseException:
            if not self._intrans and self.volume.writable and not self.volume.closed:
                self.volume.rollback()
            raise
        if not self._intrans:
            self._commit()

    # Paths and facts.

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = os.fspath(path)
        text = text[len("f2fs://") :] if text.startswith("f2fs://") else text
        return "/" + text.strip("/")

    def _place(self, path: Any) -> F2FSPath:
        return self.volume[self._strip_protocol(path)]

    @staticmethod
    def _facts(name: str, status: Any, place: F2FSPath | None) -> dict[str, Any]:
        """Return the facts about a name. For a link to a file, they are those of the file."""
        facts: dict[str, Any] = {"islink": stat.S_ISLNK(status.st_mode)}
        if facts["islink"] and place is not None:
            facts["destination"] = place.readlink()
            with contextlib.suppress(errors.Error):
                target = place.stat()
                status = target if stat.S_ISREG(target.st_mode) else status
        return {
            "name": name,
            "size": status.st_size if not stat.S_ISDIR(status.st_mode) else 0,
            "type": _KINDS.get(stat.S_IFMT(status.st_mode), "other"),
            "mode": status.st_mode,
            "uid": status.st_uid,
            "gid": status.st_gid,
            "ino": status.st_ino,
            "nlink": status.st_nlink,
            "mtime": status.st_mtime,
            "created": getattr(status, "st_birthtime", None) or status.st_ctime,
            **facts,
        }

    def info(self, path: Any, **_: Any) -> dict[str, Any]:
        """Return the facts about a path: name, size, type ("file", "directory", "link", "other"), mode, owner, times."""
        place = self._place(path)
        return self._facts(str(place), place.lstat(), place)

    def ls(self, path: Any, detail: bool = True, **_: Any) -> list[Any]:
        """Return the names in a directory, or the file itself, with their facts or without."""
        place = self._place(path)
        inode = place.inode()
        if not inode.is_dir():
            return [self.info(path)] if detail else [str(place)]
        entries = read_entries(inode, str(place)) if detail else None
        if entries is None:
            entries = list(inode.iterdir())
        names = [str(place / entry.name) for entry in entries]
        if not detail:
            return names
        return [self._facts(name, entry.stat(), place / entry.name) for name, entry in zip(names, entries)]

    def created(self, path: Any) -> datetime.datetime:
        """Return the time when a file was made."""
        return datetime.datetime.fromtimestamp(self.info(path)["created"], datetime.timezone.utc)

    def modified(self, path: Any) -> datetime.datetime:
        """Return the time when the contents of a file were changed."""
        return datetime.datetime.fromtimestamp(self.info(path)["mtime"], datetime.timezone.utc)

    def ukey(self, path: Any) -> str:
        """Return a text that changes when the file does."""
        status = self._place(path).stat()
        return f"{self.volume.uuid}-{status.st_ino}-{status.st_gen}-{status.st_ctime_ns}-{status.st_size}"

    # Contents.

    def _open(self, path: Any, mode: str = "rb", *_words: Any, **_named: Any) -> Any:
        return F2FSFile(self, self._strip_protocol(path), mode)

    def cat_file(self, path: Any, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        """Return the contents of a file, or the bytes from start to end. Negative ones count from its end."""
        inode = self._place(path).inode()
        if start is None and end is None:
            return inode.read_bytes()
        first, last, _step = slice(start, end).indices(inode.size)
        with inode.open() as file:
            file.seek(first)
            return file.read(max(last - first, 0)) or b""

    def pipe_file(self, path: Any, value: Any, mode: str = "overwrite", **_: Any) -> None:
        """Give a file these contents. mode: "overwrite", or "create" for a new file only."""
        place = self._place(path)
        if mode == "create" and place.exists():
            raise FileExistsError(f"{place} exists")
        with self._changing():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(value)

    def touch(self, path: Any, truncate: bool = True, **_: Any) -> None:
        """Make an empty file. If it exists, empty it, or without truncate set its times."""
        with self._changing():
            place = self._place(path)
            if truncate and place.exists():
                place.truncate(0)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()

    def cp_file(self, path1: Any, path2: Any, **_: Any) -> None:
        """Copy a file, or make a directory for one."""
        source, target = self._place(path1), self._place(path2)
        with self._changing():
            if source.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            with source.open("rb") as reader, target.open("wb") as writer:
                while piece := reader.read(1 << 20):
                    writer.write(piece)

    # Names.

    def mkdir(self, path: Any, create_parents: bool = True, **_: Any) -> None:
        """Make a directory. FileExistsError if it exists."""
        with self._changing():
            self._place(path).mkdir(parents=create_parents)

    def makedirs(self, path: Any, exist_ok: bool = False) -> None:
        """Make a directory and those above it."""
        with self._changing():
            self._place(path).mkdir(parents=True, exist_ok=exist_ok)

    def rmdir(self, path: Any) -> None:
        """Remove an empty directory."""
        with self._changing():
            self._place(path).rmdir()

    def rm_file(self, path: Any) -> None:
        """Remove a file."""
        with self._changing():
            self._place(path).unlink()

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Remove files, and with recursive directories with all that is in them."""
        for one in [path] if isinstance(path, (str, os.PathLike)) else path:
            place = self._place(one)
            if maxdepth is not None or any(letter in str(place) for letter in "*?["):
                super().rm(one, recursive=recursive, maxdepth=maxdepth)
                continue
            with self._changing():
                is_directory = place.is_dir() and not place.is_symlink()
                if is_directory and recursive:
                    place.rmtree()
                elif is_directory:
                    place.rmdir()
                else:
                    place.unlink()

    def _rm(self, path: Any) -> None:
        place = self._place(path)
        if place.is_dir() and not place.is_symlink():
            self.rmdir(path)
        else:
            self.rm_file(path)

    def mv(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **options: Any) -> None:
        """Move a file or directory."""
        source = self._strip_protocol(path1)
        if maxdepth is not None or isinstance(source, list) or any(letter in source for letter in "*?["):
            super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **options)
            return
        target = self._place(path2)
        if str(path2).endswith("/") or target.is_dir():
            target = target / self.volume[source].name
        with self._changing():
            target.parent.mkdir(parents=True, exist_ok=True)
            self.volume[source].rename(target)
