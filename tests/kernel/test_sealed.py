# SPDX-License-Identifier: LGPL-2.1-or-later
"""fs-verity enabled by the engine, in the eyes of the kernel: contents read through its checks, digests are measured to
be the same, and a changed byte is found."""
import os
import subprocess
import sys

import uml

MEASURE = r"""
import array, fcntl, struct, sys
for line in open(sys.argv[1]):
    name, algorithm, block, salt, digest = line.split()
    with open(sys.argv[2] + "/" + name, "rb") as f:
        buffer = array.array("B", struct.pack("<HH64x", 0, 64))
        fcntl.ioctl(f, 0xC0046686, buffer)
    found, size = struct.unpack_from("<HH", buffer)
    assert (found, bytes(buffer[4:4 + size]).hex()) == (int(algorithm), digest), name
"""
JOB = r"""
set -e
mount /dev/ubda $MNT
diff -r "$1" $MNT
"$3" -I "$2/measure.py" "$2/digests" $MNT
! echo more >> $MNT/block
umount $MNT
"""
DAMAGED = r"""
mount -o ro /dev/ubda $MNT
cat $MNT/long > /dev/null && exit 1
cat $MNT/more > /dev/null || exit 2
umount $MNT
"""


def test_kernel_verifies(kernel, run_tool, build_dir, tmp_path):
    image, host = tmp_path / "disk.img", tmp_path / "host"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,compression,verity,quota", image, "200M")
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "sealed"), image, host], capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    (tmp_path / "digests").write_bytes(done.stdout)
    (tmp_path / "measure.py").write_text(MEASURE)
    uml.run(JOB, images=[str(image)], args=[str(host), str(tmp_path), sys.executable], kernel=kernel).check()

    # one byte in the middle of a file: its block is where it was
    wanted = (host / "long").read_bytes()[4096 * 3000:4096 * 3001]
    stored = bytearray(image.read_bytes())
    at = stored.find(wanted)
    while at % 4096 or stored[at + 4096:at + 8192] != (host / "long").read_bytes()[4096 * 3001:4096 * 3002]:
        at = stored.find(wanted, at + 1)
    stored[at + 100] ^= 1
    image.write_bytes(stored)
    uml.run(DAMAGED, images=[str(image)], kernel=kernel).check(problems=(r"FILE CORRUPTED",))
