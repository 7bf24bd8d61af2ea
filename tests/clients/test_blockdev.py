# SPDX-License-Identifier: LGPL-2.1-or-later
"""libblockdev, and with it blivet and udisks2: how they find out that the tools are new enough, format, check and ask."""
import json
import os
import re
import struct
import subprocess

import pytest

# The pattern that the library looks for in the output of -V, and in that of dump.f2fs.
VERSION = r"fsck.f2fs\s+([\d\.]+).+"
ASKED = {"features": r"Info: superblock features = ([0-9a-f]+) :", "sectors": r"Info: total FS sectors = (\d+)",
         "state": r"Info: checkpoint state = ([0-9a-f]+) :"}
LEAST = (1, 11, 0)


@pytest.fixture(scope="module")
def gi_python():
    for python in ("/usr/bin/python3", "python3"):
        done = subprocess.run([python, "-c", "import gi; gi.require_version('BlockDev', '%s')" % "3.0"], capture_output=True)
        if done.returncode:
            done = subprocess.run([python, "-c", "import gi; gi.require_version('BlockDev', '2.0')"], capture_output=True)
        if done.returncode == 0:
            return python
    pytest.skip("libblockdev's bindings (gir1.2-blockdev) are not installed")


def test_library(call, gi_python, image):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blockdev_client.py")
    done = call(gi_python, script, image, VERSION, stderr=subprocess.DEVNULL, env={"LIBBLOCKDEV_SKIP_DEP_CHECKS": ""})
    report = json.loads(done.stdout)
    assert report["checks"]["1.11.0"] is True, report
    assert "Too low version" in report["checks"]["99.0"]
    assert report["mkfs"] is True and report["type"] == "f2fs", report
    if report["has_f2fs"]:
        assert report["check"] is True and report["repair"] is True, report
        assert report["info"] == {"sectors": 262144, "features": 0}
    assert "block dev" in call("f2fslabel", image).stdout
    assert "trimmed" not in call("dump.f2fs", image).stdout


@pytest.mark.parametrize("name", ["mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "sload.f2fs", "inject.f2fs", "f2fslabel"])
def test_version_line(call, name):
    """One line, the compatible version of f2fs-tools first, ours beside it."""
    done = call(name, "-V", stderr=subprocess.PIPE)
    assert not done.stderr and done.stdout.count("\n") == 1
    found = re.search(VERSION.replace("fsck.f2fs", re.escape(name)), done.stdout)
    assert tuple(map(int, found[1].split("."))) >= LEAST
    assert re.search(r"\(f2fskit \d+\.\d+\.\d+\)$", done.stdout.strip())


@pytest.mark.parametrize("discard, trimmed", [(("-t", "nodiscard"), False), (("-t", "5"), True), ((), True)])
def test_command_lines(call, image, discard, trimmed):
    """mkfs, check, repair and query as the library writes them; udisks2 formats with a label alone."""
    call("mkfs.f2fs", "-l", "a label", *discard, image)
    call("fsck.f2fs", "--dry-run", image)
    call("fsck.f2fs", "-a", image)
    text = call("dump.f2fs", image).stdout
    asked = {name: re.search(pattern, text)[1] for name, pattern in ASKED.items()}
    assert asked["sectors"] == "262144" and int(asked["features"], 16) == 0
    assert bool(int(asked["state"], 16) & 0x100) == trimmed


def test_check_of_a_broken_volume(call, run_tool, image):
    """A check that finds something ends with another status than 0, and changes nothing."""
    call("mkfs.f2fs", "-q", image)
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "+=3")
    before = image.read_bytes()
    call("fsck.f2fs", "--dry-run", image, rc=4)
    assert image.read_bytes() == before


@pytest.mark.parametrize("level", [(), ("-d", "1")], ids=["plain", "debug"])
def test_size(call, image, level):
    """Print the library's idea of a volume's size in bytes, before it resizes it: a line for the size of sectors, one for
    their number."""
    def size():
        text = call("dump.f2fs", *level, image).stdout
        return [int(re.search(r"^Info: %s = (\d+)" % name, text, re.M)[1]) for name in ("sector size", "total FS sectors")]
    call("mkfs.f2fs", image)
    assert size() == [512, 262144]
    os.truncate(image, 192 << 20)
    call("resize.f2fs", "-t", "393216", image)
    assert size() == [512, 393216]
    with open(image, "r+b") as file:    # as on a device with sectors of 4 KiB
        for at in (1024, 4096 + 1024):
            file.seek(at + 8)
            file.write(struct.pack("<II", 12, 0))
    assert size() == [4096, 49152]
