# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clustering, sampling and tracking of update distances against the same written down plainly: all numbers are whole, so
that the results are equal, not close."""
import os
import random
import subprocess

NO_BORDER = 2**32 - 1
SEGMENT = 512
TRIES = 16


def ask(build_dir, text):
    program = os.path.join(build_dir, "tests", "unit", "hot", "hot_numbers")
    shown = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    return [[int(word) for word in line.split()] for line in shown.splitlines()]


def logarithm(value):
    """256 times the logarithm, rounded down, from nothing but whole numbers: value**256 has that many binary digits."""
    return (value**256).bit_length() - 1 if value else 0


def first_centroids(values, classes, intervals):
    low, span = min(values), max(values) - min(values) + 1
    counts = [0] * intervals
    for value in values:
        counts[(value - low) * intervals // span] += 1
    chosen = []
    for i in sorted(range(intervals), key=lambda i: (-counts[i], i)):
        if counts[i] and len(chosen) < classes and i - 1 not in chosen and i + 1 not in chosen:
            chosen.append(i)
    return [low * 256 + (2 * i + 1) * span * 256 // (2 * intervals) for i in sorted(chosen)]


def cluster(values, classes, intervals, by_logarithm):
    """Each value to the nearest centroid, the lower one of two; each centroid to the mean of its values."""
    known = {value: logarithm(value) for value in values} if by_logarithm else {}
    numbers = [known.get(value, value) for value in values]
    centroids = first_centroids(numbers, classes, intervals)
    borders = [(a + b) // 512 for a, b in zip(centroids, centroids[1:])]
    for passes in range(1, 65):
        groups = [[] for _ in centroids]
        for value in numbers:
            groups[sum(value > border for border in borders)].append(value)
        centroids = [sum(g) * 256 // len(g) if g else c for g, c in zip(groups, centroids)]
        before, borders = borders, [(a + b) // 512 for a, b in zip(centroids, centroids[1:])]
        if borders == before:
            break
    return passes, borders


def some_values(chance):
    kind = chance.randrange(4)
    n = chance.choice((1, 2, 3, 50, 500))
    if kind == 0:
        return [chance.randrange(1, 2**24) for _ in range(n)]
    if kind == 1:
        return [int(2**chance.uniform(0, 24)) for _ in range(n)]
    if kind == 2:
        return [chance.choice((7, 1000, 1001, 2**24 - 1)) for _ in range(n)]
    return [max(1, int(chance.gauss(chance.choice((100, 5000, 90000)), 40))) for _ in range(n)]


def test_clusters_are_those_of_the_plain_form(build_dir):
    chance = random.Random(16)
    cases = [(some_values(chance), chance.choice((1, 10, 10, 16)), chance.choice((4, 40, 40, 256)))
             for _ in range(150)]
    text = "".join("cluster %d %d 0 %d %s\n" % (k, m, len(v), " ".join(map(str, v))) for v, k, m in cases)
    several = 0
    for (values, classes, intervals), (count, passes, *borders) in zip(cases, ask(build_dir, text), strict=True):
        expected_passes, expected = cluster(values, classes, intervals, False)
        assert borders == expected + [NO_BORDER]
        assert count == len(borders) <= classes and passes == expected_passes
        several += count > 3
    assert several > 15


def test_clusters_by_logarithm(build_dir):
    chance = random.Random(17)
    cases = [some_values(chance) for _ in range(40)]
    seen = 0
    text = "".join("cluster 10 40 1 %d %s\n" % (len(v), " ".join(map(str, v))) for v in cases)
    for values, (_, _, *borders) in zip(cases, ask(build_dir, text), strict=True):
        _, expected = cluster(values, 10, 40, True)
        assert len(borders) == len(expected) + 1
        seen += len(expected)
        for border, limit in zip(borders, expected):  # the largest distance with that logarithm
            assert logarithm(border) <= limit < logarithm(border + 1)
    assert seen > len(cases)


def draw(pages, wanted):
    entries = [distance for page in pages for distance in page]
    step = max(1, len(entries) // wanted) if wanted else 1
    found = []
    for i in range(wanted):
        if i * step >= len(entries):
            break
        found += [d for d in entries[i * step:i * step + min(step, TRIES)] if d][:1]
    return found


def sample(uses, size, share, of_halves, limit):
    """Pages in the order of their use, those that find no room forgotten."""
    pages = {}
    for segment, entry, distance in uses:
        page = pages.pop(segment, None) or [0] * SEGMENT
        if len(pages) >= limit:
            del pages[next(iter(pages))]
        page[entry] = distance
        pages[segment] = page
    newest = list(pages.values())[::-1]
    half = (len(newest) + 1) // 2
    newer, older = newest[:half], newest[half:]
    base = (len(newer) * SEGMENT, len(older) * SEGMENT) if of_halves else (size, size)
    return draw(newer, base[0] * (100 - share) // 100) + draw(older, base[1] * share // 100)


def test_samples_are_those_of_the_plain_form(build_dir):
    chance = random.Random(18)
    text, expected = "", []
    for _ in range(60):
        segments, n = chance.randrange(5, 40), chance.randrange(1, 4000)
        limit = chance.choice((4, 7, segments))
        uses = [(chance.randrange(segments), chance.randrange(SEGMENT), chance.randrange(1, 2**24)) for _ in range(n)]
        size, share, halves = chance.choice((10, 400, 4096)), chance.choice((0, 30, 100)), chance.randrange(2)
        expected.append(sample(uses, size, share, halves, limit))
        text += "sample %d %d %d %d %d %d %s\n" % (size, share, halves, segments, limit, n,
                                                   " ".join("%d %d %d" % use for use in uses))
    assert ask(build_dir, text) == expected
    assert sum(map(len, expected)) > 5000


def test_tracking(build_dir):
    chance = random.Random(19)
    pairs = [(chance.randrange(1000), chance.randrange(1000)) for _ in range(50000)]
    for width, gap, share in ((5000, 333, 44), (5000, 400, 50), (100, 300, 50), (1, 500, 0)):
        text = "track %d %d %d %d %s\n" % (width, gap, share, len(pairs), " ".join("%d %d" % p for p in pairs))
        expected = []
        for end in range(width, len(pairs) + 1, width):
            changed = sum(abs(a - b) > gap for a, b in pairs[end - width:end])
            if changed * 100 > share * width:
                expected.append(end - 1)
        assert ask(build_dir, text) == [expected]
    assert expected
