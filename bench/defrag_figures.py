#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of defrag.f2fs: 10,000 files in fragments of at most 64 KiB, on volumes that are 70, 90 and 95 % full.

    PYTHONPATH=build/python bench/defrag_figures.py BUILD FOLDER [FILES [SHARES]]

Prints for each share and order: files in one piece, moves per block, blocks moved more than twice, seconds, and those of
reading and writing as many blocks once, on the same file."""
import os
import random
import subprocess
import sys
import time

import f2fskit

BLOCK = 4096
BLOCKS = 25  # of a file, on average
PIECE = 16


def make(build, image, files, percent):
    size = files * (BLOCKS + 1) * BLOCK * 100 // percent * 107 // 100 + (32 << 20)
    subprocess.run([f"{build}/mkfs/mkfs.f2fs", "-q", "-f", image, f"{size // (2 << 20) * 2}M"], check=True)
    chance = random.Random(1)
    with f2fskit.open(image, "r+") as volume:
        room = volume.statfs().user_blocks * percent // 100 - volume.statfs().valid_blocks - files
        sizes = [1 + int(chance.expovariate(1 / BLOCKS)) for _ in range(files)]
        scale = room / sum(sizes)
        sizes = [max(1, int(n * scale)) for n in sizes]
        for d in range(50):
            volume.path(f"/d{d}").mkdir()
        done = [0] * files
        live = list(range(files))
        while live:
            chance.shuffle(live)
            for i in live:
                n = min(PIECE, sizes[i] - done[i])
                with volume.path(f"/d{i % 50}/f{i}").open("ab") as file:
                    file.write(bytes([i & 255, done[i] & 255]) * (n * BLOCK // 2))
                done[i] += n
            live = [i for i in live if done[i] < sizes[i]]
            volume.commit()


def raw_copy(image, blocks):
    """Seconds to read and write that many blocks of the file once, a segment at a time."""
    started = time.monotonic()
    with open(image, "r+b", buffering=0) as file:
        for at in range(0, blocks * BLOCK, 512 * BLOCK):
            at %= os.path.getsize(image) - 512 * BLOCK
            data = os.pread(file.fileno(), 512 * BLOCK, at)
            os.pwrite(file.fileno(), data, at)
        os.fsync(file.fileno())
    return time.monotonic() - started


def main(build, folder, files="10000", shares="70,90,95"):
    aged, image = os.path.join(folder, "aged.img"), os.path.join(folder, "disk.img")
    for percent in map(int, shares.split(",")):
        make(build, aged, int(files), percent)
        for order in ("score", "tree"):
            subprocess.run(["cp", "--sparse=always", aged, image], check=True)
            started = time.monotonic()
            with f2fskit.open(image, "r+") as volume:
                found = volume.defrag(order)
            seconds = time.monotonic() - started
            assert f2fskit.check(image).found == 0
            moved = found.blocks_placed + found.blocks_cleared
            whole = 1 - found.after.broken / found.after.files
            print(f"{percent} % {order:5}: broken {found.before.broken} -> {found.after.broken} of {found.after.files} "
                  f"({whole:.2%} whole), fragments {found.before.fragments} -> {found.after.fragments}, "
                  f"{moved / max(found.blocks_placed, 1):.2f} moves a block, {found.blocks_often} more than twice, "
                  f"{seconds:.1f} s (raw {raw_copy(image, moved):.1f} s), end {found.end.name}", flush=True)
    os.unlink(aged)
    os.unlink(image)


main(*sys.argv[1:])
