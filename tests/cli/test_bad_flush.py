# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs whose n-th flush fails: their messages match the image."""
import os
import shutil
import subprocess

import pytest

UNKNOWN = "look at the volume again"


@pytest.fixture
def image(build_dir, tmp_path):
    path = tmp_path / "disk.img"
    with open(path, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run([f"{build_dir}/mkfs/mkfs.f2fs", "-q", path], check=True, stdout=subprocess.DEVNULL)
    return path


def has_file(build_dir, image):
    found = subprocess.run([f"{build_dir}/edit/f2fs", image, "ls", "/"], check=True, stdout=subprocess.PIPE)
    return b"new" in found.stdout.split()


def run(build_dir, command, number, every):
    env = dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libbad_flush.so"), BAD_FLUSH=str(number),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    if every:
        env["BAD_FLUSH_ALL"] = "1"
    return subprocess.run([str(word) for word in command], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("program", ["f2fs", "sload"])
def test_what_is_said(build_dir, image, tmp_path, program, every):
    source = tmp_path / "source"
    source.mkdir()
    (source / "new").write_text("new")
    seen = set()
    for number in range(1, 20):
        copy = tmp_path / "copy.img"
        shutil.copy(image, copy)
        command = ([f"{build_dir}/edit/f2fs", "-w", copy, "touch", "/new"] if program == "f2fs" else
                   [f"{build_dir}/sload/sload.f2fs", "-f", source, copy])
        found = run(build_dir, command, number, every)
        there = has_file(build_dir, copy)
        if found.returncode == 0:
            assert there
            break
        is_unknown, is_rolled_back = UNKNOWN in found.stderr, "rolled back" in found.stderr
        assert is_unknown or not there, found.stderr
        assert not (is_unknown and is_rolled_back)
        seen.add("unknown" if is_unknown else "rolled back" if is_rolled_back else "failed")
    else:
        raise AssertionError("the fault is met for ever")
    assert seen == ({"failed", "unknown"} if every else {"failed", "rolled back"})
