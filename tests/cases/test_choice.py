# SPDX-License-Identifier: LGPL-2.1-or-later
"""A repair that leaves what can be left of each case: that is found again, with nothing that was not there before, and the
next repair makes it right."""
import pytest

import cases
from test_cases import broken, maker  # noqa: F401  (fixtures)

CASES = cases.load()
# Choices that are gone when something that all else stands on is right again.
FOLLOW = {"sb_features", "nat_address", "nat_unreadable"}


def names(report):
    return {p.name for p in report.problems if p.severity}


@pytest.mark.parametrize("name", CASES)
def test_left(broken, f2fskit, name):  # noqa: F811
    case = CASES[name]
    volume = broken(case)
    before = volume.check()
    choices = {p.name for p in before.problems if p.info.repair == f2fskit.RepairKind.CHOICE}
    if not choices or case.fails:
        pytest.skip("nothing to choose")
    report = volume.check(repair=True, skip=choices)
    assert not {p.name for p in report.problems if p.is_chosen} & choices
    after = volume.check()
    if name not in FOLLOW:
        assert choices <= names(after) <= names(before), (names(before), names(after))
    assert report.left == after.found
    volume.check(repair=True)
    assert names(volume.check()) == set(case.left)
