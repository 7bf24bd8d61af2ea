# SPDX-License-Identifier: LGPL-2.1-or-later
"""Preallocated pinned files: the same blocks, sizes and marks whether the kernel or our engine does it; ours follow each
other from the start of a section on, and stay pinned and in their place while the kernel writes to them."""
import json
import os

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
KEEP, PUNCH, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
ROWS = [["one", 0, 0, MIB], ["five", 0, 0, 5 * MIB], ["behind", KEEP, 0, 3 * MIB], ["apart", 0, MIB, 2 * MIB],
        ["grown", 0, 0, 4 * MIB], ["grown", 0, 4 * MIB, 9 * MIB], ["odd", 0, 5000, 100000], ["one", PUNCH | KEEP, 0, 4096],
        ["one", ZERO, 0, 4096], ["one", COLLAPSE, 0, 4096], ["one", INSERT, 0, 4096], ["five", 0, 0, 5 * MIB]]
JOB = "mkdir -p /run/a /run/b; mount /dev/ubda /run/a; mount /dev/ubdb /run/b; python3 %s /run/a %s /run/b && umount /run/a /run/b"


def apply(f2fskit, image, rows):
    refused = []
    with f2fskit.open(str(image), "r+") as volume:
        for number, (name, flags, offset, length) in enumerate(rows):
            path = volume.path("/") / name
            if not path.exists():
                path.touch(0o777)
                path.inode().set(pin=True)
            try:
                path.inode().fallocate(offset, length, flags)
            except f2fskit.UnsupportedError:
                refused.append([number, "ENOTSUP"])
    return refused


def look(f2fskit, image):
    found = {}
    with f2fskit.open(str(image)) as volume:
        main = volume.superblock.main_blkaddr
        for entry in volume.root.iterdir():
            inode = volume.inode(entry.ino)
            extents = [(e.file_block, e.count, e.addr - main) for e in inode.extents() if e.kind.name != "HOLE"]
            found[entry.name] = (inode.stat().st_size, inode.i_blocks, inode.i_advise, inode.i_inline, inode.gc_failures,
                                 extents)
    return found


def blocks(extents):
    return [at + i for at, count, _ in extents for i in range(count)]


@pytest.mark.parametrize("per_section", [1, 3])
def test_kernel_and_engine_agree(kernel, f2fskit, run_tool, peer_check, tmp_path, per_section):
    theirs, ours = tmp_path / "theirs.img", tmp_path / "ours.img"
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    for image in (theirs, ours):
        run_tool("mkfs.f2fs", "-q", "-s", per_section, image, "300M")
    refused = apply(f2fskit, ours, ROWS)
    peer_check(ours)
    right = look(f2fskit, ours)
    done = uml.run(JOB % (os.path.join(HERE, "guest", "pinning.py"), tmp_path / "rows.json"),
                   images=[str(theirs), str(ours)], kernel=kernel)
    done.check()
    kernel_refused, seen = json.loads(done.stdout)
    assert refused == kernel_refused
    left = look(f2fskit, theirs)
    assert sorted(left) == sorted(right) == sorted(seen)
    for name in left:
        assert left[name][:5] == right[name][:5], name
        assert blocks(left[name][5]) == blocks(right[name][5]), name
        for _, _, addr in left[name][5][:1] + right[name][5][:1]:
            assert addr % (512 * per_section) == 0, name
        assert len(right[name][5]) == 1 or name == "grown", (name, right[name][5])
        pinned, before, after, size = seen[name]
        assert before == after and len(before) == len(right[name][5]), name
        assert size == right[name][0] and pinned, name
    peer_check(ours)
    now = look(f2fskit, ours)
    assert {name: row[5] for name, row in now.items()} == {name: row[5] for name, row in right.items()}
    with f2fskit.open(str(ours)) as volume:
        data = volume.read_bytes("/five")
        assert data[len(data) // 3:len(data) // 3 + 6000] == b"kernel" * 1000 and not any(data[:len(data) // 3])
