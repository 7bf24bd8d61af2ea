#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What volumes at the limits of the format cost each program: time on the wall, processor time, memory.

    PYTHONPATH=build/python bench/limits.py WORKDIR [--scale PART] [--only VOLUME]

Volumes: a directory whose entries all claim the same hash, directories one in the other, as many attributes as fit one inode,
and a file of 3.9 TiB with one block. --scale 0.01 makes the first two a hundredth of their size. Prints a table; the status is
1 when something took more than its bound, did not end, or ended with a status that it should not have.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import f2fskit

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("F2FSKIT_BUILD", "build")).resolve()
HASHES, LEVELS = 1_000_000, 100_000
SLOTS, BITMAP, ENTRY = 214, 30, 11  # of a directory's block
SECONDS, MEMORY = 120, 700  # bounds of one run: processor seconds and MiB


def hashes(path, scale):
    """Make names of one file in a directory, as many as HASHES, all with the hash 0x12345678, so that lookups and checks
    cannot use it. (A directory where that is the right hash holds 41,088 of them: each level has one bucket for it.)"""
    f2fskit.mkfs(path, 1 << 30)
    with f2fskit.open(path, "r+") as volume:
        folder = volume.root.create("many", 0o40755)
        file = folder.create("f")
        for i in range(int(HASHES * scale)):
            if i % 60000 == 0:
                file = folder.create(f"file{i}")
            folder.link(f"n{i:x}", file)
        volume.commit()
        blocks = [extent.addr + i for extent in folder.extents() if extent.kind.name == "DATA" for i in range(extent.count)]
    with open(path, "r+b") as image:
        for block in blocks:
            image.seek(block * 4096)
            data = bytearray(image.read(4096))
            for slot in range(SLOTS):
                if data[slot // 8] >> slot % 8 & 1:
                    data[BITMAP + slot * ENTRY:BITMAP + slot * ENTRY + 4] = b"\x78\x56\x34\x12"
            image.seek(block * 4096)
            image.write(data)
    return len(blocks)


def levels(path, scale):
    """Directories one in the other."""
    f2fskit.mkfs(path, 1 << 30)
    with f2fskit.open(path, "r+") as volume:
        folder = volume.root
        for _ in range(int(LEVELS * scale)):
            folder = folder.create("d", 0o40755)
        volume.commit()


def attributes(path, _scale):
    """As many attributes as there is room for in one inode and its node."""
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        xattrs = volume.path("/").xattrs
        volume.path("/file").write_bytes(b"x")
        xattrs = volume.path("/file").xattrs
        for i in range(100000):
            try:
                xattrs["user.%c%c" % (48 + i // 64, 48 + i % 64)] = b""
            except (f2fskit.Error, OSError):
                break


def long_file(path, _scale):
    """A file of 3.9 TiB with one block at its end."""
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.root.create("long").pwrite(b"end", int(3.9 * (1 << 40)))


WALK = """
import sys, f2fskit
with f2fskit.open(sys.argv[1]) as volume:
    n = sum(1 for _ in volume.scan("/"))
"""

# name -> arguments; {} the image, {other} a copy of it, {out} a directory that is not there. Changes are made to the copy,
# one after the other.
LOOKS = {
    "fsck -n": ["fsck/fsck.f2fs", "-n", "{}"],
    "dump --tree": ["dump/dump.f2fs", "--tree", "{}"],
    "dump --ls": ["dump/dump.f2fs", "--ls={folder}", "{}"],
    "dump --tar": ["dump/dump.f2fs", "--tar=-", "{}"],
    "dump --hashes": ["dump/dump.f2fs", "--hashes", "--max-bytes=1G", "{}"],  # holes are hashed, too
    "dump --timeline": ["dump/dump.f2fs", "--timeline", "{}"],
    "dump --extract": ["dump/dump.f2fs", "--extract={out}", "{}"],
    "f2fs find": ["edit/f2fs", "{}", "find"],
    "f2fs du": ["edit/f2fs", "{}", "du", "-s"],
    "f2fs ls -R": ["edit/f2fs", "{}", "ls", "-R"],
    "f2fs diff": ["edit/f2fs", "{}", "diff", "-q", "{other}"],
    "Python scan": [sys.executable, "-c", WALK, "{}"],
}
CHANGES = {
    "fsck -y": ["fsck/fsck.f2fs", "-y", "{}"],
    "defrag": ["defrag/defrag.f2fs", "{}"],
    "resize": ["resize/resize.f2fs", "{}", "1200M"],
    "f2fs chmod -R": ["edit/f2fs", "-w", "{}", "chmod", "-R", "u+r", "{folder}"],
    "f2fs rm -r": ["edit/f2fs", "-w", "{}", "rm", "-r", "{folder}"],
}
# maker, paths to remove and to list, and exit statuses allowed besides 0, because damage is reported
VOLUMES = {
    "hashes": (hashes, "/many", {"fsck -n": (4,), "fsck -y": (1,), "f2fs diff": (1,)}),
    "levels": (levels, "/d", {}),
    "attributes": (attributes, "/file", {}),
    "long": (long_file, "/long", {"dump --hashes": (4,)}),
}


def measure(command, bound):
    """Run it to its end or the bound of time. Return seconds, processor seconds, peak MiB, status, and its error messages."""
    line = [sys.executable, "-S", str(HERE / "measure_one.py"), str(bound), *map(str, command)]
    return json.loads(subprocess.run(line, check=True, capture_output=True).stdout)


def remove(folder):
    """However deep it is: rm goes by steps."""
    subprocess.run(["rm", "-rf", folder], check=True)


def run(work, name, scale):
    """All programs on one volume; the rows of the table that are beyond the bounds."""
    make, folder, may = VOLUMES[name]
    image, copy, out = work / f"{name}.img", work / "copy.img", work / "out"
    image.unlink(missing_ok=True)
    make(str(image), scale)
    wrong = []
    subprocess.run(["cp", "--sparse=always", image, copy], check=True)
    for kind, commands in (("looks", LOOKS), ("changes", CHANGES)):
        for what, command in commands.items():
            place = copy if kind == "changes" else image
            line = [part.format(place, other=copy, out=out, folder=folder) for part in command]
            if not line[0].startswith("/"):
                line[0] = str(BUILD / line[0])
            wall, cpu, memory, status, said = measure(line, SECONDS)
            is_bad = cpu >= SECONDS or memory > MEMORY or (status != 0 and status not in may.get(what, ()))
            print(f"| {name} | {what} | {wall:.2f} | {cpu:.2f} | {memory:.0f} | {status} |", flush=True)
            if is_bad:
                wrong.append(f"{name}: {what}: {said[-300:]}")
            if out.exists():
                remove(out)
    image.unlink()
    copy.unlink()
    return wrong


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("work", type=lambda text: pathlib.Path(text).resolve())
    p.add_argument("--scale", type=float, default=1.0)
    p.add_argument("--only", choices=VOLUMES, action="append")
    o = p.parse_args()
    o.work.mkdir(parents=True, exist_ok=True)
    print("| volume | program | s | processor s | peak MiB | status |\n|---|---|---|---|---|---|")
    wrong = [text for name in o.only or VOLUMES for text in run(o.work, name, o.scale)]
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
