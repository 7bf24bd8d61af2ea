# SPDX-License-Identifier: LGPL-2.1-or-later
"""--read-log of dump.f2fs and f2fs: the log has all reads, and the image is unchanged."""
import hashlib
import json

import pytest


@pytest.fixture(scope="module")
def image(run_tool, tmp_path_factory):
    top = tmp_path_factory.mktemp("log")
    image, tree = top / "image", top / "tree"
    with open(image, "wb") as f:
        f.truncate(64 << 20)
    run_tool("mkfs.f2fs", "-q", image)
    tree.mkdir()
    (tree / "wanted").write_bytes(bytes(range(256)) * 2000)
    (tree / "other").write_bytes(b"x" * 700_000)
    run_tool("sload.f2fs", "-f", tree, image)
    return image


def read_log(path):
    lines = path.read_text().splitlines()
    assert lines[0] == "# offset\tlength\tresult\tdevice"
    return [(int(o), int(n), r, d) for o, n, r, d in (line.split("\t") for line in lines[1:])]


def blocks_of(run_tool, image, path):
    """The device's blocks that hold a file."""
    extents = json.loads(run_tool("dump.f2fs", "--json", f"--map={path}", image).stdout)["map"][0]["extents"]
    found = {e["addr"] + i for e in extents if e["kind"] == "data" for i in range(e["count"])}
    assert found
    return found


def test_what_was_read_is_there(run_tool, image, tmp_path):
    before = hashlib.sha256(image.read_bytes()).digest()
    log = tmp_path / "log"
    assert run_tool("dump.f2fs", "--read-log", log, "--cat=/wanted", image).stdout == bytes(range(256)) * 2000
    rows = read_log(log)
    assert {(r, d) for _, _, r, d in rows} == {("read", str(image))}
    seen = {block for offset, length, _, _ in rows for block in range(offset // 4096, -(-(offset + length) // 4096))}
    assert 0 in seen and blocks_of(run_tool, image, "/wanted") <= seen
    assert not blocks_of(run_tool, image, "/other") & seen
    assert hashlib.sha256(image.read_bytes()).digest() == before


def test_f2fs_has_it_too(run_tool, image, tmp_path):
    logs = [tmp_path / name for name in "abc"]
    assert run_tool("f2fs", "--read-log", logs[0], image, "cat", "/wanted").stdout == bytes(range(256)) * 2000
    seen = {block for offset, length, _, _ in read_log(logs[0]) for block in range(offset // 4096, -(-(offset + length) // 4096))}
    assert blocks_of(run_tool, image, "/wanted") <= seen and not blocks_of(run_tool, image, "/other") & seen
    copy = tmp_path / "copy"
    copy.write_bytes(image.read_bytes())
    run_tool("f2fs", "--read-log", logs[1], image, "diff", copy)
    assert {device for *_, device in read_log(logs[1])} == {str(image), str(copy)}
    run_tool("f2fs", "-w", "--read-log", logs[2], copy, "rm", "/other")      # written as ever
    assert read_log(logs[2]) and run_tool("f2fs", copy, "ls").stdout == b"wanted\n"
    run_tool("f2fs", "-w", "--read-log", logs[2], copy, "rm", "/wanted", rc=1)
    run_tool("f2fs", "-w", "--read-log", copy, copy, "rm", "/wanted", rc=1)
    assert run_tool("f2fs", copy, "ls").stdout == b"wanted\n"
    (tmp_path / "full").symlink_to("/dev/full")
    run_tool("f2fs", "--read-log", tmp_path / "full", image, "ls", rc=1)


def test_a_file_that_is_there_stays(run_tool, image, tmp_path):
    before = hashlib.sha256(image.read_bytes()).digest()
    done = run_tool("dump.f2fs", "--read-log", image, "--ls", image, rc=8)
    assert b"File exists" in done.stderr and not done.stdout
    assert hashlib.sha256(image.read_bytes()).digest() == before


def test_a_log_that_does_not_arrive(run_tool, image, tmp_path):
    (tmp_path / "full").symlink_to("/dev/full")
    run_tool("dump.f2fs", "--read-log", tmp_path / "full", "--ls", image, rc=8)
    run_tool("dump.f2fs", "--read-log", tmp_path / "none" / "log", "--ls", image, rc=8)


@pytest.mark.parametrize("view", ["--deleted", "--timeline", "--versions=/"])
def test_a_search_reads_what_is_there(run_tool, tmp_path, view):
    """Of 512 Ki segments of a fresh volume almost all are holes of the file: neither they nor their summaries are read."""
    image, log = tmp_path / "image", tmp_path / "log"
    with open(image, "wb") as f:
        f.truncate(1 << 40)
    run_tool("mkfs.f2fs", "-q", image)
    run_tool("dump.f2fs", "-q", "--read-log", log, view, image)
    assert 5 < len(read_log(log)) < 100
