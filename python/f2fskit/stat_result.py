# SPDX-License-Identifier: LGPL-2.1-or-later
"""`StatResult`: the result of stat(2), kept as the bytes of struct f2fs_stat, from which attributes are read on
demand."""

from __future__ import annotations

import os
import stat as stat_module
import struct
from typing import Any, Iterator, Sequence, overload

from . import enums
from ._f2fskit import ffi

_CODES = {"uint8_t": "B", "uint32_t": "I", "f2fs_nid_t": "I", "uint64_t": "Q"}
STAT_SIZE: int = ffi.sizeof("struct f2fs_stat")


def _members() -> Iterator[tuple[str, int, str]]:
    """Yield (name, offset, code) of the numbers of struct f2fs_stat. A time has two."""
    for name, field in ffi.typeof("struct f2fs_stat").fields:
        if field.type.cname == "struct f2fs_time":
            for part, inner in field.type.fields:
                yield f"{name}.{part}", field.offset + inner.offset, "q" if part == "seconds" else "I"
        else:
            yield name, field.offset, _CODES[field.type.cname]


MEMBERS = {name: (offset, code) for name, offset, code in _members()}


def _reader(*names: str) -> Any:
    """Return a function (bytes) -> tuple of these members, which have to follow each other in the struct."""
    code, at = "=", 0
    for name in names:
        offset, letter = MEMBERS[name]
        code += f"{offset - at}x{letter}"
        at = offset + struct.calcsize("=" + letter)
    return struct.Struct(code).unpack_from


_HEAD = _reader("ino", "mode", "nlink", "uid", "gid", "size", "atime.seconds", "mtime.seconds", "ctime.seconds")
_TIMES = {name: _reader(f"{name}.seconds", f"{name}.nanoseconds") for name in ("atime", "mtime", "ctime", "crtime")}
_ONE = {name: _reader(name) for name in MEMBERS}
_RDEV = _reader("rdev_major", "rdev_minor")


def _number(name: str, doc: str) -> Any:
    read = _ONE[name]
    return property(lambda self: read(self._raw)[0], doc=doc)


def _nanoseconds(name: str, doc: str) -> Any:
    read = _TIMES[name]

    def get(self: StatResult) -> int:
        seconds, nanoseconds = read(self._raw)
        return int(seconds * 1_000_000_000 + nanoseconds)

    return property(get, doc=doc)


def _seconds(name: str, doc: str) -> Any:
    read = _TIMES[name]

    def get(self: StatResult) -> float:
        seconds, nanoseconds = read(self._raw)
        return float((seconds * 1_000_000_000 + nanoseconds) / 1_000_000_000)

    return property(get, doc=doc)


class StatResult(Sequence[int]):
    """Look-alike of os.stat_result: a sequence of its ten numbers, and attributes st_*.

    It has the attributes of all systems: st_*_ns, st_birthtime and st_birthtime_ns (missing if the file has no
    creation time), st_blksize, st_blocks (512-byte units), st_rdev, st_flags (of F2FS, `InodeFlag`), st_gen. It also
    has st_projid, the project id. st_dev is 0. An object takes some 250 bytes.
    """

    __slots__ = ("_raw", "_block_size")

    n_fields = 10
    n_sequence_fields = 10

    def __init__(self, raw: bytes, block_size: int) -> None:
        """Not for users: raw is struct f2fs_stat."""
        self._raw = raw
        self._block_size = block_size

    st_mode: int = _number("mode", "Type and permissions.")
    st_ino: int = _number("ino", "Inode number.")
    st_dev: int = 0
    st_nlink: int = _number("nlink", "Names of the inode.")
    st_uid: int = _number("uid", "Owner.")
    st_gid: int = _number("gid", "Group.")
    st_size: int = _number("size", "Bytes.")
    st_atime: float = _seconds("atime", "Last access, seconds since 1970.")
    st_mtime: float = _seconds("mtime", "Last change of the contents, seconds since 1970.")
    st_ctime: float = _seconds("ctime", "Last change of the inode, seconds since 1970.")
    st_atime_ns: int = _nanoseconds("atime", "Last access, nanoseconds since 1970.")
    st_mtime_ns: int = _nanoseconds("mtime", "Last change of the contents, nanoseconds since 1970.")
    st_ctime_ns: int = _nanoseconds("ctime", "Last change of the inode, nanoseconds since 1970.")
    st_blocks: int = _number("blocks", "512-byte units.")
    st_gen: int = _number("generation", "Random number of this use of the inode number.")
    st_projid: int = _number("projid", "Project.")

    @property
    def st_birthtime(self) -> float:
        """Creation, seconds since 1970; AttributeError when the file has no such time."""
        return self.st_birthtime_ns / 1_000_000_000

    @property
    def st_birthtime_ns(self) -> int:
        """Creation, nanoseconds since 1970; AttributeError when the file has no such time."""
        if not _ONE["has_crtime"](self._raw)[0]:
            raise AttributeError("the file has no creation time")
        seconds, nanoseconds = _TIMES["crtime"](self._raw)
        return int(seconds * 1_000_000_000 + nanoseconds)

    @property
    def st_blksize(self) -> int:
        """Bytes of a block."""
        return self._block_size

    @property
    def st_rdev(self) -> int:
        """Number of a device, as os.makedev() makes it."""
        return os.makedev(*_RDEV(self._raw))

    @property
    def st_flags(self) -> enums.InodeFlag:
        """Flags as chattr(1) sets them."""
        return enums.InodeFlag(_ONE["flags"](self._raw)[0])

    @property
    def filemode(self) -> str:
        """The mode as ls -l shows it."""
        return stat_module.filemode(self.st_mode)

    # The sequence of ten.

    def _ten(self) -> tuple[int, ...]:
        ino, mode, nlink, uid, gid, size, atime, mtime, ctime = _HEAD(self._raw)
        return mode, ino, 0, nlink, uid, gid, size, atime, mtime, ctime

    def __len__(self) -> int:
        return 10

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...

    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        return self._ten()[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._ten())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (tuple, StatResult)):
            return self._ten() == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._ten())

    def __reduce__(self) -> Any:
        return StatResult, (self._raw, self._block_size)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if hasattr(self, name)]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _SHOWN if hasattr(self, name))
        return f"f2fskit.StatResult({shown})"


_SHOWN = ("st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime_ns", "st_mtime_ns", "st_ctime_ns",
          "st_birthtime_ns", "st_blksize", "st_blocks", "st_rdev", "st_flags", "st_gen", "st_projid")


def make_stat(source: Any, block_size: int) -> StatResult:
    """Make a stat result of struct f2fs_stat, or of a pointer to one."""
    pointer = source if ffi.typeof(source).kind == "pointer" else ffi.addressof(source)
    return StatResult(ffi.buffer(pointer)[:], block_size)
