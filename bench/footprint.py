#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a program adds to the image of a boot, and how long it takes to start.

    bench/footprint.py [--runs N] [--brief] NAME=PROGRAM ...

Counts the program and the libraries that it needs, directly or through others, without the C library and its loader, which
every such image has. All are stripped. Prints a table: libraries, bytes, bytes compressed by `zstd -19`, and for a start with
-V the least time on the wall and the median processor time in milliseconds. --brief leaves the times out. A NAME may be anything.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

EVERYWHERE = re.compile(r"(ld-linux|ld-musl|libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so)")


def read_closure(program):
    """Return the paths of a program and its libraries."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout  # it fails for a static program
    libraries = [path for path in re.findall(r"=> (/\S+)", listed) if not EVERYWHERE.search(path)]
    return [os.path.realpath(path) for path in [program, *libraries]]


def measure_size(paths):
    """Return the bytes of stripped copies, and of the copies compressed together."""
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            copy = os.path.join(folder, os.path.basename(path))
            shutil.copy(path, copy)
            os.chmod(copy, 0o755)
            subprocess.run(["strip", copy], check=True)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).iterdir())
        tar = subprocess.run(["tar", "-C", folder, "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-c", "."],
                             check=True, stdout=subprocess.PIPE).stdout
        packed = subprocess.run(["zstd", "-19", "-c"], input=tar, check=True, capture_output=True).stdout
        return size, len(packed)


def measure_start(program, runs):
    """Return (least time on the wall, median processor time) of a start, in milliseconds."""
    wall, cpu = [], []
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    for _ in range(runs):
        begin = time.perf_counter()
        child = os.posix_spawn(program, [program, "-V"], os.environ, file_actions=quiet)
        _, status, used = os.wait4(child, 0)
        wall.append(time.perf_counter() - begin)
        cpu.append(used.ru_utime + used.ru_stime)
        if status:
            sys.exit("%s -V fails" % program)
    return min(wall) * 1000, statistics.median(cpu) * 1000


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--runs", type=int, default=200)
    p.add_argument("--brief", action="store_true")
    p.add_argument("programs", nargs="+", metavar="NAME=PROGRAM")
    o = p.parse_args()
    heads = ["program", "libraries", "bytes", "compressed"] + ([] if o.brief else ["start ms", "cpu ms"])
    print("| %s |\n|%s" % (" | ".join(heads), "---|" * len(heads)))
    for row in o.programs:
        name, _, program = row.rpartition("=")
        paths = read_closure(program)
        cells = [name or os.path.basename(program), str(len(paths) - 1)] + ["{:,}".format(size) for size in measure_size(paths)]
        cells += [] if o.brief else ["%.2f" % value for value in measure_start(os.path.abspath(program), o.runs)]
        print("| %s |" % " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
