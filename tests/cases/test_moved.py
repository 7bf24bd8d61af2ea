# SPDX-License-Identifier: LGPL-2.1-or-later
"""Moving blocks on damaged volumes: each case is put in order, cleaned and resized. That is refused, or goes round the damage:
what could be read before is there afterwards, and a check finds no other problems than before. Every second case in one way;
with F2FSKIT_LONG_RUNS each in all."""
import os

import pytest

import cases
from test_cases import CASES, broken, maker  # noqa: F401  (fixtures)

pytestmark = pytest.mark.module_only

ORDERS = ("score", "tree", "age", "space", "list")
ALL = bool(os.environ.get("F2FSKIT_LONG_RUNS"))


def defrag(f2fskit, volume, order):
    with f2fskit.open(volume.devices[0], "r+", devices=volume.devices[1:]) as opened:
        found = opened.defrag(order, move_pinned=True, parts=["/"] if order == "list" else ())
    assert found.after.unreadable == found.before.unreadable


def clean(f2fskit, volume, _):
    with f2fskit.open(volume.devices[0], "r+", devices=volume.devices[1:]) as opened:
        opened.gc("greedy", used_limit=100)


def resize(f2fskit, volume, _):
    f2fskit.resize(volume.devices[0], minimum=True, devices=volume.devices[1:])


# The block moves with its owner, or is free. Only a scan of all nodes could find the wrong pointer that leads to it: it stays,
# and when the volume has shrunk it leads past the end. There a check finds ADDRESS where it found DATA_POINTER. Neither costs
# contents, as the pointer is in a place that was a hole.
STALE = {("data_pointer_to_another_file", "/big"), ("block_shared", "/medium")}
STALE_FINDS = {"block_shared": {"ADDRESS", "BLOCK_COUNT"}, "data_pointer_in_a_hole": {"ADDRESS"},
               "data_pointer_to_a_free_block": {"ADDRESS"}}
WAYS = [(defrag, order) for order in ORDERS] + [(clean, None), (resize, None)]
NAMES = list(CASES)[::1 if ALL else 2]


@pytest.mark.parametrize("name", NAMES)
def test_damage_is_not_moved(broken, f2fskit, name):  # noqa: F811
    for way, order in WAYS if ALL else [WAYS[NAMES.index(name) % len(WAYS)]]:
        volume = broken(CASES[name])
        # a log may leave a segment that holds only blocks of a lost node
        found = {p.name for p in volume.check().problems} | ({"CP_FREE_SEGMENTS"} if CASES[name].unreadable else set())
        if way is resize:
            found |= STALE_FINDS.get(name, set())
        try:
            before = volume.contents()
        except f2fskit.Error:
            before = {}
        try:
            way(f2fskit, volume, order)
        except f2fskit.Error:
            pass
        more = {p.name for p in volume.check().problems} - found
        assert not more, (way.__name__, order, more)
        if before:
            after = volume.contents()
            other = [path for path in before if after.get(path) != before[path] and (name, path) not in STALE]
            assert not other, (way.__name__, order, other)
