# SPDX-License-Identifier: LGPL-2.1-or-later
"""Extended attributes as a mapping."""

from __future__ import annotations

import collections.abc
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from . import errors
from ._core import ffi, lib, raw_bytes
from .name_text import decode_name, encode_name

if TYPE_CHECKING:
    from .inode import Inode


class Xattrs(collections.abc.MutableMapping[str, bytes]):
    """Extended attributes: full names ("user.color") to values as getxattr(2) gives them. Changes go to the volume.

    Names that listxattr(2) does not show (encryption context, verity) are in `internal`. A name that is not there raises
    `NoAttrError`, which is a KeyError.
    """

    __slots__ = ("_inode", "_path", "_all", "_epoch")

    def __init__(self, inode: Inode, path: str | None = None) -> None:
        """Not for users. path: for errors."""
        self._inode = inode
        self._path = path
        self._epoch = 0
        self._all: tuple[dict[str, bytes], dict[str, bytes]] | None = None

    def _load(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        epoch = self._inode.volume._epoch
        if self._all is None or self._epoch != epoch or self._inode.closed:
            shown: dict[str, bytes] = {}
            internal: dict[str, bytes] = {}
            row = ffi.new("struct f2fs_xattr *")

            def load(pointer: Any) -> int:
                count = int(lib.f2fs_xattr_count(pointer))
                for i in range(max(count, 0)):
                    result = int(lib.f2fs_xattr_at(pointer, i, row))
                    if result < 0:
                        return result
                    value = bytes(ffi.buffer(row.value, row.value_size)) if row.value_size else b""
                    (internal if row.is_internal else shown)[decode_name(ffi.string(row.name))] = value
                return count

            with errors.naming(self._path):
                self._inode._handle.call(load)
            self._all = shown, internal
            self._epoch = epoch
        return self._all

    def __getitem__(self, name: str) -> bytes:
        shown, _ = self._load()
        try:
            return shown[name]
        except KeyError:
            message = f"inode {self._inode.number} has no attribute {name!r}"
            error = errors.make(lib.F2FS_ERR_NO_ATTR, message)
            error.filename = self._path
            raise error from None

    def __setitem__(self, name: str, value: bytes | bytearray | memoryview) -> None:
        with raw_bytes(value) as raw, errors.naming(self._path):
            self._inode._change(lib.f2fs_xattr_set, encode_name(name), raw, len(raw))
        self._all = None

    def __delitem__(self, name: str) -> None:
        with errors.naming(self._path):
            self._inode._change(lib.f2fs_xattr_remove, encode_name(name))
        self._all = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._load()[0])

    def __len__(self) -> int:
        return len(self._load()[0])

    @property
    def internal(self) -> Mapping[str, bytes]:
        """Attributes that the file system keeps for itself."""
        return dict(self._load()[1])

    def __repr__(self) -> str:
        return f"<Xattrs {dict(self)!r}>"
