# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs on a volume on two devices: the second is named, or the volume is trusted to name it."""
import hashlib
import re
import shutil
import subprocess

import pytest

TEXT = bytes(range(253)) * 8000


@pytest.fixture
def pair(run_tool, tmp_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("p")           # the superblock has room for short paths only
    paths = folder / "first.img", folder / "second.img"
    source = tmp_path / "source"
    source.mkdir()
    for i in range(30):
        (source / ("file-%d" % i)).write_bytes(TEXT)
    for path in paths:
        with open(path, "wb") as file:
            file.truncate(64 << 20)
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,lost_found", "-c", paths[1], "--root-dir", source, paths[0])
    return paths


def digests(pair):
    return [hashlib.sha256(path.read_bytes()).digest() for path in pair]


def test_filling_label_uuid(run_tool, pair, tmp_path):
    assert sum(bool(path.read_bytes().strip(b"\0")) for path in pair) == 2
    more = tmp_path / "more"
    more.mkdir()
    (more / "added").write_bytes(TEXT)
    run_tool("sload.f2fs", "--trust-devices", "-f", more, pair[0])
    run_tool("f2fslabel", "--trust-devices", pair[0], "two")
    run_tool("f2fs", "--trust-devices", "-w", pair[0], "uuid", "12345678-1234-5678-1234-567812345678")
    assert run_tool("f2fslabel", "--trust-devices", pair[0]).stdout.strip().endswith(b"= two")
    run_tool("fsck.f2fs", "--trust-devices", "-n", pair[0])
    run_tool("dump.f2fs", "--trust-devices", "-q", "--extract=%s" % (tmp_path / "out"), pair[0])
    assert (tmp_path / "out" / "added").read_bytes() == TEXT == (tmp_path / "out" / "file-29").read_bytes()


def test_undo_of_commands(run_tool, pair, tmp_path):
    before = digests(pair)
    run_tool("f2fs", "--trust-devices", "-w", "--undo", tmp_path / "undo", pair[0], "rm", "/file-1", "/file-28")
    assert digests(pair) != before
    run_tool("f2fs", "--trust-devices", "-w", pair[0], "restore", tmp_path / "undo")
    assert digests(pair) == before


def test_recovery_and_rescue(run_tool, f2fskit, pair, tmp_path):
    volume = f2fskit.open(pair[0], "r+", devices=[pair[1]])
    with volume.path("/file-3").open("ab") as file:
        file.write(b"fsynced")
    inode = volume.path("/file-3").inode()
    inode.fsync()
    number = inode.number
    volume.close()
    before = digests(pair)
    said = run_tool("dump.f2fs", "--trust-devices", "--recovery", pair[0]).stdout.decode()
    assert "needs_recovery = yes" in said and re.search(r"^ *\d+ +%d +%d " % (number, number), said, re.M), said
    run_tool("dump.f2fs", "--trust-devices", "-q", "--recover-view", "--extract=%s" % (tmp_path / "view"), pair[0])
    assert (tmp_path / "view" / "file-3").read_bytes() == TEXT + b"fsynced" and digests(pair) == before
    run_tool("f2fs", "--trust-devices", "-w", pair[0], "recover")
    run_tool("fsck.f2fs", "--trust-devices", "-n", pair[0])
    with f2fskit.open(pair[0], devices=[pair[1]]) as volume:
        geometry = volume.geometry
    with open(pair[0], "r+b") as file:
        file.seek(geometry.cp_blkaddr * 4096)
        file.write(bytes(1024 * 4096))
    run_tool("dump.f2fs", "--trust-devices", "-q", "--rescue", "--extract=%s" % (tmp_path / "rescued"), pair[0])
    assert (tmp_path / "rescued" / "file-3").read_bytes() == TEXT + b"fsynced"
    run_tool("fsck.f2fs", "--trust-devices", "-y", pair[0], rc=1)
    run_tool("fsck.f2fs", "--trust-devices", "-n", pair[0])


def test_which_blocks_lie_where(run_tool, pair):
    """A line for each device, as the program of f2fs-tools has them; none on a volume on one."""
    lines = r"^Info: Device\[.*$"
    text = run_tool("dump.f2fs", "--trust-devices", pair[0]).stdout.decode()
    blocks = (64 << 20) // 4096
    assert re.findall(lines, text, re.M) == ["Info: Device[%d] : %s blkaddr = %x--%x" % (i, path, i * blocks, (i + 1) * blocks - 1)
                                             for i, path in enumerate(pair)]
    peer = shutil.which("dump.f2fs", path="/usr/sbin:/sbin")
    if peer:
        theirs = subprocess.run([peer, pair[0]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
        assert re.findall(lines, theirs, re.M) == re.findall(lines, text, re.M)
    # named otherwise than by the superblock
    assert re.findall(lines, run_tool("dump.f2fs", "--device", pair[1], pair[0]).stdout.decode(), re.M) == re.findall(lines, text, re.M)


def test_resizing_names_the_device(run_tool, pair):
    """Sizes are those of the last device, and the program says so."""
    def words(*options, rc=0):
        done = run_tool("resize.f2fs", *options, pair[0], rc=rc)
        return (done.stdout + done.stderr).decode()
    named, last = ["--device", pair[1]], "%s, the last device of %s, " % (pair[1], pair[0])
    assert "nothing to resize: " + last + "takes 67108864 bytes" in words(*named)
    assert "the last device of %s takes 67108864" % pair[0] in words("--trust-devices")
    shown = words("-n", "-t", "122880", *named)
    assert last + "would be resized from 67108864 bytes" in shown and "smallest size of the last device: " in shown
    assert "bytes of the last device are too small" in words("-s", "-t", "100", *named, rc=1)
    assert last + "resized from 67108864 bytes" in words("-s", "-t", "122880", *named)
