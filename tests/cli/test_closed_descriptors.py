# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that are started with standard input, output or error closed, as by cron or a daemon: the image gets none of their
numbers, so that no message goes into it, and it is not read as commands."""
import os
import subprocess
import sys

import pytest


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "64M")
    run_tool("f2fs", "-w", path, "touch", "/file")
    return path


@pytest.fixture
def closed(tool):
    def run(numbers, program, *words):
        script = 'exec "$@"' + "".join(" %d>&-" % n for n in numbers)
        return subprocess.run(["sh", "-c", script, "sh", tool(program), *map(str, words)], capture_output=True, check=False, timeout=60)
    return run


@pytest.mark.parametrize("numbers", [(2,), (1, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("program, words, statuses", [
    ("f2fs", ("-w", "IMAGE", "ls", "/nosuch"), (2,)),
    ("f2fs", ("-w", "-k", "IMAGE", *["cat", "/nosuch", "--"] * 40, "ls", "/"), (1, 2)),
    ("f2fslabel", ("IMAGE", "x" * 600), (1,)),
    ("tune.f2fs", ("-L", "x" * 600, "IMAGE"), (1,)),
    ("fsck.f2fs", ("-n", "IMAGE"), (0, 1, 8)),
    ("dump.f2fs", ("--tree", "--cat=/nosuch", "IMAGE"), (1, 2, 8, 10)),
    ("resize.f2fs", ("IMAGE", "1M"), (1, 8)),
])
def test_messages(closed, image, numbers, program, words, statuses):
    before = image.read_bytes()
    done = closed(numbers, program, *[image if word == "IMAGE" else word for word in words])
    assert image.read_bytes() == before
    assert done.returncode in statuses


def test_a_repair(closed, run_tool, f2fskit, image):
    with f2fskit.open(image) as volume:
        ino = volume.path("/file").stat().st_ino
    run_tool("f2fs", "-w", image, "set", "inode[%d].i_links" % ino, "9")
    assert closed((0, 1, 2), "fsck.f2fs", "-y", image).returncode & ~9 == 0
    assert not f2fskit.check(image).problems


def test_no_commands_from_the_image(closed, run_tool, image):
    with open(image, "r+b") as file:
        file.write(b"touch /planted\nquit\n")
    assert closed((0,), "f2fs", "-w", image).returncode == 1
    assert closed((0,), "f2fs", "-w", image, "put", "-", "/copy").returncode == 1
    assert b"file" in run_tool("f2fs", image, "ls", "/").stdout
    assert run_tool("f2fs", image, "ls", "/").stdout.split() == [b"file"]


def test_the_library_in_such_a_process(image, python_dir):
    """Output of the host must not go into the image, either."""
    script = ("import os, sys\nos.closerange(0, 3)\nimport f2fskit\n"
              "with f2fskit.open(sys.argv[1], 'r+') as volume:\n"
              "    for n in range(3):\n"
              "        try:\n            os.write(n, b'x' * 5000)\n"
              "        except OSError:\n            pass\n"
              "    volume.path('/more').write_bytes(b'')\n")
    subprocess.run([sys.executable, "-c", script, str(image)], env={**os.environ, "PYTHONPATH": python_dir}, check=True)
    assert image.read_bytes()[:1024] == bytes(1024)
