# SPDX-License-Identifier: LGPL-2.1-or-later
"""The harness itself: does it report jobs, kernels and trees correctly?"""
import hashlib
import json
import os
import subprocess
import sys

import pytest

import images
import makers
import reading
import uml

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "guest", "record.py")


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    with open(path, "wb") as f:
        f.truncate(64 << 20)
    subprocess.run([*makers.PEER.command(), path], check=True)
    return path


def test_status_and_outputs_stay_apart(kernel):
    r = uml.run("echo out; echo err >&2; echo \"$1 $X\"; exit 7", args=["arg"], env={"X": "y"}, kernel=kernel)
    assert (r.rc, r.stdout, r.stderr) == (7, b"out\narg y\n", b"err\n")
    assert any("Linux version" in line.text for line in r.log)
    assert not r.problems


def test_binary_output_is_unchanged(kernel):
    everything = bytes(range(256)) * 300
    r = uml.run([sys.executable, "-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 300)"], kernel=kernel)
    assert r.stdout == everything


def test_unknown_program(kernel):
    assert uml.run(["/no/such/program"], kernel=kernel).rc == 127


def test_time_is_up(kernel):
    r = uml.run("sleep 60", timeout=3, kernel=kernel)
    assert r.rc == uml.RC_TIMEOUT and r.timed_out


def test_guest_that_goes_away(kernel):
    r = uml.run([sys.executable, "-c", "import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)"], kernel=kernel)
    assert r.rc == uml.RC_DIED and r.died
    with pytest.raises(uml.GuestFailure):
        r.check()


def test_what_was_mounted_is_unmounted(kernel, disk):
    uml.run("mount /dev/ubda $MNT; echo kept >$MNT/f; sleep 100 <$MNT/f & exit 0", images=[disk], kernel=kernel).check()
    r = uml.run("mount -o ro /dev/ubda $MNT && cat $MNT/f", images=["%s:ro" % disk], kernel=kernel, strict=True)
    assert (r.rc, r.stdout) == (0, b"kept\n")


def test_powercut_keeps_only_what_was_synced(kernel, disk):
    r = uml.run("mount /dev/ubda $MNT; echo a >$MNT/synced; sync -f $MNT; echo b >$MNT/not; powercut 5",
                images=[disk], kernel=kernel)
    assert r.rc == 5
    r = uml.run("mount /dev/ubda $MNT && ls $MNT", images=[disk], kernel=kernel).check()
    assert r.stdout == b"synced\n"


@pytest.mark.parametrize("timers, writeback, interval", [("still", 0, 10**6), ("hasty", 1, 1)])
def test_timers(kernel, disk, timers, writeback, interval):
    """The kernel's timers are set, and those of each volume as it is mounted; stopped ones write nothing."""
    job = """set -e; test $(cat /proc/sys/vm/dirty_writeback_centisecs) = $1; mount /dev/ubda $MNT
        for name in cp_interval gc_idle_interval; do
        until [ $(cat /sys/fs/f2fs/ubda/$name) = $2 ]; do sleep 0.1; done; done
        touch $MNT/f; sleep 1; powercut"""
    uml.run(job, images=[disk], args=[str(writeback), str(interval)], kernel=kernel, timers=timers).check()
    if timers == "still":
        assert uml.run("mount /dev/ubda $MNT && ls $MNT", images=[disk], kernel=kernel).check().stdout == b""


def test_forms_of_guests(kernel, disk, monkeypatch):
    """A guest that is halted again and again does its job; a form that nobody knows is refused."""
    monkeypatch.setenv("F2FSKIT_GUEST", "hasty,halting")
    r = uml.run("mount /dev/ubda $MNT && cat /proc/sys/vm/dirty_writeback_centisecs", images=[disk], kernel=kernel)
    assert r.check().stdout == b"1\n"
    monkeypatch.setenv("F2FSKIT_GUEST", "sleepy")
    with pytest.raises(ValueError):
        uml.run("true", kernel=kernel)


def test_read_only_and_scratch_leave_the_image_alone(kernel, disk):
    def digest():
        return hashlib.sha256(disk.read_bytes()).hexdigest()
    before = digest()
    uml.run("mount /dev/ubda $MNT && touch $MNT/x", images=[disk], scratch=True, kernel=kernel).check()
    assert digest() == before
    r = uml.run("mount /dev/ubda $MNT && touch $MNT/x", images=["%s:ro" % disk], kernel=kernel)
    assert r.rc != 0 and digest() == before
    uml.run("mount /dev/ubda $MNT && touch $MNT/x", images=[disk], kernel=kernel).check()
    assert digest() != before


def test_strict_sees_a_kernel_that_complains(kernel, disk):
    with open(disk, "r+b") as f:        # the first inode of the main area: its block stays, its number goes
        f.seek(1024 + 92)
        main = int.from_bytes(f.read(4), "little")
        for block in range(main, main + 4096):
            f.seek(block * 4096 + 4072)
            if f.read(8) == b"\3\0\0\0\3\0\0\0":
                f.seek(block * 4096 + 4072)
                f.write(b"\xff\0\0\0")
                break
        else:
            pytest.fail("no root inode found")
    r = uml.run("mount /dev/ubda $MNT; exit 0", images=[disk], strict=True, kernel=kernel)
    assert r.problems and r.rc in (uml.RC_PROBLEMS, uml.RC_DIED)


def test_command_line(kernel, disk):
    done = subprocess.run([sys.executable, os.path.join(HERE, "uml.py"), "--kernel", kernel.path, "--strict", disk, "-c",
                           "test -b /dev/ubda && echo \"$1\"; exit 3", "word"], capture_output=True)
    assert (done.returncode, done.stdout) == (3, b"word\n")


def test_recorder_writes_down_what_is_there(kernel, tmp_path):
    """The manifest of a tree whose every fact is known, on tmpfs."""
    job = """set -e
        mount -t tmpfs tmp $MNT; cd $MNT; umask 022; mkdir d; printf hello >d/f; chmod 640 d/f; chown 12:34 d/f
        ln d/f hard; ln -s target sym; mknod c c 5 6; mkfifo p; truncate -s 1M hole; printf x | dd of=hole bs=1 seek=500000 conv=notrunc
        touch -d @1234567.891 d/f; setfattr -n trusted.n -v 0x0102 d/f; printf x >$(printf 'b\\377d'); touch -d @5 d
        %s %s $MNT %s""" % (sys.executable, RECORD, tmp_path / "manifest.json")
    uml.run(job, kernel=kernel).check()
    entries = json.loads((tmp_path / "manifest.json").read_text())["entries"]
    assert set(entries) == {"", "d", "d/f", "hard", "sym", "c", "p", "hole", "b\udcffd"}
    links = {k: v for k, v in entries.items() if "link" in v}
    assert len(links) == 1
    f = entries["d/f"] if "link" not in entries["d/f"] else entries["hard"]
    assert (f["kind"], f["mode"], f["uid"], f["gid"], f["nlink"], f["size"]) == ("file", 0o640, 12, 34, 2, 5)
    assert f["mtime"] == 1234567891000000 and f["xattrs"] == {"trusted.n": "0102"}
    assert f["sha256"] == hashlib.sha256(b"hello").hexdigest()
    assert entries["sym"]["target"] == "target" and entries["c"]["rdev"] == [5, 6] and entries["p"]["kind"] == "fifo"
    assert entries["d"]["mtime"] == 5 * 10**9 and entries["d"]["children"] == ["f"]
    hole = entries["hole"]
    assert hole["size"] == 1 << 20 and hole["data"] == [[499712, 4096]]
    block = (b"\0" * 288 + b"x").ljust(4096, b"\0")
    assert hole["blocks_sha256"] == hashlib.sha256((499712 // 4096).to_bytes(8, "little") + block).hexdigest()


def test_every_image_is_made(made, kernel):
    """... and none of them with a complaint of the kernel."""
    assert {n for n, s in images.CATALOGUE.items() if s.needs <= kernel.features} == set(made)
    failed = {n: i.error for n, i in made.items() if i.error}
    assert not failed, "\n".join("%s: %s" % x for x in failed.items())
    for image in made.values():
        for view in image.spec.views:
            assert image.manifest(view)["entries"][""]["kind"] == "dir"


def test_comparison_sees_every_change(made):
    """A manifest with one fact changed is never the same."""
    entries = made["plain"].manifest()["entries"]
    assert not reading.differences(entries, entries)
    seen = set()
    for path, entry in entries.items():
        for key in entry.keys() - seen:
            seen.add(key)
            changed = dict(entries, **{path: {k: v for k, v in entry.items() if k != key}})
            if key == "link":
                changed[path] = entries[""]
            assert reading.differences(entries, changed), key
    assert {"mode", "uid", "atime", "crtime", "xattrs", "sha256", "target", "rdev", "children", "link"} - seen <= {"crtime"}
    fewer = dict(entries)
    del fewer[next(p for p in entries if p.endswith("fifo"))]
    assert reading.differences(entries, fewer) and reading.differences(fewer, entries)
    assert reading.hard_links(entries)
