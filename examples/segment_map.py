#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Show how full the segments of an image are, one character each, by type: segment_map.py IMAGE"""
import collections
import struct
import sys

import f2fskit

LEVELS = " .:-=+*#%@"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with f2fskit.open(sys.argv[1]) as volume:
        logs = {head.segno for head in volume.logs.values()}
        # the whole table in one piece: two bytes of counts, the map, the time
        rows = [(vblocks & 0x3FF, vblocks >> 10) for vblocks, _, _ in struct.iter_unpack("<H64sQ", volume.sit.buffer())]
    used = sum(valid for valid, _ in rows)
    print(f"{len(rows)} segments, {used} blocks in use; L marks a log")
    by_type = collections.defaultdict(list)
    for segno, (valid, kind) in enumerate(rows):
        if valid or segno in logs:
            by_type[kind].append("L" if segno in logs else LEVELS[valid * (len(LEVELS) - 1) // 512])
    for kind in f2fskit.LogType:
        marks = "".join(by_type[kind])
        print(f"{kind.name:10} {len(marks):6} |{marks[:100]}|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
