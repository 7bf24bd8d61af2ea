# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contexts, under which everything is opened, and the base class of all open objects."""

from __future__ import annotations

import types
from typing import Callable, TypeVar

from ._core import Core, Handle, Hooks, LogCallback, Owner, ProgressCallback
from .moment import Clock

Self = TypeVar("Self", bound="Closable")


class Context(Owner):
    """Callbacks of the host for everything opened under it, and the unit of threading.

    Calls under one context run one after the other, from any thread. To work in parallel, give each thread a context
    (an `open()`) of its own. Callbacks run on the thread of their call, and must not use objects of the same context.
    An exception of a callback ends the call, which raises it.

    Args:
        log: called with (level, message) for each message; `LogLevel` names the levels.
        progress: called with a `Progress` during long work. A true result cancels it (`CanceledError`).
        now: returns the time, nanoseconds since 1970 or a datetime with a time zone. Without it the clock stands at 0,
            so that the same input writes the same bytes.
        random: returns n random bytes. Without it the numbers are a fixed sequence.
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(
        self,
        *,
        log: LogCallback | None = None,
        progress: ProgressCallback | None = None,
        now: Clock | None = None,
        random: Callable[[int], bytes] | None = None,
    ) -> None:
        core = Core(Hooks(log, progress, now, random))
        self._handle = Handle(core, core.context, core.free, None, "context")

    @property
    def tolerated(self) -> list[BaseException]:
        """The last 64 OSErrors of file objects that the library tolerated by reading a second copy."""
        return list(self._handle.core.hooks.tolerated)

    def __repr__(self) -> str:
        hooks = self._handle.core.hooks
        given = ", ".join(name for name in ("log", "progress", "now", "random") if getattr(hooks, name) is not None)
        return f"<f2fskit.Context with {given or 'no callbacks'}>"

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            handle.drop()


class Closable(Owner):
    """Something that is open: a context manager with `close()` and `closed`."""

    __slots__ = ("_handle", "__weakref__")

    _handle: Handle

    @property
    def closed(self) -> bool:
        """Is it closed, either itself or with the object that it belongs to?"""
        return self._handle.closed

    def close(self) -> None:
        """Close it and everything opened from it. Do nothing if it is closed already."""
        self._handle.close()

    def __enter__(self: Self) -> Self:
        if self._handle.closed:
            raise ValueError(f"{self._handle.what} is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: types.TracebackType | None
    ) -> None:
        self._handle.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            handle.drop()
