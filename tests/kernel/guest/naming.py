# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes, guards and removes names below a folder as a list says, with the kernel's system calls: naming.py FOLDER
LIST.json. Each row is [operation, path, value]: "make" a file, directory or node with a mode, set an "acl" ([kind, hex]),
"remove", "rename" to another path, "whiteout" likewise, leaving a whiteout."""
import ctypes
import json
import os
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
RENAME_WHITEOUT = 4


def make(path, mode):
    if stat.S_ISDIR(mode):
        os.mkdir(path, mode & 0o7777)
    elif stat.S_ISREG(mode):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode & 0o7777))
    elif stat.S_ISLNK(mode):
        os.symlink("target", path)
    else:
        os.mknod(path, mode, os.makedev(1, 3))


def remove(path):
    (os.rmdir if stat.S_ISDIR(os.lstat(path).st_mode) else os.unlink)(path)


def whiteout(old, new):
    if libc.renameat2(-100, old.encode(), -100, new.encode(), RENAME_WHITEOUT) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def main(folder, rows):
    os.umask(0o022)
    for operation, path, value in rows:
        path = os.path.join(folder, path)
        if operation == "make":
            make(path, value)
        elif operation == "acl":
            os.setxattr(path, "system.posix_acl_" + value[0], bytes.fromhex(value[1]))
        elif operation == "remove":
            remove(path)
        else:
            (whiteout if operation == "whiteout" else os.rename)(path, os.path.join(folder, value))


if __name__ == "__main__":
    main(sys.argv[1], json.load(open(sys.argv[2])))
