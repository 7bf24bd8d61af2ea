# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, cleaned by each policy: everything is there as before, to us, to f2fs-tools and to the
kernel, which continues to write without a message. Also compares the kernel's own cleaning: its victims and moves."""
import hashlib
import json
import os
import random
import shutil
import subprocess

import pytest

import images
import makers
import reading
import test_repair
import uml

# Files of terabytes, which are holes, take the kernel too long to read; a volume that is full is written after some of
# its files are gone.
JOB = r"""
set -e
mount /dev/ubda $MNT
find $MNT -type f -size -65536k -exec cat {} + > /dev/null 2>&1 || true
[ $(stat -f -c %a $MNT) -gt 200 ] || rm $MNT/f*0
mkdir $MNT/after-cleaning
for i in $(seq 40); do echo $i > $MNT/after-cleaning/file-$i; done
sync
umount $MNT
mount /dev/ubda $MNT
[ $(ls $MNT/after-cleaning | wc -l) = 40 ]
umount $MNT
"""
POLICIES = ("greedy", "cost-benefit", "age")


# A sample; F2FSKIT_LONG_RUNS=1 takes every volume.
SAMPLE = ("features", "sections", "two-logs", "four-logs-lfs", "fragmented", "aged", "full-logs", "compress-chosen", "verity",
          "encrypt-combined")


def fits(spec):
    """Clean volumes on one ordinary device that can be written, small enough to be copied."""
    return (spec.views is images.CLEAN and len(spec.sizes) == 1 and not spec.zoned and "readonly" not in spec.needs and
            spec.sizes[0] <= 512 << 20 and (spec.name in SAMPLE or bool(os.environ.get("F2FSKIT_LONG_RUNS"))))


def clean(path, f2fskit, policy):
    with f2fskit.open(path, "r+") as volume:
        found = volume.gc(policy, used_limit=100, sections=24)
    assert found.unconfirmed == found.unreadable == 0
    return found.data_blocks + found.node_blocks


@pytest.mark.images.with_args(fits)
def test_cleaned_volumes_hold_the_same(image, f2fskit, kernel, peer_check, tmp_path):
    path = test_repair.copy_of(image, tmp_path / "disk")
    for policy in POLICIES:
        clean(path, f2fskit, policy)
        assert f2fskit.check(path).found == 0, policy
    peer_check(path)
    with f2fskit.open(path) as volume:
        reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
    uml.run(JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
    peer_check(path)


def churned(path, f2fskit, logging):
    """A volume nearly full of files that were overwritten at random, cleaned by itself all the while; {path: contents}."""
    chance = random.Random(7)
    f2fskit.mkfs(path, 128 << 20, features=["extra_attr", "inode_checksum"])
    model = {}
    with f2fskit.open(path, "r+") as volume:
        volume.configure(logging=logging, commit_when_full=True)
        free = volume.statfs().free_blocks * volume.block_size
        for n in range(int(free * 0.9) >> 20):
            model["/file-%d" % n] = bytearray(chance.randbytes(4096) * 240)
            volume.path("/file-%d" % n).write_bytes(model["/file-%d" % n])
        volume.commit()
        before = volume.counters
        for _ in range(12000):
            name, block, data = chance.choice(list(model)), chance.randrange(240), chance.randbytes(64) * 64
            volume.path(name).inode().pwrite(data, block * 4096)
            model[name][block * 4096:(block + 1) * 4096] = data
        volume.commit()
        moved = volume.counters.bytes["moved-data"] - before.bytes["moved-data"]
    return model, moved


@pytest.mark.parametrize("logging", ["adaptive", "normal"])
def test_volumes_that_clean_themselves(f2fskit, kernel, peer_check, tmp_path, logging):
    path = tmp_path / "disk"
    model, moved = churned(path, f2fskit, logging)
    assert moved > 0 or logging == "adaptive"
    peer_check(path)
    names = " ".join("$MNT" + name for name in sorted(model))
    done = uml.run("mount /dev/ubda $MNT\nsha256sum %s | cut -d' ' -f1\numount $MNT\n" % names + JOB, images=[str(path)],
                   kernel=kernel)
    done.check()
    digests = [hashlib.sha256(model[name]).hexdigest() for name in sorted(model)]
    assert [line for line in done.stdout.decode().splitlines() if len(line) == 64] == digests
    peer_check(path)
    with f2fskit.open(path) as volume:
        assert all(volume.read_bytes(name) == bytes(data) for name, data in model.items() if volume.path(name).exists())


COLLECTING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "collecting.py")
AGE = "mount -o mode=lfs /dev/ubda $MNT && python3 -I %s age $MNT 80 1; s=$?; umount $MNT; exit $s" % COLLECTING
COLLECT = "mount /dev/ubda $MNT && python3 -I %s collect $MNT ubda 4; s=$?; umount $MNT; exit $s" % COLLECTING


def test_victims_are_those_of_the_kernel(f2fskit, kernel, tmp_path):
    """Its foreground cleaning takes the section with the fewest blocks in use, as our policy greedy does; so both move about
    as many to win as many sections. Which of equal ones comes first is its own affair."""
    path, copy = tmp_path / "disk", tmp_path / "copy"
    f2fskit.mkfs(path, 128 << 20)
    uml.run(AGE, images=[str(path)], kernel=kernel).check()
    shutil.copyfile(path, copy)
    theirs = json.loads(uml.run(COLLECT, images=[str(copy)], kernel=kernel).check().stdout)
    assert theirs["reached"] >= theirs["free"] + 4
    # nodes that a checkpoint writes empty sections, too
    assert theirs["steps"] and all(least in emptied for emptied, least in theirs["steps"]), theirs
    with f2fskit.open(path, "r+") as volume:
        chosen = []
        volume.gc(lambda section: chosen.append(section) or section.valid, dry_run=True, used_limit=100)
        assert min(section.valid for section in chosen) == theirs["steps"][0][1]
        free = volume.gc(dry_run=True).free_before
        ours = volume.gc("greedy", free=free + theirs["reached"] - theirs["free"], used_limit=100)
    assert ours.free_after - free >= theirs["reached"] - theirs["free"]
    assert ours.data_blocks + ours.node_blocks <= theirs["moved"] * 1.1
    assert f2fskit.check(path).found == 0


LINKS = "set -e; n=0; for d in /dev/ubd[a-h]; do [ -b $d ] || continue; ln -s $d /dev/%s.$n; n=$((n+1)); done\n"


def test_several_devices(f2fskit, kernel, tmp_path):
    """A volume on three devices, part of whose files are gone."""
    image = makers.make(["multi-device"], kernel=kernel)["multi-device"]
    paths = [str(tmp_path / ("disk.%d" % i)) for i in range(len(image.paths))]
    for source, path in zip(image.paths, paths):
        subprocess.run(["cp", "--sparse=always", source, path], check=True)
    first, more = paths[0], paths[1:]
    with f2fskit.open(first, "r+", devices=more) as volume:
        inode = volume.path("/across").inode()
        for i in range(0, inode.stat().st_size // 4096, 3):
            inode.fallocate(i * 4096, 4096, f2fskit.FallocateFlag.PUNCH_HOLE | f2fskit.FallocateFlag.KEEP_SIZE)
    with f2fskit.open(first, devices=more) as volume:
        before = reading.tree(volume, f2fskit)
    for policy in POLICIES:
        with f2fskit.open(first, "r+", devices=more) as volume:
            found = volume.gc(policy, used_limit=100, sections=24)
        assert found.unconfirmed == found.unreadable == 0
        assert found.sections > 4 or policy == "age"
        assert f2fskit.check(first, devices=more).found == 0
    with f2fskit.open(first, devices=more) as volume:
        reading.must_be_same(before, reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
        across = hashlib.sha256(volume.read_bytes("/across")).hexdigest()
    job = LINKS % "multi-device" + "mount /dev/multi-device.0 $MNT\nsha256sum $MNT/across\necho more > $MNT/more\numount $MNT\n"
    assert across in uml.run(job, images=paths, kernel=kernel).check().stdout.decode()
    assert f2fskit.check(first, devices=more).found == 0


def test_zoned(f2fskit, kernel, peer_check, tmp_path):
    """As a plain file: zones are a matter of the device."""
    if "block_zoned" not in kernel.features:
        pytest.skip("this kernel has no zoned devices")
    image = makers.make(["zoned"], kernel=kernel)["zoned"]
    path = test_repair.copy_of(image, tmp_path / "disk")
    with f2fskit.open(path, "r+") as volume:
        for i in range(0, 20, 2):
            volume.path("/tree/f%d" % i).unlink()
    with f2fskit.open(path) as volume:
        before = reading.tree(volume, f2fskit)
    moved = 0
    for policy in POLICIES:
        with f2fskit.open(path, "r+") as volume:
            found = volume.gc(policy, used_limit=100, sections=24)
        assert found.unconfirmed == found.unreadable == 0
        moved += found.data_blocks + found.node_blocks
        assert f2fskit.check(path).found == 0
    assert moved > 100
    with f2fskit.open(path) as volume:
        reading.must_be_same(before, reading.tree(volume, f2fskit), ignore=("fiemap", "map"))


ALIAS = r"""
set -e
ln -s /dev/ubdb /dev/alias.1
cd /dev
mount /dev/ubda $MNT
cat $MNT/f1 $MNT/f3 $MNT/f5 | sha256sum
dd if=$MNT/%s bs=4096 skip=3 count=1 status=none | head -c 5
dd if=/dev/urandom of=$MNT/new bs=1M count=30 status=none conv=fsync
rm $MNT/f7
umount $MNT
"""


def test_device_aliases_stay(f2fskit, run_tool, kernel, tmp_path, monkeypatch):
    """The sections of an alias are left alone, whatever is asked for; the others are cleaned, and the kernel writes on."""
    monkeypatch.chdir(tmp_path)  # a superblock has room for short paths only
    paths = ["disk.0", "alias.1"]
    for path, size in zip(paths, (128, 64)):
        with open(path, "wb") as file:
            file.truncate(size << 20)
    run_tool("mkfs.f2fs", "-q", "-c", paths[1] + "@alias", paths[0])
    with open(paths[1], "r+b") as file:
        file.seek(3 * 4096)
        file.write(b"stays")
    with f2fskit.open(paths[0], "r+", devices=paths[1:]) as volume:
        (alias,) = [e.name for e in volume.root.iterdir() if e.name.startswith("alias")]
        place = list(volume.path("/" + alias).inode().extents())
        for i in range(40):
            volume.path("/f%d" % i).write_bytes(bytes([i + 1]) * 500000)
        volume.commit()
        for i in range(0, 40, 2):
            volume.path("/f%d" % i).unlink()
        volume.commit()
        for policy in POLICIES:
            found = volume.gc(policy, used_limit=100, move_pinned=True)
            assert found.unconfirmed == 0 and (found.sections > 2 or policy != "greedy")
        assert list(volume.path("/" + alias).inode().extents()) == place
    assert f2fskit.check(paths[0], devices=paths[1:]).found == 0
    with f2fskit.open(paths[0], devices=paths[1:]) as volume:
        for i in range(1, 40, 2):
            assert volume.read_bytes("/f%d" % i) == bytes([i + 1]) * 500000
    done = uml.run(ALIAS % alias, images=paths, kernel=kernel).check().stdout.decode()
    assert hashlib.sha256(b"".join(bytes([i + 1]) * 500000 for i in (1, 3, 5))).hexdigest() in done and "stays" in done
    assert f2fskit.check(paths[0], devices=paths[1:]).found == 0
