# SPDX-License-Identifier: LGPL-2.1-or-later
"""Change files below a folder by a list, with the kernel's system calls: ranges.py FOLDER LIST.json. Each row is [file,
operation, offset, length]; "op" of fallocate is "fallocate:FLAGS". Calls that the kernel refuses are noted."""
import ctypes
import json
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


def fallocate(fd, flags, offset, length):
    if libc.fallocate64(fd, flags, ctypes.c_int64(offset), ctypes.c_int64(length)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def data(offset, length):
    return bytes(1 + (offset + i) % 251 for i in range(length))


def main(folder, rows):
    refused = []
    for number, (name, operation, offset, length) in enumerate(rows):
        fd = os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if operation == "write":
                os.pwrite(fd, data(offset, length), offset)
            elif operation == "truncate":
                os.ftruncate(fd, offset)
            else:
                fallocate(fd, int(operation.split(":")[1]), offset, length)
            os.fsync(fd)
        except OSError as error:
            refused.append([number, error.errno])
        finally:
            os.close(fd)
    json.dump(refused, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], json.load(open(sys.argv[2])))
