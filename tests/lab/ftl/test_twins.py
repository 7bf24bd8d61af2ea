# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random traces through each flash model and its slow twin: every count is the same, every page holds its last write.

flash_replay itself looks after every line whether the tables agree and what each page holds.
"""
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

import twins

BUILD = Path(os.environ.get("F2FSKIT_BUILD", Path(__file__).parents[3] / "build"))
ROUNDS = 10 * int(os.environ.get("F2FSKIT_LONG_RUNS", "0")) or 3
SIZE = 8        # pages of a block
PAGES = 12 * SIZE - 3   # the last block is cut short
SPARE = 13      # superblocks beyond the data

SETTINGS = [
    ("page", {}), ("page", {"streams": 3}), ("block", {}), ("bast", {"logs": 1}), ("bast", {"logs": 5}),
    ("fast", {"logs": 2}), ("fast", {"logs": 6}), ("sast", {"logs": 6, "k": 4, "n": 2}),
    ("sast", {"logs": 3, "k": 2, "n": 3}), ("sast", {"logs": 9, "k": 12, "n": 4}),
    ("dftl", {"cache": 1, "entry": 600}), ("dftl", {"cache": 9, "entry": 512}), ("dftl", {"cache": 40, "entry": 600}),
    ("dftl", {"cache": 1000}), ("multi", {"streams": 1}), ("multi", {"streams": 4}),
]


def replay(model, keys, trace, pages=PAGES, each=True):
    """Run flash_replay on superblocks of SIZE pages, with SPARE more than the data needs."""
    blocks = -(-pages // SIZE)
    text = ",".join(f"{key}={value}" for key, value in {
        "superblock": f"{4 * SIZE}K", "op": f"{100 * SPARE / blocks + 0.001:.3f}%", **keys}.items())
    done = subprocess.run([BUILD / "lab/ftl/flash_replay", f"{model}:{text}", str(pages * 4096)]
                          + ["--each"] * each, input="".join(trace), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def make_trace(rng, lines):
    """Single pages, runs, whole blocks, and trims of all these; two neighbouring blocks get more than the others."""
    ops = []
    for _ in range(lines):
        first = rng.randrange(PAGES) if rng.random() < 0.6 else rng.randrange(2 * SIZE)
        count = rng.choice([1, 1, 1, 2, 5, SIZE])
        if rng.random() < 0.3:
            first, count = first // SIZE * SIZE, SIZE
        ops.append(("t" if rng.random() < 0.08 else "w", first, min(count, PAGES - first)))
    return ops


def with_hints(model, ops):
    """Make every fifth operation a read where reads look into a map; name a stream before every third where there are some."""
    for i, (op, first, count) in enumerate(ops):
        if model == "multi" and i % 3 == 0:
            yield "s", i // 3 % 6, 0
        yield ("r" if model == "dftl" and i % 5 == 4 else op), first, count


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("model, keys", SETTINGS, ids=lambda value: str(value))
def test_model_is_its_twin(model, keys, seed):
    ops = list(with_hints(model, make_trace(random.Random(f"{model}{keys}{seed}"), 300)))
    ours = replay(model, keys, [f"{op} {first} {count}\n" if op != "s" else f"s {first}\n" for op, first, count in ops])
    twin = twins.MODELS[model](PAGES, SIZE, SPARE, **keys)
    last = {}
    for op, first, count in ops:
        if op == "s":
            twin.stream = first
        for page in range(first, first + count):
            if op == "r":
                twin.read_page(page)
            elif op == "w":
                twin.write_page(page)
                last[page] = twin.writes
            else:
                twin.trim(page)
                last[page] = 0
    assert {key: ours[key] for key in twin.counts} == twin.counts
    assert (ours["wear_least"], ours["wear_most"]) == (min(b.wear for b in twin.all), max(b.wear for b in twin.all))
    assert all(twin.read(page) == write for page, write in last.items())


@pytest.mark.parametrize("line", ["w", "x 1", "w 1 2 3", "w -1 1", f"w {PAGES}", f"t 1 {PAGES}"])
def test_wrong_line_is_named(line):
    done = subprocess.run([BUILD / "lab/ftl/flash_replay", "page:superblock=32K,op=200%", str(PAGES * 4096)],
                          input=f"w 0\n# a remark\n\n{line}\n", text=True, capture_output=True, check=False)
    assert done.returncode == 1 and "line 4: " in done.stderr and not done.stdout
