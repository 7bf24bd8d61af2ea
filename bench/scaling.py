#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far reading would scale with more processors than this machine has.

usage: bench/scaling.py BUILD WORK

Runs each job with 16 threads and counts how much each thread works and how often threads wait for each other's locks
(bench/thread_work.c). The *limit* is the work of all over the work of the first thread, or 16: more processors do no better.
"""
import os
import subprocess
import sys

import peers

THREADS = 16
TREES = ((50000, 1000, 9000), (400, 1 << 20, 4 << 20))  # files, their least and largest size
JOBS = (("--extract=tree", "dump.f2fs --extract"), ("--hashes", "dump.f2fs --hashes"), ("--tar=out.tar", "dump.f2fs --tar"))


def make(build, image, files, least, most):
    """A volume with files of random sizes and contents."""
    subprocess.run(["rm", "-rf", "files", image], check=True)
    peers.make_random("files", files, least, most)
    with open(image, "wb") as f:
        f.truncate(3 << 30)
    subprocess.run([build + "/mkfs/mkfs.f2fs", "-q", "-f", "--root-dir", "files", image], check=True)


def measure(build, option, image):
    subprocess.run(["rm", "-rf", "tree", "out.tar", "counts"], check=True)
    environment = dict(os.environ, LD_PRELOAD=build + "/bench/libthread_work.so", THREAD_WORK="counts")
    subprocess.run([build + "/dump/dump.f2fs", option, "--threads=%d" % THREADS, image], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    with open("counts") as f:
        return [float(x) for x in f.read().split()]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    print("%d threads; processor seconds.\n" % THREADS)
    print("| files | job | first thread | workers | locks a file | waits a file | limit |")
    print("|---|---|---|---|---|---|---|")
    for files, least, most in TREES:
        make(build, "img", files, least, most)
        for option, title in JOBS:
            first, others, locks, waits = measure(build, option, "img")
            print("| %s of %s to %s bytes | %s | %.3f | %.3f | %.2f | %.3f | %.1f |" % (
                format(files, ","), format(least, ","), format(most, ","), title, first, others, locks / files, waits / files,
                min(THREADS, (first + others) / first)))


if __name__ == "__main__":
    main()
