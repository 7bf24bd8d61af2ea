# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helpers for tests of programs that make or use F2FS images: features, power cuts, equal trees.

The pytest plugin (`f2fskit.pytest_plugin`) adds fixtures on top of it. It is found by itself where f2fskit is installed.
"""

from __future__ import annotations

import collections.abc
import difflib
import itertools
import os
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from . import enums, errors
from .build_image import Tree, build
from .checker import check
from .device import Device
from .difference import Difference, diff
from .making import MkfsOptions, mkfs_plan
from .name_text import Patterns
from .power_cut import PowerCut, PowerCutError, Procedure, power_cuts
from .source import Source
from .volume import Volume, open as open_volume

__all__ = [
    "PowerCut",
    "PowerCutError",
    "Procedure",
    "VolumeKind",
    "assert_sound",
    "assert_trees_equal",
    "matrix",
    "power_cuts",
]

_SIZE = 64 << 20
_NOT_ALONE = ("blkzoned", "extra_attr", "ro")  # they need another device, or leave nothing to test
_SHOWN_LINES = 40
_SHOWN_BYTES = 16
_LEAST_FIELDS = ("mode", "owner", "mtime", "links", "xattrs", "flags", "project")
_OTHER_KINDS: dict[str, MkfsOptions] = {
    "blocks of 16 KiB": {"block_size": 16384},
    "sections of 4 segments": {"segs_per_sec": 4},
}


class VolumeKind(dict):  # type: ignore[type-arg]
    """Options of `mkfs()`, with a name that pytest can show."""

    def __init__(self, name: str, options: MkfsOptions) -> None:
        super().__init__(options)
        self.name = name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"VolumeKind({self.name!r}, {dict(self)!r})"

    @property
    def __name__(self) -> str:
        """The name, where pytest looks for that of a parameter."""
        return self.name


def _with_needs(features: Sequence[str]) -> list[str] | None:
    """Return the features with those that they need; None if no volume can have them together."""
    for needed in ((), ("extra_attr",)):
        names = sorted({*features, *needed})
        try:
            plan = mkfs_plan(_SIZE, features=names)  # type: ignore[arg-type]
        except errors.Error:
            continue
        if all(enums.Feature[name.upper()] in plan.geometry.feature for name in names):  # some are dropped without devices
            return names
    return None


def matrix(*features: enums.FeatureName) -> list[VolumeKind]:
    """Return kinds of volumes, to be parameters of a test.

        @pytest.mark.parametrize("f2fs_kind", f2fskit.testing.matrix("compression", "casefold"))

    Args:
        features: all combinations of these, each with the features that it needs. None: a plain volume, one for each
            feature, one with all of them that get on together, and volumes of other geometry.

    Raises:
        ValueError: an unknown feature.
    """
    known = [name.lower() for name in enums.Feature.__members__]
    unknown = [name for name in features if name not in known]
    if unknown:
        raise ValueError(f"there is no feature {unknown[0]!r}; there are {', '.join(known)}")
    if features:
        sets = [chosen for n in range(len(features) + 1) for chosen in itertools.combinations(features, n)]
        return _kinds(sets)
    singles = [name for name in known if name not in _NOT_ALONE and _with_needs([name])]
    together: list[str] = ["extra_attr"]
    for name in singles:
        together += [name] if _with_needs([*together, name]) else []
    found = _kinds([(), *((name,) for name in singles)])
    found.append(VolumeKind("all features", {"features": together}))  # type: ignore[typeddict-item]
    found += [VolumeKind(name, options) for name, options in _OTHER_KINDS.items()]
    return found


def _kinds(sets: Sequence[Sequence[str]]) -> list[VolumeKind]:
    found = []
    for chosen in sets:
        names = _with_needs(chosen)
        if names is not None:
            found.append(VolumeKind("+".join(chosen) or "plain", {"features": names}))  # type: ignore[typeddict-item]
    return found


def assert_sound(source: Source) -> None:
    """Fail with the findings unless a check of an image finds nothing wrong."""
    report = check(source)
    if not report.is_sound:
        lines = [f"  {one.name}: {one.message}" for one in report.problems if one.severity != enums.Severity.NOTE]
        raise AssertionError("\n".join([f"the volume has {report.found} problems:", *_limited(lines)]))


Side = Union[Volume, Source, Tree]


def assert_trees_equal(
    found: Side,
    expected: Side,
    *,
    ignore: Sequence[str] = (),
    include: Patterns = (),
    exclude: Patterns = (),
) -> None:
    """Fail with a readable difference unless two trees are equal.

    Args:
        found, expected: an open `Volume`, an image, a directory of the host, or a nested dictionary as of `build()`. One
            may be a directory or a dictionary. A dictionary is compared by names, types, targets and contents only.
        ignore: names of fields that are not compared, see `Difference.fields`.
        include, exclude: patterns of names, as of `Volume.extract()`.

    The message has old and new values of each field, text contents as a unified diff, and the first differing bytes of
    other contents.
    """
    sides = {"found": found, "expected": expected}
    is_least = any(isinstance(side, collections.abc.Mapping) for side in sides.values())
    if is_least:
        ignore = sorted({*ignore, *_LEAST_FIELDS})
    made: list[Any] = []
    try:
        for name, side in sides.items():
            if isinstance(side, collections.abc.Mapping):
                device = build(side)
                made.append(device)
                sides[name] = open_volume(device)
                made.append(sides[name])
        differences = diff(sides["found"], sides["expected"], ignore=ignore, include=include, exclude=exclude)
        if is_least:  # mkfs() made it, and no dictionary names it
            differences = [one for one in differences if one.path != "/lost+found"]
        if differences:
            raise AssertionError(_describe(differences, sides["found"], sides["expected"]))
    finally:
        for one in reversed(made):
            one.close()


def _describe(differences: Sequence[Difference], found: Any, expected: Any) -> str:
    lines = [f"the trees differ at {len(differences)} path{'s' if len(differences) > 1 else ''} (- found, + expected):"]
    for one in differences:
        lines += _describe_one(one, found, expected)
    return "\n".join(_limited(lines))


def _limited(lines: list[str]) -> list[str]:
    left = len(lines) - _SHOWN_LINES
    return lines if left <= 1 else [*lines[:_SHOWN_LINES], f"  and {left} lines more"]


def _describe_one(one: Difference, found: Any, expected: Any) -> Iterator[str]:
    if one.kind == "added":
        yield f"  {one.path}: missing ({one.new.get('type', 'unknown')})"
    elif one.kind == "removed":
        yield f"  {one.path}: unexpected ({one.old.get('type', 'unknown')})"
    elif one.kind == "unreadable":
        yield f"  {one.path}: unreadable: {one.message}"
    for field in one.fields:
        if field == "contents":
            yield f"  {one.path}: contents differ"
            yield from _describe_contents(_contents(found, one.path), _contents(expected, one.path))
        elif field in one.old or field in one.new:
            yield f"  {one.path}: {field}: {_shown(field, one.old)} != {_shown(field, one.new)}"
        else:
            yield f"  {one.path}: {field} differ"


def _shown(field: str, values: Mapping[str, Any]) -> str:
    value = values.get(field)
    return f"{value:#o}" if field == "mode" and value is not None else repr(value)


def _contents(side: Any, path: str) -> bytes | None:
    """Return the contents of a file on a side, or None if they cannot be read."""
    try:
        if isinstance(side, Volume):
            return side.lookup(path).read_bytes()
        if isinstance(side, Device):
            with open_volume(side) as volume:
                return volume.lookup(path).read_bytes()
        return _host_contents(side, path)
    except (errors.Error, OSError, MemoryError):
        return None


def _host_contents(side: Any, path: str) -> bytes:


    if os.path.isdir(side):
        with open(os.path.join(os.fsencode(side), os.fsencode(path.lstrip("/"))), "rb") as file:
            return file.read()
    with open_volume(side) as volume:
        return volume.lookup(path).read_bytes()


def _describe_contents(found: bytes | None, expected: bytes | None) -> Iterator[str]:
    if found is None or expected is None:
        return
    texts = [_text(data) for data in (found, expected)]
    if None not in texts:
        before, after = (str(text).splitlines() for text in texts)
        if before != after:
            yield from ("    " + line for line in itertools.islice(difflib.unified_diff(before, after, lineterm="", n=2), 2, None))
            return
    same = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
    yield f"    first at byte {same:,} of {len(found):,} and {len(expected):,}"
    start = same - same % _SHOWN_BYTES
    for mark, data in (("-", found), ("+", expected)):
        yield f"    {mark} {start:08x} {data[start : start + _SHOWN_BYTES].hex(' ')}"


def _text(data: bytes) -> str | None:
    """Return short UTF-8 text, or None for other bytes."""
    if len(data) > 1 << 20 or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


