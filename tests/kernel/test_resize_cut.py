# SPDX-License-Identifier: LGPL-2.1-or-later
"""Power cuts while a volume is resized, judged by the kernel: each state is mounted, all files are as before, it is written and
unmounted without a word; also when one of the superblocks is lost besides. Then resizing again comes to the end. fsck.f2fs of
f2fs-tools finds nothing in them but a count of free segments.

A sample of two cases, larger and smaller areas; F2FSKIT_LONG_RUNS=1 takes some 250 states of all."""
import hashlib
import os
import re
import shutil
import subprocess

import pytest

import uml

LONG = bool(os.environ.get("F2FSKIT_LONG_RUNS"))
CASES, EVERY, LEAST = (range(8), 12, 12) if LONG else ([2, 6], 50, 8)
MAGIC = bytes.fromhex("1020f5f2")
JOB = r"""
set -e
for disk in "$@"; do
    mount /dev/$disk $MNT
    echo disk $disk
    cd $MNT
    sha256sum f*
    cd /
    mkdir $MNT/after
    for i in $(seq 20); do echo $i > $MNT/after/$i; done
    dd if=/dev/urandom of=$MNT/after/big bs=64k count=4 2> /dev/null
    sync
    umount $MNT
    mount /dev/$disk $MNT
    [ $(ls $MNT/after | wc -l) = 21 ]
    rm -r $MNT/after
    umount $MNT
done
"""
# kernel messages about a checkpoint pack that was being written, and about a missing superblock
CUT = ("invalid crc",)
LOST = ("Magic Mismatch", "valid F2FS filesystem", "superblock")
# what may be found of a resize that was stopped, until it is run again
UNDER_WAY = {"SB_DIFFER", "SB_COPY", "CP_PACK", "CP_UNFINISHED", "CP_FREE_SEGMENTS", "RESIZE_NUMBERS", "RESIZE_HOP"}


def superblocks(path):
    """Which copies have their magic."""
    with open(path, "rb") as f:
        start = f.read(8192)
    return [copy for copy in (0, 1) if start[copy * 4096 + 1024:][:4] == MAGIC]


def lose(path, copy):
    with open(path, "r+b") as f:
        f.seek(copy * 4096 + 1024)
        f.write(bytes(4))


def digests(f2fskit, path):
    with f2fskit.open(path) as volume:
        return {entry.name: hashlib.sha256(volume.read_bytes("/" + entry.name)).hexdigest()
                for entry in volume.root.iterdir() if entry.name.startswith("f")}


def seen_by_kernel(text):
    found = []
    for line in text.splitlines():
        if line.startswith("disk "):
            found.append({})
        else:
            digest, name = line.split()
            found[-1][name] = digest
    return found


def found_by_peer(path):
    """What fsck.f2fs of f2fs-tools says is wrong, if it is there."""
    peer = shutil.which("fsck.f2fs", path="/usr/sbin:/sbin")
    if not peer:
        return set()
    done = subprocess.run([peer, "--dry-run", path], capture_output=True, stdin=subprocess.DEVNULL)
    failed = re.findall(r"\[FSCK\] (.*?) +\[Fail\]", done.stdout.decode(errors="replace"))
    assert bool(done.returncode) == bool(failed), done.stdout.decode(errors="replace")[-2000:]
    return set(failed)


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_takes_what_a_cut_leaves(build_dir, f2fskit, kernel, peer_check, tmp_path, case):
    program = os.path.join(build_dir, "tests", "crash", "resize_states")
    done = subprocess.run([program, str(tmp_path), str(case), str(EVERY)], capture_output=True, text=True, check=True)
    (before, _, _), *states = [line.split() for line in done.stdout.splitlines()]
    wanted = digests(f2fskit, before)
    assert len(wanted) > 5 and len(states) >= LEAST
    for path, _, _ in states:
        assert found_by_peer(path) <= {"free segment_count matched with CP"}, path
    for i, (path, _, kind) in enumerate(states):
        # a write that is torn in one copy needs the other
        if kind == "prefix" and len(superblocks(path)) == 2 and i % 3:
            lose(path, i % 3 - 1)
    lost = [path for path, _, _ in states if len(superblocks(path)) < 2]
    for at in range(0, len(states), uml.MAX_IMAGES):
        paths = [path for path, _, _ in states[at:at + uml.MAX_IMAGES]]
        disks = ["ubd%c" % (97 + i) for i in range(len(paths))]
        expected = CUT + (LOST if set(paths) & set(lost) else ())
        ran = uml.run(JOB, images=paths, args=disks, kernel=kernel).check(problems=expected)
        assert seen_by_kernel(ran.stdout.decode()) == [wanted] * len(paths)
    offered = set()
    for path, target, _ in states:
        assert {problem.name for problem in f2fskit.check(path).problems} <= UNDER_WAY, path
        f2fskit.resize(path, int(target))
        assert f2fskit.check(path).found == 0, path
        peer_check(path)
        assert digests(f2fskit, path) == wanted
        with f2fskit.open(path) as volume:
            offered.add((int(target), volume.statfs().user_blocks))
    assert len(offered) == 1, "what the size gives, wherever it was cut"
    print("%d states, %d of them with one superblock" % (len(states), len(lost)))
