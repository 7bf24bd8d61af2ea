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


def check(path, f2fskit, repair):
    from f2fskit._core import ffi, lib
    options, result = ffi.new("struct f2fs_check_options *"), ffi.new("struct f2fs_check_result *")
    options.repair = repair
    with f2fskit.Device.open(path, writable=True) as device:
        context = device.context._handle.pointer
        device._handle.call(lambda pointer: int(lib.f2fs_check(context, pointer, options, result)))
    return result.found, result.left


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
    found, left = check(broken.path, f2fskit, True)
    if expected & LEFT:
        return
    assert left == 0, found
    assert check(broken.path, f2fskit, False)[0] == 0
    after = contents(broken.path, f2fskit)
    values = list(after.values())
    lost = [path for path, data in before.items() if after.get(path) != data and data not in values]
    assert len(lost) <= MAY_LOSE, lost
