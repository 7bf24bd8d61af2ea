# SPDX-License-Identifier: LGPL-2.1-or-later
"""GParted's command lines (the program itself needs a display): format, look how full it is, check and repair, and the lines
it reads."""
import re

import pytest

# How full a volume is: the words of dump.f2fs -d 1, read as scanf does.
USAGE = ("user_block_count", "valid_block_count", "log_blocksize")
NOT_UNMOUNTED = r"^(Info: checkpoint state = [^\n]*sudden-power-off)$"


def usage(text):
    return {name: int(re.search(r"%s\s*\[0x\s*[0-9a-f]+ : (\d+)\]" % name, text)[1]) for name in USAGE}


@pytest.mark.parametrize("label", ["", "data", "two words", "naïve — ünïcode", "it's"])
def test_create(call, image, label):
    call("mkfs.f2fs", "-l", label, image)
    assert call("f2fslabel", "-q", image, text=False).stdout == label.encode() + b"\n"


def test_used_sectors(call, run_tool, image, tmp_path):
    call("mkfs.f2fs", image)
    text = call("dump.f2fs", "-d", "1", image).stdout
    empty = usage(text)
    assert empty["log_blocksize"] == 12
    assert re.search(r"Info: total FS sectors = (\d+)", text)[1] == "262144"
    (tmp_path / "data").write_bytes(bytes(range(256)) * 16 * 100)
    run_tool("f2fs", "-w", image, "put", tmp_path / "data", "/data")
    full = usage(call("dump.f2fs", "-d", "1", image).stdout)
    assert full["user_block_count"] == empty["user_block_count"]
    assert full["valid_block_count"] - empty["valid_block_count"] == 101


@pytest.mark.parametrize("options", [("-f", "-a"), ("-a", "-f"), ("-fa",)])
def test_check(call, run_tool, image, options):
    """Force counts in any order: damage is repaired although the volume has no sign of it."""
    call("mkfs.f2fs", image)
    text = call("fsck.f2fs", *options, image).stdout
    assert not re.search(NOT_UNMOUNTED, text, re.M) and re.search(r"^Info: checkpoint state = ", text, re.M)
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "+=3")
    call("fsck.f2fs", *options, image, rc=1)
    call("fsck.f2fs", *options, image)


def test_volume_that_was_not_unmounted(call, run_tool, image):
    """The line for which GParted mounts a volume: as long as there may be something to recover."""
    call("mkfs.f2fs", image)
    run_tool("f2fs", "-w", image, "set", "cp.ckpt_flags", "&=0xfffffffe")
    text = call("fsck.f2fs", "-f", "-a", image, rc=(0, 1)).stdout
    assert re.search(NOT_UNMOUNTED, text, re.M), text
