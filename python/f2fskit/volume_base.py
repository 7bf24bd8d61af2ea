# SPDX-License-Identifier: LGPL-2.1-or-later
"""Common base of all parts of a volume: its handle, and the changes since the last commit."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
import types
import warnings
import weakref
from typing import IO, TYPE_CHECKING, Any, Callable, Iterator

from . import enums, errors, format, placement, records, results
from ._core import Handle, ffi, lib
from .context import Closable, Context
from .moment import Clock, Moment, nanoseconds, source_date_epoch, split

if TYPE_CHECKING:
    from .io import InodeIO

_CHECKPOINT = format.structs["checkpoint"]
_REALTIME_COARSE = 5  # of Linux; Python has no name for it


def _ticking() -> int:
    """Return the time with which the kernel stamps files: that of the last tick, some milliseconds ago at most. When
    contents change again within one tick, an fsync need not write the inode again."""
    return time.clock_gettime_ns(_REALTIME_COARSE) if sys.platform == "linux" else time.time_ns()


def _stand(moment: Moment) -> Moment:
    """Return a fixed time."""
    return moment


class CheckpointRecord(records.Checkpoint):
    """The checkpoint in use; calling it, `volume.checkpoint()`, commits."""

    __slots__ = ("_volume",)

    def __init__(self, volume: VolumeBase, raw: bytes) -> None:
        super().__init__(_CHECKPOINT, raw[: _CHECKPOINT.size])
        self._volume = volume

    def __call__(self) -> None:
        """Write a checkpoint: `Volume.commit()`."""
        self._volume.commit()


class _Mine(threading.local):
    """Changes that a thread made to a volume."""

    made = 0  # changes


class VolumeBase(Closable):
    """An open volume, and its running transaction. Each part of `Volume` is a class of its own on top of it."""

    __slots__ = ("_context", "_geometry", "_superblock", "_checkpoint", "_writable", "_clock", "_epoch", "_changed",
                 "_made", "_mine", "_left_orphans", "_files", "_told", "_clock_stands", "_hotness", "_asked",
                 "_gc_policy", "_settled", "_forgot", "_closed_inside", "_raws",
                 "_freed", "_is_view", "_source")

    def __init__(
        self, handle: Handle, context: Context, writable: bool = False, now: Clock | Moment | None = None
    ) -> None:
        """Not for users: see `open()`."""
        hook = handle.core.hooks.now
        epoch = source_date_epoch() if writable and hook is None and now is None else None
        now = epoch if now is None else now
        self._writable = writable
        self._clock: Clock = hook or _ticking
        if callable(now):
            self._clock = now
        elif now is not None:
            nanoseconds(now, "now")  # refuse it early
            self._clock = functools.partial(_stand, now)
        self._told: int | None = None  # the latest time of a change, seconds
        self._clock_stands = False
        self._hotness: placement.Hotness | None = None
        self._asked: Any = None  # memory of a placement in Python
        self._gc_policy: Any = None  # the same of a GC policy
        self._epoch = 0  # counts changes: data read in an earlier epoch may be stale
        self._freed = (0, 0)  # how often inode numbers were freed, and the epoch when that was read
        self._changed = False
        self._made = 0  # changes that were made
        self._mine = _Mine()
        self._settled = 0  # those of them that were committed or rolled back
        self._left_orphans = False  # the last commit listed inodes that wait for their last handle to be closed
        self._is_view = False  # of an earlier checkpoint
        self._source = ""  # source that it was opened from, for messages
        self._forgot = False  # close() was called while changes waited for a commit
        self._closed_inside = False  # a callback called it: the result of the call that it runs in is known at the end
        self._files: weakref.WeakSet[IO[Any]] = weakref.WeakSet()  # open for writing, with buffers
        self._raws: weakref.WeakSet[InodeIO] = weakref.WeakSet()  # all that are open, when changes are possible
        self._handle = handle
        self._context = context
        self._geometry = results.make_geometry(handle.get(lib.f2fs_volume_geometry))
        self._superblock: tuple[records.Superblock, int] | None = None
        self._checkpoint: tuple[CheckpointRecord, bytes, int] | None = None

    @property
    def context(self) -> Context:
        """The context it was opened under."""
        return self._context

    @property
    def geometry(self) -> results.Geometry:
        """The numbers of the layout."""
        return self._geometry

    @property
    def block_size(self) -> int:
        """Bytes of a block: 4096 or 16384."""
        return self._geometry.block_size

    @property
    def features(self) -> enums.Feature:
        """Feature bits."""
        return self._geometry.feature

    @property
    def writable(self) -> bool:
        """Was it opened with access "r+"?"""
        return self._writable

    def _now(self) -> Any:
        """Return the time of a change as struct f2fs_time *."""
        return ffi.new("struct f2fs_time *", split(self._clock(), "now"))

    def _need_writable(self) -> None:
        if not self._writable and self._is_view:
            raise errors.make(lib.F2FS_ERR_READ_ONLY, "a view of an earlier checkpoint cannot be changed")
        if not self._writable:
            raise errors.make(lib.F2FS_ERR_READ_ONLY, 'the volume is opened for reading: open it with "r+"')

    def _pass_time(self, seconds: int) -> None:
        """Let the volume's clock follow the time that changes carry."""
        if self._told is not None and seconds > self._told:
            self._handle.call(lib.f2fs_volume_elapse, seconds - self._told)
        self._told = seconds if self._told is None else max(self._told, seconds)

    def _prepare(self, *, stamp: bool = True) -> None:
        """Prepare a change: set the time that it carries, unless it brings its own."""
        self._need_writable()
        now = self._now() if stamp else ffi.NULL
        self._handle.get(lib.f2fs_volume_set_time, now)
        if stamp and self._handle.core.hooks.now is None and not self._clock_stands:  # else the library looks at that clock itself
            self._pass_time(now.seconds)
        self._epoch += 1
        self._changed = True

    def _change(self, handle: Handle, function: Callable[..., int], *arguments: Any) -> int:
        """Call a function that changes the volume."""
        self._prepare()
        result = handle.call(function, *arguments)
        self._count_change()
        return result

    def _count_change(self) -> None:
        """Count a change that this thread made or tried. Another thread may have committed since it was prepared."""
        self._changed = self._writable
        self._made += 1
        self._mine.made += 1

    @property
    def transaction(self) -> enums.Transaction:
        """State of the changes since the last commit: NONE, OPEN, FAILED or UNCERTAIN. FAILED changes can only be
        rolled back. UNCERTAIN: the last step of their commit failed, see `commit()`."""
        return enums.Transaction(self._handle.get(lib.f2fs_volume_transaction))

    def fail(self) -> None:
        """Refuse to commit the changes since the last commit, because a task of several calls failed half-way.

        Every further change and the commit raise StateError, until `rollback()`.
        """
        self._handle.get(lib.f2fs_volume_fail)

    @contextlib.contextmanager
    def _as_a_whole(self) -> Iterator[None]:
        """Make several changes in a with block. When one fails after others were made, call `fail()`."""
        made, epoch = self._mine.made, self._epoch
        try:
            yield
        except BaseException as error:
            if self._mine.made != made or (self._epoch != epoch and not isinstance(error, Exception)):
                self.fail()
            raise

    def _numbers_freed(self) -> int:
        """Return how often inode numbers were freed. If it has grown, a number read before may belong to another
        inode."""
        epoch, count = self._freed
        if epoch != self._epoch:
            epoch, count = self._epoch, int(self._handle.get(lib.f2fs_inode_numbers_freed))
            self._freed = epoch, count
        return count

    def _forget_checkpoint(self) -> None:
        """Forget the checkpoint's fields, after a possible commit."""
        self._checkpoint = None

    def set_sync(self, mode: enums.SyncMode) -> None:
        """Choose whether an fsync follows each write of a file, as with O_DSYNC or O_SYNC."""
        self._handle.call(lib.f2fs_volume_set_sync, int(mode))

    def _keep_file(self, file: IO[Any], raw: InodeIO) -> None:
        """Remember a file with a buffer over a raw file."""
        is_written = raw.writable()
        raw._set_top(file)
        with self._handle.alone():
            if is_written:
                self._files.add(file)

    def _flush(self) -> None:
        """Write out the buffers of files that are open for writing."""
        with self._handle.alone():
            files = list(self._files)
        for file in files:
            if not file.closed:
                file.flush()

    @property
    def orphans(self) -> list[int]:
        """Inode numbers that the checkpoint lists as unlinked while open."""

        def load(pointer: Any) -> list[int]:
            return [lib.f2fs_orphan_at(pointer, i) for i in range(lib.f2fs_orphan_count(pointer))]

        found: list[int] = self._handle.get(load)
        return found

    def commit(self) -> None:
        """Write a checkpoint that makes all changes since the last commit permanent, atomically. It includes the
        buffers of files from `path().open()`. When it fails, the device still holds the last checkpoint.

        UncertainError is the exception: the device failed at the last step, and the commit may be permanent or not.
        Commit again, which repeats only that step, or `rollback()`, which takes the commit back. Until then nothing can
        be changed.

        An exception that leaves it, KeyboardInterrupt included, has an attribute `committed`: are the changes permanent
        all the same? None: not known, after UncertainError, or because a callback closed the volume. Exceptions from
        the commit at the end of a with block have it, too.
        """
        self._flush()
        with self._handle.alone():  # a change of another thread is a part of it, or waits for the next one
            if not self._changed and not self._left_orphans:
                return
            try:
                self._change(self._handle, lib.f2fs_volume_commit)
            except BaseException as error:
                state = enums.Transaction.UNCERTAIN if self.closed else self.transaction
                is_true = None if state == enums.Transaction.UNCERTAIN else state == enums.Transaction.NONE
                error.committed = is_true  # type: ignore[attr-defined]
                if error.committed:  # type: ignore[attr-defined]
                    self._changed = False
                    self._left_orphans = True  # to be looked for by the next one
                    self._checkpoint = None
                raise
            self._changed = False
            self._settled = self._made
            self._left_orphans = not self.closed and bool(self.orphans)
            self._checkpoint = None

    def rollback(self) -> None:
        """Drop all changes since the last commit.

        Close inodes, files and readers of files made since: using them raises ValueError, even if another file gets the
        same inode number. Others stay open and show the last commit. Buffers of files are dropped: `F2FSPath.open()`
        files continue with empty ones. A buffer or text file of your own around an `InodeIO` cannot be emptied, so the
        `InodeIO` is closed.
        """
        with self._handle.alone():
            raws = self._forget_changes()
        for raw in raws:  # buffers have locks of their own, so not within
            raw._drop_buffers()

    def _forget_changes(self) -> list[InodeIO]:
        """Roll back, with the lock held. Return the files whose buffers the caller drops without the lock."""
        self._handle.get(self._roll_back_and_bury)
        raws = list(self._raws)
        for raw in raws:
            raw._is_dropping = True
        self._epoch += 1
        self._changed = False
        self._settled = self._made
        return raws

    def _roll_back_and_bury(self, pointer: Any) -> None:
        lib.f2fs_volume_rollback(pointer)
        self._handle.bury("the changes that made it were rolled back")

    def close(self) -> None:
        """Close it and everything opened from it. Changes since the last commit are dropped.

        Within a with block, the end of the block then raises StateError. After `rollback()` it does not.
        """
        if self._changed and not self.closed:
            try:
                state = self.transaction
                # a change that was refused leaves OPEN, too
                waits = state != enums.Transaction.NONE and self._made != self._settled
                self._forgot = waits or state == enums.Transaction.FAILED
            except RuntimeError:  # a callback calls, which cannot ask
                self._closed_inside = True
        super().close()

    def __del__(self, _warn: Any = warnings.warn) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and not handle.closed and self._changed and self._made != self._settled:
            _warn("a volume was dropped with changes that were not committed", ResourceWarning, stacklevel=2, source=self)
        super().__del__()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: types.TracebackType | None
    ) -> None:
        done = False
        try:
            try:
                if kind is None and (self._forgot or (self._closed_inside and self._made != self._settled)):
                    raise errors.make(lib.F2FS_ERR_STATE, "the volume was closed before the end of its block could commit")
                if kind is None and not self.closed:
                    self._flush()
                if kind is None and not self.closed and (self._changed or self._left_orphans):
                    for child in list(self._handle.children):  # unlinked inodes end with their last user
                        if self._hotness is None or child is not self._hotness._handle:  # to close that would drop the changes
                            child.close()
                    self.commit()
                    done = True
            finally:
                self.close()
        except BaseException as error:
            if not hasattr(error, "committed"):
                error.committed = done  # type: ignore[attr-defined]
            raise
