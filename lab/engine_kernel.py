# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run an experiment on this engine and on the kernel's, and compare the numbers.

    python3 lab/engine_kernel.py BUILD EXPERIMENT [--ext4] [--btrfs] [--btrfs-dup] [--nilfs2] [--requests]
        [OPTION of f2fs-lab run...]

The experiment must have one variant (--set chooses values for its variables). f2fs-lab runs it and records the
operations and checkpoints. The kernel runs the same operations under User Mode Linux on a volume with the same layout.
Normal logging is mode=lfs there, nothing is updated in place (ipu_policy 0), and checkpoints come at the same points.
Print each round's numbers side by side: this engine's by the laboratory's meter, the kernel's by its own counters
(debugfs, /proc, /sys).

--ext4, --btrfs, --btrfs-dup, --nilfs2: add a column for another file system of the kernel with the same operations
(kernel_systems.py). All but ext4 need the kernel of `./bootstrap kernel --peers`. --requests: print the sizes of writes
and discards as the file system submits them, by dm-log-writes. A write that follows the one before counts as one with
it, up to 512 KiB.

A file system that finds no space stops: its later rounds are empty, and a line says so. With engine.reads the kernel
reads, too, and each round begins with nothing in its cache.

The kernel chooses victims by greedy when it needs room, and its background GC is off. It keeps pages in memory until a
checkpoint or until memory is short, without a time limit (dirty_writeback_centisecs is 0). So blocks that change again
before that are written once, and "written" can be less than requested. Results still differ by some percent between
runs.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "lab"))
import write_log  # noqa: E402  (beside this file, wherever that is loaded from)
from kernel_systems import DISK, STATUS, SYSTEMS  # noqa: E402

# Counters that only grow, from the text of STATUS.
COUNTS = {"moved": r"Try to move (\d+) blocks", "victims": r"GC calls: (\d+)", "commits": r"CP calls: (\d+)",
          "holes": r"^SSR: (\d+)", "free places": r"^LFS: (\d+)"}
READS = ["read", "read_requests", "read_request_blocks"]
SEGMENTS = ["used_segments", "up_to_128", "above_256", "from_384", "whole_512"]
ROWS = ["asked", "written", "waf", "moved", "victims", "threaded", "requests", "request_blocks", *READS, "commits",
        *SEGMENTS, *write_log.ROWS]
# Metrics of f2fs-lab that have the same name here.
CARRIED = [*READS[1:], *SEGMENTS, *(row for row in write_log.ROWS if row != "submitted")]
NO_SPACE = b"No space left on device"


def shares(counts):
    """How full the segments are that hold something, from the numbers of their blocks in use."""
    used = [n for n in counts if n]

    def of(low, high):
        return sum(low <= n <= high for n in used) / len(used) if used else 0
    return {"used_segments": len(used), "up_to_128": of(1, 128), "above_256": of(257, 512), "from_384": of(384, 512),
            "whole_512": of(512, 512)}


def settings(path, options):
    """The experiment's settings as {"engine.logs": ...}: the file's, then --small, then --set."""
    def flat(tables, prefix=""):
        for key, value in tables.items():
            if isinstance(value, dict):
                yield from flat(value, prefix + key + ".")
            else:
                yield prefix + key, value
    with open(path, "rb") as f:
        found = dict(flat(tomllib.load(f)))
    if "--small" in options:
        found.update({key[6:]: value for key, value in found.items() if key.startswith("small.")})
    for before, option in zip(["", *options], options):
        text = option[6:] if option.startswith("--set=") else option if before == "--set" else ""
        if "=" in text:
            key, _, value = text.partition("=")
            found[key] = value
    return found


def size_of(text):
    number, unit = re.fullmatch(r"([\d.]+)([KMGT]?i?B?)", str(text)).groups()
    power = " KMGT".index(unit[0]) if unit[:1] in "KMGT" and unit else 0
    return int(float(number) * (1024 if "i" in unit else 1000) ** power) // 4096 * 4096


def ours(build, path, options, trace):
    """Run it on this engine, write the operations to the trace, and return the measurements of each round."""
    done = subprocess.run([build / "lab/f2fs-lab", "run", path, *options, "--json=-", "--trace", trace],
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    variant, = json.loads(done.stdout)["variants"]
    return [{"asked": r["asked_blocks"], "written": r["device_blocks"], "waf": r["waf"], "moved": r["moved_blocks"],
             "victims": r["victims"], "threaded": r["threaded_share"], "requests": r["requests"],
             "request_blocks": r["request_blocks"], "commits": r["commits"],
             "read": round(r["read_requests"] * r["read_request_blocks"]), **{key: r[key] for key in CARRIED}} for r in variant["rounds"]]


def parse(text):
    """The rounds of a replay: counters since the mount, and how full the segments are."""
    rounds = {}
    for part in text.split("\n== ")[0:]:
        head, _, body = part.removeprefix("== ").partition("\n")
        number, asked, name = head.split(" ", 2)
        row = rounds.setdefault(int(number), {"asked": int(asked)})
        if name == write_log.MARK:
            continue
        if name == STATUS:
            row.update({key: int(re.search(what, body, re.M).group(1)) for key, what in COUNTS.items()})
            row["logs"] = {int(line[0]) for line in re.findall(r"(?:data|dnode|nodes): +(\d+) ", body)}
        elif name == DISK:
            numbers = [int(n) for n in body.split()]
            row["requests"], row["written"] = numbers[4], numbers[6] // 8
            row["read_requests"], row["read"] = numbers[0], numbers[2] // 8
        else:
            counts = [int(n) for _, n in re.findall(r"(\d)\|(\d+)", body.split("\n", 2)[2])]
            row.update(shares([n for segment, n in enumerate(counts) if segment not in row["logs"]]))
    return [rounds[number] for number in sorted(rounds)]


def differences(rounds):
    """Each round but the first, which makes the files, with what its counters grew by."""
    for i in range(len(rounds) - 1, 0, -1):
        now, before = rounds[i], rounds[i - 1]
        for key in ({*COUNTS, "requests", "written", "read_requests", "read"} & set(now)):
            now[key] -= before[key]
        now.update(waf=now["written"] / now["asked"] if now["asked"] else 0,
                   request_blocks=now["written"] / now["requests"] if now["requests"] else 0,
                   read_request_blocks=now["read"] / now["read_requests"] if now["read_requests"] else 0)
        if "holes" in now:
            now["threaded"] = now["holes"] / max(now["holes"] + now["free places"], 1)
    return rounds[1:]


def theirs(build, found, trace, work, system, with_requests):
    """Run the trace in the kernel. Return its counters for each round; fewer rounds when the volume had no space."""
    sys.path.insert(0, str(TOP / "tests/kernel"))
    import uml  # noqa: E402  (the kernel's runner is not installed)

    size = size_of(found.get("volume.size", "1GiB"))
    with tempfile.TemporaryDirectory(dir=work) as folder:
        images = [pathlib.Path(folder) / name for name in ("disk", "log")[:2 if with_requests else 1]]
        for image, length in zip(images, (size, write_log.MOST)):
            with open(image, "wb") as f:
                f.truncate(length)
        begin, counters = system.prepare(build, found, images[0], write_log.DEVICE if with_requests else "/dev/ubda")
        if with_requests:
            begin, counters = write_log.SET_UP % (size // 512) + " && " + begin, [*counters, write_log.MARK]
        replay = [build / "lab/f2fs_lab_replay", *(["-r"] if str(found.get("engine.reads")).lower() == "true" else []), trace]
        job = "%s && %s" % (begin, shlex.join(map(str, replay)) + " $MNT " + shlex.join(counters))
        kernel = uml.find_peers_kernel() if system.needs_peers else None
        result = uml.run(job + (" && umount $MNT" if with_requests else ""), images=images, timeout=3600, kernel=kernel)
        is_full = result.rc == 1 and NO_SPACE in result.stderr
        text = (result if is_full else result.check(problems=system.says)).stdout.decode()
        sizes = write_log.rounds(images[1]) if with_requests else []
    rounds = differences(parse(text)) if text else []
    if with_requests:
        for now, size in zip(rounds, sizes[1:]):
            now.update(size.rows(now["asked"]))
    return rounds


def columns(build, path, options):
    """[{"ours": numbers, "kernel": those of its F2FS, "ext4" and so on with their options}] for each round. A file system
    that stopped without space has empty numbers."""
    chosen = [name for name in SYSTEMS if name == "kernel" or "--" + name in options]
    own = ["--requests", *("--" + name for name in chosen)]
    with_requests = "--requests" in options
    options = [o for o in options if o not in own]
    build, path = pathlib.Path(build).resolve(), pathlib.Path(path)
    if not path.exists():
        path = TOP / "lab/experiments" / (path.name + ".toml")
    with tempfile.TemporaryDirectory(prefix="f2fs-lab.") as work:
        trace = pathlib.Path(work) / "trace.f2t"
        rounds = [{"ours": numbers} for numbers in ours(build, path, options, trace)]
        for name in chosen:
            found = theirs(build, settings(path, options), trace, work, SYSTEMS[name], with_requests)
            for i, numbers in enumerate(rounds):
                numbers[name] = found[i] if i < len(found) else {}
    return rounds


def main(build, path, *options):
    rounds = columns(build, path, list(options))
    print("%-6s%-20s" % ("round", "") + "".join("%12s" % name for name in rounds[0]))
    for number, sides in enumerate(rounds, 1):
        for row in (row for row in ROWS if any(row in side for name, side in sides.items() if name != "ours")):
            print("%-6d%-20s" % (number, row) + "".join(
                "%12s" % "-" if n is None else "%12d" % n if isinstance(n, int) else "%12.3f" % n
                for n in (side.get(row) for side in sides.values())))
        for name in (name for name, side in sides.items() if not side):
            print("%-6d%s: no space" % (number, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
