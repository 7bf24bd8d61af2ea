# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run in the guest: age a volume, or have the kernel clean one in the foreground and report the costs.

    collecting.py age FOLDER PERCENT SEED       fill to that share of free blocks, and overwrite random blocks
    collecting.py collect FOLDER DEVICE WON     clean until this many more sections are free

collect prints a JSON object: free sections before and after, blocks moved, and of each step the section that was emptied,
the blocks in use in it, and the fewest of any section that could have been chosen.
"""
import fcntl
import json
import os
import random
import re
import struct
import sys

BLOCK, FILE_BLOCKS = 4096, 256
GARBAGE_COLLECT = 0x4004f506    # _IOW(0xf5, 6, __u32)


def age(folder, percent, seed):
    chance = random.Random(seed)
    room = os.statvfs(folder)
    count = room.f_bavail * percent // 100 // FILE_BLOCKS
    data = chance.randbytes(FILE_BLOCKS * BLOCK)
    files = []
    for i in range(count):
        files.append(os.open("%s/file-%d" % (folder, i), os.O_RDWR | os.O_CREAT, 0o644))
        os.pwrite(files[-1], data, 0)
    os.sync()
    for i in range(count * 160):    # not all files change as often
        file = files[int(count * chance.random() ** 2)]
        os.pwrite(file, data[i % 200 * BLOCK:][:BLOCK], chance.randrange(FILE_BLOCKS) * BLOCK)
        if i % 4000 == 0:
            os.sync()
    for file in files:
        os.close(file)


def status(device):
    with open("/sys/kernel/debug/f2fs/status") as f:
        part = next(p for p in f.read().split("=====[ partition info(") if p.startswith(device + ")"))
    moved = re.search(r"Try to move (\d+) blocks", part)
    free = re.search(r"- Free: (\d+) \((\d+)\)", part)
    logs = re.findall(r"- (?:COLD|WARM|HOT|Dir|File|Indir|Pinned|ATGC)\S*\s+\S*:?\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)", part)
    return int(free[2]), int(moved[1]), {int(segment) for segment, _, _ in logs}


def segments(device):
    """Blocks in use, by segment."""
    with open("/proc/fs/f2fs/%s/segment_info" % device) as f:
        text = f.read()
    return [int(valid) for valid in re.findall(r"\d\|(\d+)", text.split("\n", 1)[1])]


def collect(folder, device, won):
    top = os.open(folder, os.O_RDONLY)
    os.sync()
    first, moved_first, _ = status(device)
    free, steps = first, []
    while free < first + won and len(steps) < 20 * won:
        before = segments(device)
        _, _, logs = status(device)
        try:
            fcntl.ioctl(top, GARBAGE_COLLECT, struct.pack("I", 1))
        except OSError as e:
            print(e, file=sys.stderr)
            break
        after = segments(device)
        os.sync()
        free, moved, _ = status(device)
        emptied = [i for i, valid in enumerate(before) if valid and not after[i]]
        least = min(valid for i, valid in enumerate(before) if valid and i not in logs)
        steps.append([[before[i] for i in emptied], least])
    print(json.dumps({"free": first, "reached": free, "moved": moved - moved_first, "steps": steps}))
    os.close(top)


if sys.argv[1] == "age":
    age(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    collect(sys.argv[2], sys.argv[3], int(sys.argv[4]))
