# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cleaning policies against the formulas of the format document (files 11.2), written down once more in another
language, on random tables of sections."""
import os
import random
import subprocess

import pytest

WEEK = 7 * 24 * 60 * 60
TOP = 2**32 - 1


def greedy(view, sections):
    return {number: valid for number, valid, _ in sections}


def cost_benefit(view, sections):
    low, high = view["min"], view["max"]
    costs = {}
    for number, valid, mtime in sections:
        used = 100 * (valid // view["segments"]) // 512
        low, high = min(low, mtime), max(high, mtime)
        age = 100 - 100 * (mtime - low) // (high - low) if high != low else 0
        costs[number] = TOP - 100 * (100 - used) * age // (100 + used)
    return costs


def age(view, sections):
    def old(threshold):
        newest, found = 0, []
        for section in sections:
            newest = max(newest, section[2])
            if newest - section[2] >= threshold:
                found.append(section)
        return found

    chosen = old(WEEK)
    if not chosen and view["now"] < WEEK:
        chosen = old(0)
    low, high = min(s[2] for s in sections), max(s[2] for s in sections) + 1
    total = high - low
    accuracy = min((2**64 - 1) // total // 100, 10000)
    costs = {}
    for number, valid, mtime in sorted(chosen, key=lambda s: (s[2], s[0]))[:max(10, len(chosen) * 20 // 100)]:
        costs[number] = TOP - (accuracy * (high - mtime) // total * 60 +
                               accuracy * (view["blocks"] - valid) // view["blocks"] * 40)
    return costs


POLICIES = {0: greedy, 1: cost_benefit, 2: age}     # by enum f2fs_gc_policy


def ask(program, policy, view, sections):
    text = "%d %d %d %d %d %d\n" % (policy, view["now"], view["min"], view["max"], view["segments"], view["blocks"])
    text += "".join("%d %d %d\n" % section for section in sections)
    shown = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    return [tuple(int(word) for word in line.split()) for line in shown.splitlines()]


@pytest.mark.parametrize("number", POLICIES, ids=lambda number: POLICIES[number].__name__)
def test_costs_follow_the_formulas(build_dir, number):
    program = os.path.join(build_dir, "tests", "unit", "gc", "rank_sections")
    chance = random.Random(number)
    ranked = 0
    for _ in range(200):
        segments = chance.choice((1, 1, 2, 3, 64))
        now = chance.choice((1000, WEEK - 1, WEEK, 50 * WEEK, 2**40))
        blocks = segments * 512
        sections = [(i, chance.randrange(1, blocks), chance.choice((0, now, chance.randrange(now + 1))))
                    for i in range(chance.randrange(1, 200))]
        view = {"now": now, "segments": segments, "blocks": blocks, "max": now,
                "min": min(s[2] for s in sections) if chance.random() < 0.8 else 0}
        expected = POLICIES[number](view, sections)
        mtimes = {s[0]: s[2] for s in sections}
        order = sorted(expected.items(), key=lambda item: (item[1], mtimes[item[0]], item[0]))
        assert ask(program, number, view, sections) == order
        ranked += len(order)
    assert ranked > 1000


def test_hotness_without_a_placement(build_dir):
    """Candidates of unknown heat count as equally hot: the emptiest comes first."""
    program = os.path.join(build_dir, "tests", "unit", "gc", "rank_sections")
    view = {"now": 9, "min": 0, "max": 9, "segments": 1, "blocks": 512}
    assert [number for number, _ in ask(program, 3, view, [(1, 300, 5), (2, 20, 9), (3, 511, 0)])] == [2, 1, 3]


def target(now, source, segments):
    """The segment that the kernel's ATGC fills for blocks as old as source: nodes of a tree, from the middle to both sides."""
    def old(threshold):
        newest, found = 0, []
        for segment in segments:
            newest = max(newest, segment[2])
            if newest - segment[2] >= threshold:
                found.append(segment)
        return found

    tree = old(WEEK) or (old(0) if now < WEEK else [])
    if not tree:
        return None
    tree.sort(key=lambda s: (s[2], s[0]))
    newest = max(s[2] for s in segments) + 1
    middle = max((i for i, s in enumerate(tree) if s[2] <= source), default=0)
    most = max(10, len(tree) * 20 // 100)
    best = None
    for number, used, mtime in tree[middle::-1][:most] + tree[middle:][:most]:
        # the quirk: source is a time, newest - mtime a span
        rank = (used, newest - abs(source - (newest - mtime)))
        if best is None or rank > best[0]:
            best = (rank, number)
    return best[1]


def choose(build_dir, now, source, segments):
    program = os.path.join(build_dir, "tests", "unit", "gc", "choose_target")
    text = "%d %d\n" % (now, source) + "".join("%d %d %d\n" % segment for segment in segments)
    shown = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.strip()
    return None if shown == "none" else int(shown)


def test_targets_are_the_kernels(build_dir):
    chance = random.Random(5)
    found = 0
    for _ in range(300):
        now = chance.choice((1000, WEEK - 1, WEEK, 50 * WEEK))
        fills = chance.choice(([40, 41], range(1, 512)))
        segments = [(i, chance.choice(fills), chance.choice((0, now, chance.randrange(now + 1))))
                    for i in range(chance.randrange(1, 150))]
        source = chance.randrange(now + 1)
        expected = target(now, source, segments)
        assert choose(build_dir, now, source, segments) == expected
        found += expected is not None
    assert found > 200


def test_the_nearest_in_age_is_not_meant_that_way(build_dir):
    """Three segments as full as each other, and blocks exactly as old as the first: the kernel's sum of a time and a span
    prefers the one that is as far from the newest as the source is from the start of all time."""
    now = 50 * WEEK
    segments = [(0, 511, 48 * WEEK), (1, 100, 38 * WEEK), (2, 100, 10 * WEEK), (3, 100, 30 * WEEK)]
    assert choose(build_dir, now, 10 * WEEK, segments) == 1
