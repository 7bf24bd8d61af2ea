# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes: opening an image, its structures, its tables, and the way to its files."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import sys
import tempfile
import threading
import time
import types
import uuid as uuid_module
import weakref
from typing import IO, Any, Callable, Iterator, Sequence, Union

from . import cleaning, enums, errors, format, placement, populate, recovery, results, space, tree
from ._core import Handle, LogCallback, ProgressCallback, ffi, lib, number, put, raw_bytes, sized, stray, text, visitor
from .device import Closable, Context, Device, MetadataDevice, Path, further_devices
from .forensics import (
    Carved,
    Deleted,
    FormerName,
    Leftover,
    Moment,
    NodeVersion,
    Past,
    Version,
    VersionDifference,
    find_differences,
)
from .inode import DirEntry, ErrorHandler, Inode, encode_name
from .path import AnyPath, F2FSPath, path_text
from .populate import PopulateResult
from .tables import Nat, Sit, Ssa
from .tree import ExtractResult

Source = Any  # path, buffer, binary file object or Device
OpenDevice = Callable[[str], Source]

_SPARSE_MAGIC = b"\x3a\xff\x26\xed"

_SUPERBLOCK = format.structs["superblock"]
_CHECKPOINT = format.structs["checkpoint"]
_DEVICE = format.structs["sb_device"]
_REALTIME_COARSE = 5  # of Linux; Python has no name for it


def _ticking() -> int:
    """Return the time as the kernel stamps files: that of the last tick, some milliseconds ago at most. Within one tick an
    inode whose contents change again need not be written again by an fsync."""
    return time.clock_gettime_ns(_REALTIME_COARSE) if sys.platform == "linux" else time.time_ns()


def open(
    source: Source,
    access: str = "r",
    *,
    offset: int = 0,
    mode: Union[str, enums.OpenMode] = enums.OpenMode.TOLERANT,
    devices: Sequence[Source] | OpenDevice | None = None,
    pack: int = 0,
    rescue: bool = False,
    recover: Union[str, enums.OpenRecover] = enums.OpenRecover.NONE,
    cache_bytes: int = 0,
    accept_unread: bool = False,
    lock: bool = True,
    context: Context | None = None,
    log: LogCallback | None = None,
    progress: ProgressCallback | None = None,
    now: Callable[[], int] | int | None = None,
) -> Volume:
    """Open a volume as its last checkpoint says.

    Args:
        source: a path (str, bytes, os.PathLike), a `Device`, a binary file object, an object with pread(length,
            offset), or a buffer (bytearray, memoryview, mmap). Android sparse files are recognised.
        access: "r" for reading, "r+" for reading and changing. Changes become true together with `Volume.commit()`,
            or at the end of a with block that no exception leaves; closing forgets them.
        offset: byte where the volume starts (a partition of a disk image).
        mode: "tolerant" falls back to the other copy of what is damaged, and notes it; "strict" refuses a volume that
            the kernel would refuse; "rescue" opens whatever is left, see rescue.
        rescue: short for mode="rescue": what is lost of superblocks, checkpoints and NAT is put together again in memory
            from the nodes themselves. Reads the whole main area once. `volume.notes` says what was done.
        devices: of a volume on several devices, the further ones in order; or a function that is called with each path
            of the volume's device table and returns a source. An image can name any path, so none is opened by itself.
        pack: 0 the current checkpoint, 1 or 2 that pack.
        recover: what was fsynced after the last checkpoint, and inodes that were unlinked while open: "none" shows what
            the checkpoint says; "view" what a mount would show, recovered in memory, without writing a byte; "apply"
            recovers on the device, which is opened for writing for that.
        cache_bytes: bound of the metadata cache, 0: 32 MiB.
        accept_unread: write even if a superblock copy or checkpoint pack cannot be read. It may be newer than the one that
            can, and is then given up; without this every change of such a volume raises OSError. The same for a newer
            checkpoint pack that is damaged, where changes raise StateError and `check(repair=True)` finds what it led to.
        lock: with "r+", lock the file until the volume is closed; a second writer gets BusyError. False goes without.
        context: to share one with other devices and volumes.
        log, progress: callbacks of the new context, see `Context`.
        now: what changes carry as their time, nanoseconds since 1970, or a function that returns it; None: the
            context's clock, and without one the host's, which ticks every few milliseconds like the kernel's for files.

    Raises:
        NotF2fsError: no superblock.
        CorruptError: no valid superblock or checkpoint; the rule says why.
        UnsupportedError: a feature that is not built in.
        OSError: the source cannot be read; what a file object raised.
    """
    if isinstance(source, Device):
        if context is not None and context is not source.context:
            raise ValueError("the device belongs to another context")
        context = source.context
    if context is None:
        context = Context(log=log, progress=progress)
    elif log is not None or progress is not None:
        raise ValueError("log and progress belong to the context that is shared")
    if access not in ("r", "r+"):
        raise ValueError('access is "r" or "r+"')
    writable = access == "r+"
    if pack not in (0, 1, 2):
        raise ValueError("pack is 0, 1 or 2")
    options = sized("struct f2fs_open_options *")
    options.mode = enums.choose(enums.OpenMode, mode)
    if rescue and options.mode == enums.OpenMode.STRICT:
        raise ValueError("rescue and the mode strict exclude each other")
    options.mode = enums.OpenMode.RESCUE if rescue else options.mode
    put(options, offset=offset, pack=pack, cache_bytes=cache_bytes)
    options.accept_unread = accept_unread
    options.recover = enums.choose(enums.OpenRecover, recover)
    spill_dir = ffi.new("char[]", os.fsencode(tempfile.gettempdir()))
    options.spill_dir = spill_dir
    writes = writable or options.recover == enums.OpenRecover.APPLY
    device = as_device(source, context, writes, lock)
    opened = [] if device is source else [device]  # ours to close: the volume holds references of its own
    try:
        volume = Volume(_open(device, options, devices, opened, writes, lock), context, writable, now)
        if writable:
            volume.set_cleaning()
        return volume
    finally:
        for one in opened:
            one.close()


def _open(
    device: Device,
    options: Any,
    devices: Sequence[Source] | OpenDevice | None,
    opened: list[Device],
    writable: bool,
    lock: bool,
) -> Handle:
    """Open the C volume; add devices that had to be opened for it to opened."""
    context = device.context
    core = context._handle.core
    further: list[Device] = []
    opener = None
    if callable(devices):
        opener = ffi.new_handle(_Opener(devices, context, opened, writable, lock))
        options.open_device = lib.py_open_options_open_device
        options.user = opener
    elif devices is not None:
        for source in devices:
            further.append(as_device(source, context, writable, lock))
            if further[-1] is not source:
                opened.append(further[-1])

    def open_volume(pointer: Any, out: Any) -> int:
        with further_devices(options, further):
            return int(lib.f2fs_volume_open(pointer, device._handle.held(), options, out))

    try:
        return context._handle.open("volume", lib.f2fs_volume_close, "f2fs_volume", open_volume)
    finally:
        core.nested = False
        del opener


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
        view = memoryview(source)
    except TypeError:
        device = Device.from_file(source, writable=writable, context=context)
    else:
        device = Device.from_buffer(view, writable=writable, context=context)
    if writable:
        return device
    return device.sparse() if _is_sparse(device) else device


def _is_sparse(device: Device) -> bool:
    if device.size < len(_SPARSE_MAGIC):
        return False
    try:
        return device.read(0, len(_SPARSE_MAGIC)) == _SPARSE_MAGIC
    except OSError as error:
        # A volume's first bytes may be unreadable: nothing of it lies there.
        device.context._handle.core.hooks.tolerated.append(error)
        return False


class _Opener:
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
    opener: _Opener = ffi.from_handle(user)
    return opener(text(path), out)


class CheckpointRecord(format.Record):
    """The checkpoint in use; calling it, `volume.checkpoint()`, commits."""

    __slots__ = ("_volume",)

    def __init__(self, volume: Volume, raw: bytes) -> None:
        super().__init__(_CHECKPOINT, raw[: _CHECKPOINT.size])
        self._volume = volume

    def __call__(self) -> None:
        """Write a checkpoint: `Volume.commit()`."""
        self._volume.commit()


class _Mine(threading.local):
    """What a thread did to a volume."""

    made = 0  # changes


class Volume(Closable):
    """An open volume.

    One opened with access "r+" can be changed, through its paths (`path()`) and inodes. All changes since the last
    `commit()` become true together; leaving a with block commits, leaving it by an exception, or closing, forgets them.
    A change that fails half-way (no space, a device that fails) leaves nothing but `discard()`.

    Objects that come from a volume (inodes, files, tables) keep it alive and stop working when it is closed: they raise
    ValueError then. Calls from several threads are serialised, see `Context`.
    """

    __slots__ = ("_context", "_geometry", "_superblock", "_checkpoint", "_writable", "_clock", "_epoch", "_changed",
                 "_made", "_mine", "_left_orphans", "_files", "_told", "_clock_stands", "_hotness", "_asked",
                 "_cleaning", "_settled", "_forgot", "_closed_inside")

    def __init__(
        self, handle: Handle, context: Context, writable: bool = False, now: Callable[[], int] | int | None = None
    ) -> None:
        """Not for users: see `open()`."""
        hook = handle.core.hooks.now
        self._writable = writable
        self._clock: Callable[[], int] = now if callable(now) else hook or _ticking
        if isinstance(now, int):
            self._clock = functools.partial(int, now)  # a fixed time
        self._told: int | None = None  # the latest time that a change carried, seconds
        self._clock_stands = False
        self._hotness: placement.Hotness | None = None
        self._asked: Any = None  # memory of a placement in Python
        self._cleaning: Any = None  # the same of a cleaning policy
        self._epoch = 0  # raised with every change: what was read before may be stale
        self._changed = False
        self._made = 0  # changes that were made
        self._mine = _Mine()
        self._settled = 0  # those of them that were committed or discarded
        self._left_orphans = False  # the last commit listed inodes that wait for their last handle to be closed
        self._forgot = False  # close() was called while changes waited for a commit
        self._closed_inside = False  # it was called by a callback; what the call it was in did is known at its end
        self._files: weakref.WeakSet[IO[Any]] = weakref.WeakSet()  # open for writing, with buffers
        self._handle = handle
        self._context = context
        self._geometry = results.make_geometry(handle.get(lib.f2fs_volume_geometry))
        self._superblock: tuple[format.Record, int] | None = None
        self._checkpoint: tuple[CheckpointRecord, bytes, int] | None = None

    # What the volume is.

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

    def _load_superblock(self) -> tuple[format.Record, int]:
        if self._superblock is None:
            copy = ffi.new("unsigned *")

            def load(pointer: Any) -> format.Record:
                raw = lib.f2fs_volume_superblock(pointer, copy)
                return _SUPERBLOCK.record(ffi.buffer(raw, _SUPERBLOCK.size)[:])

            record = self._handle.get(load)
            self._superblock = record, int(copy[0])
        return self._superblock

    @property
    def superblock(self) -> format.Record:
        """The superblock in use, fields as attributes: `superblock.segment_count_main`."""
        return self._load_superblock()[0]

    @property
    def superblock_copy(self) -> int:
        """Which of the two superblocks is in use, 0 or 1."""
        return self._load_superblock()[1]

    def _load_checkpoint(self) -> tuple[CheckpointRecord, bytes, int]:
        if self._checkpoint is None:
            length = ffi.new("size_t *")
            pack = ffi.new("unsigned *")

            def load(pointer: Any) -> bytes:
                raw = lib.f2fs_volume_checkpoint(pointer, length, pack)
                return bytes(ffi.buffer(raw, length[0]))

            raw = self._handle.get(load)
            self._checkpoint = CheckpointRecord(self, raw), raw, int(pack[0])
        return self._checkpoint

    @property
    def checkpoint(self) -> CheckpointRecord:
        """The checkpoint in use, fields as attributes: `checkpoint.checkpoint_ver`, `checkpoint.ckpt_flags`.

        Called, it commits."""
        return self._load_checkpoint()[0]

    @property
    def checkpoint_raw(self) -> bytes:
        """The checkpoint block in use followed by the payload blocks."""
        return self._load_checkpoint()[1]

    @property
    def checkpoint_pack(self) -> int:
        """Which checkpoint pack is in use, 1 or 2."""
        return self._load_checkpoint()[2]

    def superblock_state(self, copy: int) -> format.Rule | None:
        """Return the rule that a superblock copy (0, 1) breaks, None when it is valid. IoError: it cannot be read."""
        if copy not in (0, 1):
            raise ValueError("copy is 0 or 1")
        return self._state(self._handle.get(lib.f2fs_volume_superblock_state, copy), f"superblock {copy}")

    def pack_state(self, pack: int) -> format.Rule | None:
        """Return the rule that a checkpoint pack (1, 2) breaks, None when it is valid. IoError: it cannot be read."""
        return self._state(self._pack(pack)[0], f"checkpoint pack {pack}")

    def pack_version(self, pack: int) -> int:
        """Return the checkpoint version of a pack (1, 2) as found; 0 when there is none."""
        return self._pack(pack)[1]

    def _pack(self, pack: int) -> tuple[int, int]:
        if pack not in (1, 2):
            raise ValueError("pack is 1 or 2")
        version = ffi.new("uint64_t *")
        state = self._handle.get(lib.f2fs_volume_pack_state, pack, version)
        return int(state), int(version[0])

    @staticmethod
    def _state(state: int, what: str) -> format.Rule | None:
        if state < 0:
            raise errors.make(state, f"{what} could not be read")
        return format.rules_by_id[state] if state else None

    @property
    def devices(self) -> list[format.Record]:
        """The device table of a volume on several devices: records with `path` and `total_segments`."""
        raw = self.superblock.devs
        rows = (_DEVICE.record(raw, at) for at in range(0, len(raw), _DEVICE.size))
        return [row for row in rows if row.path]

    @property
    def extensions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name endings of cold and of hot files."""
        names = self.superblock.extension_list
        cold = self.superblock.extension_count
        return names[:cold], names[cold : cold + self.superblock.hot_ext_count]

    @property
    def notes(self) -> list[str]:
        """What was noticed while opening: sentences."""
        found: list[str] = []
        while (note := self._handle.get(_copy_note, len(found))) is not None:
            found.append(note)
        return found

    @property
    def pending(self) -> int:
        """Number of nodes that a mount would replay (files made durable after the last checkpoint); 0: none."""
        nodes = ffi.new("uint64_t *")
        self._handle.call(lib.f2fs_volume_pending, nodes)
        return int(nodes[0])

    def recovery_plan(self) -> recovery.RecoveryPlan:
        """Tell what a mount would recover: inodes, names, blocks, and why the chain ends. Nothing is changed."""
        return recovery.make_plan(self._handle)

    def recover(self, *, drop_chain: bool = False) -> recovery.RecoverResult:
        """Recover on the device, in one commit: delete orphans, apply what was fsynced.

        Args:
            drop_chain: give up what was fsynced, finish the orphans only.

        Raises:
            ReadOnlyError: the volume was not opened with "r+".
            StateError: there are uncommitted changes, or the volume has to be checked first.
            CorruptError: the chain contradicts the volume; nothing was changed.
        """
        self._need_writable()
        result = recovery.recover(self._handle, drop_chain)
        self._epoch += 1
        self._checkpoint = None
        return result

    def _stat(self) -> Any:
        row = sized("struct f2fs_volume_stat *")
        self._handle.get(lib.f2fs_volume_statfs, row)
        return row

    def statfs(self) -> results.VolumeStat:
        """Return usage, with the names of os.statvfs_result too."""
        row = self._stat()
        return results.VolumeStat(
            self.block_size, *[getattr(row, name) for name in results.VolumeStat._fields[1:]]
        )

    @property
    def label(self) -> str:
        """The volume's label."""
        row = self._stat()  # a name for it: members of C structures do not keep the whole alive
        return text(row.label)

    @property
    def uuid(self) -> uuid_module.UUID:
        """The volume's identifier."""
        row = self._stat()
        return uuid_module.UUID(bytes=bytes(ffi.buffer(row.uuid)))

    # Changes.

    @property
    def writable(self) -> bool:
        """Was it opened with access "r+"?"""
        return self._writable

    def _now(self) -> Any:
        """Return the time of a change as struct f2fs_time *."""
        now = int(self._clock())
        if not -(2**63) <= now < 2**63:
            raise OverflowError("now: nanoseconds since 1970 have to fit into 64 bits")
        return ffi.new("struct f2fs_time *", divmod(now, 1_000_000_000))

    def _need_writable(self) -> None:
        if not self._writable:
            raise errors.make(lib.F2FS_ERR_READ_ONLY, 'the volume is opened for reading: open it with "r+"')

    def _pass_time(self, seconds: int) -> None:
        """Let the volume's clock follow the time that changes carry."""
        if self._told is not None and seconds > self._told:
            self._handle.call(lib.f2fs_volume_elapse, seconds - self._told)
        self._told = seconds if self._told is None else max(self._told, seconds)

    def _prepare(self, *, stamp: bool = True) -> None:
        """Before a change: it carries the time of now, or what it says itself."""
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
        """A change was made, or tried, by this thread; since it was prepared, another one may have committed."""
        self._changed = self._writable
        self._made += 1
        self._mine.made += 1

    @property
    def transaction(self) -> enums.Transaction:
        """What has become of the changes since the last commit: NONE, OPEN, or FAILED, which can only be discarded."""
        return enums.Transaction(self._handle.get(lib.f2fs_volume_transaction))

    def fail(self) -> None:
        """Something made of several calls has failed half-way: let the changes since the last commit be discarded only.

        Every change and the commit are a StateError then, until `discard()`.
        """
        self._handle.get(lib.f2fs_volume_fail)

    @contextlib.contextmanager
    def _as_a_whole(self) -> Iterator[None]:
        """Within, several changes are made: when one fails and others were made, `fail()`."""
        made, epoch = self._mine.made, self._epoch
        try:
            yield
        except BaseException as error:
            if self._mine.made != made or (self._epoch != epoch and not isinstance(error, Exception)):
                self.fail()
            raise

    def _forget_checkpoint(self) -> None:
        """There may have been a commit."""
        self._checkpoint = None

    def set_sync(self, mode: enums.SyncMode) -> None:
        """Choose what each write of a file is followed by: nothing, or an fsync as with O_DSYNC or O_SYNC."""
        self._handle.call(lib.f2fs_volume_set_sync, int(mode))

    def _keep_file(self, file: IO[Any]) -> None:
        """Remember a file that is open for writing, with a buffer."""
        with self._handle.alone():
            self._files.add(file)

    def _flush(self) -> None:
        """Take over what files that are open for writing hold in their buffers."""
        with self._handle.alone():
            files = list(self._files)
        for file in files:
            if not file.closed:
                file.flush()

    def commit(self) -> None:
        """Make all changes since the last commit true, durably. When it fails the volume is as before.

        What files that `path().open()` gave hold in their buffers is a part of it.

        An exception that leaves it, KeyboardInterrupt too, has an attribute `committed`: are the changes true all the
        same? None: not known, as a callback closed the volume meanwhile. So has one that comes while the end of a with block commits.
        """
        self._flush()
        with self._handle.alone():  # a change of another thread is a part of it, or waits for the next one
            if not self._changed and not self._left_orphans:
                return
            try:
                self._change(self._handle, lib.f2fs_volume_commit)
            except BaseException as error:
                is_true = None if self.closed else self.transaction == enums.Transaction.NONE
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

    def configure(
        self,
        *,
        logs: int = 6,
        low_sections: int | None = None,
        logging: str = "adaptive",
        in_place: bool = False,
        discard: bool = False,
        compress_names: str = "",
        plain_names: str = "",
        commit_when_full: bool = False,
        clock_stands: bool = False,
        temperature: str = "table",
        cold_apart: bool = False,
        at_once: bool = False,
        fsync_mode: str = "strict",
    ) -> None:
        """Choose how the volume is written from now on; StateError when there are changes that were not committed.

        Args:
            logs: 2, 4 or 6 active logs.
            low_sections: percent of free sections below which blocks fill holes of segments in use, exactly that; None: 5, or the
                kernel's threshold where that is more.
            logging: "adaptive" (free segments, and holes when free sections run low), "normal" (free segments only) or
                "threaded" (holes as long as there are any).
            in_place: overwrite contents where they are; a commit is not all or nothing then.
            discard: give blocks that a commit frees back to the device.
            compress_names, plain_names: extensions ("txt,log") of new files that become compressed, or never do.
            commit_when_full: commit by itself where only blocks freed since the last commit give room; discard() and an
                exception that leaves a with block then no longer forget what was done before.
            clock_stands: the volume's `clock` does not go on by itself.
            temperature: which log contents of ordinary files go to: "table" (warm), "slides" (what is appended is cold) or "kernel"
                (hot when few blocks are written at once).
            cold_apart: with 4 logs, cold data have one of their own.
            at_once: small writes over old contents go to a log as they come, instead of waiting in memory for the commit, an
                fsync of the file, or 4,096 waiting blocks.
            fsync_mode: "strict", or "posix": the fsync of a new file commits only where a recovery could lose what was renamed or has
                other names; what was removed from its directory may come back beside it.
        """
        self._need_writable()
        names = [ffi.new("char[]", text.encode()) if text else ffi.NULL for text in (compress_names, plain_names)]
        options = sized("struct f2fs_write_options *")
        put(options, logs=logs, discard=discard)
        options.logging = enums.choose(enums.Logging, logging)
        options.temperature, options.cold_apart = enums.choose(enums.Temperature, temperature), cold_apart
        if low_sections is not None:
            put(options, low_sections=low_sections, low_is_exact=True)
        options.in_place = lib.F2FS_IN_PLACE_ALWAYS if in_place else lib.F2FS_IN_PLACE_NEVER
        options.compress_names, options.plain_names = names
        options.commit_when_full, options.clock_stands = commit_when_full, clock_stands
        options.at_once = at_once
        options.fsync_mode = enums.choose(enums.FsyncMode, fsync_mode)
        self._handle.call(lib.f2fs_volume_configure, options)
        self._clock_stands = clock_stands

    @property
    def clock(self) -> int:
        """Seconds for which the volume was mounted, by which cleaning knows how old things are.

        It goes on with the context's clock, without one with the times that changes carry; commits store it.
        """
        return int(self._handle.get(lib.f2fs_volume_clock))

    def elapse(self, seconds: int) -> None:
        """Let time go by on the volume's clock; the next commit stores it."""
        self._need_writable()
        self._handle.call(lib.f2fs_volume_elapse, number(seconds, "seconds"))

    @property
    def counters(self) -> results.Counters:
        """What was written to the device since the volume was opened, by cause."""
        row = sized("struct f2fs_counters *")
        self._handle.get(lib.f2fs_volume_counters, row)
        names = [ffi.string(lib.f2fs_write_cause_name(i)).decode() for i in range(len(row.bytes))]
        logs = [ffi.string(lib.f2fs_log_type_name(i)).decode() for i in range(len(row.log_new))]
        single = results.Counters._fields[5:]
        return results.Counters(
            dict(zip(names, row.bytes)),
            dict(zip(names, row.requests)),
            list(row.sizes),
            dict(zip(logs, row.log_new)),
            dict(zip(logs, row.log_updated)),
            *[getattr(row, n) for n in single],
        )

    def set_cleaning(
        self,
        policy: cleaning.Policy | None = "greedy",
        *,
        used_limit: int = 100,
        target: enums.CleanTarget | str = "log",
        like_kernel: bool = False,
    ) -> None:
        """Choose how the volume is cleaned by itself when free sections run out; a writable volume is, by "greedy".

        It is done before the first change after a commit, and with configure(commit_when_full=True) between later ones, too.

        Args:
            policy: "greedy", "cost-benefit", "age" or "hotness"; a function of your own, see `gc()`; None: it is not cleaned by
                itself. What such a function raises comes out of the call that made the change; the change is made all the same.
            used_limit: leave sections alone that are used to more than that many percent.
            target: as of `gc()`.
            like_kernel: begin as early as the kernel does, whatever holes used segments have.
        """
        self._need_writable()
        options, kept = ffi.NULL, None
        if policy is not None:
            options = sized("struct f2fs_clean_options *")
            kept = cleaning.set_policy(options, self._handle.core.hooks, policy)
            put(options, used_limit=used_limit, like_kernel=like_kernel)
            options.target = enums.choose(enums.CleanTarget, target)
        self._handle.call(lib.f2fs_volume_set_cleaning, options)
        self._cleaning = kept

    def set_placement(
        self, way: placement.Placement | str | None, *, sidecar: Device | None = None, **options: int
    ) -> placement.Hotness | None:
        """Put contents of files together by how soon they change again, in streams beside the six logs.

        On the device nothing but the order of blocks differs. docs/HOTNESS.md tells what it is worth, and when.

        Args:
            way: "m2h", "death", "lifespan" or "adaptive", which learn while the volume is written; an object that decides, see
                `Placement`; None: none.
            sidecar: M2H: a device that keeps what was learned when the volume is closed; it stays open as long.
            options: members of struct f2fs_hotness_options: streams, memory (bytes), delays (1: hot blocks wait), ...

        Returns:
            For a name, an object with statistics.

        Raises:
            StateError: there are changes that were not committed.
            NospcError: fewer than 4 * (streams + 6) sections are free.
            UnsupportedError: a zoned volume.
        """
        self._need_writable()
        if not isinstance(way, str) and (sidecar is not None or options):
            raise TypeError("options belong to a way that has a name")
        placement.take_away(self, self._hotness)
        self._hotness = self._asked = None
        if isinstance(way, str):
            self._hotness = placement.set_method(self, way, sidecar, options)
        elif way is not None:
            self._asked = placement.set_own(self, way)
        return self._hotness

    @property
    def streams(self) -> placement.Streams:
        """What the streams of a placement did; all zero without one."""
        return placement.streams(self)

    def gc(
        self,
        policy: cleaning.Policy = "greedy",
        *,
        sections: int = 0,
        free: int = 0,
        blocks: int = 0,
        bytes_written: int = 0,
        seconds: int = 0,
        used_limit: int = 90,
        target: enums.CleanTarget | str = "log",
        move_pinned: bool = False,
        dry_run: bool = False,
    ) -> results.CleanResult:
        """Clean: move what is in use out of partly used sections, so that whole sections become free.

        Each batch of sections ends in a commit. Limits of 0 do not apply; the first that is reached ends the work.

        Args:
            policy: "greedy", "cost-benefit", "age" or "hotness": which section comes first. Or a function that gets a
                `CleanSection` and returns what cleaning it costs: the least comes first, None, infinity and NaN never. It
                cannot use the volume. When it raises something, cleaning ends after what it has committed, and raises that.
            sections: clean that many.
            free: stop when so many sections are free.
            blocks: stop when so many blocks were moved.
            bytes_written: stop when so many bytes were written to the device, whatever for.
            seconds: stop after that time.
            used_limit: leave sections alone that are used to more than that many percent.
            target: "log", or "age": what is moved goes to holes of segments whose blocks are about as old.
            move_pinned: move blocks of pinned files, too; only when nobody has noted their addresses.
            dry_run: only tell what would be done; works on a volume that was opened for reading.

        Raises:
            StateError: there are changes that were not committed, or the volume waits for recovery or a check.
            CanceledError: the progress callback asked to stop; what was committed before stays.
        """
        if not dry_run:
            self._need_writable()
        options = sized("struct f2fs_clean_options *")
        kept = cleaning.set_policy(options, self._handle.core.hooks, policy)
        put(options, sections=sections, blocks=blocks, seconds=seconds, used_limit=used_limit, dry_run=dry_run)
        options.free_goal, options.bytes = number(free, "free", 32), number(bytes_written, "bytes_written")
        options.target, options.move_pinned = enums.choose(enums.CleanTarget, target), move_pinned
        row = sized("struct f2fs_clean_result *")
        try:
            self._handle.call(lib.f2fs_clean, options, row)
        finally:
            del kept
            if not dry_run:
                self._epoch += 1
                self._forget_checkpoint()
        found = results.from_c(results.CleanResult, row)
        return found._replace(end=enums.CleanEnd(found.end))

    def trim(self, minimum: int = 0) -> int:
        """Discard all free blocks on the device, in runs of at least minimum bytes; return how many bytes."""
        self._need_writable()
        found = ffi.new("uint64_t *")
        self._handle.call(lib.f2fs_trim, number(minimum, "minimum"), found)
        return int(found[0])

    def discard(self) -> None:
        """Forget all changes since the last commit."""
        with self._handle.alone():
            self._handle.get(lib.f2fs_volume_discard)
            self._files.clear()  # what their buffers hold belongs to what is forgotten
            self._epoch += 1
            self._changed = False
            self._settled = self._made

    def close(self) -> None:
        """Close it and what was opened from it; changes since the last commit are forgotten.

        Within a with block the end of the block tells so (StateError); `discard()` forgets without a word.
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
                    for child in list(self._handle.children):  # what has no name any more goes with its last user
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

    # Keys.

    def add_key(self, key: bytes, name: bytes = b"") -> results.Key:
        """Add a key of encrypted files, 16 to 64 bytes: names and contents that it opens are read and written in clear.

        `name` is a descriptor (8 bytes, for policies of version 1: it cannot be checked) or an identifier (16 bytes:
        InvalidError when the key is not the one).
        """
        row = ffi.new("struct f2fs_key *")
        bytes_of_key = raw_bytes(key)
        bytes_of_name = ffi.new("uint8_t[]", name) if name else ffi.NULL
        self._handle.call(lib.f2fs_volume_add_key, bytes_of_key, len(key), bytes_of_name, len(name), row)
        self._epoch += 1
        return results.Key(bytes(row.identifier), bytes(row.descriptor), row.size)

    def remove_key(self, name: bytes) -> None:
        """Remove the keys of this descriptor or identifier; KeyError when there is none."""
        try:
            self._handle.call(lib.f2fs_volume_remove_key, ffi.new("uint8_t[]", name), len(name))
        except errors.NotFoundError:
            raise KeyError(name) from None
        self._epoch += 1

    @property
    def keys(self) -> list[results.Key]:
        """The keys that were added."""
        found: list[results.Key] = []
        row = ffi.new("struct f2fs_key *")
        while True:
            try:
                self._handle.call(lib.f2fs_volume_key_at, len(found), row)
            except errors.NotFoundError:
                return found
            found.append(results.Key(bytes(row.identifier), bytes(row.descriptor), row.size))

    def set_label(self, label: str) -> None:
        """Set the label: at once and durably, not with the next commit."""
        self._need_writable()
        self._handle.call(lib.f2fs_volume_set_label, encode_name(label))
        self._superblock = None

    def set_uuid(self, uuid: uuid_module.UUID, *, force: bool = False, checksum: bool = False) -> None:
        """Set the UUID, at once and durably; the checksums of inodes, which depend on it, are rewritten.

        StateError when there are uncommitted changes.

        Args:
            uuid: the new one.
            force: although there are encrypted files whose key depends on the UUID (UnsupportedError).
            checksum: give the volume the feature inode_checksum, which a change that was cut may have taken away.
        """
        self._need_writable()
        flags = (lib.F2FS_UUID_FORCE if force else 0) | (lib.F2FS_UUID_CHECKSUM if checksum else 0)
        try:
            self._handle.call(lib.f2fs_volume_set_uuid, ffi.new("uint8_t[16]", uuid.bytes), flags)
        finally:
            self._superblock = None
            self._geometry = results.make_geometry(self._handle.get(lib.f2fs_volume_geometry))
            self._epoch += 1

    def add_features(self, features: enums.Feature, *, strict: bool = False, hash_only: bool = False) -> None:
        """Turn on features, at once and durably: ENCRYPT, VERITY, CASEFOLD; those that are there are ignored.

        They allow new files to be encrypted, sealed or folded, and change no existing one. UnsupportedError for others,
        StateError when there are uncommitted changes.

        Args:
            features: what is to be turned on.
            strict: with CASEFOLD, refuse names that are not valid UTF-8 in folded directories.
            hash_only: with CASEFOLD, see `set_hash_only()`.
        """
        self._need_writable()
        flags = (1 if strict else 0) | (2 if hash_only else 0)
        self._handle.call(lib.f2fs_volume_add_features, int(features), flags)
        self._superblock = None
        self._geometry = results.make_geometry(self._handle.get(lib.f2fs_volume_geometry))

    def set_hash_only(self, on: bool) -> None:
        """On a volume with casefold: look names up by their hash only, at once and durably.

        Otherwise a name is also searched, slowly, among those that were filed under the hash of another version of
        Unicode. StateError on a volume without casefold, or when there are uncommitted changes.
        """
        self._need_writable()
        self._handle.call(lib.f2fs_volume_set_hash_only, on)
        self._superblock = None

    def populate(self, directory: Path | None = None, **options: Any) -> PopulateResult:
        """Copy a directory of the host, a tar archive or what a manifest lists into the volume.

        Args:
            directory: its contents are copied.

        Options (keywords):
            tar: path or binary file object of an archive, compressed or not, instead of a directory.
            manifest: path or binary file object of a manifest as `extract()` writes it; contents come from the
                directory, or from the files that it names.
            target: directory of the volume to copy into; missing ones are made.
            keep: `Keep`, what is kept besides type, name and contents.
            owner: (user id, group id) of everything; without it owners are kept.
            time: of everything, nanoseconds since 1970.
            include, exclude: patterns as of `extract()`, held against the path below the source's top.
            existing: what happens to names that exist: "refuse", "skip", "replace" or "update".
            delete: remove what the source does not have from the directories that it has; what could not be read stays.
            rules: each a `PopulateRule`; of several that match the last one counts.
            fs_config, file_contexts: path of the one, paths of the others: Android's lists of owners, modes and labels.
            mount_point: start of the paths in them.
            compression: `PopulateCompression`: which files become compressed, and how; None: as the directories and `configure()` say.
            on_entry: called with the path of each entry; a true result ends the run (CanceledError).
            on_problem: called with each `PopulateProblem`; a true result ends the run.
            check: raise IncompleteError when there were problems; else return with them.
        """
        return populate.populate(self, directory, **options)

    # Tables and blocks.

    @property
    def nat(self) -> Nat:
        """Node address table by node id."""
        return Nat(self)

    @property
    def sit(self) -> Sit:
        """Segment information table by segment number."""
        return Sit(self)

    @property
    def ssa(self) -> Ssa:
        """Segment summary area by segment number."""
        return Ssa(self)

    @property
    def logs(self) -> dict[enums.LogType, results.LogHead]:
        """Where the six logs write next."""
        found = {}
        row = ffi.new("struct f2fs_log_head *")
        for kind in enums.LogType:
            self._handle.call(lib.f2fs_volume_log, kind, row)
            found[kind] = results.LogHead(row.segno, row.blkoff, row.alloc_type, enums.LogType(row.type))
        return found

    def _journal(self, count: Any, at: Any, name: str) -> list[format.Record]:
        kind = format.structs[name]

        def load(pointer: Any) -> list[format.Record]:
            rows = range(count(pointer))
            return [kind.record(ffi.buffer(at(pointer, i), kind.size)[:]) for i in rows]

        found: list[format.Record] = self._handle.get(load)
        return found

    @property
    def nat_journal(self) -> list[format.Record]:
        """NAT entries of the checkpoint pack, which override the NAT: records of "nat_journal_entry"."""
        return self._journal(lib.f2fs_nat_journal_count, lib.f2fs_nat_journal_at, "nat_journal_entry")

    @property
    def sit_journal(self) -> list[format.Record]:
        """SIT entries of the checkpoint pack, which override the SIT: records of "sit_journal_entry"."""
        return self._journal(lib.f2fs_sit_journal_count, lib.f2fs_sit_journal_at, "sit_journal_entry")

    @property
    def orphans(self) -> list[int]:
        """Inodes that had no name any more but were open, from the checkpoint."""

        def load(pointer: Any) -> list[int]:
            return [lib.f2fs_orphan_at(pointer, i) for i in range(lib.f2fs_orphan_count(pointer))]

        found: list[int] = self._handle.get(load)
        return found

    def block(self, addr: int, count: int = 1) -> bytes:
        """Return count blocks of any area from a block address on. ValueError (`RangeError`) beyond the volume."""
        if count < 0 or not 0 <= addr <= 0xFFFFFFFF or addr + count > self._geometry.block_count:
            raise errors.make(lib.F2FS_ERR_RANGE, f"blocks {addr} to {addr + count} are not in the volume")
        buffer = bytearray(count * self.block_size)
        self._handle.call(lib.f2fs_block_read, addr, count, ffi.from_buffer(buffer))
        return bytes(buffer)

    def node(self, nid: int) -> bytes:
        """Return the node block of a node id, its identity checked."""
        buffer = bytearray(self.block_size)
        self._handle.call(lib.f2fs_node_read, number(nid, "nid", 32), ffi.from_buffer(buffer))
        return bytes(buffer)

    def identify(self, addr: int) -> results.BlockIdentity:
        """Return who the block at an address is, as far as the volume's own tables tell."""
        row = ffi.new("struct f2fs_block_identity *")
        self._handle.call(lib.f2fs_block_identify, number(addr, "addr", 32), row)
        return results.BlockIdentity(
            enums.Area(row.area),
            row.index,
            row.segno,
            row.offset,
            row.type,
            bool(row.is_valid),
            bool(row.is_node),
            bool(row.is_owned),
            row.nid,
            row.ino,
            row.ofs_in_node,
            row.node_offset,
            None if row.file_block == lib.F2FS_NO_BLOCK else row.file_block,
        )

    def quotas(self, kind: str) -> list[results.Quota]:
        """Return the entries of the "user", "group" or "project" quota file. NotFoundError when there is none."""
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        found: list[results.Quota] = []
        user = visitor(self._handle.core.hooks, lambda row: found.append(results.from_c(results.Quota, row)))
        self._handle.call(
            lib.f2fs_quota_each, _QUOTA_KINDS.index(kind), lib.py_quota_each_visit, user
        )
        return found

    def set_quota(
        self,
        kind: str,
        id: int,
        *,
        space_soft_kib: int | None = None,
        space_hard_kib: int | None = None,
        inodes_soft: int | None = None,
        inodes_hard: int | None = None,
    ) -> None:
        """Set limits of a "user", "group" or "project", which the kernel will keep; 0 is no limit, None leaves one as it is.

        What is above its soft limit has a time of grace from now on. The engine itself acts as root and keeps no limits.

        Raises:
            NotFoundError: the volume has no such quota file.
            RangeError: a limit cannot be stored. StateError: the quota files wait for a check.
        """
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        quota = ffi.new("struct f2fs_quota *", {"id": number(id, "id", 32)})
        limits = 0
        for name, bit, value in (
            ("space_soft_kib", lib.F2FS_QUOTA_SPACE_SOFT, space_soft_kib),
            ("space_hard_kib", lib.F2FS_QUOTA_SPACE_HARD, space_hard_kib),
            ("inodes_soft", lib.F2FS_QUOTA_INODES_SOFT, inodes_soft),
            ("inodes_hard", lib.F2FS_QUOTA_INODES_HARD, inodes_hard),
        ):
            if value is not None:
                put(quota, **{name: value})
                limits |= bit
        self._change(self._handle, lib.f2fs_quota_set, _QUOTA_KINDS.index(kind), limits, quota)

    def quota_grace(self, kind: str) -> tuple[int, int]:
        """For how many seconds a "user", "group" or "project" may stay above its soft limits of space and of inodes."""
        if kind not in _QUOTA_KINDS:
            raise ValueError(f"kind is one of {', '.join(_QUOTA_KINDS)}")
        grace = sized("struct f2fs_quota_grace *")
        self._handle.call(lib.f2fs_quota_grace_get, _QUOTA_KINDS.index(kind), grace)
        return grace.space_seconds, grace.inode_seconds

    def set_quota_grace(self, kind: str, *, space_seconds: int | None = None, inode_seconds: int | None = None) -> None:
        """Set it, for all users, groups or projects; None leaves one as it is. Times that run already end when they would have.

        Raises:
            NotFoundError: the volume has no such quota file. StateError: the quota files wait for a check.
        """
        now = self.quota_grace(kind)
        grace = sized("struct f2fs_quota_grace *")
        grace.space_seconds = now[0] if space_seconds is None else space_seconds
        grace.inode_seconds = now[1] if inode_seconds is None else inode_seconds
        self._change(self._handle, lib.f2fs_quota_grace_set, _QUOTA_KINDS.index(kind), grace)

    # Files.

    @property
    def root(self) -> Inode:
        """The root directory."""
        return self.inode(self._geometry.root_ino)

    def inode(self, ino: int) -> Inode:
        """Open an inode by number. NotFoundError when it is free or not an inode, CorruptError with the rule."""
        number(ino, "ino", 32)
        return Inode(self, self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_inode_open, ino))

    def inode_at(self, addr: int, *, overwritten: bool = False) -> Inode:
        """Open an inode as it is at a block address: any old version that is left. It reads like any other.

        Its nodes are those of its own time as far as they are left. Where one is lost, or a block was written by others
        since, reading raises `OverwrittenError`; with overwritten such blocks are read as they are now. Changing it raises
        `ReadOnlyError`.

        Raises:
            NotFoundError: no inode there. CorruptError: one that breaks a rule.
        """
        flags = lib.F2FS_AT_OVERWRITTEN if overwritten else 0
        number(addr, "addr", 32)
        handle = self._handle.open(
            "inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_inode_open_at, ffi.NULL, addr, flags
        )
        return Inode(self, handle)

    def past(self, ino: int = 0, *, thorough: bool = False, max_segments: int = 0) -> Past:
        """Search the volume for old nodes.

        Args:
            ino: of this inode only, which reads little more than summaries; 0: of all.
            thorough: read every block, not only segments that hold or held nodes.
            max_segments: read no more segments whole than this; 0: no limit.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        return Past(self, ino, thorough, max_segments)

    def metadata(self, *, scramble: bool = False, used: bool = False, key: bytes | None = None) -> MetadataDevice:
        """Return a device with the volume's metadata and no contents of files, for reports of defects.

        Of a volume on several devices it has all of them in a row, as one device.
        It is a device like any other: check it, open it, or save it with `Device.save_zstd()`. It may stay open longer
        than the volume.

        Args:
            scramble: give files other names, of the same length and in the same hash buckets.
            used: also the contents: all blocks in use, as they are.
            key: 16 bytes; the same give the same names. None: random.

        Raises:
            StateError: there are changes that wait for a commit.
        """
        if key is not None and len(key) != 16:
            raise ValueError("key has to have 16 bytes")
        options = sized("struct f2fs_metadata_options *")
        options.content = lib.F2FS_METADATA_USED if used else lib.F2FS_METADATA_ONLY
        options.flags = lib.F2FS_METADATA_SCRAMBLE if scramble else 0
        kept = ffi.NULL if key is None else ffi.new("uint8_t[]", key)
        options.key = kept

        def open_copy(context: Any, out: Any) -> int:
            return int(lib.f2fs_metadata_open(self._handle.held(), options, out))

        return MetadataDevice._open(self.context, open_copy)

    @contextlib.contextmanager
    def as_of(self, version: int, *, thorough: bool = False) -> Iterator[Past]:
        """Within this context show the volume as it was at an earlier checkpoint, as far as that is left.

        What is opened meanwhile, by path, number or walk, is of that time: directories have the entries and files the
        contents they had then. What is not left, or was written by others since, raises `OverwrittenError`;
        `show_stat()` of what the context gives counts that, and what is uncertain. Changes are refused meanwhile.

        Args:
            version: low half of a checkpoint version; negative or 0: so many checkpoints before the last one. One that
                is older than all that is left raises `RangeError`, which says what the oldest is.
            thorough: read every block for old nodes.
        """
        with self.past(thorough=thorough) as past:
            if version <= 0:
                version += past.show_stat().newest
            with past.show(max(version, 0)):
                yield past

    def versions(self, what: AnyPath | int | Inode) -> list[Version]:
        """Return the versions of a file that are left, the oldest first, the one in use last.

        what is a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).versions(ino)

    def node_versions(self, what: AnyPath | int | Inode) -> list[NodeVersion]:
        """Return the nodes below an inode that are left, by node ids, of each the oldest first: direct and indirect nodes,
        and that of the attributes.

        what is a path, an inode number, or an inode.
        """
        ino = self._number_of(what)
        return self.past(ino).node_versions(ino)

    def _number_of(self, what: AnyPath | int | Inode) -> int:
        if isinstance(what, Inode):
            return what.number
        return what if isinstance(what, int) else self.lookup(what).number

    def differences(self, first: Version | Inode | int, second: Version | Inode | int) -> list[VersionDifference]:
        """Return what differs between two versions of a file: fields, attributes and ranges of blocks.

        Each is a version, an inode, or the block address of one.
        """
        opened = [one if isinstance(one, Inode) else one.open() if isinstance(one, Version) else self.inode_at(one)
                  for one in (first, second)]
        if any(one.volume is not self for one in opened):
            raise ValueError("the versions belong to different volumes")
        return find_differences(opened[0], opened[1])

    def deleted(self, *, thorough: bool = False) -> list[Deleted]:
        """Return the deleted files of which something is left, each with its path as far as it is known and how much of it
        is left. thorough: read every block for it."""
        return self.past(thorough=thorough).deleted()

    def former_names(self, *, thorough: bool = False) -> list[FormerName]:
        """Return the names that files in use once had: hard links that were removed, names before a renaming. thorough: read
        every block for it."""
        return self.past(thorough=thorough).former_names()

    def timeline(self, *, thorough: bool = False) -> list[Moment]:
        """Return the times of all inodes, in use, deleted and old, with the checkpoint version as a second clock."""
        return self.past(thorough=thorough).timeline()

    def leftovers(self, *, empty: bool = False, thorough: bool = False) -> list[Leftover]:
        """Return the ranges of bytes that no file shows: free blocks, nodes in use no more, and what lies behind the ends of
        files. empty: also slack that is zeros, and free blocks that are holes of the image. thorough: read every block
        for nodes."""
        return self.past(thorough=thorough).leftovers(empty=empty)

    def read_raw(self, length: int, offset: int) -> bytes:
        """Return bytes of the main area, whoever they belong to, at an offset from the volume's begin."""
        buffer = ffi.new("char[]", number(length, "length", 63))
        self._handle.call(lib.f2fs_volume_read, number(offset, "offset"), buffer, length)
        return bytes(ffi.buffer(buffer, length))

    def carve(self, kinds: str | None = None, *, max_size: int = 0, max_files: int = 0, thorough: bool = False,
              slack: bool = True) -> list[Carved]:
        """Return files that are found by what they look like, when no inode leads to them any more: in free blocks, and
        behind the ends of other files.

        Args:
            kinds: names as of `Carved.kind`, separated by commas; None: all.
            max_size: of one file; 0: 64 MiB.
            max_files: 0: no limit.
            thorough: read every block for nodes, which are left out.
            slack: look behind the ends of files, too; `Carved.slack_of` says of which.
        """
        return self.past(thorough=thorough).carver(kinds, max_size=max_size, max_files=max_files).run(slack=slack)

    def lookup(self, path: AnyPath, *, follow: bool = False) -> Inode:
        """Open the inode of a path from the root.

        Symbolic links in the middle are followed within the volume; one at the end only with follow.
        """
        flags = lib.F2FS_LOOKUP_FOLLOW if follow else 0
        name = path_text(path)
        raw = encode_name(name)
        if not raw:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, "no such file or directory: the path is empty")
        try:
            handle = self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_lookup, raw, flags)
        except errors.Error as error:
            if isinstance(error, OSError):
                error.filename = name
            raise
        return Inode(self, handle)

    def path(self, *parts: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Return a path of the volume as an object in the manner of pathlib."""
        return F2FSPath(self, *parts)

    def read_bytes(self, path: AnyPath, max_bytes: int | None = None) -> bytes:
        """Return the contents of a file, symbolic links followed. TooBigError when longer than max_bytes."""
        return self.lookup(path, follow=True).read_bytes(max_bytes)

    def extract(self, directory: Path | None = None, **options: Any) -> ExtractResult:
        """Copy files to a directory of the host or into a tar stream: contents with holes, modes, owners, times, hard
        and symbolic links, devices, extended attributes and ACLs.

        Nothing outside the destination is touched, whatever the image holds. What cannot be read or made is told, and
        the rest is extracted.

        Args:
            directory: made when it does not exist.

        Options (keywords):
            tar: path or binary file object for a tar archive, instead of a directory.
            tar_filter: compression of it: "gzip", "xz", "zstd", ...
            paths: what to extract; nothing: everything.
            include, exclude: patterns with * ? [a-z] and **; without a slash they are held against the last component.
            strip: leading components taken off each name.
            relative: names start with the last component of each path.
            root_attributes: an existing directory takes the attributes of the volume's root.
            sync: make everything durable.
            keep: `Keep`, what is kept besides type, name and contents; Keep(0): nothing.
            require: those of keep whose loss counts as a problem.
            existing: "refuse" (a problem), "skip" or "replace" what exists.
            encrypted: "report" (a problem), "skip", or give the "raw" ciphertext.
            uid_map, gid_map: (first, to, count) ranges of ids.
            threads: 0: as many as there are processors.
            max_bytes: TooBigError rather than write more; 0: no limit.
            manifest: path or binary file object for one JSON object a line and entry.
            on_entry: called with (path, StatResult) for each entry; a true result ends the run (CanceledError).
            on_problem: called with each `ExtractProblem`; a true result ends the run.
            check: raise IncompleteError when there were problems; else return with them.

        Raises:
            IncompleteError: done, but not everything; its attribute `result` is the `ExtractResult`, as of all errors.
            NotFoundError: one of paths does not exist. OSError: of the destination.
        """
        return tree.extract(self, directory, **options)

    def fragmentation(
        self, paths: Sequence[AnyPath] | None = None, *, small_bytes: int = 64 << 10, read_bytes: int = 128 << 10
    ) -> space.Fragments:
        """Return how the contents of files and the free space are scattered.

        Args:
            paths: files, or directories with all below them; the free space is always that of the whole volume. None:
                everything.
            small_bytes: fragments shorter than this are small.
            read_bytes: what a sequential reader asks for at once, as long as what follows is in one piece.
        """
        return space.fragmentation(self, paths, small_bytes, read_bytes)

    def defrag(
        self,
        order: enums.DefragOrder | str = "score",
        *,
        paths: Sequence[AnyPath] = (),
        include: Sequence[str | bytes] = (),
        parts: Sequence[space.Part] = (),
        blocks: int = 0,
        seconds: int = 0,
        free: int = 0,
        move_pinned: bool = False,
        dry_run: bool = False,
        spill_dir: str | None = None,
    ) -> space.DefragResult:
        """Put files, or free space, in order. Each step ends in a commit; calling again goes on.

        Args:
            order: "score" places files in more than one piece, those first that win most; "tree" all files from the
                start on, as directories list them; "age" the same, the files that were modified last first; "list"
                what parts says; "space" moves what is in use into as few segments as hold it.
            paths, include: only these files, what is below these directories, and what matches one of the patterns.
            parts: with "list": paths, or (path, offset, length) in bytes.
            blocks, seconds, free: stop when so many blocks were moved, after that time, when so many sections are free.
            move_pinned: place pinned files, too, each in sections of its own.
            dry_run: do it in memory, without contents (but on zoned volumes): the result is what it would be.
            spill_dir: of a dry run: for what does not fit into 64 MiB of memory.

        Raises:
            StateError: there are changes that were not committed, or the volume waits for recovery or a check.
            UnsupportedError: the volume is read-only; a path, or one of parts, stands for a device.
            CanceledError: the progress callback asked to stop; what was committed before stays.
        """
        if not dry_run:
            self._need_writable()
        try:
            return space.defrag(
                self,
                order,
                paths=paths,
                include=include,
                parts=parts,
                blocks=blocks,
                seconds=seconds,
                free=free,
                move_pinned=move_pinned,
                dry_run=dry_run,
                spill_dir=spill_dir,
            )
        finally:
            if not dry_run:
                self._epoch += 1
                self._forget_checkpoint()

    def defrag_range(self, start: int, length: int, target: int, *, leftwards: bool = False) -> space.DefragRangeResult:
        """Move what is in use in a range of blocks to the free blocks from another one on, in the order of addresses.

        Data stays with data, nodes with nodes. Segments that a log is in are passed over. Ends in a commit, large ranges in
        several.

        Args:
            start, length, target: blocks of the main area; target lies outside of the range.
            leftwards: take free blocks downwards from the target on.

        Raises:
            RangeError: the range or the target is not in the main area, or the target is in the range.
            NospcError: no free block is left in that direction; what was committed before stays.
            StateError, UnsupportedError, CanceledError: as defrag().
        """
        self._need_writable()
        try:
            return space.defrag_range(self, start, length, target, leftwards)
        finally:
            self._epoch += 1
            self._forget_checkpoint()

    def segment_map(self, form: enums.SegmentMapForm | str = "svg") -> str:
        """Return a map of what the segments hold: "svg" (a picture of at most 200 kB), "text" (lines of letters), or
        "colour" (the same with colours for a terminal)."""
        return space.segment_map(self, form)

    def walk(
        self, top: AnyPath = "/", *, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Walk a tree like os.walk: yield (path of a directory, names of directories in it, other names).

        Parents come first; names deleted from the list of directories are not visited. Symbolic links are not followed.

        Args:
            top: where to start.
            onerror: called with the error of a directory or entry that cannot be read, and the walk goes on; without it
                the error is raised (nothing is left out silently).
        """
        for path, inode, entries in self._directories(top, onerror):
            dirs = [entry for entry in entries if entry.is_dir()]
            names = [entry.name for entry in dirs]
            yield path, names, [entry.name for entry in entries if not entry.is_dir()]
            chosen = set(names)
            entries[:] = [entry for entry in dirs if entry.name in chosen]

    def scan(
        self, top: AnyPath = "/", *, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, DirEntry]]:
        """Yield (path, `DirEntry`) of everything below a directory; parents first, symbolic links not followed.

        onerror: as in `walk()`.
        """
        for path, inode, entries in self._directories(top, onerror):
            prefix = path if path.endswith("/") else path + "/"
            for entry in entries:
                yield prefix + entry.name, entry

    def _directories(
        self, top: AnyPath, onerror: ErrorHandler | None
    ) -> Iterator[tuple[str, Inode, list[DirEntry]]]:
        """Yield (path, inode, entries) of each directory of a tree; those left in entries are visited next.

        A directory is visited once, whatever a damaged volume says: meeting it again is an error that names the rule.
        """
        found = path_text(top)
        path = found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found
        try:
            start = self.lookup(top, follow=True)
        except errors.Error as error:
            if onerror is None:
                raise
            onerror(error)
            return
        todo: list[tuple[str, Inode | int]] = [(path, start)]
        seen = {start.number}
        while todo:
            path, what = todo.pop()
            try:
                inode = what if isinstance(what, Inode) else self.inode(what)
                entries = list(inode.iterdir(onerror=onerror))
            except errors.Error as error:
                if onerror is None:
                    raise
                onerror(error)
                continue
            yield path, inode, entries
            prefix = path if path.endswith("/") else path + "/"
            for entry in reversed([entry for entry in entries if entry.is_dir()]):
                if entry.ino in seen:
                    again = errors.make(lib.F2FS_ERR_CORRUPT, f"directory {prefix + entry.name!r} is met twice")
                    again.structure, again.rule, again.nid = "dentry", "DENTRY_PATH", entry.ino
                    if onerror is None:
                        raise again
                    onerror(again)
                else:
                    seen.add(entry.ino)
                    todo.append((prefix + entry.name, entry.ino))

    def __repr__(self) -> str:
        return f"<f2fskit.Volume{' closed' if self.closed else f' {self.uuid}'}>"


_QUOTA_KINDS = ("user", "group", "project")


def _copy_note(pointer: Any, index: int) -> str | None:
    note = lib.f2fs_volume_note(pointer, index)
    return None if note == ffi.NULL else text(note)
