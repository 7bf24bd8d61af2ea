# SPDX-License-Identifier: LGPL-2.1-or-later
"""The volume that bench/check_hollow makes while it is read, written to a file in a small size: both checkers find nothing
wrong, and dump.f2fs of f2fs-tools finds the files where their numbers put them."""
import os
import re
import shutil
import subprocess

import pytest

DUMP = shutil.which("dump.f2fs", path="/usr/sbin:/sbin:/usr/bin")
FILES, ROOT = 20000, 3


@pytest.fixture(scope="module")
def image(build_dir, tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "image"
    subprocess.run([os.path.join(build_dir, "bench", "check_hollow"), "--image", path, str(FILES)], check=True)
    return path


def test_checkers_find_nothing(image, peer_check):
    peer_check(image)


def test_names_are_those_of_the_numbers(image, run_tool):
    names = sorted(run_tool("f2fs", image, "ls", "/000/019").stdout.split())
    assert names == [b"%03d" % number for number in range(1000)]


@pytest.mark.skipif(not DUMP, reason="dump.f2fs of f2fs-tools is not installed")
def test_the_last_file_by_the_peer(image):
    directories = 1 + 1 + FILES // 1000
    last = ROOT + directories + FILES - 1
    done = subprocess.run([DUMP, "-i", str(last), image], input=b"n\n", capture_output=True)
    text = done.stdout.decode()
    assert re.search(r"i_name\s+\[999\]", text) and re.search(r"i_pino\s+\[0x *[0-9a-f]+ : %d\]" % (ROOT + directories - 1), text), text
