#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast many images become rows, by one worker and by two, of threads, of processes and of a local cluster of Dask.

    PYTHONPATH=build/python bench/inventory_rate.py WORKDIR [IMAGES [ROUNDS]]

Makes IMAGES (1,000) images of different trees, some 3 MiB of contents in 60 files each, and keeps them. Each of ROUNDS (3) rounds looks
at all of them with each kind of workers, by turns: information, check and a digest of each tree. Each result goes to standard error at
once, the table of medians to standard output at the end.
"""
import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import statistics
import sys
import time

import f2fskit
from f2fskit.inventory import inventory

FILES = 60


def contents(image, number):
    """Bytes that are the same in each run and compress badly, of 1 KiB to 100 KiB."""
    seed = hashlib.sha256(f"{image} {number}".encode()).digest()
    return seed * (32 + (seed[0] * 12))


def make(folder, count):
    """Return the paths of images, made where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{i:04}.img" for i in range(count)]
    for i, path in enumerate(paths):
        if not path.exists():
            tree = {f"part{k}": {f"file{n}": contents(i, n) for n in range(k, FILES, 6)} for k in range(6)}
            f2fskit.build(tree, path, volume={"label": f"image {i}"}, time=1_700_000_000 * 10**9)
    return paths


@contextlib.contextmanager
def cluster(workers):
    import distributed

    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as made, distributed.Client(made) as client:
        yield client


def kinds():
    found = {"threads": concurrent.futures.ThreadPoolExecutor, "processes": concurrent.futures.ProcessPoolExecutor}
    with contextlib.suppress(ImportError):
        import distributed  # noqa: F401

        found["Dask"] = cluster
    return found


def measure(paths, kind, workers):
    """Seconds for all rows. The workers are there before, and have looked at one image each."""
    with kind(workers) as executor:
        list(inventory(paths[:workers], executor, digests=True))
        begin = time.monotonic()
        rows = list(inventory(paths, executor, digests=True))
        seconds = time.monotonic() - begin
    assert all(row.is_sound and row.files == FILES and not row.error for row in rows)
    assert len({row.tree_sha256 for row in rows}) == len(paths)
    return seconds


def main():
    folder, count, rounds = pathlib.Path(sys.argv[1]), int((sys.argv[2:3] or [1000])[0]), int((sys.argv[3:4] or [3])[0])
    paths = make(folder, count)
    print(f"{count} images, {sum(path.stat().st_blocks for path in paths) >> 11} MiB", file=sys.stderr)
    seconds = {(name, workers): [] for name in kinds() for workers in (1, 2)}
    for number in range(1, rounds + 1):
        for (name, workers), found in seconds.items():
            found.append(measure(paths, kinds()[name], workers))
            print(f"round {number}, {workers} of {name}: {found[-1]:.2f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print("| workers | s by one | s by two | images/s by two | times as fast, least and most of a round |\n|---|---|---|---|---|")
    for name in kinds():
        one, two = seconds[name, 1], seconds[name, 2]
        gains = sorted(a / b for a, b in zip(one, two))
        median = statistics.median(two)
        print(f"| {name} | {statistics.median(one):.1f} | {median:.1f} | {count / median:.0f} | "
              f"{statistics.median(gains):.2f} ({gains[0]:.2f} to {gains[-1]:.2f}) |")


if __name__ == "__main__":
    main()
