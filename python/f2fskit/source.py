# SPDX-License-Identifier: LGPL-2.1-or-later
"""Conversion of sources to devices: paths, buffers, file objects, devices."""

from __future__ import annotations

import functools
import mmap
import os
from typing import Any, Callable, TypeVar, Union, cast

from . import enums, errors
from ._core import ffi, lib, stray, text
from .context import Context
from .device import BinaryFile, Device, Operations, Path

Source = Union[Path, bytearray, memoryview, mmap.mmap, BinaryFile, Operations, Device]
OpenDevice = Callable[[str], Source]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_SPARSE_MAGIC = b"\x3a\xff\x26\xed"


def names_source(function: _Function) -> _Function:
    """Decorate a function whose first argument is a source: its errors name the source, if that is a path."""
    first = function.__code__.co_varnames[0]

    @functools.wraps(function)
    def named(*arguments: Any, **keywords: Any) -> Any:
        source = arguments[0] if arguments else keywords.get(first)
        if not isinstance(source, (str, bytes, os.PathLike)):
            return function(*arguments, **keywords)
        with errors.naming(source):
            return function(*arguments, **keywords)

    return cast("_Function", named)


def as_device(source: Source, context: Context, writable: bool = False, lock: bool = True) -> Device:
    """Return a source as a device of context."""
    if isinstance(source, Device):
        if source.context is not context:
            raise ValueError("devices belong to different contexts; make them with the same context=")
        if writable and not source.info.caps & enums.DeviceCap.WRITE:
            raise errors.make(lib.F2FS_ERR_READ_ONLY, "the device is read-only")
        return source
    if isinstance(source, (str, bytes, os.PathLike)):
        return Device.open(source, writable=writable, exclusive=writable, lock=lock, context=context)
    try:
        view = memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        device = Device.from_file(cast("BinaryFile | Operations", source), writable=writable, context=context)
    else:
        device = Device.from_buffer(view, writable=writable, context=context)
    if not _is_sparse(device):
        return device
    if writable:
        raise errors.make(
            lib.F2FS_ERR_READ_ONLY, "this is an Android sparse file, which can only be read; unpack it to change it"
        )
    return device.sparse()


def _is_sparse(device: Device) -> bool:
    if device.size < len(_SPARSE_MAGIC):
        return False
    try:
        return device.read(0, len(_SPARSE_MAGIC)) == _SPARSE_MAGIC
    except OSError as error:
        # The first bytes may be unreadable: a volume has nothing there.
        device.context._handle.core.hooks.tolerated.append(error)
        return False


class Opener:
    """A function that opens devices, as the open_device callback."""

    def __init__(
        self, function: OpenDevice, context: Context, opened: list[Device], writable: bool, lock: bool
    ) -> None:
        self.writable = writable
        self.lock = lock
        self.function = function
        self.context = context
        self.opened = opened

    def __call__(self, path: str, out: Any) -> int:
        core = self.context._handle.core
        core.nested = True  # the library waits for us and is ready to open devices
        try:
            source = self.function(path)
            device = as_device(source, self.context, self.writable, self.lock)
            if device is not source:
                self.opened.append(device)
            out[0] = device._handle.get(lib.f2fs_device_ref)
            return 0
        except BaseException as error:
            core.hooks.keep(error)
            return int(lib.F2FS_ERR_IO)
        finally:
            core.nested = False


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_IO)  # type: ignore[misc]
def py_open_options_open_device(user: Any, path: Any, out: Any) -> int:
    opener: Opener = ffi.from_handle(user)
    return opener(text(path), out)
