# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs on what is left of earlier times: --versions and @ADDR. The volumes are changed by our own programs."""
import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("F2FSKIT_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build")
MKFS, DUMP, EDIT = BUILD / "mkfs/mkfs.f2fs", BUILD / "dump/dump.f2fs", BUILD / "edit/f2fs"


def run(*arguments, status=0, data=None):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, input=data)
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done.stdout


def shown(image, *options, status=0):
    return json.loads(run(DUMP, "--json", *options, image, status=status))


@pytest.fixture
def image(tmp_path):
    """Three versions of /file: inline, small, and large ones."""
    path = tmp_path / "disk.img"
    run(MKFS, "-q", "-f", path, "64M")
    for i, contents in enumerate((b"one\n", b"two" * 2000, b"three" * 40000)):
        (tmp_path / "file").write_bytes(contents)
        run(EDIT, "-w", path, "put", tmp_path / "file", "/")
    path.chmod(0o400)
    return path


def test_versions(image):
    found = shown(image, "--versions=/file")["versions"][0]
    rows = found["versions"]
    assert [row["left"] for row in rows] == ["whole"] * len(rows)
    assert rows[-1]["is_current"] and not any(row["is_current"] for row in rows[:-1])
    contents = [run(DUMP, f"--cat=@{row['block_addr']}", image) for row in rows]
    assert contents[-1] == b"three" * 40000
    assert shown(image, f"--versions={found['ino']}")["versions"][0]["versions"] == rows
    text = run(DUMP, "--versions=/file", image).decode()
    assert "whole" in text and str(rows[0]["block_addr"]) in text and len(text.splitlines()) == 2 + len(rows)


def test_a_file_that_is_gone(image, tmp_path):
    image.chmod(0o600)
    ino = shown(image, "--versions=/file")["versions"][0]["ino"]
    run(EDIT, "-w", image, "rm", "/file")
    run(DUMP, "--versions=/file", image, status=2)
    rows = shown(image, f"--versions={ino}")["versions"][0]["versions"]
    assert not any(row["is_current"] for row in rows)
    assert run(DUMP, f"--cat=@{rows[-1]['block_addr']}", image) == b"three" * 40000


def test_wrong_operands(image):
    run(DUMP, "--cat=@1", image, status=4)
    run(DUMP, "--cat=@x", image, status=1)
    run(DUMP, "--cat=@99999999", image, status=2)
    run(DUMP, "--versions=99999999", image, status=2)
    assert shown(image, "--versions=1000")["versions"][0]["versions"] == []
