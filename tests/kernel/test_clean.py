# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, cleaned by each policy: everything is there as before, to us, to f2fs-tools and to the
kernel, which goes on writing without a word."""
import hashlib
import os
import random

import pytest

import images
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
