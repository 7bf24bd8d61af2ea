# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trees deeper than any path can say, between the kernel and us: it walks one that sload made, and we extract one that it
made by mkdir and chdir."""
import subprocess

import uml

LEVELS, STEP = 6000, 500
GO = r"""
import os, sys
top, levels, step, makes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "make"
os.chdir(top)
for level in range(levels):
    if makes:
        os.mkdir("d")
    os.chdir("d")
    if level % step == step - 1:
        if makes:
            with open("file", "w") as file:
                file.write(str(level))
        with open("file") as file:
            assert file.read() == str(level), level
assert os.listdir(".") == ["file"]
os.chdir("/")
"""
JOB = r"""
set -e
mount -o noatime /dev/ubda $MNT
python3 -c "$1" $MNT $2 $3 $4
umount $MNT
"""


def go(kernel, image, what):
    uml.run(JOB, images=[str(image)], args=[GO, str(LEVELS), str(STEP), what], kernel=kernel, mem="512M",
            timeout=600).check()


def test_deep_trees_go_both_ways(kernel, f2fskit, run_tool, tmp_path):
    theirs, ours, tree = tmp_path / "theirs.img", tmp_path / "ours.img", tmp_path / "tree"
    for image in (theirs, ours):
        f2fskit.mkfs(str(image), 256 << 20)
    go(kernel, theirs, "make")
    try:
        run_tool("dump.f2fs", f"--extract={tree}", theirs)
        run_tool("sload.f2fs", "-f", tree, ours)
    finally:
        subprocess.run(["rm", "-rf", str(tree)], check=True)
    assert run_tool("f2fs", theirs, "diff", ours).stdout == b""
    go(kernel, ours, "look")
