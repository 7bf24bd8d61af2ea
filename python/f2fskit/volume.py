# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open a volume. The class `Volume` combines the parts of the other modules."""

from __future__ import annotations

import os
from typing import Any, Literal, Sequence

from . import enums
from ._core import Handle, LogCallback, ProgressCallback, ffi, lib, put, sized
from .context import Context
from .device import Device, further_devices
from .moment import Clock, Moment, nanoseconds
from .source import OpenDevice, Opener, Source, as_device, names_source
from .volume_lists import VolumeLists
from .volume_settings import VolumeSettings
from .volume_space import VolumeSpace


class Volume(VolumeLists, VolumeSettings, VolumeSpace):
    """An open volume.

    One opened with access "r+" can be changed, through its paths (`path()`) and inodes. `commit()` makes all changes
    since the last one permanent together. Leaving a with block commits. Leaving it by an exception, or closing, drops
    the changes. After a change that fails half-way (no space, a failing device) only `rollback()` is possible.

    Objects that come from a volume (inodes, files, tables) keep it alive. They stop working when it is closed, and
    raise ValueError then. Calls from several threads are serialised, see `Context`.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if self.closed:
            return "<f2fskit.Volume closed>"
        version = self.as_of_stat().version
        state = f" as of checkpoint {version}" if version else ' "r+"' if self._writable else ""
        changes = {enums.Transaction.OPEN: " with changes", enums.Transaction.FAILED: " with a failed change",
                   enums.Transaction.UNCERTAIN: " whose commit is uncertain"}.get(self.transaction, "")  # fmt: skip
        return f"<f2fskit.Volume {self._source + ' ' if self._source else ''}{self.uuid}{state}{changes}>"

    def _repr_html_(self) -> str | None:
        from .report import info_html

        return None if self.closed else info_html(self)


@names_source
def open(
    source: Source,
    access: Literal["r", "r+"] = "r",
    *,
    offset: int = 0,
    partition: str | int | None = None,
    mode: enums.OpenMode | enums.OpenModeName = enums.OpenMode.TOLERANT,
    devices: Sequence[Source] | OpenDevice | None = None,
    pack: Literal[0, 1, 2] = 0,
    rescue: bool = False,
    recover: enums.OpenRecover | enums.OpenRecoverName = enums.OpenRecover.NONE,
    cache_bytes: int = 0,
    accept_unread: bool = False,
    accept_foreign: bool = False,
    lock: bool = True,
    context: Context | None = None,
    log: LogCallback | None = None,
    progress: ProgressCallback | None = None,
    now: Clock | Moment | None = None,
) -> Volume:
    """Open a volume in the state of its last checkpoint.

    Args:
        source: a path (str, bytes, os.PathLike), a `Device`, a binary file object, an object with pread(length,
            offset), or a buffer (bytearray, memoryview, mmap). Android sparse files are recognised.
        access: "r" for reading, "r+" for reading and changing. Changes become permanent together with
            `Volume.commit()`, or at the end of a with block that no exception leaves. Closing drops them.
        offset: byte where the volume starts (a partition of a disk image).
        partition: the partition of the disk that holds the volume, as of `Device.partition()`.
        mode: "tolerant" uses the other copy of damaged metadata, and notes it. "strict" refuses a volume that the
            kernel would refuse. "rescue" opens the remains of a volume, see rescue.
        rescue: short for mode="rescue": rebuild lost superblocks, checkpoints and NAT in memory from the nodes
            themselves. This reads the whole main area once. `volume.notes` has a report.
        devices: of a volume on several devices, the further ones in order. Or a function that is called with each path
            of the volume's device table and returns a source. An image can name any path, so none is opened
            automatically.
        pack: 0: the current checkpoint; 1 or 2: that pack.
        recover: treatment of data fsynced after the last checkpoint, and of inodes unlinked while open. "none" shows
            the checkpoint. "view" shows the state after a mount, recovered in memory, without writing a byte. "apply"
            recovers on the device, which is opened for writing for that.
        cache_bytes: largest size of the metadata cache; 0: 32 MiB.
        accept_unread: write even if a superblock copy or checkpoint pack cannot be read. It may be newer than the other
            one, and writing loses it. Without this every change of such a volume raises OSError. It also allows writing
            over a newer checkpoint pack that is damaged. Otherwise changes raise StateError, and `check(repair=True)`
            finds the data that it led to.
        accept_foreign: write even if `Device.signature()` finds another system outside of the volume's own bytes. Without
            this every change raises ForeignError, as the device may not hold the volume any more.
        lock: with "r+", lock the file until the volume is closed. A second writer gets BusyError. False: take no lock.
        context: to share one with other devices and volumes.
        log, progress: callbacks of the new context, see `Context`.
        now: time of changes: whole nanoseconds since 1970, a datetime with a time zone, or a function that returns one
            of these. None: the context's clock, or else the time of SOURCE_DATE_EPOCH, or else the host's clock. The
            host's clock ticks every few milliseconds, like the kernel's for files. Numbers that can only be seconds,
            milliseconds or microseconds are a ValueError. Anything else is a TypeError.

    Raises:
        NotF2fsError: no superblock.
        CorruptError: no valid superblock or checkpoint; the rule says why.
        UnsupportedError: a feature that is not built in.
        OSError: the source cannot be read. A file object's own exception is raised as it is.
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
    if now is not None and not callable(now):
        nanoseconds(now, "now")  # refuse it early
    if partition is not None and offset:
        raise ValueError("partition and offset both say where the volume starts")
    if pack not in (0, 1, 2):
        raise ValueError("pack is 0, 1 or 2")
    options = sized("struct f2fs_open_options *")
    options.mode = enums.choose(enums.OpenMode, mode)
    if rescue and options.mode == enums.OpenMode.STRICT:
        raise ValueError("rescue and the mode strict exclude each other")
    options.mode = enums.OpenMode.RESCUE if rescue else options.mode
    put(options, offset=offset, pack=pack, cache_bytes=cache_bytes)
    options.accept_unread, options.accept_foreign = accept_unread, accept_foreign
    options.recover = enums.choose(enums.OpenRecover, recover)
    import tempfile  # here, as importing it takes a tenth of the time of importing f2fskit

    spill_dir = ffi.new("char[]", os.fsencode(tempfile.gettempdir()))
    options.spill_dir = spill_dir
    writes = writable or options.recover == enums.OpenRecover.APPLY
    device = as_device(source, context, writes, lock)
    opened = [] if device is source else [device]  # ours to close: the volume holds references of its own
    try:
        if partition is not None:
            device = device.partition(partition)
            opened.append(device)
        volume = Volume(_open(device, options, devices, opened, writes, lock), context, writable, now)
        volume._source = _shown(source)
        if writable:
            volume.set_gc()
        return volume
    finally:
        for one in opened:
            one.close()


def _shown(source: Source) -> str:
    """Return words for a source. An object with a buffer would show its bytes, so its type and length stand for it."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return repr(os.fsdecode(source))
    try:
        with memoryview(source) as view:  # type: ignore[arg-type]
            return f"in {type(source).__name__} of {view.nbytes} bytes"
    except TypeError:
        return f"in {source!r}"


def _open(
    device: Device,
    options: Any,
    devices: Sequence[Source] | OpenDevice | None,
    opened: list[Device],
    writable: bool,
    lock: bool,
) -> Handle:
    """Open the C volume, and append the devices that this opens to `opened`."""
    context = device.context
    core = context._handle.core
    further: list[Device] = []
    opener = None
    if callable(devices):
        opener = ffi.new_handle(Opener(devices, context, opened, writable, lock))
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
