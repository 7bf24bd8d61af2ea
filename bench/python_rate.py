#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time what Python pays per file and per byte, beside os.walk with os.lstat and the C interface, in one run.

usage: PYTHONPATH=build/python bench/python_rate.py FOLDER [FILES [MIB]]

Makes a tree of FILES small files (100,000) and an image of it in FOLDER, best a tmpfs, and one file of MIB MiB (600). Each row runs
in a process of its own, so that its peak of memory is its own; times are the best of three, in wall and processor seconds.
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

import f2fskit

PER_FOLDER = 1000


def make(folder, files, mib):
    """Make the tree, the image of it, and the image with the large file."""
    tree = folder / "tree"
    if not tree.exists():
        for i in range(files):
            if i % PER_FOLDER == 0:
                (tree / f"{i // PER_FOLDER:04d}").mkdir(parents=True)
            (tree / f"{i // PER_FOLDER:04d}" / f"file-{i:06d}").write_bytes(b"%d" % i)
    if not (folder / "tree.img").exists():
        f2fskit.mkfs(folder / "tree.img", (files // 100 << 20) + (256 << 20))
        with f2fskit.open(folder / "tree.img", "r+") as volume:
            volume.populate(tree)
    if not (folder / "large.img").exists():
        f2fskit.mkfs(folder / "large.img", (mib * 5 // 4 << 20) + (256 << 20))
        with f2fskit.open(folder / "large.img", "r+") as volume, volume.path("/large").open("wb", 0) as file:
            for i in range(mib):
                file.write(bytes([i % 251]) * (1 << 20))


def os_walk(folder):
    count = 0
    for path, dirs, names in os.walk(folder / "tree"):
        for name in dirs + names:
            count += os.lstat(os.path.join(path, name)).st_size >= 0
    return count


def scan_stat(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return sum(entry.stat().st_size >= 0 for path, entry in volume.scan(stats=True))


def inodes(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inodes())


def inodes_paths(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inodes(paths=True))


def inode_table(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inode_table().buffer())


def keep_stats(folder):
    """Bytes of a StatResult, by what ten thousand of them take."""
    import tracemalloc

    with f2fskit.open(folder / "tree.img") as volume:
        inode = volume.path("/0000/file-000000").inode()
        tracemalloc.start()
        kept = [inode.stat() for _ in range(10000)]
        return tracemalloc.get_traced_memory()[0] // len(kept) - 8


def nat(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.nat.array())


def read_bytes(folder):
    with f2fskit.open(folder / "large.img") as volume:
        return len(volume.read_bytes("/large"))


def readinto(folder):
    with f2fskit.open(folder / "large.img") as volume, volume.path("/large").open("rb", 0) as file:
        return file.readinto(bytearray(volume.path("/large").stat().st_size))


def write_by_inode(folder):
    device = f2fskit.Device.memory(256 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for i in range(10000):
            volume.root.create(f"file-{i}").pwrite(b"contents", 0)
    return 10000


def write_by_path(folder):
    device = f2fskit.Device.memory(256 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for i in range(10000):
            volume.path(f"/file-{i}").write_bytes(b"contents")
    return 10000


ROWS = (os_walk, scan_stat, inodes, inodes_paths, inode_table, keep_stats, nat, read_bytes, readinto, write_by_inode, write_by_path)


def run(name, folder):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(1 if name == "keep_stats" else 3):
        wall, cpu = time.perf_counter(), time.process_time()
        found = globals()[name](folder)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    wall, cpu = min(times)
    print(f"    {name:16} {wall:8.3f} s {cpu:8.3f} cpu s {peak / 1024:8.0f} MiB more {found:12}")


def main():
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2 and sys.argv[2] in globals():
        return run(sys.argv[2], folder)
    make(folder, int((sys.argv[2:] or [100000])[0]), int((sys.argv[3:] or [600])[0]))
    for row in ROWS:
        subprocess.run([sys.executable, __file__, folder, row.__name__], check=True)


if __name__ == "__main__":
    main()
