# SPDX-License-Identifier: LGPL-2.1-or-later
"""tune.f2fs: label, UUID and features of a volume with files."""
import json

import pytest


@pytest.fixture
def image(run_tool, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "large").write_bytes(b"the same line again\n" * 300_000)
    (tree / "small").write_bytes(b"small")
    run_tool("mkfs.f2fs", "-q", "-l", "old", "--root-dir", tree, tmp_path / "disk.img", "64M")
    return tmp_path / "disk.img"


def shown(run_tool, image):
    found = json.loads(run_tool("tune.f2fs", "-lj", image).stdout)
    return found["label"], found["uuid"], {row["name"] for row in found["features"] if row["on"]}


def test_show(run_tool, image):
    assert run_tool("tune.f2fs", image).stdout == run_tool("tune.f2fs", "--list", image).stdout
    assert b"label = old\n" in run_tool("tune.f2fs", image).stdout
    changes = {row["name"]: row["change"] for row in json.loads(run_tool("tune.f2fs", "-j", image).stdout)["features"]}
    assert changes["verity"] == "can be turned on" and changes["ro"] == "can be turned on" and changes["blkzoned"] == "by mkfs.f2fs only"


def test_change(run_tool, image, tmp_path):
    """The conversion reaches files above nodes, and what is there becomes compressed with it."""
    uuid = "01234567-89ab-cdef-0123-456789abcdef"
    run_tool("tune.f2fs", "-c", "-O", "compression,+inode_checksum", "-L", "new", "-U", uuid, image)
    assert shown(run_tool, image) == ("new", uuid, {"compression", "inode_checksum", "extra_attr"})
    assert b"compressed 1 of 2 files" in run_tool("f2fs", "-w", image, "compress", "-r", "/").stdout
    run_tool("f2fs", image, "diff", "-i", "owner,mtime", "-x", "/lost+found", tmp_path / "tree")
    run_tool("fsck.f2fs", "-n", image)
    assert b"needs it" in run_tool("tune.f2fs", "-O", "^compression", image, rc=1).stderr
    run_tool("f2fs", "-w", image, "compress", "-rn", "/")
    run_tool("tune.f2fs", "-O", "^compression,-inode_checksum", "-U", "random", image)
    assert shown(run_tool, image)[2] == {"extra_attr"} and shown(run_tool, image)[1] != uuid
    run_tool("tune.f2fs", "-U", "clear", "-O", "casefold", "-E", "strict", image)
    assert shown(run_tool, image)[1] == "00000000-0000-0000-0000-000000000000"
    run_tool("fsck.f2fs", "-n", image)


def test_large_nat_bitmap(run_tool, image):
    for word in ("", "^"):
        done = json.loads(run_tool("tune.f2fs", "-j", "-O", f"{word}large_nat_bitmap,verity", image).stdout)
        assert done["large_nat_bitmap"] == (word == "") == ("large_nat_bitmap" in shown(run_tool, image)[2])
        run_tool("fsck.f2fs", "-n", image)


def test_dry_run(run_tool, image):
    before = image.read_bytes()
    told = json.loads(run_tool("tune.f2fs", "-ncj", "-O", "compression", image).stdout)
    assert image.read_bytes() == before
    done = json.loads(run_tool("tune.f2fs", "-cj", "-O", "compression", image).stdout)
    assert {**told, "dry_run": False} == done and done["turned_on_names"] == ["extra_attr", "compression"] and done["inodes_left"] == 0


@pytest.mark.parametrize("options, why, status", [
    (["-O", "packing"], "is no feature that the list has", 16), (["-O", "large_nat_bitmap,^large_nat_bitmap"], "at once", 16), (["-O", "blkzoned"], "stays as it is", 1), (["-U", "x"], "is not a UUID", 16),
    (["-E", "strict"], "-E is for -O casefold", 16), (["-n", "-L", "x"], "-n is for -O and -c", 16), (["-L", "x" * 600], "", 1),
    (["-O", "verity,^verity"], "at once", 1), (["-c"], "on a volume with extra_attr", 1)])
def test_refusals(run_tool, image, options, why, status):
    before = image.read_bytes()
    assert why in run_tool("tune.f2fs", *options, image, rc=status).stderr.decode()
    assert image.read_bytes() == before
    assert b"no device given" in run_tool("tune.f2fs", rc=16).stderr
