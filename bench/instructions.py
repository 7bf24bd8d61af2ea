#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Count the instructions of ten jobs, and compare them with an earlier count: a gate that needs no quiet machine.

    bench/instructions.py [-b BUILD] [--only WORD] [--save FILE]
    bench/instructions.py [-b BUILD] [--only WORD] (--against FILE | --base BUILD) [--most RATIO]

callgrind (valgrind) counts the instructions of the programs outside the kernel. The same programs give the same counts within 1 %.
--save keeps the counts. --against compares with counts that were saved, --base with those of the programs of another build, for
example of the last release. The status is 1 when a job takes more than RATIO (default 1.05) of the earlier count.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
TIME = 1_600_000_000  # of all files: what is counted depends on nothing outside
FOLDERS, FILES = 20, 100
SIZE = 256 << 20  # of the volume


def make_tree(top):
    """Small files in folders, some large ones, links: the same bytes in each run."""
    source = random.Random(1)
    for folder in range(FOLDERS):
        path = top / f"folder-{folder}"
        path.mkdir(parents=True)
        for number in range(FILES):
            (path / f"file-{number}.txt").write_bytes(source.randbytes(source.randrange(300)))
        (path / "large").write_bytes(source.randbytes(512 << 10))
        (path / "link").symlink_to("large")
    for path in sorted(top.rglob("*"), reverse=True):
        os.utime(path, (TIME, TIME), follow_symlinks=False)


def fresh(work):
    with open(work / "image", "wb") as image:
        image.truncate(SIZE)


def filled(work):
    shutil.copyfile(work / "filled", work / "image")


def formatted(work):
    shutil.copyfile(work / "empty", work / "image")


# name, preparation, program, arguments
JOBS = [
    ("format", fresh, "mkfs", ["-q", "-f", "-r", "image"]),
    ("fill", fresh, "mkfs", ["-q", "-f", "-r", "--root-dir", "tree", "image"]),
    ("fill from tar", formatted, "sload", ["-q", "-f", "tree.tar", "image"]),
    ("check", None, "fsck", ["-n", "-f", "filled"]),
    ("list", None, "dump", ["--tree", "filled"]),
    ("extract", None, "dump", ["--extract=out", "filled"]),
    ("tar", None, "dump", ["--tar=out", "filled"]),
    ("hashes", None, "dump", ["--hashes", "filled"]),
    ("defragment", filled, "defrag", ["--order=tree", "image"]),
    ("shrink", filled, "resize", ["image", "128M"]),
]


def program(build, name):
    return str(build / name / f"{name}.f2fs")


def prepare(work, build):
    """Make the inputs of the jobs."""
    make_tree(work / "tree")
    with tarfile.open(work / "tree.tar", "w") as archive:
        archive.add(work / "tree", ".")
    for image, arguments in (("empty", []), ("filled", ["--root-dir", "tree"])):
        fresh(work)
        subprocess.run([program(build, "mkfs"), "-q", "-f", "-r", *arguments, "image"], cwd=work, check=True)
        os.rename(work / "image", work / image)


def count(work, build, job):
    """Run a job and return its instructions."""
    _, preparation, name, arguments = job
    out = work / "out"
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    if preparation:
        preparation(work)
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program(build, name), *arguments],
                         cwd=work, stdin=subprocess.DEVNULL, capture_output=True)
    found = re.search(rb"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(f"{job[0]}: status {run.returncode}\n{run.stderr.decode(errors='replace')[-2000:]}")
    return int(found.group(1))


def count_all(build, jobs):
    with tempfile.TemporaryDirectory(prefix="f2fskit-instructions-") as folder:
        work = pathlib.Path(folder)
        if any(job[1] is not fresh or "tree" in job[3] for job in jobs):
            prepare(work, build)
        return {job[0]: count(work, build, job) for job in jobs}


def show(counts, before, most):
    """Print a table. Returns the jobs that take more than they may."""
    more = []
    print("| job | million instructions | of before |\n|---|---|---|")
    for name, value in counts.items():
        ratio = value / before[name] if before.get(name) else None
        print(f"| {name} | {value / 1e6:.1f} | {f'{ratio:.3f}' if ratio else ''} |")
        if ratio and ratio > most:
            more.append(name)
    return more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-b", "--build", type=pathlib.Path, default=TOP / "build")
    parser.add_argument("--only", default="")
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=1.05)
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument("--against", type=pathlib.Path)
    earlier.add_argument("--base", type=pathlib.Path)
    a = parser.parse_args()
    jobs = [job for job in JOBS if a.only in job[0]]
    before = json.loads(a.against.read_text()) if a.against else count_all(a.base.resolve(), jobs) if a.base else {}
    counts = count_all(a.build.resolve(), jobs)
    if a.save:
        a.save.write_text(json.dumps(counts, indent=1) + "\n")
    more = show(counts, before, a.most)
    if more:
        sys.exit(f"more than {a.most} of before: {', '.join(more)}")


if __name__ == "__main__":
    main()
