# SPDX-License-Identifier: LGPL-2.1-or-later
"""--state: dump.f2fs and f2fs show the same files for each state, the older options mean the same, and no state is written."""
import hashlib

import pytest


@pytest.fixture
def image(run_tool, tmp_path):
    """A volume whose file "old" was removed by the last checkpoint, and "new" made by it."""
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "64M")
    run_tool("f2fs", "-w", path, "touch", "/old")
    run_tool("f2fs", "-w", path, "rm", "/old", "--", "touch", "/new")
    return path


def names(run_tool, program, image, *options):
    if program == "f2fs":
        listed = run_tool("f2fs", *options, image, "ls", "/").stdout.split()
    else:
        listed = run_tool("dump.f2fs", *options, "--tree", image).stdout.split()
    return {name for name in ("old", "new") if any(name.encode() in word for word in listed)}


def other_pack(run_tool, image):
    """The number of the pack that is not the last checkpoint."""
    return next(n for n in (1, 2) if names(run_tool, "f2fs", image, "--pack=%d" % n) == {"old"})


@pytest.mark.parametrize("program", ["f2fs", "dump.f2fs"])
@pytest.mark.parametrize("state, shown", [("current", {"new"}), ("recovered", {"new"}), ("repaired", {"new"}), ("rescue", {"new"}),
                                          ("as-of=0", {"new"}), ("as-of=-1", {"old"}), ("pack=", {"old"})])
def test_states(run_tool, image, program, state, shown):
    if state == "pack=":
        state += str(other_pack(run_tool, image))
    before = hashlib.sha256(image.read_bytes()).digest()
    assert names(run_tool, program, image, "--state=" + state) == shown
    assert hashlib.sha256(image.read_bytes()).digest() == before


@pytest.mark.parametrize("older, state", [(("--rescue",), "rescue"), (("--repaired",), "repaired"), (("--recover-view",), "recovered"),
                                          (("--as-of=-1",), "as-of=-1"), (("--pack=1",), "pack=1"), (("--pack=2",), "pack=2")])
def test_older_options(run_tool, image, older, state):
    assert names(run_tool, "dump.f2fs", image, *older) == names(run_tool, "dump.f2fs", image, "--state=" + state)


def test_lost_superblocks_and_nat(run_tool, image):
    """f2fs shows files of a volume that does not open, once it is rescued."""
    geometry = dict(line.split(" = ") for line in run_tool("dump.f2fs", "--superblock", image).stdout.decode().splitlines() if " = " in line)
    with open(image, "r+b") as volume:
        for pack in (0, 1):
            volume.seek((int(geometry["cp_blkaddr"], 0) + 512 * pack) * 4096)
            volume.write(bytes(8 * 4096))
    assert run_tool("f2fs", image, "ls", "/", rc=None).returncode != 0
    assert names(run_tool, "f2fs", image, "--state=rescue") == {"new"}


def test_earlier_state_with_a_lost_inode(run_tool, image, tmp_path):
    """A lost inode of an earlier state is an error, and a warning at the end counts it."""
    (tmp_path / "big").write_bytes(b"x" * 40960)
    run_tool("f2fs", "-w", image, "put", tmp_path / "big", "/big")
    block = next(int(line.split("block_addr = ")[1]) for line in
                 run_tool("dump.f2fs", "--inode=/big", image).stdout.decode().splitlines() if line.startswith("block_addr = "))
    run_tool("f2fs", "-w", image, "rm", "/big")
    with open(image, "r+b") as volume:
        volume.seek(block * 4096)
        volume.write(bytes(4096))
    done = run_tool("f2fs", "--state=as-of=-1", image, "ls", "-l", "/", rc=None)
    assert done.returncode != 0 and b"1 inodes and 0 nodes of that time are not left" in done.stderr


@pytest.mark.parametrize("program", ["f2fs", "dump.f2fs"])
@pytest.mark.parametrize("words, message", [
    (("--state=later",), b"is none of current"), (("--state=pack=3",), b"too large"), (("--state=as-of=x",), b"not a number"),
    (("--state=rescue", "--state=rescue"), b"given once"), (("--state=repaired", "--pack=1"), b"does not go with another state")])
def test_wrong_values(run_tool, image, program, words, message):
    command = ("ls", "/") if program == "f2fs" else ()
    done = run_tool(program, *words, *(() if command else ("--tree",)), image, *command, rc=None)
    assert done.returncode in (1, 16) and message in done.stderr


@pytest.mark.parametrize("state", ["repaired", "rescue", "as-of=-1"])
def test_states_are_not_changed(run_tool, image, state):
    done = run_tool("f2fs", "-w", "--state=" + state, image, "touch", "/more", rc=16)
    assert b"cannot be changed" in done.stderr
