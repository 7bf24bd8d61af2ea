# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fslabel, and label and uuid of f2fs."""
import pytest


@pytest.mark.parametrize("features", ["extra_attr", "extra_attr,inode_checksum,sb_checksum"])
def test_label_and_uuid(peer_check, run_tool, tmp_path, features):
    image, uuid = tmp_path / "disk.img", "01234567-89ab-4def-8123-456789abcdef"
    run_tool("mkfs.f2fs", "-q", "-l", "first", "-O", features, image, "64M")
    run_tool("f2fs", "-w", image, "mkdir", "/d", "--", "touch", "/d/f")
    assert run_tool("f2fslabel", image).stdout == b"Info: volume label = first\n"
    assert run_tool("f2fslabel", image, "z w e i").stdout == b"Info: volume label is changed to z w e i\n"
    assert run_tool("f2fslabel", "-q", image).stdout == b"z w e i\n"
    run_tool("f2fs", "-w", image, "touch", "/d/g", "--", "uuid", uuid, "--", "label", "third")
    assert run_tool("f2fs", image, "label", "--", "uuid", "--", "find").stdout.decode() == \
        "label = third\nuuid = %s\n/\n/d\n/d/f\n/d/g\n" % uuid
    run_tool("f2fs", "-w", image, "uuid", "random")
    assert uuid.encode() not in run_tool("f2fs", image, "uuid").stdout
    run_tool("dump.f2fs", "--strict", "--tree", image)
    peer_check(image)


def test_refusals(run_tool, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    before = image.read_bytes()
    assert b"no device" in run_tool("f2fslabel", rc=1).stderr
    assert b"quote" in run_tool("f2fslabel", image, "two", "words", rc=1).stderr
    assert b"at most 512" in run_tool("f2fslabel", image, "x" * 513, rc=1).stderr
    assert b"not valid UTF-8" in run_tool("f2fslabel", image, "\udcff", rc=1).stderr
    assert b"-w" in run_tool("f2fs", image, "label", "x", rc=16).stderr
    assert b"uuid" in run_tool("f2fs", "-w", image, "uuid", "123", rc=16).stderr
    assert b"neither a regular file" in run_tool("f2fslabel", "/dev/null", rc=1).stderr
    assert image.read_bytes() == before
