# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fslabel, and label and uuid of f2fs."""
import os
import subprocess

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
    assert b"512 UTF-16 units" in run_tool("f2fslabel", image, "x" * 513, rc=1).stderr
    assert b"not valid UTF-8" in run_tool("f2fslabel", image, "\udcff", rc=1).stderr
    assert b"-w" in run_tool("f2fs", image, "label", "x", rc=16).stderr
    assert b"uuid" in run_tool("f2fs", "-w", image, "uuid", "123", rc=16).stderr
    assert b"neither a regular file" in run_tool("f2fslabel", "/dev/null", rc=1).stderr
    assert image.read_bytes() == before


def test_a_checkpoint_that_cannot_be_read(run_tool, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-l", "old", image, "64M")
    with open(image, "r+b") as f:
        f.truncate(1024 * 4096)  # the second pack begins here
    before = image.read_bytes()
    for status, *command in ((1, "f2fslabel", image, "new"), (1, "f2fs", "-w", image, "label", "new"),
                             (1, "inject.f2fs", "--sb", "1", "--mb", "feature", "--val", "1", image),
                             (4, "fsck.f2fs", "-y", image)):
        assert b"checkpoint pack 2 cannot be read" in run_tool(*command, rc=status).stderr
    assert image.read_bytes() == before
    assert b"checkpoint pack 2 cannot be read" in run_tool("f2fslabel", image).stderr
    run_tool("f2fslabel", "--accept-unread", image, "new")
    assert run_tool("f2fslabel", "-q", image).stdout == b"new\n"


@pytest.mark.parametrize("label, why", [
    ("x" * 512, None), ("x" * 513, "512 UTF-16 units"), ("é" * 512, None), ("é" * 513, "512 UTF-16 units"), ("🙂" * 256, None),
    ("🙂" * 257, "512 UTF-16 units"), ("a\tb", "control"), ("a\nb", "control"), ("\x1b[31m", "control"), ("\x7f", "control"),
    ("a\x85b", "control"), ("\xa0 ü", None), (b"\xff", "UTF-8"), ("a\\b\\\\c \\x41", None)])
def test_one_rule_for_labels(tool, run_tool, tmp_path, label, why):
    """mkfs.f2fs, f2fslabel and the command label take and refuse the same labels, for the same reasons."""
    image, raw = tmp_path / "disk.img", label if isinstance(label, bytes) else label.encode()
    run_tool("mkfs.f2fs", "-q", image, "64M")
    for name, words in (("mkfs.f2fs", ["-q", "-f", "-l", raw, image]), ("f2fslabel", [image, raw]),
                        ("f2fs", ["-w", image, "label", raw])):
        done = subprocess.run([tool(name), *map(os.fsencode, words)], capture_output=True, stdin=subprocess.DEVNULL)
        assert (done.returncode == 0) == (why is None), (name, done.stderr)
        assert why is None or why.encode() in done.stderr, (name, done.stderr)
    if why is None:
        assert run_tool("f2fslabel", "-q", image).stdout == raw + b"\n"


def test_an_option_of_uuid_without_a_uuid_is_refused(run_tool, tmp_path):
    run_tool("mkfs.f2fs", "-q", "image", "64M", cwd=tmp_path)
    for option in ("-c", "-f"):
        done = run_tool("f2fs", "-w", "image", "uuid", option, rc=16, cwd=tmp_path)
        assert b"'%s' needs a UUID" % option.encode() in done.stderr and not done.stdout
