# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs compress on files that are there: output, refusals, and a dry run beside a run."""
import json
import os

import pytest


@pytest.fixture
def source(tmp_path):
    top = tmp_path / "tree"
    (top / "dir").mkdir(parents=True)
    for i in range(5):
        (top / f"text-{i}").write_bytes(b"the same line again\n" * 5000)
    (top / "dir/log").write_bytes(b"another line\n" * 30000)
    (top / "dir/noise").write_bytes(os.urandom(100_000))
    (top / "small").write_bytes(b"small")
    (top / "empty").touch()
    return top


@pytest.fixture
def image(run_tool, tmp_path, source):
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression", "--root-dir", source, tmp_path / "disk.img", "64M")
    return tmp_path / "disk.img"


def same(run_tool, image, source):
    run_tool("f2fs", image, "diff", "-i", "owner,mtime", "-x", "/lost+found", source)
    run_tool("fsck.f2fs", "-n", image)


def test_text(run_tool, image, source):
    told = run_tool("f2fs", image, "compress", "-rd", "/").stdout.decode()
    done = run_tool("f2fs", "-w", image, "compress", "-r", "/").stdout.decode()
    assert told == "would have " + done
    assert done.startswith("compressed 6 of 9 files: ") and "the saved blocks stay reserved" in done
    assert "directories that compress new files: 2" in done
    assert "left as is: 1 (compression would save no block)" in done and "left as is: 2 (contents are in the inode)" in done
    same(run_tool, image, source)
    again = run_tool("f2fs", "-w", image, "compress", "-r", "/").stdout.decode()
    assert again.startswith("compressed 0 of 9 files") and "left as is: 6 (already so)" in again and "directories" not in again
    back = run_tool("f2fs", "-w", image, "compress", "-rn", "/").stdout.decode()
    assert back.startswith("decompressed 6 of 9 files") and "directories unmarked: 2" in back
    same(run_tool, image, source)


def test_single_files_and_directories(run_tool, image, source):
    """Without -r a directory is only marked, and an empty file."""
    assert run_tool("f2fs", "-w", image, "compress", "/dir", "/empty").stdout == b""
    assert b"compressed 2 of 2 files" in run_tool("f2fs", "-w", image, "compress", "-a", "zstd:3", "text-0", "/text-3").stdout
    for name, has in ("/dir", 1), ("/empty", 1), ("/text-0", 1), ("/text-3", 1), ("/text-1", 0), ("/dir/log", 0):
        assert (b"c" in run_tool("f2fs", image, "lsattr", "-d", name).stdout.split()[0]) == has, name
    same(run_tool, image, source)


def test_stat_shows_how(run_tool, image):
    """The algorithm, the size of a cluster, and the blocks that stay reserved: none once they are released."""
    def shown(name):
        found = json.loads(run_tool("f2fs", "--json", image, "stat", name).stdout)
        return found.get("compression"), found.get("cluster_blocks"), found.get("saved_blocks"), found["blocks"]
    *none, before = shown("/text-0")
    assert none == [None, None, None]
    run_tool("f2fs", "-w", image, "compress", "-a", "zstd", "-L", "3", "/text-0")
    algorithm, cluster, saved, reserved = shown("/text-0")
    assert (algorithm, cluster) == ("zstd", 8) and saved >= 16 and reserved == before
    run_tool("f2fs", "-w", image, "release", "/text-0")
    assert shown("/text-0") == ("zstd", 8, 0, before - saved * 8)
    assert b"saved_blocks" in run_tool("f2fs", image, "stat", "/text-0").stdout


def test_patterns_and_release(run_tool, image, source):
    free = json.loads(run_tool("f2fs", "--json", image, "df").stdout)["free_bytes"]
    done = json.loads(run_tool("f2fs", "--json", "-w", image, "compress", "-rR", "-i", "text-*,*.log", "-x", "text-4", "/").stdout)
    assert (done["files"], done["changed"], done["directories"], done["released"], done["left"]) == (4, 4, 0, True, [])
    now = json.loads(run_tool("f2fs", "--json", image, "df").stdout)["free_bytes"]
    assert now > free
    assert run_tool("f2fs", "-w", image, "write", "/text-1", "0", "x", rc=None).returncode != 0
    run_tool("f2fs", "-w", image, "write", "/text-4", "0", "t")
    same(run_tool, image, source)


def test_json_names_what_is_left(run_tool, image):
    done = json.loads(run_tool("f2fs", "--json", image, "compress", "--recursive", "--dry-run", "/dir").stdout)
    assert done["dry_run"] and done["left"] == [{"path": "/dir/noise", "reason": "compression would save no block"}]
    assert 0 < done["blocks_after"] < done["blocks_before"]


def test_refusals(run_tool, image, tmp_path):
    before = image.read_bytes()
    assert b"-w" in run_tool("f2fs", image, "compress", "/text-1", rc=None).stderr
    assert b"no such file" in run_tool("f2fs", "-w", image, "compress", "/none", rc=None).stderr
    assert b"too large" in run_tool("f2fs", "-w", image, "compress", "-a", "lz4:99", "/text-1", rc=None).stderr
    assert b"goes with -r" in run_tool("f2fs", "-w", image, "compress", "-i", "*.txt", "/dir", rc=16).stderr
    for option in (["-a", "zstd"], ["-k"], ["-R"], ["-L", "3"]):
        assert b"does not go with -n" in run_tool("f2fs", "-w", image, "compress", "-n", *option, "/text-1", rc=16).stderr
    assert b"is no path" in run_tool("f2fs", "-w", image, "compress", "<5>", rc=16).stderr
    run_tool("f2fs", "-w", image, "mknod", "/pipe", "p")
    changed = image.read_bytes()
    assert changed != before
    assert b"is no file and no directory" in run_tool("f2fs", "-w", image, "compress", "/pipe", rc=None).stderr
    assert image.read_bytes() == changed
    run_tool("mkfs.f2fs", "-q", tmp_path / "plain.img", "64M")
    run_tool("f2fs", "-w", tmp_path / "plain.img", "write", "/x", "0", "y" * 9000, rc=None)
    refused = run_tool("f2fs", "-w", tmp_path / "plain.img", "compress", "-r", "/", rc=None)
    assert refused.returncode != 0 and b"lacks the feature compression (tune.f2fs -O compression turns it on)" in refused.stderr


def test_unreadable_contents_stay(run_tool, f2fskit, image):
    """A damaged file is named and stays, the others are compressed, and the status says that not all was done."""
    run_tool("f2fs", "-w", image, "compress", "/dir/log")
    with f2fskit.open(image) as volume:
        address = next(iter(volume["/dir/log"].inode().extents())).addr
    with open(image, "r+b") as file:
        file.seek(address * 4096)
        file.write(b"\xff" * 64)
    done = run_tool("f2fs", "-w", image, "compress", "-rn", "/", rc=None)
    assert done.returncode == 4 and b"/dir/log stays as it is: contents cannot be read" in done.stderr
    run_tool("fsck.f2fs", "-n", image)
