# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that were written by a placement are ordinary ones: the kernel reads our files, continues to write, and prints
nothing."""
import hashlib
import os
import random

import pytest

import test_clean
import uml

READ = "mount -o ro /dev/ubda $MNT && (cd $MNT && sha256sum *) && umount $MNT"
FILES, BLOCKS, WRITES = 6, 4000, 6000


def write(volume, seed):
    """Overwrite some blocks much more often than others, with fsyncs and commits, on a volume that has to be cleaned."""
    rng = random.Random(seed)
    model = [bytearray(BLOCKS * 4096) for _ in range(FILES)]
    inodes = [volume.root.create("file%d" % i) for i in range(FILES)]
    for inode, contents in zip(inodes, model):
        inode.pwrite(bytes(contents), 0)
    for i in range(WRITES):
        which = rng.randrange(FILES)
        block = int(rng.random() ** 4 * BLOCKS / 20) if rng.random() < 0.9 else rng.randrange(BLOCKS - 1)
        data = rng.randbytes(16) * 256 * rng.choice((1, 1, 1, 2))
        inodes[which].pwrite(data, block * 4096)
        model[which][block * 4096:block * 4096 + len(data)] = data
        if i % 97 == 0:
            inodes[which].fsync()
        if i % 1000 == 999:
            volume.commit()
    return {"file%d" % i: hashlib.sha256(contents).hexdigest() for i, contents in enumerate(model)}


@pytest.mark.parametrize("method", ["adaptive", "python", *(["m2h", "death", "lifespan"] if os.environ.get("F2FSKIT_LONG_RUNS") else [])])
def test_the_kernel_takes_what_a_placement_wrote(method, f2fskit, kernel, peer_check, tmp_path):
    class ByFile:
        streams = 3

        def classify(self, ino, file_block, old):
            return ino % 4  # 3 is none

        def moving(self, ino, old):
            return ino % 3

    path = tmp_path / "disk"
    f2fskit.mkfs(path, 400 << 20)
    with f2fskit.open(path, "r+") as volume:
        if method == "python":
            volume.set_placement(ByFile())
        else:
            volume.set_placement(method, delays=1, moves_apart=1)
        volume.configure(logging="normal", commit_when_full=True, at_once=True)  # placements learn from what does not wait
        sums = write(volume, method)
        assert sum(volume.streams.blocks) > WRITES // 4 and volume.streams.segments > 3
        assert volume.gc("hotness", sections=4).sections > 0
        volume.commit()
    assert f2fskit.check(path).found == 0
    peer_check(path)
    done = uml.run(READ, images=[str(path)], kernel=kernel).check()
    assert {line.split()[1]: line.split()[0] for line in done.stdout.decode().splitlines() if "  file" in line} == sums
    uml.run(test_clean.JOB, images=[str(path)], kernel=kernel).check()
    assert f2fskit.check(path).found == 0
    peer_check(path)
