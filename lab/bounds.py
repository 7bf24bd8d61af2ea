# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bound the gain of knowing the future, on an experiment's load.

    python3 lab/bounds.py BUILD EXPERIMENT [OPTION of f2fs-lab run...]

Run the experiment once, and simulate GC on the blocks that it writes (cleaner.h). The simulation has as many sections
of 512 blocks as the volume has for users and for GC. It leaves out nodes, checkpoints and delays. But with
engine.at_once=false overwrites wait until a checkpoint, or until 16 MiB wait, and are written once. Print the blocks
moved per requested block, after the files are made: of the run itself, of policies, and the bound of any policy.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
POLICIES = ["fifo", "greedy", "cost-benefit", "clairvoyant", "placed", "bound"]
BLOCK, WAITING_MOST = 4096, 4096


def blocks_of(text, waits):
    """The blocks that operations write, numbered in the order in which they come first; how many were before round 1."""
    numbers, trace, before, waiting = {}, [], 0, set()
    for line in text:
        word = line.split()
        if word[0] in ("round", "sync") or len(waiting) >= WAITING_MOST:
            trace += sorted(waiting)
            waiting = set()
        if word[0] == "round" and word[1] == "1":
            before = len(trace)
        elif word[0] == "write" and word[3] != "0":
            first, end = int(word[2]) // BLOCK, (int(word[2]) + int(word[3]) + BLOCK - 1) // BLOCK
            for n in range(first, end):
                is_new = (word[1], n) not in numbers
                number = numbers.setdefault((word[1], n), len(numbers))
                if waits and not is_new:
                    waiting.add(number)
                else:
                    trace.append(number)
        elif word[0] in ("remove", "truncate"):
            sys.exit("the load removes or cuts files, which the simulation knows nothing of")
    return trace, len(numbers), before


def sections_of(build, image_bytes, overprovision):
    """Sections that data can be in: those of the main area without the reserve of checkpoints."""
    with tempfile.NamedTemporaryFile(prefix="f2fs-lab.") as image:
        image.truncate(image_bytes)
        subprocess.run([build / "mkfs/mkfs.f2fs", "-q", "-f", "-o", overprovision, image.name], check=True)
        done = subprocess.run([build / "dump/dump.f2fs", "--superblock", "--checkpoint", image.name],
                              capture_output=True, text=True, check=True)
    main_area, reserve = (int(re.search(rf"^{name}\W+(\d+)", done.stdout, re.M).group(1))
                          for name in ("segment_count_main", "rsvd_segment_count"))
    return main_area - reserve


def main(build, path, *options):
    sys.path.insert(0, str(TOP / "lab"))
    import engine_kernel  # noqa: E402

    build, path = pathlib.Path(build).resolve(), pathlib.Path(path)
    path = path if path.exists() else TOP / "lab/experiments" / (path.name + ".toml")
    found = engine_kernel.settings(path, options)
    with tempfile.TemporaryDirectory(prefix="f2fs-lab.") as work:
        trace = pathlib.Path(work) / "trace.f2t"
        rounds = engine_kernel.ours(build, path, list(options), trace)
        text = subprocess.run([build / "lab/f2fs-lab", "gen", "trace", "--rounds", str(len(rounds)), "--set", f"file={trace}"],
                              capture_output=True, text=True, check=True).stdout
    asked = sum(r["asked"] for r in rounds)
    blocks, count, before = blocks_of(text.splitlines(), str(found.get("engine.at_once", "true")).lower() == "false")
    written = len(blocks) - before
    sections = sections_of(build, engine_kernel.size_of(found["volume.size"]), str(found.get("volume.overprovision", 0)))
    print(f"{written} blocks written for {asked} asked to {count}, in {sections} sections of 512")
    print("%-14s%8.3f" % ("the run", sum(r["moved"] for r in rounds) / asked))
    lines = "".join(f"{block}\n" for block in blocks)
    for policy in POLICIES:
        done = subprocess.run([build / "lab/ftl/cleaner_replay", policy, str(count), str(sections), "512"], input=lines,
                              text=True, capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"{policy}: {done.stderr.strip() or 'there is no room in so few sections'}")
        print("%-14s%8.3f" % (policy, json.loads(done.stdout)["moves"] / asked), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
