#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Test an update of firmware: after a power cut at any moment the device starts, with the old kernel or the new one.

    pytest examples/test_update.py              (with f2fskit installed)
    pytest -p f2fskit.pytest_plugin examples/test_update.py      (from a shell of meson devenv)
"""
import f2fskit
import pytest
from f2fskit.testing import assert_trees_equal, matrix, power_cuts

OLD, NEW = b"kernel 1" * 1000, b"kernel 2" * 2000
TREE = {"boot": {"kernel": OLD}, "data": {"settings": "colour = blue\n"}}


def update(device):
    """Replace the kernel: write the new one under another name, make it durable, then rename it. Each yield promises
    that everything before it lasts."""
    with f2fskit.open(device, "r+") as volume:
        volume["/boot/kernel.new"].write_bytes(NEW)
        volume.commit()
        yield "written"
        volume["/boot/kernel.new"].replace("/boot/kernel")
        volume.commit()
    # the end is the last promise


@pytest.mark.parametrize("f2fs_kind", matrix("compression", "inode_checksum"))
def test_update(f2fs_image):
    image = f2fs_image(TREE)
    kernels = set()
    for cut in power_cuts(image, update):
        with cut.mount() as volume:
            kernel = volume["/boot/kernel"].read_bytes()
            assert kernel == NEW if cut.steps == 2 else kernel in (OLD, NEW)
            assert volume["/data/settings"].read_text() == "colour = blue\n"
        kernels.add(kernel)
    assert kernels == {OLD, NEW}


def test_result(f2fs_image):
    image = f2fs_image(TREE)
    for _ in update(image):
        pass
    with f2fskit.open(image) as volume:
        assert_trees_equal(volume, {**TREE, "boot": {"kernel": NEW}})
