# SPDX-License-Identifier: LGPL-2.1-or-later
"""Change files below a folder by a list, each step at a time of its own: stamping.py FOLDER LIST.json. A row is [name,
preparation, steps], both lists of [operation, argument, ...]; paths are below the row's own folder. All is prepared at the
time BEFORE; the steps of row number N happen at after(N). Prints the errno of each row, 0 for none."""
import ctypes
import fcntl
import json
import os
import struct
import sys
import time

import kernelapi

BEFORE = 1_300_000_000
FIRST = 1_500_000_000
LIBC = ctypes.CDLL(None, use_errno=True)
RESERVE_COMPRESS_BLOCKS = kernelapi.ioc(kernelapi.READ, kernelapi.F2FS, 19, 8)


def after(number):
    return FIRST + 1000 * number


def data(length):
    """Compresses well, is no zeros."""
    return b"text of a file; " * (length // 16) + b"x" * (length % 16)


def on_file(path, what):
    fd = os.open(path, os.O_RDWR)
    try:
        return what(fd)
    finally:
        os.close(fd)


def rename(old, new, flags):
    kernelapi.check(LIBC.renameat2(-100, old.encode(), -100, new.encode(), flags))


def set_flags(path, wanted):
    with kernelapi.open_fd(path) as fd:
        fcntl.ioctl(fd, kernelapi.SETFLAGS, struct.pack("<I", wanted))


def set_pin(path, pin):
    on_file(path, lambda fd: fcntl.ioctl(fd, kernelapi.SET_PIN_FILE, struct.pack("<I", pin)))


OPERATIONS = {
    "make": lambda path: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)),
    "mkdir": lambda path: os.mkdir(path, 0o755),
    "mkfifo": lambda path: os.mkfifo(path, 0o644),
    "symlink": lambda path: os.symlink("target", path),
    "write": lambda path, offset, length: on_file(path, lambda fd: os.pwrite(fd, data(length), offset)),
    "truncate": os.truncate,
    "fallocate": lambda path, mode, offset, length: on_file(path, lambda fd: kernelapi.fallocate(fd, mode, offset, length)),
    "link": os.link,
    "unlink": os.unlink,
    "rmdir": os.rmdir,
    "rename": rename,
    "chmod": os.chmod,
    "chown": os.lchown,
    "utimens": lambda path, atime, mtime: os.utime(path, ns=(atime * 10**9, mtime * 10**9)),
    "setxattr": lambda path, name, value: os.setxattr(path, name, bytes.fromhex(value), follow_symlinks=False),
    "removexattr": lambda path, name: os.removexattr(path, name, follow_symlinks=False),
    "flags": set_flags,
    "project": kernelapi.set_project,
    "pin": set_pin,
    "compress": lambda path: set_flags(path, kernelapi.FL_COMPR),
    "release": kernelapi.release_compressed,
    "reserve": lambda path: on_file(path, lambda fd: fcntl.ioctl(fd, RESERVE_COMPRESS_BLOCKS, bytes(8))),
    "verity": kernelapi.enable_verity,
    "sync": os.sync,
}


def do(folder, steps):
    for operation, *arguments in steps:
        arguments = [os.path.join(folder, a[1:]) if isinstance(a, str) and a.startswith("/") else a for a in arguments]
        try:
            OPERATIONS[operation](*arguments)
        except OSError as error:
            return error.errno
    return 0


def main(top, rows):
    os.umask(0)
    time.clock_settime(time.CLOCK_REALTIME, BEFORE)
    for name, preparation, _ in rows:
        os.mkdir(os.path.join(top, name), 0o755)
        error = do(os.path.join(top, name), preparation)
        if error:
            sys.exit("%s cannot be prepared: %s" % (name, os.strerror(error)))
    os.sync()
    refused = []
    for number, (name, _, steps) in enumerate(rows):
        time.clock_settime(time.CLOCK_REALTIME, after(number))
        refused.append(do(os.path.join(top, name), steps))
    json.dump(refused, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], json.load(open(sys.argv[2])))
