# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, damaged and repaired: the kernel mounts and writes them without a message, f2fs-tools find
nothing wrong, and undamaged files are unchanged."""
import os
import random
import shutil
import subprocess

import pytest

import makers
import reading
import test_rescue
import uml

JOB = r"""
set -e
for dev in /dev/ubd[a-h]; do
    [ -b $dev ] || continue
    mount $dev $MNT
    find $MNT -type f -exec cat {} + > /dev/null 2>&1 || true
    mkdir -p $MNT/after-repair
    for i in $(seq 40); do echo $i > $MNT/after-repair/file-$i; done
    sync
    umount $MNT
    mount $dev $MNT
    [ $(ls $MNT/after-repair | wc -l) = 40 ]
    umount $MNT
done
"""


def copy_of(image, path):
    subprocess.run(["cp", "--sparse=always", image.path, path], check=True)
    return path


def repair_and_judge(paths, f2fskit, kernel, peer_check):
    for path in paths:
        assert f2fskit.check(path, repair=True).left == 0, path
        assert f2fskit.check(path).found == 0, path
        peer_check(path)
    uml.run(JOB, images=[str(path) for path in paths], kernel=kernel).check()
    for path in paths:
        assert f2fskit.check(path).found == 0, path
        peer_check(path)


@pytest.fixture(scope="module")
def saved(kernel):
    return makers.make(test_rescue.NAMES, kernel=kernel)


@pytest.mark.parametrize("name, all_lost", [
    ("plain", ("sit", "nat", "packs", "pack-ends", "superblocks+packs+sit+ssa", "sit+nat+ssa")),
    ("features", ("superblocks", "packs+nat+sit")),
    ("sections", ("superblocks+nat", "packs+sit+ssa")),
])
def test_lost_areas(saved, f2fskit, kernel, peer_check, tmp_path, name, all_lost):
    image, paths = saved[name], []
    with f2fskit.open(image.path) as volume:
        areas, size = test_rescue.areas(volume), volume.geometry.block_size
    for i, lost in enumerate(all_lost):
        path = copy_of(image, tmp_path / ("disk-%d" % i))
        with open(path, "r+b") as file:
            for first, count in sum((areas[n] for n in lost.split("+")), []):
                file.seek(first * size)
                file.write(bytes(count * size))
        assert f2fskit.check(path, repair=True).left == 0, lost
        with f2fskit.open(path) as volume:
            reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
        paths.append(path)
    repair_and_judge(paths, f2fskit, kernel, peer_check)


def test_orphan_list_of_files_in_use(f2fskit, kernel, peer_check, tmp_path):
    """A mount would delete all files that the list names. The repair takes them off the list."""
    image = makers.make(["cut-with-orphans"], kernel=kernel)["cut-with-orphans"]
    path = copy_of(image, tmp_path / "disk")
    with f2fskit.open(path) as volume:
        before = reading.tree(volume, f2fskit)
        numbers = sorted({entry.ino for name, entry in volume.scan("/") if name != "/"})
    with f2fskit.fields(path, "r+") as fields:
        fields["orphan_block[0].entry_count"] = len(numbers)
        for i, number in enumerate(numbers):
            fields["orphan[%d].ino" % i] = number
    repair_and_judge([path], f2fskit, kernel, peer_check)
    with f2fskit.open(path) as volume:
        after = reading.tree(volume, f2fskit)
    assert before and {name: after.get(name, {}).get("sha256") for name in before} == {
        name: entry.get("sha256") for name, entry in before.items()}


def meaningful_blocks(volume):
    nodes = [entry.block_addr for entry in volume.nat.used() if entry.nid > 2]
    dirs = []
    for _, entry in volume.scan("/"):
        if entry.type.name == "DIRECTORY":
            dirs += [extent.addr for extent in volume.inode(entry.ino).extents() if extent.kind.name == "DATA"]
    return nodes, dirs or nodes


def damage(path, volume, rng):
    """Change a few bytes of something that means something, or a whole block."""
    size = volume.geometry.block_size
    nodes, dirs = meaningful_blocks(volume)
    tables = range(volume.geometry.sit_blkaddr, volume.geometry.main_blkaddr)
    with open(path, "r+b") as file:
        for _ in range(rng.randint(1, 6)):
            block = rng.choice(rng.choice((nodes, nodes, dirs, tables)))
            kind = rng.randrange(4)
            if kind == 0:
                data, offset = rng.choice((bytes(size), rng.randbytes(size))), 0
            elif kind == 1:
                file.seek(rng.choice(nodes) * size)
                data, offset = file.read(size), 0
            else:
                offset = rng.choice((rng.randrange(400), rng.randrange(size), size - 1 - rng.randrange(44)))
                data = rng.randbytes(rng.choice((1, 2, 4, 8)))[:size - offset]
            file.seek(block * size + offset)
            file.write(data)


@pytest.mark.parametrize("name", ["plain", "features", "sections", "fragmented"])
def test_random_damage(saved, f2fskit, kernel, peer_check, tmp_path, name):
    image, paths = saved[name], []
    for seed in range(6):
        path = copy_of(image, tmp_path / ("disk-%d" % seed))
        with f2fskit.open(image.path) as volume:
            damage(path, volume, random.Random("%s-%d" % (name, seed)))
        paths.append(path)
    repair_and_judge(paths, f2fskit, kernel, peer_check)


def readable(path, f2fskit, expected):
    """How many files have the contents they had."""
    good = 0
    try:
        with f2fskit.open(path) as volume:
            got = reading.tree(volume, f2fskit)
    except f2fskit.Error:
        return 0
    hashes = {}
    for entry in got.values():
        if entry.get("sha256"):
            hashes[entry["sha256"]] = hashes.get(entry["sha256"], 0) + 1
    for entry in expected.values():
        digest = entry.get("sha256")
        if digest and hashes.get(digest):
            good += 1
    return good


def test_not_fewer_files_than_f2fs_tools_save(saved, f2fskit, tmp_path):
    """The same damage, repaired by both: files that still have their contents, wherever they are now."""
    image, peer = saved["plain"], shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not peer:
        pytest.skip("no f2fs-tools to compare with")
    expected = image.manifest()["entries"]
    ours = theirs = 0
    for seed in range(8):
        path = copy_of(image, tmp_path / "ours")
        with f2fskit.open(image.path) as volume:
            damage(path, volume, random.Random("peer-%d" % seed))
        shutil.copyfile(path, tmp_path / "theirs")
        f2fskit.check(path, repair=True)
        subprocess.run([peer, "-f", "-y", tmp_path / "theirs"], capture_output=True,
                       stdin=subprocess.DEVNULL, timeout=300)
        ours += readable(path, f2fskit, expected)
        theirs += readable(tmp_path / "theirs", f2fskit, expected)
        os.unlink(path)
    assert ours >= theirs
