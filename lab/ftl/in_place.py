# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wear experiment of the slides for a file system that writes in place: python3 in_place.py BUILD [MODEL...]

A file of 12 GB is written from its start to its end, then 6 GB of it in 4 KiB at random places; both go straight to a
flash model of 16 GB, with the journal of metadata that such a file system keeps: after every 64 MiB, 8 blocks that
follow each other in an area of 128 MiB, and one block of an inode table. Prints bytes erased per byte written.
"""
import json
import random
import subprocess
import sys
from pathlib import Path

BLOCK = 4096
DEVICE, FILE, REWRITTEN = 16 * 10**9 // BLOCK, 12 * 10**9 // BLOCK, 6 * 10**9 // BLOCK
JOURNAL, COMMIT, COMMIT_BLOCKS = 32768, 16384, 8
MODELS = ["page:superblock=2M,op=7%", "page:superblock=8M,op=7%", "dftl:superblock=2M,op=7%,cache=65536",
          "block:superblock=2M,op=7%",
          "bast:superblock=2M,logs=64,op=7%", "fast:superblock=2M,logs=64,op=7%",
          "sast:superblock=2M,logs=64,k=8,n=4,op=7%", "sast:superblock=4M,logs=64,k=8,n=4,op=7%",
          "sast:superblock=512K,logs=64,k=8,n=4,op=7%"]


def journal(number):
    """Return the writes of a commit: a piece of the journal, and the block with the inode."""
    return [f"w {number * COMMIT_BLOCKS % JOURNAL} {COMMIT_BLOCKS}\n", f"w {JOURNAL}\n"]


def sequential(first):
    for number, at in enumerate(range(0, FILE, COMMIT)):
        yield f"w {first + at} {min(COMMIT, FILE - at)}\n"
        yield from journal(number)


def at_random(first, rng):
    for number in range(REWRITTEN):
        yield f"w {first + rng.randrange(FILE)}\n"
        if number % COMMIT == 0:
            yield from journal(number // COMMIT)


def run(build, model, lines):
    done = subprocess.run([Path(build) / "lab/ftl/flash_replay", model + ",fill=1", str(DEVICE * BLOCK)],
                          input="".join(lines), text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def main(build, models):
    first = JOURNAL + 32768     # after the journal and the tables
    print(f"{'model':52} {'sequential':>10} {'random':>10} {'together':>10}")
    for model in models:
        superblock = model.split("superblock=")[1].split(",")[0]
        erased = int(superblock[:-1]) * (1 << 20 if superblock[-1] == "M" else 1 << 10)
        one = run(build, model, sequential(first))["erases"] * erased
        both = run(build, model, [*sequential(first), *at_random(first, random.Random(1))])["erases"] * erased
        print(f"{model:52} {one / FILE / BLOCK:10.3f} {(both - one) / REWRITTEN / BLOCK:10.3f}"
              f" {both / (FILE + REWRITTEN) / BLOCK:10.3f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or MODELS)
