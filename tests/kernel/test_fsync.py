# SPDX-License-Identifier: LGPL-2.1-or-later
"""What our engine fsynced and never committed is there after the kernel's own recovery, and nothing else: names, contents,
attributes, times. The kernel says no word of complaint, and the volume is clean to f2fs-tools afterwards."""
import functools
import json
import os
import sys

import pytest

import uml
from test_written import EXTRA

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import fsync_model  # noqa: E402

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "record.py")
JOB = r"""
set -e
out=$1
shift
for d in "$@"; do
	mount /dev/$d $MNT
	python3 %s $MNT $out/$d.json
	umount $MNT
done
""" % RECORD
OPTIONS = {
    "plain": "",
    "features": "-O " + EXTRA,
    "quota": "-O " + EXTRA + ",quota,project_quota",
    "sections": "-s 4",
}


@pytest.fixture
def recover(kernel, peer_check, tmp_path):
    return functools.partial(recover_all, kernel, peer_check, tmp_path)


def recover_all(kernel, peer_check, tmp_path, runs):
    """Mount every image once and compare its files with the model."""
    for run in runs.values():
        run.close()
    names = ["ubd" + chr(ord("a") + i) for i in range(len(runs))]
    uml.run(JOB, images=[str(tmp_path / name) for name in runs], args=[str(tmp_path), *names], kernel=kernel).check()
    wrong = []
    for disk, (name, run) in zip(names, runs.items()):
        with open(tmp_path / (disk + ".json")) as f:
            entries = json.load(f)["entries"]
        wrong += ["%s: %s" % (name, w) for w in fsync_model.expect(run.durable, entries)]
        peer_check(tmp_path / name)
    assert not wrong, "\n".join(wrong[:30])


@pytest.fixture
def start(f2fskit, run_tool, tmp_path):
    def make(name, options="", seed=1, size="256M", fsync_mode="strict"):
        run_tool("mkfs.f2fs", "-q", *options.split(), tmp_path / name, size)
        return fsync_model.Run(f2fskit, tmp_path / name, seed, fsync_mode)
    return make


def single_cases(run):
    """One file per kind of change, all of them chained after one commit."""
    big = bytes(range(256)) * 16
    for name in ("append", "overwrite", "truncate", "xattr", "inline", "attributes", "big", "grow"):
        run.create(name)
    for name in ("append", "overwrite", "truncate"):
        run.write(name, 0, run.noise(50000))
    run.write("big", 0, run.noise(6 << 20))
    run.write("grow", 1500 * 4096, big)
    run.mkdir("dir")
    run.commit()
    run.write("append", 50000, b"more")
    run.fsync("append")
    run.write("overwrite", 5000, b"x" * 9000)
    run.fsync("overwrite", 1)
    run.truncate("truncate", 12345)
    run.fsync("truncate")
    run.set_xattr("xattr", "user.a", b"1" * 100)
    run.fsync("xattr")
    run.set_xattr("xattr", "user.b", b"2" * 2000)
    run.fsync("xattr")
    run.write("inline", 0, b"small")
    run.fsync("inline")
    run.set("attributes", 0o640, 7, 123456789)
    run.fsync("attributes")
    for name in ("new", "dir/new", "dir/inline", "dir/empty"):
        run.create(name)
    run.write("new", 0, run.noise(8 << 20))
    run.write("dir/new", 3 << 20, run.noise(100))
    run.write("dir/inline", 0, b"little")
    for name in ("dir/empty", "new", "dir/inline", "dir/new"):
        run.fsync(name)
    for i in range(20):
        run.write("grow", (1501 + i) * 4096, big)
        run.fsync("grow", 1)
    run.write_atomic("big", [(4096 * 77 * i, b"%d" % i * 3000) for i in range(15)])
    run.write("append", 0, b"not fsynced")
    run.create("not-fsynced")


def test_single_changes(start, recover):
    runs = {name: start(name, options) for name, options in OPTIONS.items()}
    for run in runs.values():
        single_cases(run)
        assert set(run.reasons) == {"NONE"}, run.reasons
    recover(runs)


def filled(run, *paths, size=20000):
    for path in paths:
        run.create(path)
        run.write(path, 0, run.noise(size))


def stale_data(run):
    """Nodes that a file lost must not come back with their old contents when it grows again."""
    filled(run, "file", size=6 << 20)
    run.commit()
    run.truncate("file", 0)
    run.fsync("file")
    run.truncate("file", 6 << 20)
    run.fsync("file")


def name_reused(run):
    """A new file with the name that an older one had: the older one lives on under its new name."""
    filled(run, "a", "b")
    run.mkdir("c")
    filled(run, "c/inside")
    run.commit()
    run.rename("a", "moved-a")
    filled(run, "a")
    run.fsync("a")
    run.link("b", "linked-b")
    run.remove("b")
    filled(run, "b")
    run.fsync("b")
    run.rename_dir("c", "moved-c")
    filled(run, "c")
    run.fsync("c")
    filled(run, "d", "e")
    run.commit()
    run.exchange("d", "e")
    run.remove("d")
    filled(run, "d")
    run.fsync("d")


def attributes_shrink(run):
    filled(run, "file", "other", size=9000)
    run.set_xattr("file", "user.large", run.noise(3000))
    run.set_xattr("other", "user.large", run.noise(3000))
    run.commit()
    run.remove_xattr("file", "user.large")
    run.set_xattr("other", "user.large", run.noise(2500))
    run.fsync("other")
    run.fsync("file")
    run.set_xattr("file", "user.small", b"1")
    run.fsync("file")


def removed_again(run):
    """Fsynced and then removed without a commit: recovery brings the file back, whole."""
    filled(run, "old", size=100000)
    run.commit()
    for i in range(6):
        filled(run, "new%d" % i, size=300000)
        run.fsync("new%d" % i)
    for i in range(6):
        run.remove("new%d" % i)
        run.write("old", 0, run.noise(1 << 20))
        run.fsync("old")


def ranges(run):
    for name in ("reserve", "keep", "punch", "zero", "collapse", "insert"):
        filled(run, name, name + "-large", size=40960)
        run.write(name + "-large", 5 << 20, run.noise(200000))
    run.commit()
    for name in ("reserve", "keep", "punch", "zero", "collapse", "insert"):
        run.fallocate(name, name, 8192, 20480)
        run.fsync(name)
        run.write(name, 4096, run.noise(12000))
        run.fsync(name, 1)
        run.fallocate(name + "-large", name, (5 << 20) - 8192, 65536)
        run.fsync(name + "-large")
        if name not in ("collapse", "insert"):
            run.fallocate(name, name, 30000, 200000)
            run.fsync(name)
            run.truncate(name, 35000)
            run.fsync(name)


def segments_pass(run):
    """The chain passes the end of segments, with nodes between that nobody fsynced."""
    run.mkdir("d")
    filled(run, "log", size=1)
    run.commit()
    for i in range(1100):
        run.write("log", (i % 40) * 4096, b"%d" % i)
        run.fsync("log", i % 2)
        if i % 100 == 0:
            filled(run, "d/new%d" % i, "d/lost%d" % i)
            run.fsync("d/new%d" % i)


def modes(run):
    filled(run, "file")
    run.commit()
    run.volume._handle.call(run.lib.f2fs_volume_set_sync, run.lib.F2FS_SYNC_ALL)
    for i in range(20):
        version = run.version()
        run.write("file", i * 3000, run.noise(5000))
        run.synced("file", None, 0, version)
    run.volume._handle.call(run.lib.f2fs_volume_set_sync, run.lib.F2FS_SYNC_NONE)
    run.write("file", 0, b"lost")


def directory_attributes(run):
    run.mkdir("d")
    filled(run, "d/old")
    run.commit()
    run.on("d", run.lib.f2fs_xattr_set, b"trusted.a", b"1", 1)
    run.write("d/old", 0, b"more")
    run.fsync("d/old")
    run.on("d", run.lib.f2fs_xattr_remove, b"trusted.a")
    run.fsync_dir("d")
    run.write("d/old", 0, b"even more")
    run.fsync("d/old")


def four_logs(run):
    """Nodes of files and of directories part differently among four logs; the chain is in the same one."""
    run.configure(logs=4)
    run.mkdir("d")
    run.steps(40, sync=0)
    run.commit()
    run.steps(40)


CASES = [four_logs, stale_data, name_reused, attributes_shrink, removed_again, ranges, segments_pass, modes, directory_attributes]


def test_cases(start, recover):
    runs = {case.__name__: start(case.__name__, "-O " + EXTRA + ",quota", size="128M") for case in CASES}
    for case in CASES:
        case(runs[case.__name__])
    recover(runs)


def mail(run):
    """Few names come and go in two directories: no commit is made for any of the new files."""
    run.mkdir("in")
    run.mkdir("in/new")
    filled(run, *("in/%d" % i for i in range(8)), *("in/new/%d" % i for i in range(8)), size=30000)
    run.set_xattr("in/3", "user.large", run.noise(3000))
    run.commit()
    version = run.version()
    for i in range(90):
        path = run.random.choice(("in/", "in/new/")) + str(run.random.randrange(12))
        if path in run.now.names:
            run.remove(path)
        if i % 4:
            run.create(path)
            run.write(path, run.random.choice((0, 6 << 20)), run.noise(run.random.choice((0, 100, 5000, 100000))))
            run.fsync(path)
    assert run.version() == version and set(run.reasons) == {"NONE"}, run.reasons


def directory_for_file(run):
    """A directory that the last commit has with all that is below it gives its name to a file: that takes a commit."""
    run.mkdir("d")
    run.mkdir("d/below")
    filled(run, "d/below/file")
    run.commit()
    run.remove("d/below/file")
    run.remove_dir("d/below")
    run.remove_dir("d")
    filled(run, "d")
    run.fsync("d")


POSIX_CASES = [mail, name_reused, directory_for_file, removed_again]


def test_posix_mode(start, recover):
    runs = {case.__name__: start(case.__name__, "-O " + EXTRA + ",quota", size="128M", fsync_mode="posix") for case in POSIX_CASES}
    for case in POSIX_CASES:
        case(runs[case.__name__])
    for seed in range(4):
        run = runs["random-%d" % seed] = start("random-%d" % seed, seed=seed, size="128M", fsync_mode="posix")
        for name in ("d1", "d2"):
            run.mkdir(name)
        run.steps(40, sync=0, commit=0.1)
        run.commit()
        run.steps(100)
    recover(runs)


def test_random_changes(start, recover):
    runs = {"%s-%d" % (name, i): start("%s-%d" % (name, i), options, i) for name, options in OPTIONS.items() for i in range(3)}
    for run in runs.values():
        for _ in range(4):
            run.mkdir("d%d" % run.next)
            run.next += 1
        run.steps(60, sync=0, commit=0.1)
        run.commit()
        run.steps(run.random.choice((5, 30, 120)))
    reasons = set().union(*(run.reasons for run in runs.values()))
    assert {"NONE", "LINKS", "IDENTITY", "NEW_PARENT", "PARENT_NAMES", "NODE_FREED"} <= reasons, reasons
    recover(runs)
