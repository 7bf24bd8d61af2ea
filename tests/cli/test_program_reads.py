# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads that go wrong under whole programs: see unlucky.py. A sample, chosen by the words of the program; with
F2FSKIT_LONG_RUNS=1 every read in every way, with a larger number that many of each program."""
import os
import random

import pytest

import unlucky

RUNS = int(os.environ.get("F2FSKIT_LONG_RUNS") or 0)
SAMPLE = 2
ALWAYS = {      # what once went badly
    "f2fslabel {} text": [("place", 1), ("place", 2), ("all", 16)],
    "f2fs -w {} label text": [("place", 1), ("all", 16)],
    "fsck.f2fs -n {}": [("place", 49)],
    "fsck.f2fs -y {}": [("place", 83), ("stale-once", 73)],
    "f2fs -w --undo=OUT {} rm /large": [("end", 10), ("end", 11), ("once", 11), ("end", 12)],
    "f2fs -w {} rollback UNDO": [("once", 20), ("part", 30), ("end", 44)],
    "mkfs.f2fs -q -f {}": [("once", 57), ("once", 88)],
}


@pytest.fixture(scope="module")
def bench(f2fskit, tool, build_dir, tmp_path_factory):
    return unlucky.Bench(f2fskit, tool, build_dir, str(tmp_path_factory.mktemp("unlucky")))


def faults(operation, reads):
    ways = unlucky.TRANSIENT + unlucky.TOLD + unlucky.SILENT
    every = [(how, n) for how in ways for n in range(1, reads + 1)]
    if RUNS == 1:
        return every
    return ALWAYS.get(operation.words, []) + random.Random(operation.words + operation.base).sample(every, min(RUNS or SAMPLE, len(every)))


@pytest.mark.parametrize("operation", unlucky.LOOKS + unlucky.WRITES, ids=lambda op: "%s (%s)" % (op.words, op.base))
def test_reads_go_wrong(bench, operation):
    unharmed = bench.run(operation)
    wrong = [] if unharmed.reads else ["it does not read: %s" % unharmed.stderr.decode(errors="replace")]
    if not operation.writes and unharmed.shows != bench.show(bench.volumes[operation.base]):
        wrong.append("it looks, and changes the volume")
    for how, n in faults(operation, unharmed.reads):
        found = bench.run(operation, how, n)
        if fault := unlucky.judge(bench, operation, how, n, found, unharmed):
            wrong.append("read %d of %d, %s: %s; status %s, before %s: %s" % (
                n, unharmed.reads, how, fault, found.status, unharmed.status, found.stderr.decode(errors="replace")[-300:]))
    if wrong:
        pytest.fail("\n".join(wrong))


def test_an_unfinished_repair_asks_for_the_next(bench):
    """Reads fail for good in the middle of a repair: whatever it wrote, the volume asks for a check, so that -a continues,
    unless all was written and only reading it back failed."""
    operation = unlucky.Operation("fsck.f2fs -a {}", "damaged", writes=True)
    reads = bench.run(operation).reads
    changed = 0
    for n in range(reads // 3, reads, 9):
        found = bench.run(operation, "all", n)
        with bench.f2fskit.open(bench.path("run-0")) as volume:
            flags = volume.checkpoint.ckpt_flags
        is_done = found.status == 1 or not bench.f2fskit.check(bench.path("run-0")).problems
        assert is_done or bench.f2fskit.CheckpointFlag.FSCK in flags, (n, found)
        changed += found.status != 1 and found.shows != bench.show(bench.volumes["damaged"])
    assert changed
