# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, in files that were cut short: repaired, the kernel mounts them and continues to write."""
import os

import pytest

import test_repair
import test_resized
import uml

SAMPLE = ("features", "fragmented", "compress-chosen")


def fits(spec):
    return test_resized.fits(spec) and (spec.name in SAMPLE or bool(os.environ.get("F2FSKIT_LONG_RUNS")))


@pytest.mark.images.with_args(fits)
def test_cut_short(image, f2fskit, run_tool, kernel, peer_check, tmp_path):
    for share in (0.45, 0.75):
        path = test_repair.copy_of(image, tmp_path / f"disk-{share}")
        length = os.path.getsize(path)
        with f2fskit.open(path) as volume:
            areas = volume.geometry.main_blkaddr * volume.block_size
        os.truncate(path, areas + int((length - areas) * share) // 4096 * 4096)
        run_tool("fsck.f2fs", "-y", path, rc=1)
        assert os.path.getsize(path) == length
        peer_check(path)
        uml.run(test_resized.JOB, images=[str(path)], kernel=kernel).check()
        assert f2fskit.check(path).found == 0
        peer_check(path)
