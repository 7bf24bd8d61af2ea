# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions, made at import from the library's error table.

Each error of the table has one class, named after it (CORRUPT: `CorruptError`, NOT_FOUND: `NotFoundError`). It derives
from `Error` and from the built-in exception that fits. That is the subclass of OSError for its errno, so that `except
FileNotFoundError` works, or ValueError, MemoryError or KeyError.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator

from ._f2fskit import ffi, lib


class Error(Exception):
    """Base of all errors of the library.

    Attributes:
        code: number of the library, negative.
        name: its name ("CORRUPT").
        errno: the errno that corresponds, or that of the system call that failed.
        message: one sentence.
        structure: "superblock", "inode", ... or None.
        rule: name of the broken rule of the format (see `f2fskit.rules`), or None.
        block: block address, or None.
        nid: node id, or None.
        offset: byte offset in the structure or file, or None.
        filename, filename2: paths that the call was given, of the host or in the volume, or None.
        result: the partial result of the run that this error ended (`Volume.extract`), or None.
    """

    code = 0
    name = ""
    message: str
    structure = None
    rule = None
    block = None
    nid = None
    offset = None
    result: Any = None
    is_host = False  # a call of the host failed

    def __init__(self, errno: int = 0, message: str = "") -> None:
        super().__init__(errno, message)
        self.message = message
        if not isinstance(self, OSError):
            self.errno = errno

    def __str__(self) -> str:
        names = [_name_text(getattr(self, name, None)) for name in ("filename", "filename2")]
        if not names[0] or (not names[1] and names[0] in self.message):
            return self.message
        return f"{self.message}: {' -> '.join(repr(name) for name in names if name)}"

    def __reduce__(self) -> Any:
        # an OSError keeps its file names beside its dictionary
        names = tuple(getattr(self, name, None) for name in ("filename", "filename2"))
        return _rebuild, (type(self), tuple(self.args), self.__dict__, names)


def _name_text(name: Any) -> str:
    if name is None:
        return ""
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else str(name)


def _rebuild(kind: type[Error], arguments: tuple[Any, ...], values: dict[str, Any], names: tuple[Any, Any]) -> Error:
    error = kind(*arguments)
    error.__dict__.update(values)
    if isinstance(error, OSError):
        error.filename, error.filename2 = names
    return error


@contextlib.contextmanager
def naming(path: Any, second: Any = None) -> Iterator[None]:
    """Add a file name, or two, to errors of the library, as the built-in functions do. A path below these stays, as it says
    more. A component or a path above does not."""
    try:
        yield
    except Error as error:
        if not _says_more(_name_text(getattr(error, "filename", None)), path, second):
            setattr(error, "filename", path)
            if second is not None:
                setattr(error, "filename2", second)
        raise


def _says_more(found: str, path: Any, second: Any) -> bool:
    """Is found a path below these?"""
    if second is None:
        return found.startswith("/")
    return any(found.startswith(_name_text(one).rstrip("/") + "/") for one in (path, second))


# Errors whose errno does not lead to the right built-in exception.
_BASES = {
    "INVALID": (ValueError,),
    "WRONG_TYPE": (ValueError,),
    "NOMEM": (MemoryError,),
    "RANGE": (ValueError,),
    "NO_ATTR": (OSError, KeyError),
}


def _make_class(code: int) -> type[Error]:
    name = ffi.string(lib.f2fs_error_name(code)).decode()
    text = ffi.string(lib.f2fs_error_text(code)).decode()
    bases = _BASES.get(name, (type(OSError(lib.f2fs_error_errno(code), "")),))
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Error"
    doc = f"{text[0].upper()}{text[1:]}."
    values = {"code": code, "name": name, "__doc__": doc, "__module__": __name__}
    if not issubclass(bases[0], OSError):
        values.update(filename=None, filename2=None)  # an OSError has them from Python
    return type(class_name, (Error, *bases), values)


CLASSES = {code: _make_class(code) for code in sorted(ffi.typeof("enum f2fs_error").elements, reverse=True) if code < 0}

globals().update({found.__name__: found for found in CLASSES.values()})
__all__ = ["Error", *sorted(found.__name__ for found in CLASSES.values())]  # pyright: ignore[reportUnsupportedDunderAll]


def make(code: int, message: str, errno: int = 0) -> Error:
    """Return an error of this module, of the class for code."""
    return CLASSES[code](errno or lib.f2fs_error_errno(code), message)


_TROUBLE = ("NOMEM", "NOSPC", "IO", "UNCERTAIN", "CORRUPT", "CANCELED")


def is_mistake(error: BaseException) -> bool:
    """Did a change fail because of its arguments, before anything happened?"""
    if isinstance(error, Error):
        return error.name not in _TROUBLE
    return isinstance(error, (TypeError, ValueError))


_HOW_TO_SEE_MORE = "; check(device.overlay(), repair=True) makes a layer in memory that shows the volume as a repair would leave it"


def from_detail(code: int, detail: Any) -> Error:
    """Return the exception for a call that failed with code, with the details that the context recorded."""
    message = ffi.string(detail.message).decode("utf-8", "replace") if detail.code == code else ""
    if not message:
        message = ffi.string(lib.f2fs_error_text(code)).decode()
    elif detail.code == code and code in CLASSES and CLASSES[code].name == "CORRUPT":
        message += _HOW_TO_SEE_MORE
    if code not in CLASSES:
        return Error(lib.f2fs_error_errno(code), f"{message} ({code})")
    error = make(code, message, detail.sys_errno if detail.code == code else 0)
    if detail.code == code:
        error.is_host = bool(detail.sys_errno)
        error.structure = ffi.string(detail.structure).decode() or None
        error.rule = ffi.string(detail.rule).decode() or None
        error.block = None if detail.block == lib.F2FS_NO_BLOCK else detail.block
        error.offset = None if detail.offset == lib.F2FS_NO_OFFSET else detail.offset
        error.nid = None if detail.nid == lib.F2FS_NO_NID else detail.nid
    return error
