# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python objects as C devices: file objects, buffers, and objects that read and write at offsets."""

from __future__ import annotations

import errno
import os
from typing import Any

from . import errors
from ._core import Hooks, ffi, lib, stray

_PIECE = 4 << 20  # largest single request passed to a file object, bytes


class FileSource:
    """A file object as device operations."""

    def __init__(self, file: Any, size: int | None, writable: bool, hooks: Hooks) -> None:
        self.file = file
        self.hooks = hooks
        self.writable = writable
        if not any(hasattr(file, name) for name in ("pread", "read", "readinto")):
            raise TypeError(f"a path, Device, buffer or binary file object is wanted, not {type(file).__name__}")
        if writable and not self._can_write():
            raise errors.make(lib.F2FS_ERR_READ_ONLY, f"{type(file).__name__} is not open for writing")
        self.size: int = self.find_size() if size is None else size

    def _can_write(self) -> bool:
        if hasattr(self.file, "writable"):
            return bool(self.file.writable())
        return hasattr(self.file, "pwrite") or hasattr(self.file, "write")

    def find_size(self) -> int:
        if hasattr(self.file, "seek"):
            end = self.file.seek(0, os.SEEK_END)
            return int(self.file.tell() if end is None else end)
        return int(self.file.size)

    def read_piece(self, offset: int, length: int) -> Any:
        """Return 1 to length bytes at an offset."""
        if hasattr(self.file, "pread"):
            data = self.file.pread(length, offset)
        else:
            self.file.seek(offset)
            if hasattr(self.file, "read"):
                data = self.file.read(length)
            else:
                buffer = bytearray(length)
                n = self.file.readinto(buffer)
                data = None if n is None else memoryview(buffer)[:n]
        if data is None:
            raise BlockingIOError(errno.EAGAIN, "file object would block")
        if isinstance(data, str):
            raise TypeError("file object is in text mode")
        view = memoryview(data).cast("B")
        if len(view) > length:
            raise ValueError(f"file object gave {len(view)} bytes when asked for {length}")
        if not view:
            raise OSError(errno.EIO, f"file object ends at byte {offset} of {self.size}")
        return view

    def write(self, offset: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            if hasattr(self.file, "pwrite"):
                n = self.file.pwrite(view, offset)
            else:
                self.file.seek(offset)
                n = self.file.write(view)
            if n is None:
                raise BlockingIOError(errno.EAGAIN, "file object would block")
            if not 0 < n <= len(view):
                raise OSError(errno.EIO, f"file object wrote {n} of {len(view)} bytes")
            view = view[n:]
            offset += n

    def flush(self) -> None:
        if hasattr(self.file, "flush"):
            self.file.flush()

    def close(self) -> None:
        pass


class BufferSource(FileSource):
    """A buffer as device operations."""

    def __init__(self, view: memoryview, writable: bool, hooks: Hooks) -> None:
        self.view = view
        self.hooks = hooks
        self.writable = writable
        self.size = len(view)

    def read_piece(self, offset: int, length: int) -> Any:
        return self.view[offset : offset + length]

    def write(self, offset: int, data: bytes) -> None:
        self.view[offset : offset + len(data)] = data

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.view.release()


def _scatter(iov: Any, count: int, start: int, data: Any) -> None:
    """Copy data to where its first byte belongs, start bytes into the vector."""
    at = 0
    for i in range(count):
        length = iov[i].length
        if start < length:
            n = min(length - start, len(data) - at)
            ffi.memmove(iov[i].base + start, data[at : at + n], n)
            at += n
            start = 0
            if at == len(data):
                return
        else:
            start -= length


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_IO)  # type: ignore[misc]
def py_device_ops_read(self: Any, offset: int, iov: Any, count: int) -> int:
    source: FileSource = ffi.from_handle(self)
    try:
        length = sum(iov[i].length for i in range(count))
        done = 0
        while done < length:
            data = source.read_piece(offset + done, min(length - done, _PIECE))
            _scatter(iov, count, done, data)
            done += len(data)
        return 0
    except BaseException as error:
        return source.hooks.keep_of_device(error)


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_IO)  # type: ignore[misc]
def py_device_ops_write(self: Any, offset: int, iov: Any, count: int) -> int:
    source: FileSource = ffi.from_handle(self)
    try:
        for i in range(count):
            # A copy, because the object may keep its argument.
            data = bytes(ffi.buffer(iov[i].base, iov[i].length))
            source.write(offset, data)
            offset += len(data)
        return 0
    except BaseException as error:
        return source.hooks.keep_of_device(error)


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_IO)  # type: ignore[misc]
def py_device_ops_flush(self: Any) -> int:
    source: FileSource = ffi.from_handle(self)
    try:
        source.flush()
        return 0
    except BaseException as error:
        return source.hooks.keep_of_device(error)


@ffi.def_extern(onerror=stray)  # type: ignore[misc]
def py_device_ops_close(self: Any) -> None:
    source: FileSource = ffi.from_handle(self)
    source.hooks.sources.pop(self, None)
    source.close()
