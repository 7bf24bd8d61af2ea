# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices: the files, buffers and objects that hold a volume, and layers over them.

A class method makes a `Device` (`open`, `create`, `memory`, `from_file`, `from_buffer`, `multi`). A method of another
device puts a layer over that one (`slice`, `sparse`, `overlay`, `zoned`, `recorder`, `fault`, `cache`). A layer keeps
the devices below it open by itself, so devices may be closed in any order. All devices of a stack share one `Context`.
"""

from __future__ import annotations

import collections.abc
import contextlib
import os
from typing import Any, Callable, Iterator, Literal, Protocol, Sequence, TypeVar, Union

from . import enums, errors
from ._core import Handle, Owner, ffi, lib, number, put, raw_bytes, sized, visitor
from .context import Closable, Context
from .host_device import BufferSource, FileSource
from .results import (
    DeviceExtent,
    DeviceInfo,
    DeviceRecord,
    Evidence,
    FaultCounts,
    MetadataStat,
    Partition,
    ReadRecord,
    Signature,
    UndoInfo,
    Zone,
    from_c,
)

_SAVE_BYTES = 4 << 20
Buffer = Union[bytes, bytearray, memoryview]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class BinaryFile(Protocol):
    """A seekable, readable binary file, as a source of a device."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def read(self, n: int, /) -> bytes: ...


class Operations(Protocol):
    """An object that reads at an offset, without a position, as a source of a device."""

    def pread(self, length: int, offset: int, /) -> bytes: ...


def container_of(call: Callable[..., int], function: Callable[..., int]) -> Evidence | None:
    """Describe the container that function(pointer, row), called by call, finds. None: there is none."""
    row = sized("struct f2fs_evidence *")
    try:
        call(function, row)
    except errors.NotFoundError:
        return None
    return Evidence(
        ffi.string(row.format).decode(),
        row.bytes,
        bool(row.is_incomplete),
        bytes(row.md5).hex() if row.has_md5 else None,
        bytes(row.sha1).hex() if row.has_sha1 else None,
        bool(row.is_verified),
    )


def _open_partition(disk: Any, name: Any, out: Any) -> int:
    return int(lib.f2fs_device_open_partition(disk, name, ffi.NULL, out))


class Device(Closable):
    """Bytes that hold a volume: a file, memory, a Python object, or a layer over another device."""

    __slots__ = ("_context",)

    def __init__(self, handle: Handle, context: Context) -> None:
        """Not for users: make devices with the class methods."""
        self._handle = handle
        self._context = context

    @classmethod
    def _open(cls: type[D], context: Context | None, function: Any, *arguments: Any) -> D:
        context = context or Context()
        root = context._handle
        return cls(root.open("device", lib.f2fs_device_close, "f2fs_device", function, *arguments), context)

    def _layer(self, kind: type[D], function: Any, *arguments: Any) -> D:
        """Open a layer over this device. The layer is a child of the context: it lives longer than this handle may."""

        def open_layer(context: Any, out: Any) -> int:
            return int(function(self._handle.held(), *arguments, out))

        return kind._open(self._context, open_layer)

    # Making devices.

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        writable: bool = False,
        exclusive: bool = False,
        lock: bool = True,
        sparse: bool = True,
        context: Context | None = None,
    ) -> Device:
        """Open a file or block device.

        Args:
            path: of the host.
            writable: may it be written?
            exclusive: refuse a mounted or otherwise used block device, and a file in use by a loop device.
            lock: lock a writable device until it is closed. A second writer gets BusyError, also in this process.
                False: take no lock.
            sparse: recognise an Android sparse file, or a compressed image, and give its contents. With writable such a
                file is refused as read-only. False: give the file itself.
            context: to share one; otherwise the device gets its own.
        """
        flags = (lib.F2FS_OPEN_WRITE if writable else 0) | (lib.F2FS_OPEN_EXCLUSIVE if exclusive else 0)
        flags |= 0 if lock else lib.F2FS_OPEN_NO_LOCK
        function = lib.f2fs_device_open_image if sparse else lib.f2fs_device_open
        with errors.naming(path):
            return Device._open(context, function, _fs_path(path), flags)

    @classmethod
    def create(
        cls, path: Path, size: int, *, exist_ok: bool = False, lock: bool = True, context: Context | None = None
    ) -> Device:
        """Create a file of size bytes, all holes, and open it for writing.

        With exist_ok an existing file gets that size instead of FileExistsError (`ExistsError`). lock: as of `open()`.
        """
        flags = lib.F2FS_OPEN_WRITE | (lib.F2FS_OPEN_CREATE if exist_ok else 0) | (0 if lock else lib.F2FS_OPEN_NO_LOCK)
        with errors.naming(path):
            return Device._open(context, lib.f2fs_device_create, _fs_path(path), number(size, "size"), flags)

    @classmethod
    def memory(cls, size: int, *, context: Context | None = None) -> MemoryDevice:
        """Make a device in memory of size bytes, all zeros. Only written parts take memory."""
        return MemoryDevice._open(context, lib.f2fs_device_open_memory, number(size, "size"))

    @classmethod
    def from_file(
        cls,
        file: BinaryFile | Operations,
        *,
        size: int | None = None,
        writable: bool = False,
        sector_size: int = 512,
        context: Context | None = None,
    ) -> Device:
        """Make a device of a Python object.

        Args:
            file: a binary file object with seek() and read() or readinto(), or any object with pread(length, offset).
                A writable device also uses write() or pwrite(data, offset), and flush() if there is one. The thread
                that uses the device calls it, and nobody else may use it meanwhile. It is not closed with the device.
            size: bytes; None: the end of the file, found by seeking, or the object's attribute `size`.
            writable: may it be written?
            sector_size: logical sector, bytes.
            context: to share one; otherwise the device gets its own.

        The call that needed the bytes raises the object's exceptions. An OSError may be tolerated when a second copy
        exists (`Context.tolerated`). A file object that returns fewer bytes than its size promises is an I/O error.
        """
        context = context or Context()
        source = FileSource(file, size, writable, context._handle.core.hooks)
        return cls._from_source(source, sector_size, context)

    @classmethod
    def from_buffer(cls, buffer: Any, *, writable: bool = False, context: Context | None = None) -> Device:
        """Make a device of an object with a contiguous buffer (bytes, bytearray, memoryview, mmap, NumPy array)."""
        view = memoryview(buffer).cast("B")
        if writable and view.readonly:
            raise TypeError("buffer is read-only")
        context = context or Context()
        return cls._from_source(BufferSource(view, writable, context._handle.core.hooks), 512, context)

    @classmethod
    def _from_source(cls, source: FileSource, sector_size: int, context: Context) -> Device:
        ops = sized("struct f2fs_device_ops *")
        ops.read = lib.py_device_ops_read
        if source.writable:
            ops.write = lib.py_device_ops_write
            ops.flush = lib.py_device_ops_flush
        ops.close = lib.py_device_ops_close
        info = ffi.new("struct f2fs_device_info *")
        info.size = number(source.size, "size")
        put(info, sector_size=sector_size)
        info.caps = lib.F2FS_DEVICE_WRITE if source.writable else 0
        handle = ffi.new_handle(source)
        source.hooks.sources[handle] = handle
        try:
            return Device._open(context, lib.f2fs_device_open_custom, ops, handle, info)
        except BaseException:
            source.hooks.sources.pop(handle, None)
            raise

    @classmethod
    def multi(cls, devices: Sequence[Device | tuple[Device, int, int]]) -> Device:
        """Make one device of several, one after the other.

        Args:
            devices: of one context. Each is whole, or as (device, offset, length) in bytes.
        """
        parts = ffi.new("struct f2fs_device_part[]", len(devices))
        if not devices:
            raise ValueError("no devices")
        used = [part if isinstance(part, tuple) else (part, 0, part.size) for part in devices]
        context = used[0][0]._context
        if any(device._context is not context for device, _, _ in used):
            raise ValueError("devices belong to different contexts; make them with the same context=")

        def open_multi(pointer: Any, out: Any) -> int:
            for i, (device, offset, length) in enumerate(used):
                parts[i] = (device._handle.held(), offset, length)
            return int(lib.f2fs_device_open_multi(pointer, parts, len(used), out))

        return Device._open(context, open_multi)

    # Layers.

    def slice(self, offset: int, length: int = 0) -> Device:
        """Return the window of length bytes from offset (a partition); length 0: up to the end."""
        return self._layer(
            Device, lib.f2fs_device_open_slice, number(offset, "offset"), number(length, "length")
        )

    def partitions(self) -> list[Partition]:
        """Return the partitions of this disk in the order of their table; no table: an empty list."""
        rows: list[Partition] = []

        def take(row: Any) -> int:
            texts = ("scheme", "name", "label", "uuid", "type", "volume_label", "volume_uuid")
            values = (ffi.string(getattr(row, text)).decode("utf-8", "replace") for text in texts)
            rows.append(Partition(row.number, row.offset, row.length, row.pieces, bool(row.is_f2fs), *values))
            return 0

        user = visitor(self._handle.core.hooks, take)
        with contextlib.suppress(errors.NotFoundError):
            self._handle.call(lib.f2fs_partition_list, lib.py_partition_list_visit, user)
        return rows

    def partition(self, name: str | int | None = None) -> Device:
        """Return a partition of this disk as a device that ends with it.

        Args:
            name: its number, label or UUID, or the label or UUID of the F2FS volume in it. None: the only one that holds
                F2FS.

        Raises:
            FileNotFoundError: `NotFoundError`, no such partition.
            ValueError: `InvalidError`, several fit; the message lists them.
        """
        text = ffi.NULL if name is None else str(name).encode()
        return self._layer(Device, _open_partition, text)

    def sparse(self) -> Device:
        """Return the contents of the Android sparse file that this device holds; read-only."""
        return self._layer(Device, lib.f2fs_device_open_sparse)

    def zstd(self) -> Device:
        """Return the contents of the zstd file with a table of frames that this device holds, read-only."""
        return self._layer(Device, lib.f2fs_device_open_zstd)

    def cache(self, budget: int = 0) -> Device:
        """Return a read cache with read-ahead over this device, of budget bytes (0: 32 MiB). Writes go through."""
        return self._layer(Device, lib.f2fs_device_open_cache, number(budget, "budget"))

    def overlay(self, memory_limit: int = 1 << 30, spill_dir: Path | None = None) -> OverlayDevice:
        """Return a writable layer that keeps changes to itself.

        Args:
            memory_limit: bytes of changes kept in memory.
            spill_dir: directory of an unnamed temporary file for further changes. None: MemoryError (`NomemError`).
        """
        folder = ffi.NULL if spill_dir is None else _fs_path(spill_dir)
        return self._layer(
            OverlayDevice, lib.f2fs_device_open_overlay, number(memory_limit, "memory_limit"), folder
        )

    def zoned(
        self, zone_bytes: int, *, conventional: int = 0, capacity: int = 0, full: bool = False, open_zones: int = 0
    ) -> Device:
        """Return a layer that behaves like a zoned device: it refuses writes that are not at a zone's write pointer.

        Args:
            zone_bytes: size of a zone.
            conventional: zones at the start that can be written anywhere.
            capacity: bytes of the others that hold data; 0: all.
            full: the others are full at first, as on a device to which an image was copied. Otherwise they are empty.
            open_zones: of the others that may be written in part at a time; 0: any number.
        """
        options = sized("struct f2fs_zone_options *")
        put(options, zone_bytes=zone_bytes, capacity=capacity, is_full=full, open_zones=open_zones)
        options.conventional = min(number(conventional, "conventional"), 2**32 - 1)
        return self._layer(Device, lib.f2fs_device_open_zoned, options)

    def recorder(self) -> RecorderDevice:
        """Return a layer that passes everything through and records each write, zero, discard and flush."""
        return self._layer(RecorderDevice, lib.f2fs_device_open_recorder)

    def watch(self) -> WatchDevice:
        """Return a layer that logs each read through it, as evidence of which bytes an analysis used."""
        reads: list[ReadRecord] = []
        user = ffi.new_handle(reads)
        self._context._handle.core.hooks.sources[user] = user  # layers above may outlive the object
        watch = self._layer(WatchDevice, lib.f2fs_device_open_watch, lib.py_device_open_watch_seen, user)
        watch._reads = reads
        return watch

    def fault(self) -> FaultDevice:
        """Return a layer that fails as `FaultDevice.set()` says."""
        return self._layer(FaultDevice, lib.f2fs_device_open_fault)

    def undo(self, path: Path) -> Device:
        """Return a layer that saves old contents to a new file at path before they are overwritten.

        Close the layer to close the file. `play_undo()` on this device, or on another opening of it, restores the old
        bytes. FileExistsError (`ExistsError`) when the file exists.
        """
        log = self._layer(Device, lib.f2fs_undo_create, _fs_path(path))
        try:
            return self._layer(Device, lib.f2fs_device_open_undo, log._handle.held())
        finally:
            log.close()

    def play_undo(self, path: Path, *, force: bool = False) -> UndoInfo:
        """Restore the bytes that this device had before the recording in an undo file began.

        Write nothing when the file is damaged (`CorruptError`). Also write nothing (`StateError`) when it was made for
        another device, when the device has changed since the recording, and when the recording was cut short. With
        force the last two do not matter: later changes to the same blocks are lost.
        """
        row = sized("struct f2fs_undo_info *")
        with Device.open(path, sparse=False, context=self._context) as log:
            self._handle.call(lambda target: int(lib.f2fs_undo_play(log._handle.held(), target, force, row)))
        return UndoInfo(row.device_size, row.records, row.bytes, bool(row.is_sealed), row.left)

    @staticmethod
    def record_undo(devices: Sequence[Device], path: Path) -> list[Device]:
        """Return layers over all devices of a volume that save old contents to one new file at path.

        Args:
            devices: of one context, the first device of the volume first.
            path: close all layers to close the file. `restore_undo()` restores the old bytes.
        """
        table = ffi.new("struct f2fs_device *[]", max(len(devices), 1))
        layers = ffi.new("struct f2fs_device *[]", max(len(devices), 1))
        place = _fs_path(path)

        def give(index: int) -> Callable[[Any, Any], int]:
            def open_layer(_: Any, out: Any) -> int:
                if index == 0:
                    for i, device in enumerate(devices):
                        table[i] = device._handle.held()
                    code = int(lib.f2fs_undo_record(table, len(devices), place, layers))
                    if code:
                        return code
                out[0] = layers[index]
                return 0

            return open_layer

        return [Device._open(device._context, give(i)) for i, device in enumerate(devices)]

    @staticmethod
    def restore_undo(devices: Sequence[Device], path: Path, *, force: bool = False) -> UndoInfo:
        """Restore the bytes that the devices of a volume had before `record_undo()`. They are in the same order.

        Fails, and can be forced, as `play_undo()`.
        """
        if not devices:
            raise ValueError("no devices")
        row = sized("struct f2fs_undo_info *")
        table = ffi.new("struct f2fs_device *[]", len(devices))

        def restore(_: Any) -> int:
            for i, device in enumerate(devices):
                table[i] = device._handle.held()
            return int(lib.f2fs_undo_restore(log._handle.held(), table, len(devices), force, row))

        with Device.open(path, sparse=False, context=devices[0]._context) as log:
            devices[0]._handle.call(restore)
        return UndoInfo(row.device_size, row.records, row.bytes, bool(row.is_sealed), row.left)

    # Using a device.

    @property
    def context(self) -> Context:
        """The context it was made under."""
        return self._context

    @property
    def info(self) -> DeviceInfo:
        """Size, sectors, zones and abilities of the device."""
        row = self._handle.get(lib.f2fs_device_info)
        return DeviceInfo(row.size, row.zone_bytes, row.start_sector, row.sector_size, enums.DeviceCap(row.caps))

    @property
    def open_zones(self) -> int:
        """Zones that may be written in part at a time; 0: any number, or not known."""
        return int(self._handle.get(lib.f2fs_device_open_zones))

    @property
    def size(self) -> int:
        """Size in bytes."""
        return int(self._handle.get(lib.f2fs_device_info).size)

    def __len__(self) -> int:
        return self.size

    def read(self, offset: int, length: int) -> bytes:
        """Return length bytes at a byte offset. Beyond the end: ValueError (`RangeError`)."""
        number(offset, "offset")
        if number(length, "length") > self.size:
            raise errors.make(lib.F2FS_ERR_RANGE, f"{length} bytes are more than the device has")
        buffer = bytearray(length)
        self.readinto(offset, buffer)
        return bytes(buffer)

    def readinto(self, offset: int, buffer: bytearray | memoryview) -> None:
        """Fill a writable buffer with the bytes at an offset."""
        with ffi.from_buffer("char[]", buffer, require_writable=True) as pointer:
            self._handle.call(lib.f2fs_device_read, number(offset, "offset"), pointer, len(pointer))

    def write(self, offset: int, data: Buffer) -> None:
        """Write data at a byte offset, whole or not at all."""
        with raw_bytes(data) as pointer:
            self._handle.call(lib.f2fs_device_write, number(offset, "offset"), pointer, len(pointer))

    def zero(self, offset: int, length: int) -> None:
        """Make a range read as zeros, by holes where that is possible."""
        self._handle.call(lib.f2fs_device_zero, number(offset, "offset"), number(length, "length"))

    def discard(self, offset: int, length: int) -> None:
        """Discard (TRIM) a range. It is a hint to the device."""
        self._handle.call(lib.f2fs_device_discard, number(offset, "offset"), number(length, "length"))

    def flush(self) -> None:
        """Make everything written so far durable."""
        self._handle.call(lib.f2fs_device_flush)

    def extents(self, offset: int = 0) -> Iterator[DeviceExtent]:
        """Yield the runs of data and holes from a byte offset to the end."""
        length = ffi.new("uint64_t *")
        hole = ffi.new("int *")
        size = self.size
        while offset < size:
            self._handle.call(lib.f2fs_device_extent, number(offset, "offset"), length, hole)
            if length[0] == 0:
                return
            yield DeviceExtent(offset, length[0], bool(hole[0]))
            offset += length[0]

    def signature(self) -> Signature | None:
        """Return the signature of a file system (F2FS included) or other system on the device, or None if none is
        known.

        Ask libblkid, if the module was built with it, and a table of its own.
        """
        row = sized("struct f2fs_signature *")
        try:
            self._handle.call(lib.f2fs_device_signature, row)
        except errors.NotFoundError:
            return None
        texts = (ffi.string(text).decode("utf-8", "replace") for text in (row.type, row.label, row.uuid, row.what))
        return Signature(enums.SignatureKind(row.kind), row.offset, *texts)

    def evidence(self, *, verify: bool = False) -> Evidence | None:
        """Describe the container that the device, or one that it is above, reads from. None: it is no container.

        Args:
            verify: read all contents and compute the stored digests again.

        Raises:
            DamagedDataError: a digest differs. NotFoundError: verify, and no digest is stored. IoError: parts cannot be read.
        """
        found = container_of(self._handle.call, lib.f2fs_device_evidence)
        if found is None or not verify:
            return found
        row = sized("struct f2fs_evidence *")
        self._handle.call(lib.f2fs_device_verify_evidence, row)
        return found._replace(is_verified=bool(row.is_verified))

    @property
    def offset(self) -> int:
        """Byte of the file, container or disk below at which the device begins: not 0 for a partition."""
        return int(self._handle.get(lib.f2fs_device_offset))

    def zones(self) -> Iterator[Zone]:
        """Yield the zones of a zoned device."""
        rows = ffi.new("struct f2fs_zone[]", 64)
        found = ffi.new("unsigned *")
        first = 0
        while True:
            self._handle.call(lib.f2fs_device_zones, first, rows, 64, found)
            for i in range(found[0]):
                row = rows[i]
                yield Zone(
                    row.start,
                    row.length,
                    row.capacity,
                    row.write_pointer,
                    enums.ZoneType(row.type),
                    bool(row.empty),
                    bool(row.full),
                )
            if found[0] == 0:
                return
            first += found[0]

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self.size} bytes"
        return f"<f2fskit.{type(self).__name__} {state}>"


    def save(self, target: Path | BinaryWriter, form: Literal["raw", "sparse", "zstd"] = "raw") -> None:
        """Write the contents to a file: raw, as an Android sparse file, or as one within a zstd file. `open()` takes
        all three. A raw file gets holes if the target can seek.

        target: path of a new file, or a binary file object.
        """
        if form not in ("raw", "sparse", "zstd"):
            raise ValueError(f"form is raw, sparse or zstd, not {form!r}")
        if isinstance(target, (str, bytes, os.PathLike)):
            with open(target, "xb") as made:
                self.save(made, form)
            return
        if form != "raw":
            if form == "sparse":
                self.save_sparse(target)
            else:
                self.save_zstd(target)
            return
        file: Any = target
        holes = hasattr(target, "seek") and hasattr(target, "tell") and file.seekable()
        place = file.tell() if holes else 0
        for extent in self.extents():
            for at in range(extent.offset, extent.offset + extent.length, _SAVE_BYTES):
                length = min(_SAVE_BYTES, extent.offset + extent.length - at)
                if extent.is_hole and holes:
                    is_last = at + length == self.size
                    file.seek(place + at + length - is_last)
                    _write_all(file, bytes(is_last))  # or the file would end before the hole
                else:
                    _write_all(file, bytes(length) if extent.is_hole else self.read(at, length))

    def save_sparse(self, file: BinaryWriter, *, block_size: int = 4096) -> None:
        """Write the contents as an Android sparse file to a binary file object. The device is read twice, holes are not."""
        user = visitor(self._handle.core.hooks, lambda data: _write_all(file, data))
        self._handle.call(lib.f2fs_device_save_sparse, block_size, lib.py_device_save_sparse_sink, user)

    def save_zstd(self, file: BinaryWriter, *, block_size: int = 4096, level: int = 0, note: str = "") -> None:
        """Write the contents as an Android sparse file within a zstd file that can be read in place.

        Args:
            file: a binary file object.
            block_size: of the sparse file.
            level: of zstd; 0: 3.
            note: text in front, which decoders skip.
        """
        user = visitor(self._handle.core.hooks, lambda data: _write_all(file, data))
        self._handle.call(
            lib.f2fs_device_save_zstd, block_size, level, note.encode(), lib.py_device_save_zstd_sink, user
        )


class BinaryWriter(Protocol):
    """A binary file object that can be written."""

    def write(self, data: Any, /) -> int | None:
        """Write bytes and return the number of those taken."""


def _write_all(file: BinaryWriter, data: Any) -> None:
    view = memoryview(data)
    while view:
        taken = file.write(view)
        view = view[len(view) if taken is None else taken :]


D = TypeVar("D", bound=Device)


class MetadataDevice(Device):
    """A copy of a volume's metadata; holes elsewhere. Read-only."""

    __slots__ = ()

    def stat(self) -> MetadataStat:
        """Return statistics of the copy."""
        stat = sized("struct f2fs_metadata_stat *")
        self._handle.call(lib.f2fs_metadata_stat, stat)
        return from_c(MetadataStat, stat)


class MemoryDevice(Device):
    """Bytes in memory."""

    __slots__ = ()

    def fork(self) -> MemoryDevice:
        """Return a device with the same contents that changes independently. Only written parts are copied."""
        return self._layer(MemoryDevice, lib.f2fs_device_fork_memory)


class OverlayDevice(Device):
    """A layer that keeps changes to itself."""

    __slots__ = ()

    def apply(self) -> None:
        """Write the changes to the device below, in ascending order, flush, and forget them."""
        self._handle.call(lib.f2fs_device_overlay_apply)

    def changes(self) -> list[tuple[int, int]]:
        """Return the changed ranges as (offset, length) in bytes, ascending."""
        found: list[tuple[int, int]] = []
        user = visitor(self._handle.core.hooks, lambda offset, length: found.append((offset, length)))
        self._handle.call(lib.f2fs_device_overlay_changes, lib.py_device_overlay_changes_visit, user)
        return found


class WatchDevice(Device):
    """A layer that keeps a log of reads."""

    __slots__ = ("_reads",)
    _reads: list[ReadRecord]

    @property
    def reads(self) -> collections.abc.Sequence[ReadRecord]:
        """All reads so far, in order, as of now."""
        return tuple(self._reads)

    def clear(self) -> None:
        """Forget all reads so far."""
        self._reads.clear()


class RecorderDevice(Device):
    """A layer that records writes."""

    __slots__ = ()

    def __len__(self) -> int:
        return self.size

    @property
    def records(self) -> collections.abc.Sequence[DeviceRecord]:
        """All records so far, in order."""
        return _Records(self._handle)

    def clear(self) -> None:
        """Forget all records so far."""
        self._handle.get(lib.f2fs_device_record_clear)


class _Records(Owner, collections.abc.Sequence[DeviceRecord]):
    """The records of a recorder as a sequence."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __len__(self) -> int:
        return int(self._handle.get(lib.f2fs_device_record_count))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = ffi.new("struct f2fs_record *")

        def get(pointer: Any) -> DeviceRecord:
            n = lib.f2fs_device_record_count(pointer)
            i = index + n if index < 0 else index
            if not 0 <= i < n or lib.f2fs_device_record_at(pointer, i, row) < 0:
                raise IndexError("record index out of range")
            # The bytes belong to the device: copy them while it cannot be closed.
            data = bytes(ffi.buffer(row.data, row.length)) if row.data != ffi.NULL else None
            return DeviceRecord(enums.RecordKind(row.kind), row.offset, row.length, data)

        found: DeviceRecord = self._handle.get(get)
        return found


class FaultDevice(Device):
    """A layer that fails on demand."""

    __slots__ = ()

    def set(
        self,
        *,
        fail_read: int = 0,
        fail_write: int = 0,
        fail_flush: int = 0,
        bad_offset: int = 0,
        bad_length: int = 0,
        sticky: bool = False,
        torn: bool = False,
    ) -> None:
        """Set the rule and restart counting at 0.

        Args:
            fail_read, fail_write, fail_flush: which operation fails, from 1; 0: none.
            bad_offset, bad_length: bytes that can neither be read nor written.
            sticky: after the first failure every operation of that kind fails.
            torn: a failing write leaves its first half written.
        """
        rule = ffi.new("struct f2fs_fault_rule *")
        put(rule, fail_read=fail_read, fail_write=fail_write, fail_flush=fail_flush, bad_offset=bad_offset, bad_length=bad_length)
        rule.sticky, rule.torn = sticky, torn
        self._handle.get(lib.f2fs_device_fault_set, rule)

    @property
    def counts(self) -> FaultCounts:
        """Operations since the rule was set."""
        numbers = ffi.new("uint64_t[3]")
        self._handle.get(lib.f2fs_device_fault_counts, numbers, numbers + 1, numbers + 2)
        return FaultCounts(*numbers)


def _fs_path(path: Path) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        hint = ": bytes are a path; give contents of an image as memoryview(…)" if isinstance(path, bytes) else ""
        raise ValueError(f"embedded null byte{hint}")
    return encoded


@ffi.def_extern()  # type: ignore[misc]
def py_device_open_watch_seen(user: Any, offset: int, length: int, failed: int) -> None:
    ffi.from_handle(user).append(ReadRecord(offset, length, bool(failed)))


@contextlib.contextmanager
def further_devices(options: Any, devices: Sequence[Device]) -> Iterator[None]:
    """Enter the further devices of a volume into struct f2fs_open_options, for a call that opens it."""
    table = ffi.new("struct f2fs_device *[]", [one._handle.held() for one in devices])
    options.devices, options.device_count = (table, len(devices)) if devices else (ffi.NULL, 0)
    yield
