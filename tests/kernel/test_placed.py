# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, put in order: everything is there as before, to us, to f2fs-tools and to the kernel, which
has the same extents in the same places, reads each file with as many requests as our report predicts, and continues to
write without a message."""
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
# The disk of the guest takes no more than this at once, so the kernel's readahead must not ask for more.
REQUEST = 64 << 10
LOOK = r"""
set -e
echo $3 > /sys/block/ubda/queue/read_ahead_kb
mount -o ro,noatime /dev/ubda $MNT
python3 $1 $MNT ubda
umount $MNT
mount -o ro,noatime /dev/ubda $MNT
python3 -c "$2" $MNT $3
umount $MNT
"""
# Count the requests that the disk serves while each file is read. Its nodes are in memory then, as FIEMAP has asked for them.
COUNT = r"""
import fcntl, json, os, struct, sys
folder, most = sys.argv[1], int(sys.argv[2]) << 10
def served():
    with open("/sys/block/ubda/stat") as file:
        return int(file.read().split()[0])
paths, found = [], {}
for where, names, others in os.walk(folder):
    for path in (os.path.join(where, name) for name in others):
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                fcntl.ioctl(file, 0xC020660B, bytearray(struct.pack("<QQIIII", 0, (1 << 64) - 1, 0, 0, 0, 0)))
                paths += [path] if os.path.isfile(path) and os.path.getsize(path) < 64 << 20 else []
        except OSError:
            pass  # without its key, or a link
for path in paths:
    before = served()
    with open(path, "rb", buffering=0) as file:
        while file.read(most):
            pass
    found[path[len(folder):]] = served() - before
print(json.dumps(found))
"""
INLINE, ENCODED, UNWRITTEN = 0x200, 0x8, 0x800
BLOCK = 4096


def fits(spec):
    return (spec.views is images.CLEAN and len(spec.sizes) == 1 and not spec.zoned and "readonly" not in spec.needs and
            spec.sizes[0] <= 512 << 20 and (spec.name in SAMPLE or bool(os.environ.get("F2FSKIT_LONG_RUNS"))))


def look(image, kernel):
    """Return the kernel's layout of the files, and the requests that it needs to read each."""
    program = os.path.join(HERE, "guest", "layout.py")
    done = uml.run(LOOK, images=[str(image)], args=[program, COUNT, str(REQUEST >> 10)], kernel=kernel).check()
    layout, reads = map(json.loads, done.stdout.splitlines())
    return {"extents": layout["extents"], "reads": reads}


def merged(extents):
    """[first block, block on the disk, blocks]: extents that follow each other taken for one, as the kernel's own cache cuts
    them at times. Where the kernel says that it is not so simple, the place is None."""
    found, before = [], None
    for logical, physical, length, flags in extents:
        kind = flags & (INLINE | ENCODED | UNWRITTEN)
        follows = (before and before[2] == kind and before[0] == logical and kind != ENCODED and
                   (kind == UNWRITTEN or before[1] == physical))
        if follows:
            found[-1][2] += length // BLOCK
        else:
            found.append([logical // BLOCK, None if kind else physical // BLOCK, length // BLOCK])
        before = (logical + length, physical + length, kind)
    return found


def ours_of(inode, f2fskit):
    """The same of our extents."""
    found = []
    for extent in inode.extents():
        if extent.kind == f2fskit.ExtentKind.DATA:
            follows = found and found[-1][1] and found[-1][0] + found[-1][2] == extent.file_block and \
                found[-1][1] + found[-1][2] == extent.addr
            if follows:
                found[-1][2] += extent.count
            else:
                found.append([extent.file_block, extent.addr, extent.count])
    return found


def must_agree(volume, f2fskit, seen):
    """Our report, the kernel's FIEMAP, and what reading costs it."""
    ours = {file.path: file for file in volume.fragmentation(read_bytes=REQUEST).by_file}
    compared = 0
    for path, theirs in seen["extents"].items():
        if theirs is None or path not in ours:
            continue
        compared += 1
        extents = merged(theirs)
        assert len(extents) == ours[path].extents, (path, theirs[:20], ours[path])
        inode = volume.lookup(path)
        placed = [extent for extent in extents if extent[1] is not None]
        if not inode.is_compressed:
            assert placed == ours_of(inode, f2fskit), (path, theirs[:20])
    assert compared or not seen["extents"], "without their keys the kernel opens no encrypted files"
    other = {path: (n, ours[path]) for path, n in seen["reads"].items() if path in ours and n != ours[path].requests}
    assert not other, other


@pytest.mark.images.with_args(fits)
def test_what_the_kernel_wrote_is_put_in_order(image, f2fskit, kernel, peer_check, tmp_path):
    path = test_repair.copy_of(image, tmp_path / "disk")
    seen = look(path, kernel)
    with f2fskit.open(path) as volume:
        before = volume.fragmentation()
        must_agree(volume, f2fskit, seen)
    for order in ("score", "tree", "space"):
        with f2fskit.open(path, "r+") as volume:
            found = volume.defrag(order)
        assert found.unconfirmed == found.unreadable == 0
        assert order == "space" or found.after.broken <= before.broken
        assert f2fskit.check(path).found == 0, order
        if order == "tree":
            after = look(path, kernel)
            with f2fskit.open(path) as volume:
                must_agree(volume, f2fskit, after)
            if before.requests > 2 * before.ideal_requests:
                assert sum(after["reads"].values()) < sum(seen["reads"].values())
    peer_check(path)
    with f2fskit.open(path) as volume:
        reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
    uml.run(test_clean.JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
    peer_check(path)
