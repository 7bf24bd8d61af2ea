# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of a volume with matplotlib: use of the segments, how full they are, times of files, fragments of files.

Each function draws on the axes that it is given, or on the current ones of pyplot, and returns them. matplotlib is imported when
the first plot is drawn. `Volume.segment_map()` and `f2fskit.report` draw without it.
"""

from __future__ import annotations

import datetime
import importlib
import math
from typing import TYPE_CHECKING, Any, Iterable, Literal, Sequence

from .enums import LogType
from .listing import NO_TIME
from .path import AnyPath
from .volume import Volume

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import]

TimeName = Literal["mtime", "atime", "ctime", "crtime"]
_TIMES: tuple[TimeName, ...] = TimeName.__args__  # type: ignore[attr-defined]
# Hues that people with a colour deficiency tell apart; nodes are blue to green, data yellow to red, hot ones the strongest.
_COLORS: dict[int, str] = {
    LogType.HOT_NODE: "#0b3c7d", LogType.WARM_NODE: "#2f7fc1", LogType.COLD_NODE: "#8cc5e3",
    LogType.HOT_DATA: "#b2182b", LogType.WARM_DATA: "#ef8a62", LogType.COLD_DATA: "#fdd49e",
}  # fmt: skip
_FREE = "#f2f2f2"
_LAST_YEAR = 9999


def _axes(axes: Axes | None) -> Axes:
    if axes is not None:
        return axes
    try:
        found: Axes = importlib.import_module("matplotlib.pyplot").gca()
    except ImportError:
        raise ImportError("matplotlib is not installed: pip install 'f2fskit[plot]', or use f2fskit.report without it") from None
    return found


def _words(kind: int) -> str:
    return LogType(kind).name.lower().replace("_", " ")


def segments(volume: Volume, axes: Axes | None = None, *, columns: int | None = None) -> Axes:
    """Draw each segment of the main area as a square, in the colour of its type and the paler the emptier it is.

    Args:
        axes: where to draw.
        columns: squares in a row, 1 or more. None: as many as make a picture somewhat wider than high.
    """
    if columns is None:
        columns = max(math.isqrt(3 * volume.geometry.segment_count_main // 2), 1)
    if columns < 1:
        raise ValueError(f"columns: {columns} is not 1 or more")
    to = _axes(axes)
    colors, patches = importlib.import_module("matplotlib.colors"), importlib.import_module("matplotlib.patches")
    blocks = 1 << volume.superblock.log_blocks_per_seg
    free = colors.to_rgb(_FREE)
    cells, found = [], set()
    for entry in volume.sit:
        share = entry.valid_blocks / blocks
        if share == 0:
            cells.append(free)
            continue
        found.add(entry.type)
        strength = 0.25 + 0.75 * min(share, 1)
        cells.append(tuple(strength * one + (1 - strength) * none for one, none in zip(colors.to_rgb(_COLORS[entry.type]), free)))
    rows = -(-len(cells) // columns)
    cells += [(1.0, 1.0, 1.0)] * (rows * columns - len(cells))
    to.imshow([cells[row * columns : (row + 1) * columns] for row in range(rows)], interpolation="nearest", aspect="equal")
    to.set(title="Segments", xlabel=f"{columns} segments in a row", ylabel="row")
    for axis in (to.xaxis, to.yaxis):
        locator: Any = axis.get_major_locator()
        locator.set_params(integer=True)
    shown = [patches.Patch(color=_COLORS[kind], label=_words(kind)) for kind in _COLORS if kind in found]
    to.legend(handles=[*shown, patches.Patch(color=_FREE, label="free")], bbox_to_anchor=(1, 1), loc="upper left")
    return to


def utilisation(volume: Volume, axes: Axes | None = None, *, bins: int = 20) -> Axes:
    """Draw how many segments in use are how full, by type: what GC has to move. Free segments are not drawn.

    Args:
        axes: where to draw.
        bins: classes of fullness, 1 or more.
    """
    to = _axes(axes)
    blocks = 1 << volume.superblock.log_blocks_per_seg
    shares: dict[int, list[float]] = {kind: [] for kind in _COLORS}
    for entry in volume.sit:
        if entry.valid_blocks:
            shares[entry.type].append(100 * entry.valid_blocks / blocks)
    kinds = [kind for kind in _COLORS if shares[kind]]
    to.hist([shares[kind] for kind in kinds], bins=bins, range=(0, 100), stacked=True, color=[_COLORS[kind] for kind in kinds],
            label=[_words(kind) for kind in kinds])  # fmt: skip
    to.set(title="How full segments are", xlabel="valid blocks, percent", ylabel="segments")
    if kinds:
        to.legend()
    return to


def _moments(values: Iterable[int | None]) -> list[datetime.datetime]:
    """Return times as dates. Those that no date can hold are left out."""
    epoch = datetime.datetime(1970, 1, 1)
    found = []
    for value in values:
        if value is None or value == NO_TIME:
            continue
        try:
            moment = epoch + datetime.timedelta(microseconds=value // 1000)
        except OverflowError:
            continue
        if moment.year < _LAST_YEAR:
            found.append(moment)
    return found


def timeline(volume: Volume, axes: Axes | None = None, *, times: Sequence[TimeName] = ("mtime", "crtime"), bins: int = 48) -> Axes:
    """Draw how many files that are there have a time in each span. The times are UTC.

    Args:
        axes: where to draw.
        times: which times.
        bins: spans, 1 or more.
    """
    for name in times:
        if name not in _TIMES:
            raise ValueError(f"there is no time {name!r}; there are {', '.join(_TIMES)}")
    from .rows import table

    to = _axes(axes)
    rows = table("files", volume)
    places: dict[TimeName, int] = {name: list(rows.columns).index(name) for name in times}
    values: dict[TimeName, list[int | None]] = {name: [] for name in times}
    for row in rows.rows:
        for name, place in places.items():
            values[name].append(row[place])
    # lists of datetime, which the hints of matplotlib leave out
    drawn: dict[TimeName, Any] = {name: _moments(found) for name, found in values.items()}
    every = [moment for found in drawn.values() for moment in found]
    for name, found in drawn.items():
        if found:
            to.hist(found, bins=bins, range=(min(every), max(every)), histtype="step", label=f"{name}: {len(found):,} files")
    to.set(title="Times of files", xlabel="UTC", ylabel="files")
    if every:
        to.legend()
        to.tick_params(axis="x", rotation=30)
    return to


def fragments(volume: Volume, axes: Axes | None = None, *, paths: Sequence[AnyPath] | None = None) -> Axes:
    """Draw size and fragments of each file that has blocks. Files on the line at 1 lie in one piece.

    Args:
        axes: where to draw.
        paths: files, or directories with all below them. None: everything.
    """
    to = _axes(axes)
    block = volume.geometry.block_size
    whole: list[tuple[int, int]] = []
    broken: list[tuple[int, int]] = []
    for one in volume.fragmentation(paths).by_file:
        if one.blocks and one.fragments:
            (broken if one.fragments > one.ideal else whole).append((one.blocks * block, one.fragments))
    for found, color, label in ((whole, "#2f7fc1", "in one piece"), (broken, "#b2182b", "broken")):
        if found:
            to.scatter(*zip(*found), s=12, alpha=0.6, color=color, label=f"{label}: {len(found):,} files")
    to.set(title="Fragments of files", xlabel="stored bytes", ylabel="fragments")
    if whole or broken:
        to.set(xscale="log", yscale="log")
        to.legend()
    return to
