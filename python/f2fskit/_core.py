# SPDX-License-Identifier: LGPL-2.1-or-later
"""The thin layer over the C library: handles, the lock around calls, callbacks, errors.

A `Core` stands for one C context. Everything opened under it is a `Handle` in a tree: context, then devices and
volumes, then inodes, then directory readers. Closing a handle closes all handles below it first, and a closed handle
refuses to be used. So no order of closing or garbage collection can reach freed memory.

Calls under one context are serialised by its lock, because the C library allows one thread at a time there. The C code
runs without Python's global lock. Callbacks run on the calling thread while the context's lock is held. Their
exceptions are kept and raised again when the C call has returned.
"""

from __future__ import annotations

import collections
import operator
import os
import threading
import uuid
import weakref
from typing import Any, Callable

from . import errors
from ._f2fskit import ffi, lib
from .moment import Clock, nanoseconds
from .results import Progress

__all__ = ["Core", "Handle", "Owner", "ffi", "lib", "number", "put", "raw_bytes", "sized", "text", "visitor"]

get_ident = threading.get_ident

LogCallback = Callable[[int, str], object]
ProgressCallback = Callable[[Any], object]


def text(pointer: Any) -> str:
    """Return a C string as str. Bytes that are not UTF-8 become surrogates."""
    return str(ffi.string(pointer), "utf-8", "surrogateescape")


def sized(kind: str, values: dict[str, Any] = {}) -> Any:
    """Make a C structure that carries its size (F2FS_SIZED in base.h). kind is the type of a pointer to it."""
    return ffi.new(kind, {**values, "struct_size": ffi.sizeof(ffi.typeof(kind).item)})


def number(value: int, what: str, bits: int = 64) -> int:
    """Check an unsigned number for C, because cffi may truncate it or say less. ValueError names the number by
    `what`."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is an int, not {type(value).__name__}") from None
    if not 0 <= found < 1 << bits:
        raise ValueError(f"{what} must not be negative and fit into {bits} bits: {found}")
    return found


def put(row: Any, **members: Any) -> None:
    """Set members of a C structure. ValueError names one that its number does not fit."""
    for name, value in members.items():
        try:
            setattr(row, name, value)
        except OverflowError:
            sign = "must not be negative" if value < 0 else "is too large"
            raise ValueError(f"{name} {sign}: {value}") from None
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None


def uuid_bytes(value: uuid.UUID) -> Any:
    """Return a UUID as an array of C."""
    if not isinstance(value, uuid.UUID):
        raise TypeError(f"uuid is a uuid.UUID, not {type(value).__name__}")
    return ffi.new("uint8_t[16]", value.bytes)


def raw_bytes(data: Any) -> Any:
    """Return the memory of a bytes-like object as a C array, which holds the object until it is released."""
    if isinstance(data, str):
        raise TypeError("a bytes-like object is wanted, not str")
    return ffi.from_buffer("char[]", data)


# Exceptions of callbacks whose own handler did not run, because of a signal at their first instruction. The next call
# that returns raises them.
_strays: list[BaseException] = []


def stray(kind: object, value: BaseException, traceback: object) -> None:
    """The onerror handler of every callback."""
    _strays.append(value)


class Hooks:
    """The host's side of a context: callables of the user, and the exception that one of them raised."""

    __slots__ = ("log", "progress", "now", "random", "pending", "tolerable", "tolerated", "sources")

    def __init__(
        self,
        log: LogCallback | None,
        progress: ProgressCallback | None,
        now: Clock | None,
        random: Callable[[int], bytes] | None,
    ) -> None:
        if now is not None and not callable(now):
            raise TypeError("now: a context takes a function that returns the time")
        self.log = log
        self.progress = progress
        self.now = now
        self.random = random
        self.pending: BaseException | None = None
        self.tolerable = False  # may a call succeed despite the pending exception?
        self.tolerated: collections.deque[BaseException] = collections.deque(maxlen=64)
        # Handles of the objects under C devices, until their close operation runs. They are kept here, not in a global
        # table, so that a cycle through such an object can be collected.
        self.sources: dict[Any, Any] = {}

    def keep(self, error: BaseException) -> None:
        """Keep an exception, which is raised when the C call has returned, whatever its result.

        The first exception counts, but a request to stop (KeyboardInterrupt, SystemExit) replaces it.
        """
        before = self.pending
        if before is None or self.tolerable or (isinstance(before, Exception) and not isinstance(error, Exception)):
            self.pending = error
            self.tolerable = False

    def keep_of_device(self, error: BaseException) -> int:
        """Keep an exception of a device operation and return the operation's result.

        An OSError reports that reading failed. The library may read another copy instead.
        """
        if not isinstance(error, OSError):
            self.keep(error)
            return int(lib.F2FS_ERR_NOMEM if isinstance(error, MemoryError) else lib.F2FS_ERR_IO)
        if self.pending is None:
            self.pending = error
            self.tolerable = True
        if isinstance(error, errors.Error):
            return int(error.code)
        return int(lib.f2fskit_sys_error(error.errno) if error.errno else lib.F2FS_ERR_IO)

    def take(self) -> BaseException | None:
        """Return the exception that is pending and forget it."""
        found, self.pending = self.pending, None
        if found is None and _strays:
            found = _strays.pop()
        return found


class Alone:
    """A with block of several calls: calls of other threads under the context come before it or after it.

    Use no buffered file in it. A buffer has a lock of its own, and the thread that holds it waits for this one.
    """

    __slots__ = ("_core", "_lock")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = core.lock  # a child that is forked within gets another one

    def __enter__(self) -> None:
        self._lock.__enter__()

    def __exit__(self, *unused: object) -> None:
        self._lock.__exit__(None, None, None)
        if self._core.deferred:
            self._core.drain()


class _Broken:
    """Lock of a context that another thread was using when the process forked: it can never be used again."""

    def __enter__(self) -> None:
        raise RuntimeError("another thread was using this f2fskit context when the process forked")

    def __exit__(self, *unused: object) -> None:
        pass

    def acquire(self, blocking: bool = True) -> bool:
        return False

    def release(self) -> None:
        pass


class Owner:
    """Sole owner of an object of the C library. It cannot be copied: a copy would free the object a second time."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"{type(self).__name__}: what is open can neither be copied nor pickled")


class Core(Owner):
    """One C context with its lock."""

    __slots__ = ("lock", "owner", "nested", "deferred", "hooks", "context", "host", "handle", "__weakref__")

    def __init__(self, hooks: Hooks) -> None:
        self.lock: Any = threading.RLock()
        self.owner = 0  # thread that is in a C call
        self.nested = False  # a callback is running that may call the library
        self.deferred: collections.deque[Handle] = collections.deque()
        self.hooks = hooks
        self.handle = ffi.new_handle(hooks)
        self.host = lib.f2fskit_host_new(self.handle)
        if not self.host:
            raise MemoryError
        callbacks = sized("struct f2fs_host *")
        if hooks.log is not None:
            callbacks.log = lib.py_host_log
        # Set always: this callback takes long C calls back to Python, so that Ctrl-C stops them.
        callbacks.progress = lib.py_host_progress
        if hooks.now is not None:
            callbacks.now_ns = lib.py_host_now_ns
        if hooks.random is not None:
            callbacks.random = lib.py_host_random
        out = ffi.new("struct f2fs_context **")
        if lib.f2fskit_host_context(self.host, callbacks, out) < 0:
            lib.f2fskit_host_free(self.host)
            raise MemoryError
        self.context = out[0]
        _cores.add(self)

    def free(self, context: Any) -> None:
        """Free the C context: the last thing that happens to a core."""
        lib.f2fs_context_close(context)
        lib.f2fskit_host_free(self.host)
        self.context = self.host = None

    def check(self, result: int) -> None:
        """Raise the exception, if any, of a call that returned result."""
        error = self._failure(result)
        if error is not None:
            try:
                raise error
            finally:
                # Keep no variable for the exception. It refers to this frame, so a cycle would keep all objects of the
                # callers, such as inodes, until the next garbage collection.
                del error

    def _failure(self, result: int) -> BaseException | None:
        """Return the exception of a call that returned result, or None."""
        pending = self.hooks.take()
        error = errors.from_detail(result, lib.f2fs_context_error(self.context)) if result < 0 else None
        if pending is None:
            return error
        if not self.hooks.tolerable or not isinstance(pending, OSError):
            return pending
        if error is None:
            self.hooks.tolerated.append(pending)  # the library coped with an I/O error, as with any device
            return None
        if result == lib.F2FS_ERR_UNCERTAIN:  # it says more than the device's own error
            error.__cause__ = pending
            return error
        if result in (lib.F2FS_ERR_IO, getattr(pending, "code", 0)) or getattr(error, "errno", 0) == pending.errno:
            note = getattr(pending, "add_note", None)
            if note is not None:
                note(f"f2fskit: {error}")
            return pending
        error.__cause__ = pending
        return error

    def drain(self) -> None:
        """Close the handles that were dropped while another thread held the lock."""
        while self.deferred and self.owner != get_ident():
            if not self.lock.acquire(blocking=False):
                return
            try:
                self.owner = get_ident()
                try:
                    while self.deferred:
                        self.deferred.popleft().free_tree()
                except IndexError:
                    pass
                finally:
                    self.owner = 0
            finally:
                self.lock.release()


class Handle(Owner):
    """A C object: its pointer, the function that frees it, and its place in the tree of open objects."""

    __slots__ = ("core", "pointer", "release", "parent", "children", "what", "gone")

    def __init__(
        self, core: Core, pointer: Any, release: Callable[[Any], None], parent: Handle | None, what: str
    ) -> None:
        self.core = core
        self.pointer = pointer
        self.release = release
        self.parent = parent
        self.children: set[Handle] = set()
        self.what = what
        self.gone = ""  # reason why its object no longer exists
        if parent is not None:
            parent.children.add(self)

    @property
    def closed(self) -> bool:
        return self.pointer is None

    def held(self) -> Any:
        """Return the pointer, for a call of another handle of the same context. Nobody can close this one while that
        call runs."""
        if self.pointer is None:
            raise ValueError(self.gone or f"{self.what} is closed")
        return self.pointer

    def alone(self) -> Alone:
        """Keep other threads' calls out of a with block."""
        return Alone(self.core)

    def get(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call function(pointer, *arguments), which cannot fail, and return its result."""
        return self._run(False, function, arguments)

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call function(pointer, *arguments); return its result, or raise when it is negative."""
        result: int = self._run(True, function, arguments)
        return result

    def _run(self, can_fail: bool, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        core = self.core
        me = get_ident()
        before = core.owner
        if before == me and not core.nested:
            raise RuntimeError(f"{self.what}: not possible inside a callback of the same context")
        with core.lock:
            core.owner = me
            try:
                pointer = self.held()
                try:
                    result = function(pointer, *arguments)
                except OverflowError as error:  # of a number that C cannot take: one kind, as everywhere
                    raise ValueError(f"a number is negative or too large: {error}") from None
                if can_fail and result < 0:
                    core.check(result)
                elif core.hooks.pending is not None or _strays:
                    core.check(0)
            finally:
                core.owner = before if before == me else 0
        if core.deferred:
            core.drain()
        return result

    def open(
        self,
        what: str,
        release: Callable[[Any], None],
        kind: str,
        function: Callable[..., int],
        *arguments: Any,
        parent: Handle | None = None,
    ) -> Handle:
        """Call function(pointer, *arguments, &out) and return a handle of the opened object. Its parent is this handle,
        or another one that lives longer. It becomes a child before anybody can close the parent, which closes it,
        too."""
        core = self.core
        out = ffi.new(f"struct {kind} **")
        opened: list[Handle] = []

        def open_it(pointer: Any) -> int:
            result = function(pointer, *arguments, out)
            if result >= 0:
                try:
                    if core.hooks.pending is not None or _strays:
                        core.check(result)
                    opened.append(Handle(core, out[0], release, parent or self, what))
                except BaseException:
                    release(out[0])
                    raise
            return result

        self.call(open_it)
        return opened.pop()

    def free_tree(self) -> None:
        """Free this object after everything below it; the lock is held."""
        while self.children:
            self.children.pop().free_tree()
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            self.release(pointer)
        if self.parent is not None:
            self.parent.children.discard(self)
            self.parent = None

    def bury(self, why: str) -> None:
        """Free the dead inodes below this object, with their readers, under the lock. Later use of them reports why."""
        for child in list(self.children):
            if child.what == "inode" and lib.f2fs_inode_is_dead(child.pointer):
                for one in (child, *child.children):
                    one.gone = f"inode {lib.f2fs_inode_number(child.pointer)} is gone: {why}"
                child.free_tree()
            else:
                child.bury(why)

    def close(self) -> None:
        """Close now, after waiting for a call of another thread. Inside a callback, close when the call has
        returned."""
        core = self.core
        me = get_ident()
        if self.pointer is None:
            return
        if core.owner == me:
            core.deferred.append(self)
            return
        with core.lock:
            core.owner = me
            try:
                self.free_tree()
            finally:
                core.owner = 0
        core.drain()

    def drop(self) -> None:
        """Close without ever waiting, for finalizers, which may run on any thread at any moment."""
        core = self.core
        if self.pointer is not None:
            core.deferred.append(self)
            core.drain()


_cores: weakref.WeakSet[Core] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    """Give the child locks of its own: a lock that another thread held at the fork would stay locked for ever."""
    me = get_ident()
    for core in list(_cores):
        if core.owner not in (0, me):
            core.lock = _Broken()
        elif core.owner == 0:
            core.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def _hooks(user: Any) -> Hooks:
    found: Hooks = ffi.from_handle(lib.f2fskit_host_python(user))
    return found


@ffi.def_extern(onerror=stray)  # type: ignore[misc]
def py_host_log(user: Any, level: int, message: Any) -> None:
    hooks = _hooks(user)
    try:
        if hooks.log is not None:
            hooks.log(level, text(message))
    except BaseException as error:
        hooks.keep(error)


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_host_progress(user: Any, progress: Any) -> int:
    hooks = _hooks(user)
    try:
        if hooks.pending is not None and not hooks.tolerable:
            return 1  # another callback has failed: stop here, it will be raised
        if hooks.progress is None:
            return 0
        report = Progress(
            text(progress.task), text(progress.phase), text(progress.unit), progress.done, progress.total or None
        )
        return 1 if hooks.progress(report) else 0
    except BaseException as error:
        hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=0)  # type: ignore[misc]
def py_host_now_ns(user: Any) -> int:
    hooks = _hooks(user)
    try:
        return 0 if hooks.now is None else nanoseconds(hooks.now(), "now()")
    except BaseException as error:
        hooks.keep(error)
        return 0


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_host_random(user: Any, buffer: Any, n: int) -> int:
    hooks = _hooks(user)
    try:
        data = b"" if hooks.random is None else bytes(hooks.random(n))
        if len(data) != n:
            raise ValueError(f"random({n}) returned {len(data)} bytes")
        ffi.memmove(buffer, data, n)
        return 0
    except BaseException as error:
        hooks.keep(error)
        return 1


class _Visit:
    """A Python callable for the visit parameter of a C function."""

    __slots__ = ("hooks", "function")

    def __init__(self, hooks: Hooks, function: Callable[..., Any]) -> None:
        self.hooks = hooks
        self.function = function

    def __call__(self, *arguments: Any) -> int:
        try:
            self.function(*arguments)
            return 0
        except BaseException as error:
            self.hooks.keep(error)
            return int(lib.F2FS_ERR_CANCELED)


def visitor(hooks: Hooks, function: Callable[..., Any]) -> Any:
    """Return the user pointer with which a visit callback calls function. Keep it until the C call has returned."""
    return ffi.new_handle(_Visit(hooks, function))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_device_overlay_changes_visit(user: Any, offset: int, length: int) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(offset, length)


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_device_save_sparse_sink(user: Any, data: Any, length: int) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(ffi.buffer(data, length))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_device_save_zstd_sink(user: Any, data: Any, length: int) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(ffi.buffer(data, length))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_partition_list_visit(user: Any, partition: Any) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(partition)


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_inode_list_nodes_visit(user: Any, node: Any) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(node)


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_quota_list_visit(user: Any, quota: Any) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(quota)
