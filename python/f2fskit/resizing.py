# SPDX-License-Identifier: LGPL-2.1-or-later
"""Grow and shrink volumes."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

from . import enums
from ._core import LogCallback, ProgressCallback, ffi, lib, number, put, sized
from .context import Context
from .device import Device, further_devices
from .source import Source, as_device, names_source
from .tree import host_path


class ResizeStep(NamedTuple):
    """One step on the way to a size."""

    kind: enums.ResizeKind
    segments: int
    """Segments of the volume after this step, areas included."""
    moved: int
    """Main segments that are emptied to rewrite the areas there."""


class ResizeResult(NamedTuple):
    """Result of resizing, or of a dry run."""

    old_bytes: int
    """Of the device that the volume takes. Of several devices, sizes in bytes are the last one's."""
    new_bytes: int
    old_segments: int
    new_segments: int
    old_user_blocks: int
    new_user_blocks: int
    minimum_bytes: int
    """The smallest size by shrinking in place, as an estimate."""
    device_bytes: int
    device_is_short: bool
    """The volume is larger than its device."""
    blocks_to_move: int
    """An estimate."""
    moved_blocks: int
    commits: int
    area_bytes: int
    """Written for new areas."""
    estimated_commits: int
    """Of a dry run, about."""
    estimated_seconds: float
    """Of a dry run, if the device writes as fast as it reads; 0: nothing is to be moved."""
    spare_segments: int
    """Of the tables: more than the new size needs. They stay where a pinned or damaged file, or zones, are in the way."""
    steps: tuple[ResizeStep, ...]


def _result(row: Any) -> ResizeResult:
    values = {name: getattr(row, name) for name in ResizeResult._fields if name != "steps"}
    values["device_is_short"] = bool(row.device_is_short)
    steps = [row.steps[i] for i in range(row.step_count)]
    return ResizeResult(
        steps=tuple(ResizeStep(enums.ResizeKind(one.kind), one.segments, one.moved) for one in steps), **values
    )


@names_source
def resize(
    source: Source,
    size: int | None = None,
    *,
    overprovision: float | None = None,
    minimum: bool = False,
    dry_run: bool = False,
    truncate: bool = False,
    recover: bool = False,
    offset: int = 0,
    devices: Sequence[Source] = (),
    accept_unread: bool = False,
    accept_foreign: bool = False,
    lock: bool = True,
    context: Context | None = None,
    log: LogCallback | None = None,
    progress: ProgressCallback | None = None,
) -> ResizeResult:
    """Grow or shrink a volume. An interruption leaves a sound volume, and another call continues.

    Args:
        source: as for `open()`. Nobody may have the volume open. A file given by its path becomes longer as needed.
        size: bytes from the start of the volume, or on several devices, of the last one. None: the whole device, or the
            present size when only the overprovision changes.
        overprovision: percent kept for GC. None: the value that leaves most usable space.
        minimum: shrink to the smallest size.
        dry_run: only report the effects. source is only read.
        truncate: cut a file given by its path to the end of the volume.
        recover: recover an unclean volume first.
        offset: byte where the volume starts.
        devices: of a volume on several devices, the further ones in order.
        accept_unread, accept_foreign, lock: as of `open()`.
        context, log, progress: as for `open()`.

    Raises:
        NospcError: too small. The message names the smallest size, or the space to free.
        TooBigError: the format ends before that. RangeError: the device is shorter.
        UnsupportedError: the volume is zoned or read-only, or a pinned file is in the way, which the message names.
        StateError: the volume is unclean or damaged. CanceledError: the progress callback asked to stop.
        ValueError: arguments that contradict each other.
    """
    if size is not None and size <= 0:
        raise ValueError(f"size has to be more than 0, not {size}")
    if size is not None and minimum:
        raise ValueError("size and minimum exclude each other")
    if truncate and (devices or not isinstance(source, (str, bytes, os.PathLike))):
        raise ValueError("truncate cuts one file that is given by its path")
    if isinstance(source, Device):
        if context is not None and context is not source.context:
            raise ValueError("the device belongs to another context")
        context = source.context
    if context is not None and (log is not None or progress is not None):
        raise ValueError("log and progress belong to the context that is shared")
    shared = context or Context(log=log, progress=progress)
    options = sized("struct f2fs_resize_options *")
    put(options, size=size or 0, overprovision=overprovision or 0)
    options.to_minimum = minimum
    options.keep_size = size is None and not minimum and overprovision is not None
    options.dry_run = True
    path = host_path(source) if isinstance(source, (str, bytes, os.PathLike)) else None
    opening = sized("struct f2fs_open_options *")
    put(opening, offset=offset, accept_unread=accept_unread, accept_foreign=accept_foreign)

    def run(is_dry: bool) -> ResizeResult:
        opened: list[Device] = []

        def open_one(one: Source) -> Device:
            device = as_device(one, shared, not is_dry, lock)
            if device is not one:
                opened.append(device)
            return device

        opening.recover = 0 if not recover else lib.F2FS_RECOVER_VIEW if is_dry else lib.F2FS_RECOVER_APPLY
        options.dry_run = is_dry
        row = sized("struct f2fs_resize_result *")
        try:
            device = open_one(source)
            further = [open_one(one) for one in devices]

            def call(pointer: Any) -> int:
                with further_devices(opening, further):
                    return int(lib.f2fs_resize(pointer, device._handle.held(), opening, options, row))

            shared._handle.call(call)
        finally:
            for device in reversed(opened):
                device.close()
        return _result(row)

    found = run(True)  # refuses an impossible size before a file changes its length
    if dry_run:
        return found
    if path is None or not os.path.isfile(path) or devices:
        return run(False)
    length = os.path.getsize(path)
    if size and length < offset + size:
        os.truncate(path, offset + size)
    try:
        found = run(False)
    except BaseException:
        # the file becomes as long as it was, unless the volume has grown into it
        options.size, options.keep_size, options.to_minimum = 0, True, False
        if os.path.getsize(path) > length and offset + run(True).old_bytes <= length:
            os.truncate(path, length)
        raise
    if truncate and os.path.getsize(path) > offset + found.new_bytes:
        os.truncate(path, offset + found.new_bytes)
    return found


@names_source
def resize_minimum(
    source: Source, *, offset: int = 0, devices: Sequence[Source] = (), lock: bool = True, context: Context | None = None
) -> tuple[int, int]:
    """Return two sizes in bytes: the smallest to which the volume can shrink, and that of a new one for the same files.

    Args:
        source, offset, devices: as of `resize()`; source is only read.
        lock, context: as of `open()`.

    Raises:
        UnsupportedError, StateError: a volume that cannot be resized.
    """
    if isinstance(source, Device):
        context = source.context
    shared = context or Context()
    opening, sizes = sized("struct f2fs_open_options *"), ffi.new("uint64_t[2]")
    opening.offset = number(offset, "offset")
    opened = [as_device(one, shared, False, lock) for one in (source, *devices)]

    def call(pointer: Any) -> int:
        with further_devices(opening, opened[1:]):
            return int(lib.f2fs_resize_minimum(pointer, opened[0]._handle.held(), opening, sizes, sizes + 1))

    try:
        shared._handle.call(call)
    finally:
        for device, one in zip(opened, (source, *devices)):
            if device is not one:
                device.close()
    return sizes[0], sizes[1]
