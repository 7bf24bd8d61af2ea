# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make volumes: `mkfs()` and the plan of a layout."""

from __future__ import annotations

import contextlib
import mmap
import operator
import os
import random as random_module
import uuid as uuid_module
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, NamedTuple, Sequence, TypedDict, Union

from . import enums, errors, results
from ._core import ffi, lib, number, put, sized, uuid_bytes
from .context import Context
from .device import BinaryFile, Device, Path
from .moment import Moment, default_time, split
from .name_text import Names
from .source import as_device, names_source

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

Target = Union[Path, Device, bytearray, memoryview, mmap.mmap, BinaryFile]

_HEAD = 128 << 10  # bytes at the start that are searched for old contents


class DeviceSpec(NamedTuple):
    """A further device of a new volume."""

    device: Target
    """A path, a `Device` of the same context, or another target of `mkfs()`."""
    path: str = ""
    """Path in the device table, at most 63 bytes; "": the path that was opened."""
    alias: str | None = None
    """A name makes the whole device one file of that name."""
    size: int = 0
    """Bytes to use, 0: the whole device."""


class LayoutDevice(NamedTuple):
    """Place of a device in a layout."""

    size: int
    segments: int
    start: int
    end: int
    is_alias: bool
    zone_type: int


class Layout(NamedTuple):
    """Layout of a new volume, as its size and options decide."""

    geometry: results.Geometry
    devices: tuple[LayoutDevice, ...]
    overprovision: float
    """Percent of the main area."""
    usable_segments: int
    reserved_segments: int
    overprovision_segments: int
    alias_segments: int
    free_segments: int
    user_blocks: int
    logs: tuple[int, ...]
    """First segment of each log."""
    sit_bitmap_bytes: int
    nat_bitmap_bytes: int
    checksum_offset: int
    large_nat: bool
    nat_bits: bool


class MkfsResult(NamedTuple):
    """A volume that was made."""

    layout: Layout
    uuid: uuid_module.UUID
    checkpoint_version: int
    time: int
    """Of all inodes, nanoseconds since 1970: a whole second."""
    valid_nodes: int
    valid_blocks: int
    quota_ino: tuple[int, int, int]
    """User, group, project; 0: none."""
    lost_found_ino: int
    trimmed: bool
    """The devices discarded their contents."""


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is text (str), not {type(value).__name__}")
    return value


def _joined(values: Sequence[str], what: str) -> str:
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{what} is a list of text (str), not {type(values).__name__}")
    return ",".join(_text(value, f"each of {what}") for value in values)


def bytes_of(size: Any) -> int:
    """Return a size as it was given, or raise an error."""
    try:
        found = operator.index(size)
    except TypeError:
        raise TypeError(f"size is a number of bytes (int, such as 64 << 20), not {size!r}") from None
    if found <= 0:
        raise ValueError(f"size has to be more than 0, not {size}")
    return found


class _Options:
    """struct f2fs_mkfs_options with the memory that it points to."""

    def __init__(
        self,
        *,
        label: str = "",
        uuid: uuid_module.UUID | None = None,
        features: enums.Feature | enums.FeatureName | Iterable[enums.FeatureName] = (),
        block_size: Literal[4096, 16384] = 4096,
        segs_per_sec: int = 1,
        secs_per_zone: int = 1,
        overprovision: float = 0.0,
        reserved_sections: int = 0,
        zoned: bool = False,
        large_nat: bool = False,
        nat_bits: bool = True,
        discard: bool = True,
        encoding_flags: int = 0,
        root_owner: tuple[int, int] = (0, 0),
        time: Moment | None = None,
        checkpoint_version: int = 0,
        cold_extensions: Names = (),
        hot_extensions: Names = (),
        stamp: str | None = None,
    ) -> None:
        self.row = row = sized("struct f2fs_mkfs_options *")
        self.kept: list[Any] = []
        if not isinstance(features, int):
            names: list[str] = [features] if isinstance(features, str) else [_text(name, "a feature's name") for name in features]
            unknown = [name for name in names if name.upper() not in enums.Feature.__members__]
            if unknown:
                known = ", ".join(enums.Feature.__members__).lower()
                raise errors.make(lib.F2FS_ERR_INVALID, f"unknown feature: {', '.join(unknown)}; there are {known}")
            features = enums.Feature(sum({int(enums.Feature[name.upper()]) for name in names}))
        row.feature = features
        put(row, block_size=block_size, segs_per_sec=segs_per_sec, secs_per_zone=secs_per_zone)
        put(row, overprovision=overprovision, reserved_sections=reserved_sections)
        row.zoned, row.large_nat, row.no_nat_bits, row.no_discard = zoned, large_nat, not nat_bits, not discard
        put(row, encoding_flags=encoding_flags, root_uid=root_owner[0], root_gid=root_owner[1])
        put(row, checkpoint_version=checkpoint_version)
        if time is not None:
            put(row, has_time=1, time=split(time, "time")[0])
        if label:
            row.label = self.text(label, "label")
        if uuid is not None:
            row.uuid = self.keep(uuid_bytes(uuid))
        if cold_extensions:
            row.cold_extensions = self.text(_joined(cold_extensions, "cold_extensions"), "cold_extensions")
        if hot_extensions:
            row.hot_extensions = self.text(_joined(hot_extensions, "hot_extensions"), "hot_extensions")
        if stamp is not None:
            row.stamp = self.text(stamp, "stamp")

    def keep(self, memory: Any) -> Any:
        self.kept.append(memory)
        return memory

    def text(self, value: str, what: str) -> Any:
        raw = _text(value, what).encode("utf-8", "surrogateescape")
        if b"\0" in raw:
            raise ValueError("embedded null byte")
        return self.keep(ffi.new("char[]", raw))


class MkfsOptions(TypedDict, total=False):
    """Options of `mkfs()` as a dictionary, for functions that pass them on."""

    label: str
    uuid: uuid_module.UUID | None
    features: enums.Feature | enums.FeatureName | Iterable[enums.FeatureName]
    block_size: Literal[4096, 16384]
    segs_per_sec: int
    secs_per_zone: int
    overprovision: float
    reserved_sections: int
    zoned: bool
    large_nat: bool
    nat_bits: bool
    discard: bool
    encoding_flags: int
    root_owner: tuple[int, int]
    time: Moment | None
    checkpoint_version: int
    cold_extensions: Names
    hot_extensions: Names
    stamp: str | None


def _options(given: Mapping[str, Any]) -> _Options:
    """Return the options of `mkfs()` among given, which may be all arguments of a function."""
    return _Options(**{name: given[name] for name in _Options.__init__.__kwdefaults__ or () if name in given})


def check_names(options: Mapping[str, Any]) -> None:
    """Refuse a dictionary of options with an unknown name."""
    known = list(_Options.__init__.__kwdefaults__ or ())
    for name in options:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            hint = f", did you mean {near[0]}?" if near else ":"
            raise TypeError(f"a volume to be made has no option {name}{hint} Options are {', '.join(known)}")


@names_source
def mkfs(
    target: Target,
    size: int | None = None,
    *,
    devices: Sequence[DeviceSpec] = (),
    overwrite: bool = False,
    context: Context | None = None,
    label: str = "",
    uuid: uuid_module.UUID | None = None,
    features: enums.Feature | enums.FeatureName | Iterable[enums.FeatureName] = (),
    block_size: Literal[4096, 16384] = 4096,
    segs_per_sec: int = 1,
    secs_per_zone: int = 1,
    overprovision: float = 0.0,
    reserved_sections: int = 0,
    zoned: bool = False,
    large_nat: bool = False,
    nat_bits: bool = True,
    discard: bool = True,
    encoding_flags: int = 0,
    root_owner: tuple[int, int] = (0, 0),
    time: Moment | None = None,
    checkpoint_version: int = 0,
    cold_extensions: Names = (),
    hot_extensions: Names = (),
    stamp: str | None = None,
) -> MkfsResult:
    """Make a volume. The defaults of the options are those of mkfs.f2fs.

    Args:
        target: path of a file or block device, a writable `Device`, a buffer (bytearray, memoryview, mmap) or a binary
            file object. With a size, a path is a file to be created, and a file object becomes that long.
        size: bytes of the volume; None: the whole file or device.
        devices: further devices.
        overwrite: write over an existing file, and over a device whose beginning is not empty; otherwise ExistsError.
            Wrong options change nothing of it. If making the volume fails, no new file is left.
        context: to share one.

    Options (keywords):
        label: at most 512 bytes of UTF-8.
        uuid: uuid.UUID; None: random.
        features: `Feature`, or names: ["extra_attr", "compression"].
        block_size: 4096 or 16384 bytes.
        segs_per_sec, secs_per_zone: segments in a section, sections in a zone.
        overprovision: percent of the main area kept for GC; 0: the value that leaves most usable space.
        reserved_sections: kept for GC, zoned volumes only.
        zoned: the device is zoned, sections are its zones.
        large_nat: node ids for a fifth of the blocks.
        nat_bits: keep maps of full and empty NAT blocks.
        discard: discard old contents.
        encoding_flags: with casefold, 1 strict, 2 hashonly.
        root_owner: (user id, group id) of the root directory.
        time: of all inodes, nanoseconds since 1970 or a datetime with a time zone, rounded down to a second. None: that
            of SOURCE_DATE_EPOCH, or now.
        checkpoint_version: of the first checkpoint; 0: random.
        cold_extensions, hot_extensions: further name endings of cold and hot files, 1 to 7 bytes each.
        stamp: text of the superblock's version fields.

    The same size, options, uuid, time and checkpoint_version write the same bytes anywhere.

    Raises:
        InvalidError: an option is wrong. UnsupportedError: options exclude each other.
        ValueError: SOURCE_DATE_EPOCH is not a number of seconds.
        NospcError: too small. The message names the smallest size. ExistsError: see overwrite.
    """
    options = dict(locals())
    if size is not None:
        size = bytes_of(size)
    elif _is_path(target) and not os.path.lexists(target):
        with errors.naming(target):
            message = f"there is no {os.fsdecode(target)}: mkfs(path, size) makes a file of size bytes"
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, message)
    if uuid is None:
        options["uuid"] = uuid_module.uuid4()
    if time is None:
        options["time"] = default_time()
    if not checkpoint_version:
        options["checkpoint_version"] = random_module.SystemRandom().randrange(1, 1 << 31)
    row = sized("struct f2fs_mkfs_result *")

    def write(pointer: Any, table: Any, count: int, chosen: _Options) -> int:
        return int(lib.f2fs_mkfs_write(pointer, table, count, chosen.row, row))

    chosen = _options(options)
    further = [DeviceSpec(target, size=size or 0), *devices]
    if any(spec.size and _is_path(spec.device) for spec in further):  # a file will be made, or get another size
        _with_devices(further, overwrite, context, chosen, _planner(ffi.new("struct f2fs_layout *")), rehearses=True)
    _with_devices(further, overwrite, context, chosen, write)
    return MkfsResult(
        _layout(row.layout),
        uuid_module.UUID(bytes=bytes(ffi.buffer(row.uuid))),
        row.checkpoint_version,
        row.time * 1_000_000_000,
        row.valid_nodes,
        row.valid_blocks,
        (row.quota_ino[0], row.quota_ino[1], row.quota_ino[2]),
        row.lost_found_ino,
        bool(row.trimmed),
    )


def mkfs_plan(
    size: int,
    *,
    label: str = "",
    uuid: uuid_module.UUID | None = None,
    features: enums.Feature | enums.FeatureName | Iterable[enums.FeatureName] = (),
    block_size: Literal[4096, 16384] = 4096,
    segs_per_sec: int = 1,
    secs_per_zone: int = 1,
    overprovision: float = 0.0,
    reserved_sections: int = 0,
    zoned: bool = False,
    large_nat: bool = False,
    nat_bits: bool = True,
    discard: bool = True,
    encoding_flags: int = 0,
    root_owner: tuple[int, int] = (0, 0),
    time: Moment | None = None,
    checkpoint_version: int = 0,
    cold_extensions: Names = (),
    hot_extensions: Names = (),
    stamp: str | None = None,
) -> Layout:
    """Return the layout that `mkfs()` with these options gives a volume of size bytes. Write nothing."""
    options = dict(locals())
    row = ffi.new("struct f2fs_layout *")

    with Device.memory(size) as device:
        _with_devices([DeviceSpec(device)], True, None, _options(options), _planner(row))
    return _layout(row)


def _planner(row: Any) -> Any:
    """Return a function for _with_devices that makes the plan."""

    def plan(pointer: Any, table: Any, count: int, chosen: _Options) -> int:
        return int(lib.f2fs_mkfs_plan(pointer, table, count, chosen.row, row))

    return plan


def mkfs_minimum_size(
    *,
    label: str = "",
    uuid: uuid_module.UUID | None = None,
    features: enums.Feature | enums.FeatureName | Iterable[enums.FeatureName] = (),
    block_size: Literal[4096, 16384] = 4096,
    segs_per_sec: int = 1,
    secs_per_zone: int = 1,
    overprovision: float = 0.0,
    reserved_sections: int = 0,
    zoned: bool = False,
    large_nat: bool = False,
    nat_bits: bool = True,
    discard: bool = True,
    encoding_flags: int = 0,
    root_owner: tuple[int, int] = (0, 0),
    time: Moment | None = None,
    checkpoint_version: int = 0,
    cold_extensions: Names = (),
    hot_extensions: Names = (),
    stamp: str | None = None,
) -> int:
    """Return the smallest size in bytes of a volume with these options of `mkfs()`."""
    chosen = _options(dict(locals()))
    found = ffi.new("uint64_t *")
    context = Context()
    context._handle.call(lib.f2fs_mkfs_minimum_size, chosen.row, found)
    return int(found[0])


def _with_devices(
    specs: Sequence[DeviceSpec],
    overwrite: bool,
    context: Context | None,
    chosen: _Options,
    function: Any,
    rehearses: bool = False,
) -> None:
    """Call function(context, devices, count, options) with everything open. If it fails, remove files made for it.

    rehearses: use memory in place of files that would be made, or get another size.
    """
    target = specs[0].device
    if isinstance(target, Device):
        if context is not None and context is not target.context:
            raise ValueError("the device belongs to another context")
        context = target.context
    context = context or Context()
    table = ffi.new("struct f2fs_mkfs_device[]", len(specs))
    opened: list[Device] = []
    used: list[Device] = []
    made: list[Path] = []
    try:
        for i, spec in enumerate(specs):
            if isinstance(spec.device, Device):
                device = spec.device
                if device.context is not context:
                    raise ValueError("devices belong to different contexts; make them with the same context=")
            else:
                device = _open_target(spec, overwrite, context, made, rehearses)
                opened.append(device)
            used.append(device)
            if not overwrite and any(device.read(0, min(_HEAD, device.size))):
                raise errors.make(lib.F2FS_ERR_EXISTS, f"device {i} is not empty; overwrite=True formats it anyway")
            table[i].size = number(spec.size, "size")
            if len(specs) > 1:
                path = spec.path or (os.fsdecode(spec.device) if _is_path(spec.device) else "")
                table[i].path = chosen.text(path or f"device{i}", "path of a device")
            if spec.alias is not None:
                table[i].alias = chosen.text(spec.alias, "alias")

        def run(pointer: Any) -> int:
            for i, device in enumerate(used):
                table[i].device = device._handle.held()
            return int(function(pointer, table, len(used), chosen))

        context._handle.call(run)
    except BaseException:
        for file in made:
            with contextlib.suppress(OSError):
                os.unlink(file)
        raise
    finally:
        for device in opened:
            device.close()


def _open_target(spec: DeviceSpec, overwrite: bool, context: Context, made: list[Path], rehearses: bool) -> Device:
    """Open a target given by its path. Append a new file to made."""
    path, size = spec.device, spec.size
    if not _is_path(path):
        return _open_object(path, size, context)
    exists = os.path.exists(path)
    if not size or (exists and not os.path.isfile(path)):
        return Device.open(path, writable=True, exclusive=True, sparse=False, context=context)
    if exists and not overwrite:
        with errors.naming(path):
            raise errors.make(lib.F2FS_ERR_EXISTS, f"{os.fsdecode(path)} exists; overwrite=True formats it anyway")
    if rehearses:
        if exists:  # may it be written, and does nobody else?
            Device.open(path, writable=True, exclusive=True, sparse=False, context=context).close()
        return Device.memory(size, context=context)
    device = Device.create(path, size, exist_ok=exists, context=context)
    if not exists:
        made.append(path)
    return device


def _is_path(target: Target) -> TypeGuard[Path]:
    return isinstance(target, (str, bytes, os.PathLike))


def _open_object(target: Any, size: int, context: Context) -> Device:
    """Open a buffer or a file object of the host. A file that is too short for size becomes longer."""
    if size and hasattr(target, "seek") and hasattr(target, "write") and target.seek(0, os.SEEK_END) < size:
        target.seek(size - 1)
        target.write(b"\0")
        target.flush()
    return as_device(target, context, writable=True)


def _layout(row: Any) -> Layout:
    return Layout(
        results.make_geometry(row.geometry),
        tuple(
            LayoutDevice(one.size, one.segments, one.start, one.end, bool(one.is_alias), one.zone_type)
            for one in row.devices[0 : row.device_count]
        ),
        row.overprovision,
        row.usable_segments,
        row.reserved_segments,
        row.overprovision_segments,
        row.alias_segments,
        row.free_segments,
        row.user_blocks,
        tuple(row.logs),
        row.sit_bitmap_bytes,
        row.nat_bitmap_bytes,
        row.checksum_offset,
        bool(row.large_nat),
        bool(row.nat_bits),
    )
