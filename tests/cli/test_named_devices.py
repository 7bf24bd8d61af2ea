# SPDX-License-Identifier: LGPL-2.1-or-later
"""An image names files of the host in its device table: only the image and the named files are opened."""
import re
import shutil
import subprocess

import pytest

COMMANDS = [
    ["dump.f2fs", "--info"], ["dump.f2fs", "--ls"], ["dump.f2fs", "--rescue", "--ls"], ["dump.f2fs", "-d", "1"],
    ["f2fs", "-w", "-c", "touch /x"], ["f2fs", "-c", "ls /"], ["fsck.f2fs", "-n"], ["fsck.f2fs", "-y"],
    ["fsck.f2fs", "--dry-run"], ["f2fslabel"], ["tune.f2fs", "-O", "verity"], ["sload.f2fs", "-f", __file__],
    ["inject.f2fs", "--cp", "0", "--mb", "checkpoint_ver", "--val", "1"],
]


@pytest.fixture
def named(run_tool, tmp_path_factory):
    """An image whose volume continues on a private file beside it, as the image says."""
    folder = tmp_path_factory.mktemp("n")
    image, private = folder / "image", folder / "private"
    for path in image, private:
        with open(path, "wb") as file:
            file.truncate(64 << 20)
    run_tool("mkfs.f2fs", "-q", "-c", private, image)
    private.write_bytes(b"private" * (10 << 20))
    return image, private


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: "-".join(c[:2]))
def test_nothing_else_is_opened(tool, named, tmp_path, command):
    image, private = named
    before, log = private.read_bytes(), tmp_path / "log"
    program, *options = command
    line = [tool(program), *options, str(image)] + (["label"] if program == "f2fslabel" else [])
    if shutil.which("strace"):
        line = ["strace", "-f", "-o", str(log), "-e", "trace=open,openat,openat2,creat", *line]
    done = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL)
    assert b"--device" in done.stderr + done.stdout and done.returncode != 0, done
    assert private.read_bytes() == before
    opened = re.findall(r'open\w*\([^"\n]*"([^"\n]*)"', log.read_text()) if log.exists() else []
    assert str(private) not in opened and (not log.exists() or str(image) in opened)


def test_what_is_named_is_used(run_tool, named):
    image, private = named
    run_tool("mkfs.f2fs", "-q", "-f", "-c", private, image)
    for options in ["--device", private], ["--trust-devices"]:
        run_tool("f2fslabel", *options, image, "name")
        run_tool("f2fs", "-w", *options, image, "mkdir", "/%s" % options[0].strip("-"))
        run_tool("sload.f2fs", *options, "-f", "/etc/hostname", image, rc=None)
        run_tool("fsck.f2fs", *options, "-n", image)
