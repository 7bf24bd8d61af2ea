#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print the SHA-256 of every file of an image, as sha256sum does: hash_tree.py IMAGE"""
import hashlib
import sys

import f2fskit


def digest(inode):
    state = hashlib.sha256()
    with inode.open() as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    out = sys.stdout.buffer  # names may hold any byte

    def tell(what, error):
        nonlocal failed
        failed += 1
        print(f"{what!r}: {error}", file=sys.stderr)

    with f2fskit.open(sys.argv[1]) as volume:
        for path, entry in volume.scan(onerror=lambda error: tell("directory", error)):
            if entry.is_file():
                try:
                    line = f"{digest(entry.inode())}  {path}\n"
                    out.write(line.encode("utf-8", "surrogateescape"))
                except f2fskit.Error as error:
                    tell(path, error)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
