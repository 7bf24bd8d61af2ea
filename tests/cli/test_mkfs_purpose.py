# SPDX-License-Identifier: LGPL-2.1-or-later
"""mkfs.f2fs --for: what each purpose chooses, that it is printed, and what contradicts it."""
import json

import pytest

FEATURES = {
    "grub": set(), "safe": {"extra_attr", "inode_checksum", "sb_checksum", "inode_crtime"},
    "sd-card": {"extra_attr", "inode_checksum", "sb_checksum", "lost_found"},
    "archive": {"extra_attr", "compression", "inode_checksum", "sb_checksum", "inode_crtime"},
    "android-ro": {"extra_attr", "compression", "ro"},
}


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "text").write_bytes(b"the same line again\n" * 20000)
    return tmp_path / "tree"


@pytest.mark.parametrize("purpose", FEATURES)
def test_features_and_contents(run_tool, peer_check, tmp_path, tree, purpose):
    image = tmp_path / "disk.img"
    said = run_tool("mkfs.f2fs", "--for", purpose, "--root-dir", tree, image, "64M").stdout.decode()
    line = next(line for line in said.splitlines() if line.startswith("Info: for " + purpose))
    assert all(name in line for name in FEATURES[purpose]) and ("no features" in line) == (not FEATURES[purpose])
    info = json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]
    assert set(info["feature_names"]) == FEATURES[purpose]
    flags = run_tool("f2fs", image, "lsattr", "/text").stdout.split()[0]
    assert (b"c" in flags) == ("compression" in FEATURES[purpose]) == ("--compress" in line)
    run_tool("f2fs", image, "diff", "-i", "owner,mtime", "-x", "/lost+found", tree)
    if purpose != "android-ro":     # f2fs-tools 1.15 know no read-only volumes
        peer_check(image)


def test_options_add_to_it(run_tool, f2fskit, tmp_path, tree):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "--for=archive", "-O", "verity", "--compress", "--compress-algorithm=lz4", "--root-dir", tree, image, "64M")
    info = json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]
    assert set(info["feature_names"]) == FEATURES["archive"] | {"verity"}
    with f2fskit.open(image) as volume:
        assert volume["/text"].inode().i_compress_algorithm == 1  # LZ4
    assert run_tool("mkfs.f2fs", "-q", "--for=archive", tmp_path / "empty.img", "64M").stdout == b""


@pytest.mark.parametrize("options", [["-g", "android", "--for=android-ro"], ["--for=android-ro", "-g", "android"]])
def test_a_read_only_volume_gets_no_features_of_the_preset(run_tool, tmp_path, options):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", *options, image, "64M")
    info = json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]
    assert set(info["feature_names"]) == FEATURES["android-ro"]


@pytest.mark.parametrize("purpose", ["archive", "android-ro"])
def test_saved_blocks_are_given_back(run_tool, f2fskit, tmp_path, tree, purpose):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "--for", purpose, "--root-dir", tree, image, "64M")
    with f2fskit.open(image) as volume:
        status = volume["/text"].stat()
    assert status.st_blocks * 512 < status.st_size / 2


@pytest.mark.parametrize("options, why", [
    (["--for=grub", "-O", "extra_attr"], "GRUB cannot read"), (["--for=grub", "-i"], "large NAT"), (["--for=grub", "-b", "16384"], "4096"),
    (["--for=grub", "-g", "android"], "GRUB cannot read"), (["--for=u-boot"], "has no reader"), (["--for=toaster"], "is none of grub")])
def test_refusals(run_tool, tmp_path, options, why):
    refused = run_tool("mkfs.f2fs", *options, tmp_path / "disk.img", "64M", rc=None)
    assert refused.returncode != 0 and why in refused.stderr.decode() and not (tmp_path / "disk.img").exists()
