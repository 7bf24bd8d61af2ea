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
    """Mount every image once and compare what is there with the model."""
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
    def make(name, options="", seed=1, size="256M"):
        run_tool("mkfs.f2fs", "-q", *options.split(), tmp_path / name, size)
        return fsync_model.Run(f2fskit, tmp_path / name, seed)
    return make


def single_cases(run):
    """One file per kind of change, all of them chained behind one commit."""
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
