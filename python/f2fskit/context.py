# SPDX-License-Identifier: LGPL-2.1-or-later
"""What everything is opened under, and what all that is open has in common."""

from __future__ import annotations

import types
from typing import Callable, TypeVar

from ._core import Core, Handle, Hooks, LogCallback, Owner, ProgressCallback
from .moment import Clock

Self = TypeVar("Self", bound="Closable")


class Context(Owner):
    """What the host supplies to everything opened under it, and the unit of threading.

    Calls under one context run one after the other, whatever threads they come from; give each thread that shall work
    in parallel a context (that is: an `open()`) of its own. Callbacks run on the thread whose call they belong to, and
    must not use objects of the same context. An exception of a callback ends the call and is raised by it.

    Args:
        log: called with (level, message) for each message; `LogLevel` names the levels.
        progress: called with a `Progress` during long work; a true result cancels it (`CanceledError`).
        now: returns the time, nanoseconds since 1970 or a datetime with a time zone; without it the clock stands at 0, so that the same input
            writes the same bytes.
        random: returns n random bytes; without it the numbers are a fixed sequence.
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
        """OSErrors of file objects that the library got around (by reading a second copy); the last 64."""
        return list(self._handle.core.hooks.tolerated)

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
        """Has it been closed, itself or with what it belongs to?"""
        return self._handle.closed

    def close(self) -> None:
        """Close it and what was opened from it; nothing happens when it is closed already."""
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
