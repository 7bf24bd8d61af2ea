# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run an experiment on this engine and on the kernel's, and compare the numbers.

    python3 lab/engine_kernel.py BUILD EXPERIMENT [--ext4] [--requests] [OPTION of f2fs-lab run...]

The experiment must have one variant (--set chooses values for its variables). f2fs-lab runs it and records the
operations and checkpoints. The kernel runs the same operations under User Mode Linux on a volume with the same layout.
Normal logging is mode=lfs there, nothing is updated in place (ipu_policy 0), and checkpoints come at the same points.
Print each round's numbers side by side: this engine's by the laboratory's meter, the kernel's by its own counters
(debugfs, /proc, /sys).

--ext4: add a column for the kernel's ext4 with the same operations (4 KiB blocks, data=ordered, nothing reserved). Its
volume is initialised completely at once, and its journal commits only when an operation asks for it. --requests: print
the sizes of writes and discards as the file system submits them, by dm-log-writes. A write that follows the one before
counts as one with it, up to 512 KiB.

The kernel chooses victims by greedy when it needs room, and its background GC is off. It keeps pages in memory until a
checkpoint or until memory is short, without a time limit (dirty_writeback_centisecs is 0). So blocks that change again
before that are written once, and "written" can be less than requested. Results still differ by some percent between
runs.
"""
import json
import os
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

STATUS, DISK = "/sys/kernel/debug/f2fs/status", "/sys/block/ubda/stat"
# Counters that only grow, from the text of STATUS.
COUNTS = {"moved": r"Try to move (\d+) blocks", "victims": r"GC calls: (\d+)", "commits": r"CP calls: (\d+)",
          "holes": r"^SSR: (\d+)", "free places": r"^LFS: (\d+)"}
ROWS = ["asked", "written", "waf", "moved", "victims", "threaded", "requests", "request_blocks", "commits",
        "used_segments", "up_to_128", "above_256", "from_384", "whole_512", *write_log.ROWS]
KEEP_STILL = "echo 0 > /proc/sys/vm/dirty_writeback_centisecs && "


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
             **{key: r[key] for key in (*shares([]), *write_log.ROWS)}} for r in variant["rounds"]]


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
        else:
            counts = [int(n) for _, n in re.findall(r"(\d)\|(\d+)", body.split("\n", 2)[2])]
            row.update(shares([n for segment, n in enumerate(counts) if segment not in row["logs"]]))
    return [rounds[number] for number in sorted(rounds)]


def f2fs(build, found, image, device):
    """Make the volume; the job's beginning, and the files in which the kernel counts."""
    overprovision = ["-o", str(found["volume.overprovision"])] if found.get("volume.overprovision") else []
    subprocess.run([build / "mkfs/mkfs.f2fs", "-q", "-f", *overprovision, "-s", str(found.get("volume.segs_per_sec", 1)),
                    "-z", str(found.get("volume.secs_per_zone", 1)), image], check=True)
    mount = "mode=%s,active_logs=%s,background_gc=off,fsync_mode=%s" % (
        "lfs" if found.get("engine.logging", "adaptive") == "normal" else "adaptive",
        found.get("engine.logs", 6), found.get("engine.fsync_mode", "strict"))
    name = os.path.basename(device)
    return (KEEP_STILL + "mount -t f2fs -o %s %s $MNT && echo 0 > /sys/fs/f2fs/%s/ipu_policy" % (mount, device, name),
            [STATUS, DISK, "/proc/fs/f2fs/%s/segment_info" % name])


def ext4(build, found, image, device):
    """The same of ext4."""
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", "-b4096", "-m0", "-Elazy_itable_init=0,lazy_journal_init=0,nodiscard", image],
                   check=True)
    return KEEP_STILL + "mount -t ext4 -o data=ordered,discard,commit=86400 %s $MNT" % device, [DISK]


def theirs(build, found, trace, work, prepare, with_requests):
    """Run the trace in the kernel. Return its counters for each round but the first, which makes the files."""
    sys.path.insert(0, str(TOP / "tests/kernel"))
    import uml  # noqa: E402  (the kernel's runner is not installed)

    size = size_of(found.get("volume.size", "1GiB"))
    with tempfile.TemporaryDirectory(dir=work) as folder:
        images = [pathlib.Path(folder) / name for name in ("disk", "log")[:2 if with_requests else 1]]
        for image, length in zip(images, (size, write_log.MOST)):
            with open(image, "wb") as f:
                f.truncate(length)
        begin, counters = prepare(build, found, images[0], write_log.DEVICE if with_requests else "/dev/ubda")
        if with_requests:
            begin, counters = write_log.SET_UP % (size // 512) + " && " + begin, [*counters, write_log.MARK]
        job = "%s && %s" % (begin, shlex.join(map(str, [build / "lab/f2fs_lab_replay", trace])) + " $MNT " + shlex.join(counters))
        text = uml.run(job + (" && umount $MNT" if with_requests else ""), images=images, timeout=3600).check().stdout.decode()
        sizes = write_log.rounds(images[1]) if with_requests else []
    rounds = parse(text)
    for i in range(len(rounds) - 1, 0, -1):
        now, before = rounds[i], rounds[i - 1]
        for key in ({*COUNTS, "requests", "written"} & set(now)):
            now[key] -= before[key]
        now.update(waf=now["written"] / now["asked"] if now["asked"] else 0,
                   request_blocks=now["written"] / now["requests"] if now["requests"] else 0)
        if "holes" in now:
            now["threaded"] = now["holes"] / max(now["holes"] + now["free places"], 1)
        if with_requests:
            now.update(sizes[i].rows(now["asked"]))
    return rounds[1:]


def columns(build, path, options):
    """[(ours, the kernel's F2FS, with --ext4 its ext4)] for each round."""
    own = [o for o in options if o in ("--ext4", "--requests")]
    options = [o for o in options if o not in own]
    build, path = pathlib.Path(build).resolve(), pathlib.Path(path)
    if not path.exists():
        path = TOP / "lab/experiments" / (path.name + ".toml")
    with tempfile.TemporaryDirectory(prefix="f2fs-lab.") as work:
        trace = pathlib.Path(work) / "trace.f2t"
        found = [ours(build, path, options, trace)]
        for prepare in (f2fs, ext4)[:2 if "--ext4" in own else 1]:
            found.append(theirs(build, settings(path, options), trace, work, prepare, "--requests" in own))
        return list(zip(*found, strict=True))


def main(build, path, *options):
    rounds = columns(build, path, list(options))
    print("%-6s%-20s" % ("round", "") + "".join("%12s" % name for name in ("ours", "kernel", "ext4")[:len(rounds[0])]))
    for number, sides in enumerate(rounds, 1):
        for row in (row for row in ROWS if row in sides[1]):
            print("%-6d%-20s" % (number, row) + "".join(
                "%12s" % "-" if n is None else "%12d" % n if isinstance(n, int) else "%12.3f" % n
                for n in (side.get(row) for side in sides)))


if __name__ == "__main__":
    main(*sys.argv[1:])
