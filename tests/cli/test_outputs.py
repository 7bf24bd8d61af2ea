# SPDX-License-Identifier: LGPL-2.1-or-later
"""No program writes its output over the image that it reads, under whatever name that is given."""
import os

import pytest

CALLS = {
    "tar": ["dump.f2fs", "--tar=OUT", "IMAGE"],
    "manifest": ["dump.f2fs", "--manifest=OUT", "--extract=new", "IMAGE"],
    "get": ["f2fs", "IMAGE", "get", "/f", "OUT"],
    "get while writing": ["f2fs", "-w", "IMAGE", "get", "/f", "OUT"],
    "svg": ["defrag.f2fs", "--fragmentation", "--svg=OUT", "IMAGE"],
    "metadata": ["dump.f2fs", "--metadata-image=OUT", "IMAGE"],
    "used": ["dump.f2fs", "--used-image=OUT", "IMAGE"],
    "reads": ["dump.f2fs", "--read-log=OUT", "--ls", "IMAGE"],
    "report": ["dump.f2fs", "--report=OUT", "IMAGE"],
    "undo": ["fsck.f2fs", "-f", "-y", "--undo=OUT", "IMAGE"],
    "sparse": ["mkfs.f2fs", "-f", "--sparse-size=64M", "--root-dir=OUT", "IMAGE"],
}


@pytest.fixture
def place(run_tool, tmp_path):
    (tmp_path / "tree").mkdir()
    for name in ("f", "image", "dump_sit"):     # copying out over the image would replace it
        (tmp_path / "tree" / name).write_bytes(b"contents\n" * 20000)
    run_tool("mkfs.f2fs", "-q", "--root-dir", "tree", "image", "64M", cwd=tmp_path)
    os.link(tmp_path / "image", tmp_path / "hard")
    os.link(tmp_path / "image", tmp_path / "dump_sit")
    (tmp_path / "soft").symlink_to("image")
    return tmp_path


def check(place, run_tool, *words):
    before = (place / "image").read_bytes()
    done = run_tool(*words, rc=None, cwd=place)
    assert (place / "image").exists() and (place / "image").read_bytes() == before
    assert done.returncode != 0 and done.stderr
    return done


@pytest.mark.parametrize("name", ["image", "hard", "soft"])
@pytest.mark.parametrize("call", CALLS)
def test_the_image_stays(run_tool, place, call, name):
    check(place, run_tool, *(word.replace("OUT", name).replace("IMAGE", "image") for word in CALLS[call]))


def test_trees_that_would_replace_it(run_tool, place):
    done = check(place, run_tool, "f2fs", "image", "get", "-r", "/", ".")
    assert b"/image" in done.stderr
    assert (place / "f").read_bytes() == b"contents\n" * 20000


def test_tables_under_its_name(run_tool, place):
    check(place, run_tool, "dump.f2fs", "-s", "0~1", "dump_sit")


def test_others_are_replaced_and_pipes_work(run_tool, place):
    (place / "out").write_bytes(bytes(1 << 20))
    run_tool("f2fs", "image", "get", "/f", "out", cwd=place)
    assert (place / "out").read_bytes() == b"contents\n" * 20000
    assert run_tool("f2fs", "image", "get", "/f", "/dev/stdout", cwd=place).stdout == b"contents\n" * 20000
    assert b"contents" in run_tool("dump.f2fs", "--tar=/dev/stdout", "image", cwd=place).stdout
    run_tool("defrag.f2fs", "--fragmentation", "--svg=/dev/null", "image", cwd=place)
