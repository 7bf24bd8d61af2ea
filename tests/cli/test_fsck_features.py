# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsck.f2fs -O, -C and --nolinear-lookup: features turned on later, and their effect in the kernel."""
import hashlib
import shutil
import subprocess

import pytest

PEER = shutil.which("fsck.f2fs", path="/usr/sbin:/sbin:/usr/bin")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,sb_checksum", path, "64M")
    run_tool("f2fs", "-w", path, "mkdir", "/d")
    return path


def features(f2fskit, image):
    with f2fskit.open(image) as volume, f2fskit.fields(image) as fields:
        return {f.name for f in f2fskit.Feature if f in volume.features} - {"EXTRA_ATTR", "INODE_CHECKSUM", "SB_CHECKSUM"}, \
            int(fields["sb.s_encoding"]), int(fields["sb.s_encoding_flags"])


@pytest.mark.parametrize("options, expected", [
    (["-O", "encrypt"], ({"ENCRYPT"}, 0, 0)),
    (["-O", "encrypt,verity"], ({"ENCRYPT", "VERITY"}, 0, 0)),
    (["-O", "quota"], ({"QUOTA"}, 0, 0)),
    (["-f", "-O", "casefold"], ({"CASEFOLD"}, 1, 0)),
    (["-a", "-C", "utf8:strict"], ({"CASEFOLD"}, 1, 1)),
    (["-O", "casefold", "-C", "utf8:hashonly"], ({"CASEFOLD"}, 1, 2)),
    (["-O", "casefold", "--nolinear-lookup=1"], ({"CASEFOLD"}, 1, 2)),
    (["-C", "utf8:strict,hashonly", "--nolinear-lookup=0"], ({"CASEFOLD"}, 1, 1)),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_features_are_turned_on(run_tool, f2fskit, image, options, expected):
    said = run_tool("fsck.f2fs", *options, image).stdout.decode()
    assert features(f2fskit, image) == expected
    assert {line.split()[2].upper() for line in said.splitlines() if line.endswith("is turned on")} == expected[0]
    run_tool("fsck.f2fs", "-n", image)
    assert b"turned on" not in run_tool("fsck.f2fs", *options, image).stdout
    with f2fskit.fields(image) as fields:
        assert fields["sb[1].feature"] == fields["sb[2].feature"]
    if PEER:
        assert subprocess.run([PEER, "--dry-run", image], capture_output=True).returncode == 0


@pytest.mark.skipif(not PEER, reason="fsck.f2fs of f2fs-tools is not installed")
@pytest.mark.parametrize("options", [["-O", "encrypt"], ["-O", "encrypt,lost_found"], ["-O", "encrypt", "--dry-run"]], ids=" ".join)
def test_peer_does_the_same(run_tool, f2fskit, image, tmp_path, options):
    """The superblock's fields are those that f2fs-tools write. (With casefold 1.15 forgets the encoding, and with it loses
    the volume; other features they accept and ignore, we turn them on.)"""
    other = tmp_path / "other.img"
    shutil.copy(image, other)
    run_tool("fsck.f2fs", *options, image)
    assert subprocess.run([PEER, *options, other], capture_output=True).returncode == 0
    ours, theirs = features(f2fskit, image), features(f2fskit, other)
    assert (ours[0] - {"LOST_FOUND"}, *ours[1:]) == theirs
    assert ("LOST_FOUND" in ours[0]) == ("lost_found" in options[1])


def test_nothing_is_turned_on_that_may_not_be(run_tool, f2fskit, image):
    before = digest(image)
    assert b"stay as they are" in run_tool("fsck.f2fs", "-n", "-O", "encrypt", image).stderr
    assert b"is turned on" in run_tool("fsck.f2fs", "--dry-run", "-O", "encrypt", image).stdout
    assert b"only mkfs.f2fs sets" in run_tool("fsck.f2fs", "-O", "blkzoned", image, rc=16).stderr
    assert b"unknown feature" in run_tool("fsck.f2fs", "-O", "nonsense", image, rc=16).stderr
    assert b"casefold" in run_tool("fsck.f2fs", "-f", "--nolinear-lookup=1", image).stdout  # and no failure
    assert digest(image) == before
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "99")
    before = digest(image)
    assert b"still has problems" in run_tool("fsck.f2fs", "-O", "encrypt", image, rc=4).stderr and digest(image) == before
    assert b"is turned on" in run_tool("fsck.f2fs", "-f", "-O", "encrypt", image, rc=1).stdout
    assert features(f2fskit, image)[0] == {"ENCRYPT"}


def test_new_directories_can_be_folded(run_tool, f2fskit, image):
    run_tool("fsck.f2fs", "-C", "utf8", image)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/folded").mkdir()
        volume.lookup("/folded").set(flags=f2fskit.InodeFlag.CASEFOLD)
        volume.path("/folded/Name").write_bytes(b"x")
    run_tool("f2fs", image, "stat", "/folded/nAME")
    run_tool("fsck.f2fs", "-n", image)


def test_undo_takes_features_back(run_tool, image, tmp_path):
    before = digest(image)
    run_tool("fsck.f2fs", "-f", "-O", "encrypt", "--undo", tmp_path / "log", image)
    assert digest(image) != before
    run_tool("fsck.f2fs", "--restore", tmp_path / "log", image)
    assert digest(image) == before
