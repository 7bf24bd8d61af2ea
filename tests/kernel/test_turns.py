# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel and we take turns on volumes that are formatted, mounted and used at random (turns.py): neither finds fault with the other.

Some volumes here; F2FSKIT_LONG_RUNS=N takes N of each kind, and turns.py runs for any time.
"""
import json
import os
import random
import sys

import pytest

import makers
import turns
import uml

ZONED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "zoned_turns.py")
LONG = int(os.environ.get("F2FSKIT_LONG_RUNS") or 0)
NEEDS = {"recent", "compression", "encryption", "casefold", "encrypted_casefold", "verity"}
WORDS = ((), ("-O", "extra_attr,inode_checksum,quota,lost_found"), ("-O", "extra_attr,compression,inode_crtime,flexible_inline_xattr"),
         ("-O", "encrypt,verity,extra_attr"), ("-i",))


def test_turns(kernel, f2fskit, build_dir, tmp_path):
    if not NEEDS <= kernel.features:
        pytest.skip("this kernel lacks " + ", ".join(sorted(NEEDS - kernel.features)))
    tools = turns.Tools(f2fskit, build_dir, makers.newer_tools()[0])
    for first in range(0, LONG or 1, 4):
        games = [turns.Game(5000 + first + i, str(tmp_path), tools) for i in range(4)]
        turns.play(games, kernel, str(tmp_path), rounds=3 if LONG else 2, steps=150 if LONG else 100)
        assert not [game.failed for game in games if game.failed], "\n".join("\n".join(game.story) for game in games if game.failed)


@pytest.mark.parametrize("seed", range(LONG) if LONG else [2])
def test_zoned_turns(kernel, build_dir, python_dir, tmp_path, seed):
    if not NEEDS | {"block_zoned"} <= kernel.features:
        pytest.skip("this kernel lacks something of: " + ", ".join(sorted(NEEDS | {"block_zoned"})))
    rng = random.Random(seed)
    zone = rng.choice((2, 4, 4, 8))
    job = {"seed": seed, "rounds": 4 if LONG else 2, "steps": 120 if LONG else 80, "mib": rng.choice((256, 384)), "zone": zone,
           "capacity": rng.choice((0, 0, max(2, zone - 1))), "conventional": rng.choice((64, 80)) // zone, "words": rng.choice(WORDS),
           "module": python_dir, "build": build_dir}
    path = tmp_path / "job.json"
    path.write_text(json.dumps(job))
    result = uml.run([sys.executable, "-I", ZONED, str(path)], kernel=kernel, mem="1200M", timeout=300)
    result.check(problems=turns.SAID)
