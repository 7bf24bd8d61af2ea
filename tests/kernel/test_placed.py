# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, put in order: everything is there as before, to us, to f2fs-tools and to the kernel, which
counts the same extents as our report, reads files with fewer requests, and goes on writing without a word."""
import json
import os

import pytest

import images
import reading
import test_clean
import test_repair
import uml

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = ("features", "aged", "compress-chosen", "encrypt-combined")
LOOK = "mount -o ro,noatime /dev/ubda $MNT && python3 %s $MNT ubda && umount $MNT"
INLINE, ENCODED, UNWRITTEN = 0x200, 0x8, 0x800


def fits(spec):
    return (spec.views is images.CLEAN and len(spec.sizes) == 1 and not spec.zoned and "readonly" not in spec.needs and
            spec.sizes[0] <= 512 << 20 and (spec.name in SAMPLE or bool(os.environ.get("F2FSKIT_LONG_RUNS"))))


def look(image, kernel):
    """What the kernel says of the files' layout, and the requests it needs to read them."""
    done = uml.run(LOOK % os.path.join(HERE, "guest", "layout.py"), images=[str(image)], kernel=kernel).check()
    return json.loads(done.stdout)


def merged(extents):
    """The number of extents, those that follow each other taken for one: the kernel's own cache cuts them at times."""
    count, before = 0, None
    for logical, physical, length, flags in extents:
        kind = flags & (INLINE | ENCODED | UNWRITTEN)
        follows = (before and before[2] == kind and before[0] == logical and kind != ENCODED and
                   (kind == UNWRITTEN or before[1] == physical))
        count += not follows
        before = (logical + length, physical + length, kind)
    return count


def must_agree(report, extents):
    ours = {file.path: file for file in report.by_file}
    compared = 0
    for path, theirs in extents.items():
        if theirs is None or path not in ours:
            continue
        compared += 1
        assert merged(theirs) == ours[path].extents, (path, theirs[:20], ours[path])
    assert compared or not extents, "without their keys the kernel opens no encrypted files"


@pytest.mark.images.with_args(fits)
def test_what_the_kernel_wrote_is_put_in_order(image, f2fskit, kernel, peer_check, tmp_path):
    path = test_repair.copy_of(image, tmp_path / "disk")
    with f2fskit.open(path) as volume:
        before = volume.fragmentation()
    reads = look(path, kernel)
    must_agree(before, reads["extents"])
    for order in ("score", "tree", "space"):
        with f2fskit.open(path, "r+") as volume:
            found = volume.defrag(order)
        assert found.unconfirmed == found.unreadable == 0
        assert order == "space" or found.after.broken <= before.broken
        assert f2fskit.check(path).found == 0, order
        if order == "tree":
            after = look(path, kernel)
            with f2fskit.open(path) as volume:
                must_agree(volume.fragmentation(), after["extents"])
            if before.requests > 2 * before.ideal_requests:
                assert after["reads"] < reads["reads"]
    peer_check(path)
    with f2fskit.open(path) as volume:
        reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
    uml.run(test_clean.JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
    peer_check(path)
