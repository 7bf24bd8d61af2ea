# SPDX-License-Identifier: LGPL-2.1-or-later
"""systemd-makefs and systemd-repart, which format with: mkfs.f2fs -q -g -f -l LABEL -U UUID -t 0|1 NODE. There -f is the value
of -g."""
import os
import subprocess

import pytest

UUID = "f4818f7e-1a2b-497a-a8f1-ecedaa7b3dbc"
PARTITION = "[Partition]\nType=linux-generic\nFormat=f2fs\nLabel=root-x\nSizeMinBytes=64M\nSizeMaxBytes=64M\n"
START = 1 << 20


def probe(call, need, image, offset=0):
    """What blkid makes of it: {"TYPE": "f2fs", ...}."""
    text = call(need("blkid"), "-p", "-o", "export", "-O", str(offset), image).stdout
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


@pytest.mark.parametrize("discard", ["0", "1"])
def test_command_line(call, need, image, discard):
    done = call("mkfs.f2fs", "-q", "-g", "-f", "-l", "root x", "-U", UUID, "-t", discard, image)
    assert done.stdout == ""
    found = probe(call, need, image)
    assert (found["TYPE"], found["LABEL"], found["UUID"]) == ("f2fs", "root\\ x", UUID)
    call("fsck.f2fs", "-f", image)


def test_any_preset(call, image):
    """Names of presets that are not known change nothing, and are named once."""
    done = call("mkfs.f2fs", "-g", "default", image)
    assert done.stdout.count("'default' is not a preset") == 1
    call("mkfs.f2fs", "-g", "-f", image, rc=1)  # a file system is there, and -f was no option


def test_makefs(call, need, image):
    makefs = need("systemd-makefs", "/usr/lib/systemd", "/lib/systemd")
    call(makefs, "f2fs", image)
    assert probe(call, need, image)["TYPE"] == "f2fs"
    call("fsck.f2fs", "-f", image)
    before = image.read_bytes()
    call(makefs, "f2fs", image)  # a target with contents stays
    assert image.read_bytes() == before


def test_repart(call, need, tmp_path):
    repart = need("systemd-repart")
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "10-root.conf").write_text(PARTITION)
    disk = tmp_path / "disk.img"
    words = [repart, "--definitions=%s" % (tmp_path / "definitions"), "--dry-run=no", "--empty=create", "--size=128M", "--no-pager"]
    if "--offline" in subprocess.run([repart, "--help"], capture_output=True, text=True).stdout:
        words.append("--offline=yes")
    elif not os.access("/dev/loop-control", os.W_OK):
        pytest.skip("this systemd-repart needs loop devices")
    call(*words, disk)
    found = probe(call, need, disk, START)
    assert found["TYPE"] == "f2fs" and found["LABEL"] == "root-x"
    call("fsck.f2fs", "-f", "--offset", str(START) + "B", disk)
