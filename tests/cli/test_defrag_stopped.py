# SPDX-License-Identifier: LGPL-2.1-or-later
"""Defragmenting and cleaning that are stopped: by signals, by outputs that nobody reads or that are full, by damage."""
import json
import os
import resource
import shutil
import signal
import struct
import subprocess

import pytest

from test_defrag import grow_by_turns
from test_stopped import start, stop, wait_for  # pylint: disable=unused-import

ORDERS = ("score", "tree", "age", "space")


@pytest.fixture(scope="module")
def aged(run_tool, f2fskit, tmp_path_factory):
    """(image, contents by path): so full that the work takes many commits."""
    image = tmp_path_factory.mktemp("stopped") / "aged.img"
    run_tool("mkfs.f2fs", "-q", image, "160M")
    return image, grow_by_turns(f2fskit, image, 93)


@pytest.fixture
def copy(aged, tmp_path):
    return shutil.copy(aged[0], tmp_path / "disk.img")


def version(image):
    """Of the newer checkpoint: it grows with each commit."""
    with open(image, "rb") as f:
        f.seek(1024)
        start_of_packs = struct.unpack_from("<I", f.read(4096), 76)[0]
        found = []
        for pack in range(2):
            f.seek((start_of_packs + pack * 512) * 4096)
            found.append(struct.unpack("<Q", f.read(8))[0])
    return max(found)


def must_hold_all(f2fskit, image, aged):
    assert f2fskit.check(image).found == 0
    with f2fskit.open(image) as volume:
        assert all(volume.read_bytes(path) == data for path, data in aged[1].items())


def start_moving(start, aged, image, commits, number, *words):
    """(status, output, messages) of a run that was sent a signal after a number of commits; repeated when it was too quick."""
    for _ in range(20):
        shutil.copy(aged[0], image)
        before = version(image)
        process = start(*words)
        wait_for(lambda: version(image) >= before + commits or process.poll() is not None)
        process.send_signal(number)
        status = process.wait(300)
        if status:
            return status, process.stdout.read(), process.stderr.read()
    raise AssertionError("it was always done before the signal came")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_files_move(start, run_tool, f2fskit, aged, copy, number):
    """It stops at a commit and reports its work. The next run continues there."""
    whole = json.loads(run_tool("defrag.f2fs", "--json", "--order=tree", "-n", copy).stdout)
    commits = whole["commits"] // 2
    status, said, messages = start_moving(start, aged, copy, commits, number, "defrag.f2fs", "--json", "--order=tree", copy)
    assert status == 128 + number and b"earlier moves are committed" in messages
    found = json.loads(said)
    assert found["end"] == "stopped" and found["commits"] >= 1
    must_hold_all(f2fskit, copy, aged)
    again = json.loads(run_tool("defrag.f2fs", "--json", "--order=tree", copy).stdout)
    assert again["end"] == "done" and again["after"]["broken_files"] == 0
    assert 0 < found["blocks_placed"] <= whole["blocks_placed"]
    assert found["blocks_placed"] + again["blocks_placed"] <= whole["blocks_placed"] * 1.1
    must_hold_all(f2fskit, copy, aged)


def stop_behind(sections):
    """A callback that asks to stop for good when so much is done."""
    seen = [0]

    def progress(p):
        seen[0] = max(seen[0], p.done if p.task in ("gc", "defrag") and p.phase != "defrag" else 0)
        return seen[0] >= sections
    return progress


def test_what_was_moved_before_a_stop_is_kept(f2fskit, aged, copy):
    """The step that is under way ends with its commit, however much it has still to write."""
    with f2fskit.open(copy, "r+", progress=stop_behind(9000)) as volume:
        with pytest.raises(f2fskit.CanceledError, match=r"committed: (9\d\d\d|1\d\d\d\d) blocks placed"):
            volume.defrag("tree")
    must_hold_all(f2fskit, copy, aged)
    with f2fskit.open(copy, "r+") as volume:
        for path in sorted(aged[1])[::2]:
            volume.path(path).unlink()
        volume.commit()
        before = volume.fragmentation().free_sections
    with f2fskit.open(copy, "r+", progress=stop_behind(5)) as volume:
        with pytest.raises(f2fskit.CanceledError, match="stopped after 5 sections"):
            volume.gc(used_limit=100)
    with f2fskit.open(copy) as volume:
        assert volume.fragmentation().free_sections >= before + 2
        assert all(volume.read_bytes(path) == aged[1][path] for path in sorted(aged[1])[1::2])
    assert f2fskit.check(copy).found == 0


def test_a_range_that_is_stopped(f2fskit, aged, copy):
    with f2fskit.open(copy, "r+", progress=lambda p: p.task == "defrag") as volume:
        start, end = volume.geometry.main_blkaddr, volume.geometry.end_blkaddr
        with pytest.raises(f2fskit.CanceledError, match=r"[1-9]\d* blocks were moved"):
            volume.defrag_range(start, 30000, end - 1, leftwards=True)
    must_hold_all(f2fskit, copy, aged)


def test_a_signal_while_the_list_is_read(start, aged, copy):
    """Before anything is planned: nothing is changed."""
    process = start("defrag.f2fs", "--order=-", copy)
    process.stdin.write(b"/d0/f0\n" * 30000)  # more than a pipe holds, so it reads
    status, messages = stop(process)
    assert status == 130 and "stopped; nothing was changed" in messages
    assert copy.read_bytes() == aged[0].read_bytes()


def waits(process, image):
    """With the image open, and nothing to be done by any thread: in the call that opens a pipe."""
    folder = f"/proc/{process.pid}"
    for task in os.listdir(folder + "/task"):
        with open(f"{folder}/task/{task}/stat", encoding="ascii") as f:
            if f.read().rsplit(")", 1)[1].split()[0] != "S":
                return False
    return any(os.path.realpath(f"{folder}/fd/{fd}") == str(image) for fd in os.listdir(folder + "/fd"))


def test_a_signal_before_the_picture_is_written(start, copy, tmp_path):
    """The report is done; who would read the picture does not come."""
    os.mkfifo(tmp_path / "picture")
    process = start("defrag.f2fs", "--fragmentation", f"--svg={tmp_path / 'picture'}", copy)
    wait_for(lambda: waits(process, copy))
    status, messages = stop(process)
    assert status == 130 and "picture: stopped" in messages


@pytest.mark.parametrize("order", ORDERS)
def test_a_report_that_is_stopped(f2fskit, aged, order):
    """A callback asks to stop while files are looked at: nothing was planned."""
    asked = []
    with f2fskit.open(aged[0], progress=lambda p: asked.append(p.task) or True) as volume:
        with pytest.raises(f2fskit.CanceledError):
            volume.fragmentation()
        with pytest.raises(f2fskit.CanceledError):
            volume.defrag(order, dry_run=True)
    assert asked and set(asked) == {"fragments"}


@pytest.mark.parametrize("words", [("defrag.f2fs", "--fragmentation"), ("defrag.f2fs", "--segment-map"), ("defrag.f2fs", "--svg=-"),
                                   ("defrag.f2fs", "--order=space"), ("f2fs", "-w", "gc")], ids=" ".join)
def test_nobody_reads_the_output(tool, f2fskit, aged, copy, words):
    """A closed pipe, a full disk: the status says so, and moved files stay moved."""
    args = [str(tool(words[0])), *words[1:]]
    args.insert(2 if words[0] == "f2fs" else len(args), str(copy))
    for ignores in (False, True):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(args, stdout=writer, stderr=subprocess.PIPE, timeout=300, check=False, restore_signals=not ignores)
        os.close(writer)
        if ignores:
            assert done.returncode > 0 and b"standard output: Broken pipe" in done.stderr
        else:
            assert done.returncode == -signal.SIGPIPE and not done.stderr
    with open("/dev/full", "wb") as full:
        done = subprocess.run(args, stdout=full, stderr=subprocess.PIPE, timeout=300, check=False)
    assert done.returncode > 0 and b"standard output: No space left on device" in done.stderr
    must_hold_all(f2fskit, copy, aged)


def test_a_picture_that_does_not_fit(run_tool, aged, tmp_path):
    """A new file goes again; of one that was there it is said."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    new, old = tmp_path / "new.svg", tmp_path / "old.svg"
    old.write_text("old")
    done = run_tool("defrag.f2fs", f"--svg={new}", aged[0], rc=1, preexec_fn=limit)
    assert b"new.svg: File too large" in done.stderr and not new.exists()
    done = run_tool("defrag.f2fs", f"--svg={old}", aged[0], rc=1, preexec_fn=limit)
    assert b"old.svg: File too large" in done.stderr and b"old.svg: is not complete" in done.stderr
