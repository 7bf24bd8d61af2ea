# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel accepts our writes: volumes that our engine filled or changed at random are mounted without a message (with
F2FS_CHECK_FS), have the right contents, take a workload, and have no fault for f2fs-tools afterwards."""
import os
import subprocess

import pytest

import uml

EXTRA = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"
CASES = {
    "plain": ("", "1G"),
    "features": ("-O " + EXTRA, "1G"),
    "quota": ("-O " + EXTRA + ",quota,project_quota,lost_found", "1G"),
    "sections": ("-s 4", "1G"),
    "large-nat": ("-i -O " + EXTRA, "2G"),
    "payload": ("", "4T"),
    "nearly-full": ("", "300M"),
    "compression": ("-O " + EXTRA + ",compression,quota", "1G"),
}
# LOGS,LOW_SECTIONS,IN_PLACE,DISCARD of the stress program
WRITE_OPTIONS = {"two-logs": "2,0,0,1", "four-logs": "4,20,2,0", "holes": "6,100,1,1"}
CASES.update({"two-logs": ("", "1G"), "four-logs": ("-s 2 -z 4 -O " + EXTRA, "1G"), "holes": ("-s 2", "1G")})
JOB = r"""
set -e
mount /dev/ubda $MNT
diff -r --no-dereference --exclude=lost+found "$1" $MNT
mkdir $MNT/new-dir
for i in $(seq 200); do echo $i > $MNT/new-dir/file-$i; done
find $MNT -type f | head -50 | while read -r f; do echo more >> "$f"; done
find $MNT -path $MNT/new-dir -prune -o -type f -print | tail -50 | while read -r f; do rm -f "$f"; done
sync
umount $MNT
mount /dev/ubda $MNT
[ $(ls $MNT/new-dir | wc -l) = 200 ]
umount $MNT
"""


@pytest.mark.parametrize("name", CASES)
def test_random_changes(kernel, run_tool, peer_check, build_dir, tmp_path, name):
    options, size = CASES[name]
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", *options.split(), image, size)
    steps = "90" if name == "nearly-full" else "700" if os.environ.get("F2FSKIT_LONG_RUNS") else "150"
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "stress"), str(image), str(host),
                           str(11 + len(name)), steps, "150", *WRITE_OPTIONS.get(name, "").split()], capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    peer_check(image)
    uml.run(JOB, images=[str(image)], args=[str(host)], mem="2G" if size == "4T" else "512M", kernel=kernel).check()
    peer_check(image)


@pytest.mark.parametrize("options", ["", "-O %s,quota,project_quota" % EXTRA], ids=["plain", "quota"])
def test_random_ranges(kernel, run_tool, peer_check, build_dir, tmp_path, options):
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", *options.split(), image, "300M")
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "ranges"), str(image), str(host), "7", "1000"],
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    peer_check(image)
    uml.run(JOB, images=[str(image)], args=[str(host)], kernel=kernel).check()
    peer_check(image)


ORPHAN_JOB = r"""
set -e
mount /dev/ubda $MNT
[ $(stat -f -c %f $MNT) = $1 ]
[ "$(ls -A $MNT)" = named ]
[ $(stat -c %h,%s $MNT/named) = 1,500000 ]
echo more >> $MNT/named
umount $MNT
"""


def test_files_without_a_name(kernel, peer_check, tmp_path, f2fskit):
    """Linux deletes one that a checkpoint lists, and accepts one that got a name."""
    disk, cut = tmp_path / "disk.img", tmp_path / "cut.img"
    f2fskit.mkfs(disk, 256 << 20, features=["extra_attr", "inode_checksum", "quota"])
    with f2fskit.open(disk, "r+") as volume:
        root = volume.path("/").inode()
        with root.create(None) as named, root.create(None) as unnamed:
            named.pwrite(b"n" * 500000, 0)
            root.link("named", named)
            volume.commit()
            free = volume.statfs().free_blocks
            unnamed.pwrite(b"u" * 500000, 0)
            volume.commit()
            cut.write_bytes(disk.read_bytes())
            assert volume.statfs().free_blocks < free - 100
    peer_check(disk)
    uml.run(ORPHAN_JOB, images=[str(cut)], args=[str(free + 1)], kernel=kernel).check()
    peer_check(cut)
