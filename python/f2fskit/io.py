# SPDX-License-Identifier: LGPL-2.1-or-later
"""File contents as a raw binary file object."""

from __future__ import annotations

import errno
import io
import operator
import os
import sys
import warnings
import weakref
from typing import TYPE_CHECKING, Any

from . import errors
from ._core import Owner, ffi, lib, number, raw_bytes
from .enums import ExtentKind, Transaction

if TYPE_CHECKING:
    from typing import BinaryIO

    from typing_extensions import Self

    from .inode import Inode

    # What io.FileIO is to type checkers.
    class _Raw(Owner, io.RawIOBase, BinaryIO):  # type: ignore[misc]
        name: str | int  # type: ignore[assignment]
        mode: str  # pyright: ignore[reportIncompatibleMethodOverride]

        def __enter__(self) -> Self: ...

else:

    class _Raw(Owner, io.RawIOBase):
        pass


_PIECE = 16 << 20  # bytes that one call of the library reads, so that Ctrl-C is heard between them

# As in the kernel, data is blocks that were ever written, and a hole has no block. A block that is only reserved is
# neither: SEEK_DATA skips it, and so does SEEK_HOLE.
_NO_DATA = (ExtentKind.HOLE, ExtentKind.RESERVED)


def _blank(length: int) -> bytes | bytearray:
    """Make memory for a result of some length. CPython allows to fill a new bytes object that has no other user, which
    saves a copy. But bytes objects of length 1 are shared."""
    return bytes(length) if sys.implementation.name == "cpython" and length > 1 else bytearray(length)


def _empty(file: Any, reads: bool) -> None:
    """Empty the buffers of a file, whose raw file accepts their writes and drops them. The position stays."""
    place = file.tell() if reads else 0  # correct only before a flush; OSError between lines of a text file
    file.flush()
    if not reads:
        return
    getattr(file, "buffer", file).seek(0, os.SEEK_END)  # always calls the raw file, and drops read-ahead data
    file.seek(place)


class InodeIO(_Raw):
    """The contents of a file, with clusters decompressed and holes as zeros. The mode decides about writing.

    Each object has its own position, for appending at the end, and keeps the inode open. seek() supports os.SEEK_DATA
    and os.SEEK_HOLE. Threads may share it: each read or write, with its move of the position, is atomic. Wrap it in
    io.BufferedReader, BufferedWriter or BufferedRandom for small pieces.
    """

    _is_open = False

    def __init__(self, inode: Inode, mode: str = "rb") -> None:
        """mode: "rb", "wb" (the contents stay, unlike with open()), "ab", or these with +."""
        super().__init__()
        self._inode = inode
        self._fixed_size = None if inode.volume.writable else inode.stat().st_size
        self._done = ffi.new("size_t *")
        self._stat = ffi.new("struct f2fs_stat *")
        self._reads = "r" in mode or "+" in mode
        self._writes = "r" not in mode or "+" in mode
        if self._writes:
            inode.volume._need_writable()
        self._appends = "a" in mode
        self._position = self._size if self._appends else 0
        self._is_begun = False  # its contents are being written: a write that fails leaves an incomplete file
        self._failure: BaseException | None = None  # of a write that did
        self._is_dropping = False  # writes of buffers belong to changes that were rolled back
        self._is_wrapped = False  # there may be a buffer over it that this module did not make,
        self._top: weakref.ref[Any] | None = None  # beside this one
        self.name: str | int = inode.number
        """The path that it was opened by, or the inode's number when there was none."""
        self.mode = mode
        self._is_open = True
        if inode.volume.writable:
            with inode._handle.alone():
                inode.volume._raws.add(self)

    def __del__(self, _warn: Any = warnings.warn) -> None:
        if not self.closed:
            self._dealloc_warn(self, _warn)
            super().__del__()

    def _dealloc_warn(self, source: Any, _warn: Any = warnings.warn) -> None:
        """Warn of a file that is dropped unclosed. The buffers and the text file above it call this, too."""
        if self._is_open:
            _warn(f"unclosed file {source!r}", ResourceWarning, stacklevel=2, source=source)

    @property
    def _size(self) -> int:
        return self._inode.stat().st_size if self._fixed_size is None else self._fixed_size

    @property
    def inode(self) -> Inode:
        """The file's inode."""
        return self._inode

    def readable(self) -> bool:
        self._check()
        self._is_wrapped = True  # every buffer asks
        return self._reads

    def writable(self) -> bool:
        self._check()
        self._is_wrapped = True
        return self._writes

    def _set_top(self, top: Any) -> None:
        """Note the file object that the module made over this raw file, with its buffers."""
        self._top = weakref.ref(top)
        self._is_wrapped = False

    def _drop_buffers(self) -> None:
        """Drop the contents of buffers after a rollback. If that is not possible, or the inode is gone, close the
        file."""
        if self.closed:
            return
        top = self._top() if self._top is not None else None
        if self._inode.closed or self._is_wrapped:
            self.close()
            return
        try:
            if top is not None:
                _empty(top, self._reads)
        except (OSError, ValueError):  # a text file cannot go back to where it is
            self.close()
        finally:
            self._failure = None
            self._is_begun = self._is_dropping = False

    def seekable(self) -> bool:
        self._check()
        return True

    def _check(self, *, reading: bool = False, writing: bool = False) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        if reading and not self._reads:
            raise io.UnsupportedOperation("not readable")
        if writing and not self._writes:
            raise io.UnsupportedOperation("not writable")

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer from the position. Return the number of bytes, which is less than requested only at the end."""
        self._check(reading=True)
        n = 0

        def read(inode: Any) -> int:
            nonlocal n
            result, size = self._size_of(inode)
            if result >= 0 and self._position < size:
                result = int(lib.f2fs_inode_read(inode, self._position, pointer, len(pointer), self._done))
                if result >= 0:
                    n = int(self._done[0])
                    self._position += n
            return result

        with ffi.from_buffer("char[]", buffer, require_writable=True) as pointer:
            self._inode._handle.call(read)
        return n

    def _size_of(self, inode: Any) -> tuple[int, int]:
        """Return the result of a call, and the size. It runs within that call."""
        if self._fixed_size is not None:
            return 0, self._fixed_size
        return int(lib.f2fs_inode_stat(inode, self._stat)), int(self._stat.size)

    def write(self, data: Any, /) -> int:
        """Write all of data at the position, at the end when appending. Return its length in bytes."""
        self._check(writing=True)
        # a buffer that is closed writes again, and must get the same error
        if self._failure is not None and self._inode.volume.transaction == Transaction.FAILED:
            raise self._failure
        with memoryview(data) as view:
            if self._is_dropping:
                self._position += view.nbytes
                return view.nbytes
            raw = bytes(view) if not view.c_contiguous else view.cast("B")
            try:
                n = self._write(raw)
            except BaseException as error:
                if self._is_begun and not errors.is_mistake(error):
                    self._inode.volume.fail()
                    self._failure = error
                raise
        self._is_begun = True
        return n

    def _write(self, raw: Any) -> int:
        """Find the place, write and move on, in one call."""

        def write(inode: Any) -> int:
            result, offset = self._size_of(inode) if self._appends else (0, self._position)
            if result >= 0:
                result = int(lib.f2fs_inode_write(inode, offset, pointer, len(pointer)))
            if result >= 0:
                self._position = offset + len(pointer)
            return result

        with raw_bytes(raw) as pointer:
            self._inode._change(write)
            return len(pointer)

    def truncate(self, size: int | None = None, /) -> int:
        """Set the file's size; None: to the position. The position stays."""
        self._check(writing=True)
        wanted = None if size is None else operator.index(size)
        if wanted is not None and wanted < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if wanted is not None:
            number(wanted, "size")
        found = 0

        def truncate(inode: Any) -> int:
            nonlocal found
            found = self._position if wanted is None else wanted
            return int(lib.f2fs_inode_truncate(inode, found))

        self._inode._change(truncate)
        return found

    def read(self, size: int | None = -1, /) -> bytes:
        """Return size bytes from the position on, less only at the end. Without a size, return everything."""
        self._check(reading=True)
        length = -1 if size is None else operator.index(size)
        return self._take(None if length < 0 else length)

    def readall(self) -> bytes:
        """Return everything from the position to the end of the file."""
        self._check(reading=True)
        return self._take(None)

    def _take(self, most: int | None) -> bytes:
        """Read into the memory of the result, which is no larger than the rest of the file. A hole may be longer than
        all memory: then read pieces until memory runs out or the user interrupts."""
        pieces: list[bytes | bytearray] = []

        def read(inode: Any) -> int:
            result, size = self._size_of(inode)
            left = max(size - self._position, 0)
            left = left if most is None else min(left, most)
            while result >= 0 and left > 0:
                try:
                    piece = _blank(left)
                except MemoryError:
                    piece = _blank(min(left, _PIECE))
                n = self._fill(inode, piece)
                pieces.append(piece if n == len(piece) else piece[:n])
                left = left - n if n else 0
            return result

        self._inode._handle.call(read)
        return bytes(pieces.pop()) if len(pieces) == 1 else b"".join(pieces)

    def _fill(self, inode: Any, piece: bytes | bytearray) -> int:
        """Read from the position on, within a call. Return the number of bytes."""
        done = 0
        with ffi.from_buffer("char[]", piece) as pointer:
            while done < len(piece):
                length = min(len(piece) - done, _PIECE)
                result = int(lib.f2fs_inode_read(inode, self._position, pointer + done, length, self._done))
                self._inode._handle.core.check(result)
                n = int(self._done[0])
                if n == 0:
                    break
                self._position += n
                done += n
        return done

    def tell(self) -> int:
        self._check()
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Set the position, in bytes from the start, the position or the end. Or find data or a hole from offset on."""
        self._check()
        offset = operator.index(offset)
        with self._inode._handle.alone():
            if whence == os.SEEK_CUR:
                offset += self._position
            elif whence == os.SEEK_END:
                offset += self._size
            elif whence in (getattr(os, "SEEK_DATA", 3), getattr(os, "SEEK_HOLE", 4)):
                offset = self._find(offset, whence == getattr(os, "SEEK_DATA", 3))
            elif whence != os.SEEK_SET:
                raise ValueError(f"invalid whence ({whence})")
            if offset < 0:
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            self._position = offset
        return offset

    def _find(self, offset: int, data: bool) -> int:
        """Return the first offset from here on that is data, or in a hole. The end of the file is a hole."""
        if not 0 <= offset < self._size:
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
        block_size = self._inode.volume.geometry.block_size
        while offset < self._size:
            try:
                extent = self._inode.extent(offset // block_size)
            except errors.CLASSES[lib.F2FS_ERR_NOT_FOUND]:
                # After the last existing block: a hole up to the size.
                if not data:
                    return offset
                break
            if (extent.kind not in _NO_DATA) if data else extent.kind == ExtentKind.HOLE:
                return offset
            offset = (extent.file_block + extent.count) * block_size
        if data:
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
        return self._size

    def __repr__(self) -> str:
        # no call: a finalizer shows this
        state = "closed" if self.closed else f"at {self._position}"
        return f"<f2fskit.InodeIO name={self.name!r} mode={self.mode!r} {state}>"
