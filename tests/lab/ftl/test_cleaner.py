# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cleaning in tiny spaces: the search for the best victims against all choices one by one, and the order of policies.

Small is a second simulation of the same rules: lists instead of tables, and victims from a list of choices.
"""
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("F2FSKIT_BUILD", Path(__file__).parents[3] / "build"))
POLICIES = ["fifo", "greedy", "cost-benefit", "clairvoyant"]
LONG = int(os.environ.get("F2FSKIT_LONG_RUNS", "0"))


def replay(policy, logical, sections, size, trace, ok=True):
    done = subprocess.run([BUILD / "lab/ftl/cleaner_replay", policy, str(logical), str(sections), str(size)],
                          input="".join(f"{block}\n" for block in trace), text=True, capture_output=True, check=False)
    assert (done.returncode == 0) == ok, done.stderr
    return json.loads(done.stdout) if ok else done.stderr


class Small:
    """A space whose state is: how many free sections, the full ones, and the two that are filled."""

    def __init__(self, sections, size):
        self.free, self.size, self.full, self.heads = sections, size, [], [None, None]

    def copy(self):
        other = Small(self.free, self.size)
        other.full = [list(section) for section in self.full]
        other.heads = [None if head is None else list(head) for head in self.heads]
        return other

    def append(self, head, block):
        if self.heads[head] is not None and len(self.heads[head]) == self.size:
            self.full.append(self.heads[head])
            self.heads[head] = None
        if self.heads[head] is None:
            self.heads[head] = []
            self.free -= 1
        self.heads[head].append(block)

    def write(self, block):
        for section in self.full + [head for head in self.heads if head is not None]:
            if block in section:
                section[section.index(block)] = None
        self.append(0, block)

    def clean(self, index):
        moved = [block for block in self.full.pop(index) if block is not None]
        for block in moved:
            self.append(1, block)
        self.free += 1
        return len(moved)


def try_all(space, trace, at=0):
    """The fewest moves by trying each choice of victims; None: none gets to the end."""
    while space.free >= 2:
        if at == len(trace):
            return 0
        space.write(trace[at])
        at += 1
    found = []
    for index, section in enumerate(space.full):
        if None in section:
            other = space.copy()
            moves = other.clean(index)
            rest = try_all(other, trace, at)
            if rest is not None:
                found.append(moves + rest)
    return min(found, default=None)


def make_trace(rng, logical, writes, hot):
    """First every block once, so that the space is full; then some blocks more often than others."""
    return list(range(logical)) + [rng.randrange(logical if rng.random() < 0.4 else hot) for _ in range(writes)]


def test_search_finds_the_best_of_all():
    found = []
    for seed in range(LONG * 10 or 6):
        rng = random.Random(seed)
        logical, sections = rng.choice([(16, 9), (15, 9), (12, 8), (11, 8)])
        trace = make_trace(rng, logical, 22, logical)
        found.append(try_all(Small(sections, 4), trace))
        assert replay("optimal", logical, sections, 4, trace)["moves"] == found[-1]
    assert max(found) > 2 and min(found) < max(found)


@pytest.mark.parametrize("seed", range(LONG * 10 or 6))
def test_nobody_beats_the_best_and_the_best_not_the_bound(seed):
    rng = random.Random(seed)
    trace = make_trace(rng, 30, 70, 12)
    moves = {policy: replay(policy, 30, 9, 8, trace)["moves"] for policy in POLICIES + ["optimal", "bound"]}
    assert moves["bound"] <= moves["optimal"] <= min(moves[policy] for policy in POLICIES)


def test_bound_is_more_than_nothing():
    """A large uniform trace: the bound holds for every policy, and says more than that moves are not negative."""
    rng = random.Random(1)
    trace = list(range(1600)) + [rng.randrange(1600) for _ in range(20000)]
    moves = {policy: replay(policy, 1600, 110, 16, trace)["moves"] for policy in POLICIES + ["bound"]}
    assert 0 < moves["bound"] < min(moves[policy] for policy in POLICIES)


def test_knowing_the_future_helps():
    """Nine writes of ten go to a tenth of the blocks; placing by death beats choosing victims."""
    rng = random.Random(2)
    trace = list(range(4000)) + [rng.randrange(400 if rng.random() < 0.9 else 4000) for _ in range(60000)]
    moves = {policy: replay(policy, 4000, 300, 16, trace)["moves"] for policy in POLICIES + ["placed"]}
    assert moves["placed"] < moves["clairvoyant"] < moves["fifo"]
    assert moves["cost-benefit"] < moves["fifo"]


@pytest.mark.parametrize("line", ["x", "-1", "20", "1 2"])
def test_wrong_line_is_named(line):
    done = subprocess.run([BUILD / "lab/ftl/cleaner_replay", "fifo", "20", "10", "4"], input=f"1\n{line}\n", text=True,
                          capture_output=True, check=False)
    assert done.returncode == 1 and "line 2: " in done.stderr and not done.stdout


def test_what_does_not_fit_is_refused():
    assert "too few sections" in replay("greedy", 20, 9, 4, [1], ok=False)
    assert "too large" in replay("optimal", 20, 13, 4, [1], ok=False)
    assert "no such policy" in replay("best", 20, 10, 4, [1], ok=False)
