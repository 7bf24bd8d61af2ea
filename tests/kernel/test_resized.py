# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote, shrunk and grown: everything is there as before, to us, to f2fs-tools and to the kernel,
which continues to write; also between the two hops that larger areas take, and from either superblock."""
import os
import subprocess

import pytest

import images
import reading
import test_repair
import uml

MIB = 1 << 20
JOB = r"""
set -e
mount /dev/ubda $MNT
find $MNT -type f -size -65536k -exec cat {} + > /dev/null 2>&1 || true
[ $(stat -f -c %a $MNT) -gt 1000 ] || rm $MNT/f*0
rm -rf $MNT/after-resizing
mkdir $MNT/after-resizing
for i in $(seq 40); do echo $i > $MNT/after-resizing/file-$i; done
dd if=/dev/urandom of=$MNT/after-resizing/big bs=256k count=4 2> /dev/null
sync
umount $MNT
mount /dev/ubda $MNT
[ $(ls $MNT/after-resizing | wc -l) = 41 ]
umount $MNT
"""
# A sample; F2FSKIT_LONG_RUNS=1 takes every volume.
SAMPLE = ("features", "sections", "fragmented", "compress-chosen")


def fits(spec):
    """Clean volumes on one ordinary device that can be written, small enough to be copied."""
    return (spec.views is images.CLEAN and len(spec.sizes) == 1 and not spec.zoned and "readonly" not in spec.needs and
            spec.sizes[0] <= 512 * MIB and (spec.name in SAMPLE or bool(os.environ.get("F2FSKIT_LONG_RUNS"))))


def must_be_whole(path, image, f2fskit, peer_check):
    assert f2fskit.check(path).found == 0
    peer_check(path)
    with f2fskit.open(path) as volume:
        reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))


def resize(f2fskit, path, size):
    """A pinned file cannot be moved: where one is in the way the volume stays as it is. Otherwise it was resized."""
    try:
        f2fskit.resize(path, size)
    except f2fskit.UnsupportedError as why:
        assert "its file is pinned" in str(why)
        return False
    return True


@pytest.mark.images.with_args(fits)
def test_resized_volumes_hold_the_same(image, f2fskit, kernel, peer_check, tmp_path):
    path = test_repair.copy_of(image, tmp_path / "disk")
    started = os.path.getsize(path)
    least = f2fskit.resize(path, dry_run=True).minimum_bytes
    for size in (least + (started - least) // 3, 3 << 30, 2 << 30):
        if not resize(f2fskit, path, size):
            return
        must_be_whole(path, image, f2fskit, peer_check)
    uml.run(JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
    peer_check(path)


def wipe(path, copy):
    with open(path, "r+b") as f:
        f.seek(copy * 4096 + 1024)
        f.write(bytes(4))


@pytest.mark.images.with_args(lambda spec: spec.name == "features")
def test_between_the_hops(image, f2fskit, kernel, peer_check, tmp_path):
    """The areas are far from the start then: a volume like any other, whichever superblock is lost."""
    path = test_repair.copy_of(image, tmp_path / "disk")
    os.truncate(path, 64 << 30)
    with pytest.raises(f2fskit.CanceledError):
        f2fskit.resize(path, 64 << 30, progress=lambda report: report.phase == "home")
    with f2fskit.open(path) as volume:
        assert volume.geometry.segment0_blkaddr > 100 * 512
    must_be_whole(path, image, f2fskit, peer_check)
    for copy in (0, 1):
        one = tmp_path / f"without-{copy}"
        subprocess.run(["cp", "--sparse=always", path, one], check=True)
        wipe(one, copy)
        uml.run(JOB, images=[str(one)], kernel=kernel).check(problems=("Magic Mismatch", "valid F2FS filesystem",
                                                                       "superblock"))
        assert f2fskit.check(one, repair=True).left == 0
        with f2fskit.open(one) as volume:
            assert len(list(volume.path("/after-resizing").iterdir())) == 41
        os.unlink(one)
    uml.run(JOB, images=[str(path)], kernel=kernel).check()
    f2fskit.resize(path, 64 << 30)
    assert f2fskit.check(path).found == 0
    peer_check(path)
    uml.run(JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
