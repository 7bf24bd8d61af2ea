#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has the kernel defragment each file below a folder: defrag_ioctl.py FOLDER. Prints what came of it."""
import collections
import errno
import fcntl
import os
import struct
import sys
import time

F2FS_IOC_DEFRAGMENT = 3 << 30 | 16 << 16 | 0xF5 << 8 | 8
PAGE = 4096


def main(folder):
    started = time.monotonic()
    files = moved = 0
    refused = collections.Counter()
    for where, _, names in os.walk(folder):
        for name in names:
            files += 1
            with open(os.path.join(where, name), "r+b", buffering=0) as file:
                length = -(-os.fstat(file.fileno()).st_size // PAGE) * PAGE
                try:
                    moved += struct.unpack("QQ", fcntl.ioctl(file, F2FS_IOC_DEFRAGMENT, struct.pack("QQ", 0, length)))[1] // PAGE
                except OSError as error:
                    refused[errno.errorcode[error.errno]] += 1
    os.sync()
    print(f"{files} files, {moved} blocks moved, refused {dict(refused)}, {time.monotonic() - started:.1f} s")


main(*sys.argv[1:])
