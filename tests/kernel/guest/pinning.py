# SPDX-License-Identifier: LGPL-2.1-or-later
"""Preallocates pinned files below one folder as a list says, and looks at those below another, which it overwrites:
pinning.py FOLDER LIST.json OTHER. Rows are [file, flags, offset, length]. Prints which rows were refused, and for each file
of the other folder the kernel's answer: pinned, and the extents before and after."""
import errno
import json
import os
import sys

import kernelapi
import ranges


def make(folder, rows):
    refused = []
    for number, (name, flags, offset, length) in enumerate(rows):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            with kernelapi.open_fd(path, os.O_RDWR | os.O_CREAT):
                pass
            kernelapi.pin(path)
        with kernelapi.open_fd(path, os.O_RDWR) as fd:
            try:
                ranges.fallocate(fd, flags, offset, length)
            except OSError as error:
                refused.append([number, errno.errorcode[error.errno]])
    return refused


def is_pinned(fd):
    """Only a pinned file refuses to have a hole punched."""
    try:
        ranges.fallocate(fd, 3, 0, 4096)
    except OSError as error:
        return error.errno == errno.EOPNOTSUPP
    return False


def look(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with kernelapi.open_fd(os.path.join(folder, name), os.O_RDWR) as fd:
            before = kernelapi.fiemap(fd)
            size = os.fstat(fd).st_size
            if size:                            # pinned files are overwritten only, never made longer
                os.pwrite(fd, b"kernel" * 1000, size // 3)
                os.fsync(fd)
            found[name] = [is_pinned(fd), before, kernelapi.fiemap(fd), size]
    return found


if __name__ == "__main__":
    json.dump([make(sys.argv[1], json.load(open(sys.argv[2]))), look(sys.argv[3])], sys.stdout)
