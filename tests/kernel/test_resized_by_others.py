# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel (F2FS_IOC_RESIZE_FS) and resize.f2fs of f2fs-tools have resized, and volumes of ours that they
then resize: everything is there, both checkers find nothing, and the kernel continues to write. Also the results of random
walks."""
import hashlib
import importlib.util
import os
import shutil
import subprocess

import pytest

import uml

MIB = 1 << 20
FILES = 50
# block_count of the volume becomes $2
SHRINK = r"""
set -e
shrink() {
    mount /dev/$1 $MNT
    cp -a $MNT/d $MNT/copy
    rm -r $MNT/copy
    python3 -c 'import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x4008F510, struct.pack("Q", int(sys.argv[2])))' $MNT $2
    echo after > $MNT/after
    rm $MNT/after
    umount $MNT
}
"""
WRITE = r"""
set -e
for disk in "$@"; do
    mount /dev/$disk $MNT
    find $MNT -type f -exec cat {} + > /dev/null
    mkdir $MNT/written
    dd if=/dev/urandom of=$MNT/written/big bs=256k count=8 2> /dev/null
    for i in $(seq 30); do echo $i > $MNT/written/$i; done
    sync
    rm -r $MNT/written
    umount $MNT
done
"""


def contents(i):
    return hashlib.shake_128(b"other %d" % i).digest(i * 7919 % 300000 + 1)


def make(run_tool, f2fskit, path, size, *options):
    run_tool("mkfs.f2fs", "-q", "-f", *options, path, size, "-w", 1)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/gone").write_bytes(bytes([1]) * (40 * MIB))
        volume.path("/d").mkdir()
        for i in range(FILES):
            volume.path(f"/d/{i}").write_bytes(contents(i))
    with f2fskit.open(path, "r+") as volume:
        volume.path("/gone").unlink()
    return path


def must_hold(f2fskit, peer_check, path, allowed=()):
    report = f2fskit.check(path, content=True)
    assert {p.name for p in report.problems} <= set(allowed), [p.message for p in report.problems]
    if not report.found:
        peer_check(path)
    with f2fskit.open(path) as volume:
        assert {p.name for p in volume.path("/d").iterdir()} == {str(i) for i in range(FILES)}
        for i in range(FILES):
            assert volume.read_bytes(f"/d/{i}") == contents(i), i


def shrink_in_kernel(kernel, sizes):
    """{path: MiB}"""
    job = SHRINK + "".join("shrink ubd%c %d\n" % (97 + i, size * 256) for i, size in enumerate(sizes.values()))
    uml.run(job, images=[str(path) for path in sizes], kernel=kernel).check()


def write_in_kernel(kernel, paths, problems=()):
    disks = ["ubd%c" % (97 + i) for i in range(len(paths))]
    uml.run(WRITE, images=[str(path) for path in paths], args=disks, kernel=kernel).check(problems=problems)


def test_the_kernel_shrinks(run_tool, f2fskit, kernel, peer_check, tmp_path):
    plain = make(run_tool, f2fskit, tmp_path / "plain", "320M")
    sections = make(run_tool, f2fskit, tmp_path / "sections", "400M", "-s", 2, "-O", "extra_attr,inode_checksum,sb_checksum,quota")
    grown = make(run_tool, f2fskit, tmp_path / "grown", "160M")
    f2fskit.resize(grown, 2000 * MIB)
    shrunk = make(run_tool, f2fskit, tmp_path / "shrunk", "320M", "-i")
    f2fskit.resize(shrunk, 280 * MIB)
    sizes = {plain: 250, sections: 300, grown: 1600, shrunk: 240}
    shrink_in_kernel(kernel, sizes)
    for path, size in sizes.items():
        must_hold(f2fskit, peer_check, path)
        with f2fskit.open(path) as volume:
            geo = volume.geometry
            assert geo.end_blkaddr <= size * 256 and geo.end_blkaddr > (size - 8) * 256
        # on from there, both ways
        for next_size in (3000, 260):
            assert f2fskit.resize(path, next_size * MIB).steps
            must_hold(f2fskit, peer_check, path)
    write_in_kernel(kernel, sizes)
    for path in sizes:
        must_hold(f2fskit, peer_check, path)


def test_f2fs_tools_resize(run_tool, f2fskit, kernel, peer_check, tmp_path):
    peer = shutil.which("resize.f2fs", path="/usr/sbin:/sbin")
    if not peer:
        pytest.skip("no resize.f2fs of f2fs-tools")

    def theirs(path, mib, *options):
        os.truncate(path, max(mib * MIB, os.path.getsize(path)))
        done = subprocess.run([peer, *options, "-t", str(mib * 2048), str(path)], capture_output=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
        # they take the validity of the pack that is not in force
        must_hold(f2fskit, peer_check, path, ["CP_PACK"])

    def ours(path, mib):
        f2fskit.resize(path, mib * MIB)
        must_hold(f2fskit, peer_check, path)

    first = make(run_tool, f2fskit, tmp_path / "first", "200M")
    theirs(first, 900)
    ours(first, 3000)
    ours(first, 500)
    theirs(first, 400, "-s")
    second = make(run_tool, f2fskit, tmp_path / "second", "160M", "-O", "extra_attr,inode_checksum,sb_checksum")
    ours(second, 1500)
    theirs(second, 2500)
    ours(second, 300)
    theirs(second, 1200)
    write_in_kernel(kernel, [first, second], problems=["invalid crc_offset"])
    for path in (first, second):  # the kernel's checkpoints have brought it back
        must_hold(f2fskit, peer_check, path)


def test_bitmaps_that_moved(run_tool, f2fskit, kernel, peer_check, tmp_path):
    """Grown so far that they no longer fit into the checkpoint block."""
    sizes = {make(run_tool, f2fskit, tmp_path / "plain", "1G"): (110, 111),
             make(run_tool, f2fskit, tmp_path / "large", "1G", "-i"): (700,)}
    for path, steps in sizes.items():
        for gib in steps:
            f2fskit.resize(path, gib << 30)
        must_hold(f2fskit, peer_check, path)
        with f2fskit.open(path) as volume:
            assert volume.geometry.cp_payload > 0
    write_in_kernel(kernel, list(sizes))
    for path in sizes:
        must_hold(f2fskit, peer_check, path)


def test_random_walks(f2fskit, tool, kernel, tmp_path):
    """A few steps of tests/stress/resize_walk.py, then the kernel reads all that the model has and writes."""
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "stress", "resize_walk.py")
    spec = importlib.util.spec_from_file_location("resize_walk", where)
    walks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(walks)
    taken = [walks.Walk(f2fskit, seed, tmp_path, tool("mkfs.f2fs")) for seed in (0, 1, 2, 8)]
    for walk in taken:
        for _ in range(5):
            walk.step()
        walk.resize()
    walks.ask_kernel(uml, taken, kernel)
    for walk in taken:
        walk.look()
