# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cleaning by the command gc and by Volume.gc(): its gain, its limits, its output, and damage that it leaves alone."""
import json
import re

import pytest

FILES = 60
BLOCKS = 100
SIZE = BLOCKS * 4096


def contents(i):
    return bytes([i]) * SIZE


@pytest.fixture
def scattered(run_tool, f2fskit, tmp_path):
    """A volume of which each second file is gone, so that segments are half full."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum", image, "128M")
    with f2fskit.open(image, "r+") as volume:
        for i in range(FILES):
            volume.path(f"/{i}").write_bytes(contents(i))
    with f2fskit.open(image, "r+") as volume:
        for i in range(0, FILES, 2):
            volume.path(f"/{i}").unlink()
    return image


def must_hold(f2fskit, image):
    with f2fskit.open(image) as volume:
        assert {path.name for path in volume.path("/").iterdir()} >= {str(i) for i in range(1, FILES, 2)}
        for i in range(1, FILES, 2):
            assert volume.read_bytes(f"/{i}") == contents(i), i


def gc(run_tool, image, *options, writes=True, rc=0, json_too=True):
    words = ["-w"] * writes + ["--json"] * json_too
    done = run_tool("f2fs", *words, image, "gc", *options, rc=rc)
    return json.loads(done.stdout) if json_too and rc == 0 else done


def test_sections_become_free(run_tool, f2fskit, peer_check, scattered):
    would = gc(run_tool, scattered, "-n", writes=False)
    assert would["dry_run"] and would["candidates"] >= 10 and would["commits"] == 0
    found = gc(run_tool, scattered)
    assert found["end"] == "done" and found["unconfirmed"] == found["unreadable"] == found["pinned"] == 0
    assert found["sections"] == would["sections"] and found["data_blocks"] == would["data_blocks"]
    assert found["free_after"] >= found["free_before"] + 4 and abs(found["free_after"] - would["free_after"]) <= 2
    assert f2fskit.check(scattered).found == 0
    peer_check(scattered)
    must_hold(f2fskit, scattered)
    again = gc(run_tool, scattered)
    assert again["sections"] == again["data_blocks"] == 0 and again["end"] == "done"


@pytest.mark.parametrize("policy", ["greedy", "cost-benefit", "age"])
@pytest.mark.parametrize("limit, reached", [
    ("-s 3", lambda r: r["sections"] == 3),
    ("-b 700", lambda r: 700 <= r["data_blocks"] + r["node_blocks"] < 700 + 512),
    ("-w 2", lambda r: r["end"] == "limit" and (r["data_blocks"] + r["node_blocks"]) * 4096 < 4 << 20),
    ("-f 50", lambda r: r["free_after"] >= 50 or r["end"] == "done"),
])
def test_limits(run_tool, f2fskit, scattered, policy, limit, reached):
    found = gc(run_tool, scattered, "--policy", policy, *limit.split())
    assert reached(found) and found["sections"] > 0
    assert f2fskit.check(scattered).found == 0
    must_hold(f2fskit, scattered)


def test_words_and_wrong_words(run_tool, scattered):
    shown = gc(run_tool, scattered, "-n", writes=False, json_too=False).stdout.decode()
    assert re.match(r"would empty \d+ of \d+ sections: \d+ blocks of data, \d+ nodes; \d+ free sections would become about \d+; ", shown)
    assert b"-w allows it" in gc(run_tool, scattered, writes=False, rc=16).stderr
    assert b"none of greedy, cost-benefit, age, hotness, age-threshold" in gc(run_tool, scattered, "-p", "newest", rc=16).stderr
    alias, age = (gc(run_tool, scattered, "-n", "-p", word, writes=False) for word in ("age-threshold", "age"))
    assert alias == age and gc(run_tool, scattered, "-n", writes=False) != age
    for wrong in (("-s", "0"), ("-u", "101"), ("-t", "x")):
        assert gc(run_tool, scattered, *wrong, rc=16).stderr


def test_pinned_files_stay(run_tool, f2fskit, scattered):
    run_tool("f2fs", "-w", scattered, "pin", "/1")
    with f2fskit.open(scattered) as volume:
        before = [tuple(extent) for extent in volume.lookup("/1").extents()]
    assert gc(run_tool, scattered)["pinned"] >= 1
    with f2fskit.open(scattered) as volume:
        assert [tuple(extent) for extent in volume.lookup("/1").extents()] == before
    must_hold(f2fskit, scattered)


def one_block(f2fskit, image):
    """(segment, offset in it, owner, slot) of a block of /1 in a segment that is no log's."""
    with f2fskit.open(image) as volume:
        inode = volume.lookup("/1")
        extent = next(iter(inode.extents()))
        segment, offset = divmod(extent.addr - volume.geometry.main_blkaddr, 512)
        return segment, offset, inode.number


@pytest.mark.parametrize("damage", [
    "ssa[{segment}][{offset}].nid 3",
    "ssa[{segment}][{offset}].nid 4000000000",
    "ssa[{segment}][{offset}].version 77",
    "ssa[{segment}][{offset}].ofs_in_node 900",
    "ssa[{segment}][{offset}].ofs_in_node 65535",
    "ssa[{segment}].entry_type 1",
    "nat[{ino}].version 9",
    "nat[{ino}].ino 77",
    "nat[{ino}].block_addr 5000",
    "inode[{ino}].i_addr[0] 0",
    "inode[{ino}].i_mode 4480",
    "inode[{ino}].i_inline 2",
])
def test_what_is_not_confirmed_is_left_alone(run_tool, f2fskit, scattered, damage):
    segment, offset, ino = one_block(f2fskit, scattered)
    run_tool("f2fs", "-w", scattered, "set", *damage.format(segment=segment, offset=offset, ino=ino).split())
    with f2fskit.open(scattered) as volume:
        before = volume.sit[segment]
    def readable():
        found = {}
        with f2fskit.open(scattered) as volume:
            for i in range(1, FILES, 2):
                try:
                    found[i] = volume.read_bytes(f"/{i}")
                except (f2fskit.Error, OSError) as error:
                    found[i] = type(error)
        return found

    files = readable()
    problems = {problem.name for problem in f2fskit.check(scattered).problems}
    done = run_tool("f2fs", "-w", "--json", scattered, "gc")
    found = json.loads(done.stdout)
    assert found["unconfirmed"] >= 1 and found["sections"] > 0
    named = re.search(r"section %d is left alone: block \d+, of node \d+: .* \((.*)\)" % segment, done.stderr.decode())
    # GC judges by itself; other structures may tell a check which field it is
    assert problems & {"INODE_FIELD", *named[1].split(", ")}, (problems, named[0])
    with f2fskit.open(scattered) as volume:
        after = volume.sit[segment]
        assert after.valid_map == before.valid_map and after.valid_blocks == before.valid_blocks
    assert readable() == files


def test_stopping_and_states(f2fskit, scattered):
    def stop(progress):
        return progress.task == "gc" and progress.done >= 2

    with f2fskit.open(scattered, "r+", progress=stop) as volume:
        with pytest.raises(f2fskit.CanceledError):
            volume.gc()
    assert f2fskit.check(scattered).found == 0
    must_hold(f2fskit, scattered)
    with f2fskit.open(scattered, "r+") as volume:
        assert 0 < volume.gc(dry_run=True).candidates
        volume.path("/new").write_text("waits")
        with pytest.raises(f2fskit.StateError):
            volume.gc()
        volume.commit()
        assert volume.gc(sections=1).sections == 1
    with f2fskit.open(scattered) as volume:
        assert volume.read_bytes("/new") == b"waits"
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.gc()
        with pytest.raises(ValueError):
            volume.gc("newest", dry_run=True)


def test_copying_cleans_when_there_is_no_room(run_tool, f2fskit, peer_check, scattered, tmp_path):
    """More than fits into the free sections, though not more than the volume has room for: with normal logging that is not
    there before the sections in part free are cleaned."""
    with f2fskit.open(scattered) as volume:
        blocks = volume.statfs().free_blocks - 300
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "large").write_bytes(b"new" * (blocks * 4096 // 3))
    sload = ("sload.f2fs", "--logging=normal", "-f", tmp_path / "new", scattered)
    refused = run_tool(*sload, "--no-gc", rc=8)
    assert b"GC could free up to" in refused.stderr and b"copying again" not in refused.stderr
    must_hold(f2fskit, scattered)
    assert b"copying again" in run_tool(*sload).stderr
    must_hold(f2fskit, scattered)
    assert f2fskit.check(scattered).found == 0
    peer_check(scattered)


def test_single_commands_clean_first(run_tool, f2fskit, peer_check, scattered, tmp_path):
    """One change after the other, each a run of its own, until all room is used: none fails before that."""
    step = 200 * 4096
    (tmp_path / "step").write_bytes(b"step" * (step // 4))
    with f2fskit.open(scattered) as volume:
        room = volume.statfs().free_blocks * 4096
    for i in range(room // step - 1):
        run_tool("f2fs", "-w", "--logging", "normal", scattered, "put", tmp_path / "step", f"/step{i}")
    done = run_tool("f2fs", "-w", "--logging", "adaptive:0", scattered, "put", tmp_path / "step", "/last")
    assert done.returncode == 0
    must_hold(f2fskit, scattered)
    assert f2fskit.check(scattered).found == 0
    peer_check(scattered)


@pytest.mark.parametrize("value, words", [("newest", "is none of adaptive, normal, threaded"),
                                          ("normal:5", "only adaptive logging has"), ("adaptive:101", "too large")])
def test_ways_of_logging_are_checked(run_tool, tmp_path, value, words):
    assert words in run_tool("f2fs", "-w", f"--logging={value}", tmp_path / "none", "ls", rc=16).stderr.decode()


def test_no_more_are_cleaned_than_were_worth_it(run_tool, tmp_path):
    """Writes of cleaning leave further sections partly used. A later batch takes them, and they count, too."""
    (tmp_path / "block").write_bytes(bytes(range(256)) * 16)
    lines = ["put block /%d" % i for i in range(800)] + ["commit"] + ["rm /%d" % i for i in range(0, 800, 2)]
    run_tool("mkfs.f2fs", "-q", "image", "64M", cwd=tmp_path)
    run_tool("f2fs", "-w", "-c", "\n".join(lines), "image", cwd=tmp_path)
    found = gc(run_tool, tmp_path / "image", "-u", "100")
    assert found["commits"] > 1 and found["sections"] <= found["candidates"], found
