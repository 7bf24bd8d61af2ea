# SPDX-License-Identifier: LGPL-2.1-or-later
"""Report the layout of files, and the cost of reading them: layout.py FOLDER DISK. Prints {"extents": {path: FIEMAP or
null}, "reads": requests that the disk served while each file below 64 MiB was read once, in order}."""
import json
import os
import sys

import kernelapi

LARGE = 64 << 20


def served(disk):
    with open("/sys/block/%s/stat" % disk) as file:
        return int(file.read().split()[0])


def files(folder):
    for where, names, others in os.walk(os.fsencode(folder)):
        names.sort()
        for name in sorted(others):
            path = os.path.join(where, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def main(folder, disk):
    extents = {}
    readable = []
    for path in files(folder):
        try:
            with kernelapi.open_fd(path, os.O_RDONLY) as fd:
                extents[os.fsdecode(path)[len(folder):]] = kernelapi.fiemap(fd)
        except OSError:
            continue # without its key
        if os.path.getsize(path) < LARGE:
            readable.append(path)
    before = served(disk)
    for path in readable:
        with open(path, "rb", buffering=0) as file:
            while file.read(131072):
                pass
    print(json.dumps({"extents": extents, "reads": served(disk) - before}))


main(*sys.argv[1:])
