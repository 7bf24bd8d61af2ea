# SPDX-License-Identifier: LGPL-2.1-or-later
"""Repair each case and leave everything that can be left. The next run finds the same problems and no new ones, and repairs
them."""
import pytest

import cases
from test_cases import broken, maker  # noqa: F401  (fixtures)

pytestmark = pytest.mark.module_only

CASES = cases.load()
# Choices that are gone when something that all else stands on is right again, or is built again with another permission.
FOLLOW = {"sb_features", "nat_unreadable", "root_missing", "node_unreadable"}


def names(report):
    return {p.name for p in report.problems if p.severity}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.fails and not case.frozen])
def test_left(broken, f2fskit, name):  # noqa: F811
    case = CASES[name]
    volume = broken(case)
    before = volume.check()
    choices = {p.name for p in before.problems if p.info.repair == f2fskit.RepairKind.CHOICE}
    report = volume.check(repair=True, except_=choices, accept_unread=case.accepts)
    assert not {p.name for p in report.problems if p.is_chosen} & choices
    after = volume.check()
    if name not in FOLLOW:
        assert choices <= names(after) <= names(before), (names(before), names(after))
    assert report.left == after.found
    volume.check(repair=True, accept_unread=case.accepts)
    assert names(volume.check()) == set(case.left)


def test_left_nodes_are_not_written_over(broken, f2fskit):  # noqa: F811
    """A node that hangs nowhere keeps its id and its block, whatever is written later."""
    name = next(name for name, case in CASES.items() if "NODE_LOST" in case.finds and not case.fails)
    volume = broken(CASES[name])
    nids = {p.nid for p in volume.check(repair=True, except_="NODE_LOST").problems if p.name == "NODE_LOST"}
    assert nids

    def blocks():
        with f2fskit.open(volume.devices[0], devices=volume.devices[1:]) as vol:
            size = vol.block_size
            return {nid: volume.devices[0].read(vol.nat[nid].block_addr * size, size) for nid in nids}
    before = blocks()
    with f2fskit.open(volume.devices[0], "r+", devices=volume.devices[1:]) as vol:
        free = vol.statfs().free_blocks * vol.block_size
        for i in range(3):
            vol.path("/filler-%d" % i).write_bytes(bytes([i + 1]) * (free * 3 // 10))
            vol.commit()
    assert blocks() == before
    assert nids == {p.nid for p in volume.check().problems if p.name == "NODE_LOST"}
    volume.check(repair=True)
    assert not names(volume.check())
