#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""List the largest files of an image by the space they take: big_files.py IMAGE [COUNT]"""
import heapq
import sys

import f2fskit


def sizes(volume):
    seen = set()  # hard links
    for path, entry in volume.scan(onerror=lambda error: print(error, file=sys.stderr)):
        if entry.is_file() and entry.ino not in seen:
            seen.add(entry.ino)
            try:
                stat = entry.stat()
            except f2fskit.Error as error:
                print(f"{path!r}: {error}", file=sys.stderr)
                continue
            yield stat.st_blocks * 512, stat.st_size, path


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 10
    with f2fskit.open(sys.argv[1]) as volume:
        for _, size, path in heapq.nlargest(count, sizes(volume)):
            print(f"{size:15} {path}".encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
