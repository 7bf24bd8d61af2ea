# SPDX-License-Identifier: LGPL-2.1-or-later
"""fallocate, write and truncate leave the same slots, sizes and counts of blocks whether the kernel or our engine does
them, and both refuse the same calls. One difference is meant: reserved blocks that a collapsed or inserted range moves,
or that a new end of the file divides, are written as zeros by the kernel and stay reserved with us; half of the files see
nothing of that."""
import errno
import json
import os
import random
import sys

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "guest"))
import ranges  # noqa: E402

KEEP, PUNCH, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
FLAGS = [0, KEEP, PUNCH | KEEP, COLLAPSE, ZERO, ZERO | KEEP, INSERT, PUNCH, COLLAPSE | KEEP]
LIMIT = 5 << 20


def make_rows(seed, count):
    rng, rows = random.Random(seed), []
    for _ in range(count):
        name = "%sfile-%d" % (rng.choice(["", "moved-"]), rng.randrange(6))
        offset, length = rng.randrange(LIMIT if rng.random() < .3 else 60000), rng.choice([1, 100, 5000, 60000])
        if rng.random() < .6:
            offset, length = offset & ~4095, max(length & ~4095, 4096)
        roll = rng.random()
        if roll < .35:
            rows.append([name, "write", offset, length])
        elif roll < .45:
            rows.append([name, "truncate", offset if name.startswith("moved-") else offset & ~4095, 0])
        else:
            flags = rng.choice(FLAGS)
            if flags & (COLLAPSE | INSERT):
                name = "moved-" + name
            rows.append([name, "fallocate:%d" % flags, offset, length])
    return rows


def apply(f2fskit, image, rows):
    """The same with our engine."""
    refused = []
    with f2fskit.open(str(image), "r+") as volume:
        for number, (name, operation, offset, length) in enumerate(rows):
            path = volume.path("/") / name
            if not path.exists():
                path.touch()
            inode = path.inode()
            try:
                if operation == "write":
                    inode.pwrite(ranges.data(offset, length), offset)
                elif operation == "truncate":
                    inode.truncate(offset)
                else:
                    inode.fallocate(offset, length, int(operation.split(":")[1]))
            except (OSError, ValueError) as error:
                refused.append([number, getattr(error, "errno", None) or errno.EINVAL])
            if number % 40 == 39:
                volume.commit()
        volume.commit()
    return refused


def look(f2fskit, image):
    """{name: (size, blocks, kinds of slots, contents)}"""
    found = {}
    with f2fskit.open(str(image)) as volume:
        for entry in volume.root.iterdir():
            inode = entry.inode() if hasattr(entry, "inode") else entry
            kinds = []
            for extent in inode.extents():
                kinds.append((extent.file_block, extent.count, extent.kind.name))
            stat = inode.stat()
            if entry.name.startswith("moved-"):
                kinds = [(at, count, "DATA" if kind == "RESERVED" else kind) for at, count, kind in kinds]
            found[entry.name] = (stat.st_size, stat.st_blocks, merge(kinds), volume.read_bytes("/" + entry.name))
    return found


def merge(kinds):
    """Neighbours of one kind become one, because addresses are not compared. Holes at the end do not count."""
    out = []
    for at, count, kind in kinds:
        if out and out[-1][2] == kind and out[-1][0] + out[-1][1] == at:
            out[-1] = (out[-1][0], out[-1][1] + count, kind)
        else:
            out.append((at, count, kind))
    while out and out[-1][2] == "HOLE":
        out.pop()
    return out


@pytest.mark.parametrize("seed", [1, 2])
def test_kernel_and_engine_agree(kernel, f2fskit, run_tool, tmp_path, seed):
    ours, theirs, rows = tmp_path / "ours.img", tmp_path / "theirs.img", make_rows(seed, 500)
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    for image in (ours, theirs):
        run_tool("mkfs.f2fs", "-q", image, "200M")
    done = uml.run("mount /dev/ubda $MNT && python3 %s $MNT %s && umount $MNT" % (
        os.path.join(HERE, "guest", "ranges.py"), tmp_path / "rows.json"), images=[str(theirs)], kernel=kernel)
    done.check()
    refused = json.loads(done.stdout)
    mine = apply(f2fskit, ours, rows)
    assert [n for n, _ in mine] == [n for n, _ in refused], (mine[:5], refused[:5])
    left, right = look(f2fskit, ours), look(f2fskit, theirs)
    assert sorted(left) == sorted(right)
    for name in left:
        for what, a, b in zip(("size", "blocks", "kinds", "contents"), left[name], right[name]):
            assert a == b, "%s of %s\n%s\n%s" % (what, name, a if what == "kinds" else "", b if what == "kinds" else "")
