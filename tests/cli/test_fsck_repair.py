# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each damage of test_fsck_damage.py repaired: nothing is left for a second check, and files that were not hit are there
with their contents."""
import pytest

import damage
import test_fsck_damage
from test_fsck_damage import base, broken  # noqa: F401  (fixtures)

# Damage of which a repair leaves something to be told: contents that do not come back.
LEFT = {"CLUSTER_DATA", "VERITY_DATA", "DEVICE_SHORT"}
# What may be gone or changed besides nothing: the file that the damage is about.
MAY_LOSE = 3


def contents(path, f2fskit):
    """{path: contents} of what can be read."""
    found = {}
    with f2fskit.open(path) as volume:
        for name, entry in volume.scan("/"):
            if entry.type.name == "REGULAR":
                try:
                    found[name] = volume.inode(entry.ino).read_bytes(max_bytes=1 << 26)
                except f2fskit.Error:
                    found[name] = None
    return found


@pytest.mark.parametrize("name", test_fsck_damage.CASES)
def test_repair(base, broken, f2fskit, name):  # noqa: F811
    function, expected = test_fsck_damage.CASES[name]
    before = contents(base, f2fskit)
    function(broken)
    report = f2fskit.check(broken.path, repair=True)
    if expected & LEFT:
        return
    assert report.left == 0, report.found
    assert f2fskit.check(broken.path).found == 0
    after = contents(broken.path, f2fskit)
    values = list(after.values())
    lost = [path for path, data in before.items() if after.get(path) != data and data not in values]
    assert len(lost) <= MAY_LOSE, lost
