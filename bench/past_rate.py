#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast old nodes are searched, on a volume of many small files that is made once.

    PYTHONPATH=build/python bench/past_rate.py WORKDIR [FILES]
"""
import os
import pathlib
import sys
import time

import f2fskit


def make(path, files):
    f2fskit.mkfs(path, 12 << 30, features=["extra_attr", "inode_checksum", "inode_crtime"])
    with f2fskit.open(path, "r+") as volume:
        for first in range(0, files, 1000):
            folder = volume.root.create(f"dir-{first // 1000}", 0o40755)
            for i in range(min(1000, files - first)):
                folder.create(f"file-{i}")
            volume.commit()


def make_free(path):
    """Large files of noise, and then none."""
    noise = os.urandom(50 << 20)
    f2fskit.mkfs(path, 1200 << 20)
    with f2fskit.open(path, "r+") as volume:
        for i in range(18):
            volume.path(f"/file-{i}").write_bytes(noise)
        volume.commit()
        for i in range(18):
            volume.path(f"/file-{i}").unlink()
        volume.commit()


def make_slack(path, files):
    """Make files that end somewhere in their second block, with noise after the ends. Return the bytes of noise."""
    noise, size = os.urandom(4096), 0
    f2fskit.mkfs(path, (files // 80 + 100) << 20)
    with f2fskit.open(path, "r+") as volume:
        for i in range(files):
            if i % 1000 == 0:
                folder = volume.root.create(f"dir-{i // 1000}", 0o40755)
            with folder.create(f"file-{i}").open("r+b") as file:
                file.write(bytes(4097 + i * 7 % 4095))
        volume.commit()
    with f2fskit.open(path) as volume, open(path, "r+b") as image:
        for row in volume.leftovers(empty=True):
            if row.kind == f2fskit.LeftoverKind.SLACK:
                image.seek(row.offset)
                size += image.write(noise[:row.length])
    return size


def carve(past, slack=True):
    """Look for files in all free blocks, and after the ends of files. Return the search."""
    carver = past.carver()
    carver.run(slack=slack)
    return carver


def measure(what, function, unit=None):
    """The least of three turns, on the wall and of the processor."""
    turns = []
    for _ in range(3):
        wall, cpu = time.perf_counter(), sum(os.times()[:4])
        found = function()
        turns.append((time.perf_counter() - wall, sum(os.times()[:4]) - cpu))
    wall, cpu = min(turn[0] for turn in turns), min(turn[1] for turn in turns)
    size = unit(found) if unit else None
    print(f"{what:28} {wall:8.3f} s {cpu:8.3f} cpu s" + (f" {size / cpu / 2**30:8.2f} GiB/cpu s" if size else ""), flush=True)
    return found


def main():
    path = pathlib.Path(sys.argv[1]) / "past.img"
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    if not path.exists():
        make(path, files)
    with f2fskit.open(path) as volume:
        past = measure("search of all nodes", volume.past, lambda past: past.stat().blocks_read * 4096)
        measure("search, thorough", lambda: volume.past(thorough=True), lambda past: past.stat().blocks_read * 4096)
        one = measure("search for one inode", lambda: volume.past(5000))
        print(f"    {one.stat().summaries} summaries, {one.stat().blocks_read} blocks; all: {past.stat().nodes} nodes")
    free = path.with_name("free.img")
    make_free(free)
    with f2fskit.open(free) as volume:
        measure("carve", lambda: carve(volume.past()), lambda carver: carver.stat().blocks * 4096)
    free.unlink()
    size = make_slack(free, files)
    with f2fskit.open(free) as volume:
        past = measure("search of its nodes", volume.past)
        measure("carve, no slack", lambda: carve(past, False))
        measure("carve, with slack", lambda: carve(past), lambda carver: size)
        print(f"    {size / 2**20:.0f} MiB of slack behind {files} files")
    free.unlink()
    for option in ("--timeline", "--deleted"):
        dump = pathlib.Path(os.environ.get("F2FSKIT_BUILD", "build")) / "dump/dump.f2fs"
        measure(f"dump.f2fs {option}", lambda: os.system(f"{dump} {option} {path} > /dev/null"))


if __name__ == "__main__":
    main()
