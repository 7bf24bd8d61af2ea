# SPDX-License-Identifier: LGPL-2.1-or-later
# Written by python/stubs.py.
import contextlib
from typing import Any

__all__ = [
    "Error",
    "AccessError",
    "BusyError",
    "CanceledError",
    "CorruptError",
    "DamagedDataError",
    "EncryptedError",
    "ExistsError",
    "ForeignError",
    "IncompleteError",
    "InvalidError",
    "IoError",
    "IsDirError",
    "LoopError",
    "NameTooLongError",
    "NoAttrError",
    "NomemError",
    "NospcError",
    "NotDirError",
    "NotEmptyError",
    "NotF2fsError",
    "NotFoundError",
    "OverwrittenError",
    "RangeError",
    "ReadOnlyError",
    "StateError",
    "TooBigError",
    "UncertainError",
    "UnsupportedError",
    "WrongTypeError",
    "XdevError",
]

class Error(Exception):
    code: int
    name: str
    errno: Any
    message: str
    structure: str | None
    rule: str | None
    block: int | None
    nid: int | None
    offset: int | None
    result: Any
    filename: Any
    filename2: Any
    is_host: bool
    def __init__(self, errno: int = 0, message: str = "") -> None: ...

class InvalidError(Error, ValueError): ...

class ReadOnlyError(Error, OSError): ...

class StateError(Error, OSError): ...

class IoError(Error, OSError): ...

class NomemError(Error, MemoryError): ...

class NospcError(Error, OSError): ...

class BusyError(Error, OSError): ...

class AccessError(Error, PermissionError): ...

class NotF2fsError(Error, OSError): ...

class CorruptError(Error, OSError): ...

class UnsupportedError(Error, OSError): ...

class EncryptedError(Error, OSError): ...

class DamagedDataError(Error, OSError): ...

class OverwrittenError(Error, OSError): ...

class ForeignError(Error, OSError): ...

class NotFoundError(Error, FileNotFoundError): ...

class ExistsError(Error, FileExistsError): ...

class NotDirError(Error, NotADirectoryError): ...

class IsDirError(Error, IsADirectoryError): ...

class LoopError(Error, OSError): ...

class NameTooLongError(Error, OSError): ...

class NoAttrError(Error, OSError, KeyError): ...

class RangeError(Error, ValueError): ...

class TooBigError(Error, OSError): ...

class NotEmptyError(Error, OSError): ...

class CanceledError(Error, OSError): ...

class IncompleteError(Error, OSError): ...

class XdevError(Error, OSError): ...

class WrongTypeError(Error, ValueError): ...

class UncertainError(Error, OSError): ...

CLASSES: dict[int, type[Error]]

def make(code: int, message: str, errno: int = 0) -> Error: ...
def naming(path: Any, second: Any = None) -> contextlib.AbstractContextManager[None]: ...
def is_mistake(error: BaseException) -> bool: ...
def from_detail(code: int, detail: Any) -> Error: ...
