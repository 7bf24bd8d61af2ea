# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel left unclean: our recovery, in memory and on the device, shows the same as the kernel's own
recovery of the image. The kernel and f2fs-tools accept the recovered volume."""
import json
import os
import shutil
import subprocess
import sys

import pytest

import images
import makers
import reading
import uml

UNCLEAN = [n for n, s in images.CATALOGUE.items() if "recovered" in s.views]
DISABLED = "checkpoint-disabled"        # nothing is rolled forward there, but recovery enables checkpoints
# The kernel's FIEMAP leaves things out.
IGNORED = ("fiemap", "map", "atime")
LOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "look.py")


@pytest.fixture(scope="module")
def made(kernel):
    """Only the images that matter here."""
    return makers.make([n for n in makers.possible(kernel) if n in [*UNCLEAN, DISABLED]], kernel=kernel)


def truth_of(name):
    return "manifest" if name == DISABLED else "recovered"


def expected_of(image, got):
    """The kernel's entries. Directories that got a name, and what lost one, carry the time of its recovery: those times,
    later than all that the image could know, are taken from ours."""
    entries = image.manifest(truth_of(image.name))["entries"]
    latest = max(e["ctime"] for e in got.values() if "ctime" in e)
    for path, entry in entries.items():
        for key in ("mtime", "ctime"):
            if path in got and entry.get(key, 0) > latest:
                entry[key] = got[path].get(key)
    return entries


def check(volume, image, f2fskit):
    got = reading.tree(volume, f2fskit)
    expected = expected_of(image, got)
    reading.must_be_same(expected, got, ignore=IGNORED)
    assert reading.hard_links(expected) == reading.hard_links(got)
    ours, theirs = volume.statfs(), image.manifest("recovered")["statfs"]
    assert {k: getattr(ours, "f_" + k) for k in theirs} == theirs


@pytest.fixture
def copy(image, tmp_path):
    path = tmp_path / "disk.img"
    shutil.copy(image.path, path)
    return path


@pytest.mark.parametrize("image", UNCLEAN, indirect=True)
def test_the_recovered_view(image, copy, f2fskit):
    """Equal to the kernel's, and not a byte is written."""
    os.chmod(copy, 0o444)
    with f2fskit.open(copy, recover="view") as volume:
        assert volume.pending == 0
        check(volume, image, f2fskit)
    assert subprocess.run(["cmp", copy, image.path]).returncode == 0


@pytest.mark.parametrize("image", UNCLEAN, indirect=True)
def test_recovery_on_the_device(image, copy, f2fskit):
    """Equal to the kernel's; the plan had said so; a second recovery finds nothing to do."""
    with f2fskit.open(copy) as volume:
        plan = volume.recovery_plan()
        assert plan.summary.fsynced == volume.pending and plan.summary.end.name == "FOREIGN"
        assert len(plan.nodes) == plan.summary.nodes and len(plan.inodes) == plan.summary.inodes
    with f2fskit.open(copy, "r+") as volume:
        done = volume.recover()
        assert done.changed == plan.summary.needs_recovery
        assert (done.nodes, done.inodes, done.new_inodes) == (plan.summary.replayed, plan.summary.inodes,
                                                              plan.summary.new_inodes)
        last = {(inode.parent, inode.name): inode.ino for inode in plan.inodes if inode.name is not None}
        for ino in last.values():       # an earlier one of the same name is gone again
            assert volume.inode(ino).stat().st_nlink >= 1
        check(volume, image, f2fskit)
        assert not volume.recover().changed
    with f2fskit.open(copy) as volume:
        assert not volume.recovery_plan().summary.needs_recovery
        check(volume, image, f2fskit)


def test_the_kernel_takes_what_we_recovered(made, kernel, run_tool, peer_check, f2fskit, tmp_path):
    """All of them in few guests: mounted without a message, the tree is the one that its own recovery gave. Both checkers
    find nothing."""
    copies = []
    for name in [*UNCLEAN, DISABLED]:
        if name not in made:
            continue
        assert not made[name].error, made[name].error
        copies.append((name, str(tmp_path / name)))
        shutil.copy(made[name].path, copies[-1][1])
        with f2fskit.open(copies[-1][1], recover="apply") as volume:
            assert volume.pending == 0 and not volume.recovery_plan().summary.needs_recovery
        peer_check(copies[-1][1])
        run_tool("fsck.f2fs", "--dry-run", "-f", copies[-1][1])
    for first in range(0, len(copies), uml.MAX_IMAGES):
        batch = copies[first:first + uml.MAX_IMAGES]
        out = tmp_path / "out"
        out.mkdir()
        uml.run([sys.executable, "-I", LOOK, str(out), *[n for n, _ in batch]], images=[p for _, p in batch],
                kernel=kernel).check()
        for name, path in batch:
            with open(out / name) as f:
                shown = json.load(f)
            expected = expected_of(made[name], shown["entries"])
            reading.must_be_same(expected, shown["entries"], ignore=IGNORED)
            assert shown["statfs"] == made[name].manifest(truth_of(name))["statfs"], name
            peer_check(path)
        shutil.rmtree(out)
