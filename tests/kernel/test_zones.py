# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zoned volumes on a zoned device of the kernel: filled by our mkfs.f2fs, written by the kernel and by us in turn, recovered,
repaired, put in order and resized in place; and an image of one, changed as a plain file, copied back to a device zone by zone."""
import itertools
import json
import os
import random
import sys

import pytest

import reading
import uml

LIFE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "zoned_life.py")
PROGRAMS = ("mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "inject.f2fs", "f2fs", "resize.f2fs", "defrag.f2fs")
LONG = os.environ.get("F2FSKIT_LONG_RUNS")
DEVICES = {"whole": {"mib": 256, "zone": 4, "conventional": 8}, "less": {"mib": 256, "zone": 4, "capacity": 3, "conventional": 8}}


def guest(kernel, action, job, folder, images=()):
    path = folder / (action + ".json")
    path.write_text(json.dumps(dict(job, out=str(folder / (action + ".out")))))
    result = uml.run([sys.executable, "-I", LIFE, action, str(path)], images=images, kernel=kernel, mem="800M", timeout=300)
    result.check(problems=["Stopped filesystem due to reason: 0"])     # the power that is cut
    # a volume that was closed has its logs where the write pointers are
    text = "\n".join(line.text for line in result.log)
    out = json.loads((folder / (action + ".out")).read_text())
    return text, out["entries"], out["steps"]


def fill(folder, names, rng):
    folder.mkdir()
    for name, size in names.items():
        (folder / name).write_bytes(rng.randbytes(size))
    return folder


@pytest.mark.parametrize("name", DEVICES)
def test_in_turn(kernel, tool, f2fskit, tmp_path, name):
    if "block_zoned" not in kernel.features:
        pytest.skip("this kernel has no zoned devices")
    rng, image = random.Random(name), tmp_path / "image"
    image.touch()
    job = dict(DEVICES[name], image=str(image), programs={p: tool(p) for p in PROGRAMS},
               source=str(fill(tmp_path / "source", {"a": 12_000_000, "b": 100, "c": 5000}, rng)),
               more=str(fill(tmp_path / "more", {"x": 7_000_000, "y": 77, "z": 4097}, rng)))
    log, entries, steps = guest(kernel, "live", job, tmp_path)
    assert sum(step["sections"] for step in steps if isinstance(step, dict)) > 2 and steps[-1]["defragmented"] > 2
    assert "Unaligned curseg" not in log, log
    with f2fskit.open(image) as volume:
        got = reading.tree(volume, f2fskit)
    reading.must_be_same(entries, got, ignore=("fiemap", "map", "atime"))
    plain = f2fskit.Device.open(image, writable=True)
    # an image file does not know that its zones hold less
    device = plain.zoned(job["zone"] << 20, conventional=8, capacity=job["capacity"] << 20, full=True) if name == "less" else plain
    with f2fskit.open(device, "r+") as volume:
        volume.path("/added").write_bytes(rng.randbytes(6_000_000))
        volume.path("/third/big").unlink()
    assert f2fskit.check(device).found == 0
    plain.close()
    with f2fskit.open(image) as volume:
        expected = reading.tree(volume, f2fskit)
    _, entries, _ = guest(kernel, "mount", job, tmp_path)
    reading.must_be_same(entries, expected, ignore=("fiemap", "map", "atime"))


@pytest.mark.parametrize("name", DEVICES)
def test_resized(kernel, tool, tmp_path, name):
    if "block_zoned" not in kernel.features:
        pytest.skip("this kernel has no zoned devices")
    job = dict(DEVICES[name], mib=3000, conventional=20, programs={p: tool(p) for p in PROGRAMS},
               sizes=["240M", "600M", "200M", "3000M", "280M"])
    log, entries, steps = guest(kernel, "resize", job, tmp_path)
    assert "Unaligned curseg" not in log, log
    kinds = {step["kind"] for done in steps if isinstance(done, dict) for step in done["steps"]}
    assert kinds == {"shrink", "extend", "relayout", "reduce"} and "after-3/big" in entries


@pytest.mark.parametrize("capacity, devices", list(itertools.product([2, 3, 4], [1, 2])) if LONG else [(3, 1), (2, 2)])
def test_full(kernel, tool, tmp_path, capacity, devices):
    """What statfs says is free can be written, also where zones hold less than their size."""
    if "block_zoned" not in kernel.features:
        pytest.skip("this kernel has no zoned devices")
    job = dict(mib=256, zone=4, conventional=8, capacity=capacity, options=(), rounds=4 if LONG else 2, programs={p: tool(p) for p in PROGRAMS})
    images = []
    if devices == 2:
        images = [tmp_path / "first"]
        images[0].touch()
        os.truncate(images[0], 128 << 20)
        job.update(first="/dev/ubda", conventional=0)
    _, _, steps = guest(kernel, "full", job, tmp_path, images)
    rounds = next(step["rounds"] for step in steps if isinstance(step, dict))
    for promised, written in rounds:
        assert promised * 0.9 < written <= promised, rounds
