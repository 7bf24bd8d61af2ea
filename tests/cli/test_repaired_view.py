# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs --repaired shows what fsck.f2fs -y would leave, and writes nothing."""
import filecmp
import shutil

import pytest


def overwrite(path, offset, length):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(bytes(length))


def lose_the_root(f2fskit, path):
    with f2fskit.open(path) as volume:
        places = [extent.addr for extent in volume.root.extents()]
    for addr in places:
        overwrite(path, addr * 4096, 4096)


def cut(_, path):
    with open(path, "r+b") as file:
        file.truncate(24 << 20)


def lose_the_superblocks(_, path):
    overwrite(path, 0, 8192)


def lose_the_nat(f2fskit, path):
    with f2fskit.open(path) as volume:
        start, end = volume.geometry.nat_blkaddr, volume.geometry.ssa_blkaddr
    overwrite(path, start * 4096, (end - start) * 4096)


def nothing(*_):
    pass


@pytest.mark.parametrize("damage", [nothing, lose_the_root, cut, lose_the_superblocks, lose_the_nat], ids=lambda damage: damage.__name__)
def test_it_is_what_a_repair_leaves(f2fskit, run_tool, tmp_path, damage):
    path, fixed = tmp_path / "disk.img", tmp_path / "fixed.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        for i in range(60):
            volume.path("/%d" % i).write_bytes(b"%d " % i * 5000)
    damage(f2fskit, path)
    before = path.read_bytes()
    shutil.copy(path, fixed)
    run_tool("fsck.f2fs", "-y", fixed, rc=None)
    shown = run_tool("dump.f2fs", "--repaired", "--extract=%s" % (tmp_path / "shown"), path)
    run_tool("dump.f2fs", "--extract=%s" % (tmp_path / "left"), fixed)
    assert path.read_bytes() == before
    assert (b"as a repair would leave it" in shown.stderr) == (damage is not nothing)
    compared = filecmp.dircmp(tmp_path / "shown", tmp_path / "left")
    assert not compared.left_only and not compared.right_only and not compared.diff_files
    assert len(compared.same_files) >= (60 if damage is not cut else 20)


def test_what_it_does_not_go_with(run_tool, f2fskit, tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    for words in (["--rescue"], ["--pack=1"], ["--recover-view"], ["--strict"]):
        assert b"does not go with" in run_tool("dump.f2fs", "--repaired", *words, "--tree", path, rc=1).stderr
    path.write_bytes(bytes(5 << 20))
    assert b"not an F2FS volume" in run_tool("dump.f2fs", "--repaired", "--tree", path, rc=8).stderr


@pytest.mark.parametrize("command", [["dump.f2fs", "--info", "{}"], ["f2fs", "{}", "ls"]])
def test_lost_superblocks_name_it(f2fskit, run_tool, tmp_path, command):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    lose_the_superblocks(f2fskit, path)
    refused = run_tool(*[word.format(path) for word in command], rc=None)
    assert refused.returncode and refused.stderr.endswith(b"; if it was one, --state=repaired shows what is left of it\n")
