# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random work on files of which some is fsynced, as it is before a power cut: what recovery has to bring back."""
import contextlib
import os

import kernelapi

KEEP_SIZE, PUNCH_HOLE, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
BLOCK = 4096


class Life:
    """Files below top; steps pick one of the methods whose names begin with do_."""

    def __init__(self, v, top="life", files=40):
        self.v = v
        self.random = v.random
        self.top = top
        self.serial = 0
        self.names = []
        self.costly = set()     # an fsync of these makes a checkpoint, and the chain starts again
        v.mkdir(top + "/sub")
        for i in range(files):
            self.create(self.random.choice((0, 50, 3000, 5000, 40000, 300000)))
        # blocks below direct and indirect nodes
        self.names.append(v.write(top + "/far", v.noise(3 * BLOCK), offset=5 << 20))
        self.names.append(v.write(top + "/farther", v.noise(BLOCK), offset=9 << 30))

    def create(self, size):
        self.serial += 1
        name = "%s/%sfile-%d" % (self.top, self.random.choice(("", "sub/")), self.serial)
        self.names.append(self.v.write(name, self.v.noise(size)))
        return self.names[-1]

    def pick(self):
        return self.random.choice(self.names)

    def forget(self, path):
        self.names.remove(path)

    def offset(self):
        return self.random.choice((0, 100, 4000, BLOCK, 5 * BLOCK + 17, 200000, 3800000, 5 << 20, 6 << 20))

    def fsync(self, path, always=False):
        how = self.random.randrange(4)
        if (how == 0 and not always) or (path in self.costly and self.random.randrange(60)):
            return
        with kernelapi.open_fd(path, os.O_RDWR) as fd:
            (os.fdatasync if how == 1 else os.fsync)(fd)

    # Each step leaves its file fsynced or not.

    def do_create(self):
        self.fsync(self.create(self.random.choice((0, 10, 3000, 4096, 30000, 4 << 20))))

    def do_create_again(self):
        path = self.pick()
        os.unlink(path)
        self.costly.discard(path)
        with open(path, "wb") as f:
            f.write(self.v.noise(self.random.choice((10, 9000))))
        self.fsync(path, always=True)

    def do_write(self):
        path = self.pick()
        with kernelapi.open_fd(path, os.O_RDWR) as fd:
            for _ in range(self.random.randrange(1, 4)):
                os.pwrite(fd, self.v.noise(self.random.choice((10, 4096, 20000))), self.offset())
        self.fsync(path)

    do_write_again = do_write

    def do_append(self):
        path = self.pick()
        if os.stat(path).st_size < 8 << 20:
            with open(path, "ab") as f:
                f.write(self.v.noise(self.random.choice((10, 4096, 20000))))
        self.fsync(path)

    do_append_again = do_append

    def do_truncate(self):
        path = self.pick()
        os.truncate(path, self.offset())
        self.fsync(path)

    def do_fallocate(self):
        path = self.pick()
        mode = self.random.choice((0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO, ZERO | KEEP_SIZE, COLLAPSE, INSERT))
        with kernelapi.open_fd(path, os.O_RDWR) as fd, contextlib.suppress(OSError):
            kernelapi.fallocate(fd, mode, self.random.randrange(8) * BLOCK, self.random.randrange(1, 20) * BLOCK)
        self.fsync(path)

    def do_attributes(self):
        path = self.pick()
        name = "user.%d" % self.random.randrange(6)
        with contextlib.suppress(OSError):
            if self.random.randrange(3):
                os.setxattr(path, name, self.v.noise(self.random.choice((5, 100, 500, 1500))))
            else:
                os.removexattr(path, name)
        self.fsync(path)

    def do_inode(self):
        path = self.pick()
        self.random.choice((lambda: os.chmod(path, self.random.choice((0o600, 0o4755, 0o644))),
                            lambda: os.chown(path, self.random.randrange(3), self.random.randrange(3)),
                            lambda: os.utime(path, ns=(self.random.randrange(10 ** 18), self.random.randrange(10 ** 18)))))()
        self.fsync(path)

    def do_unlink(self):
        path = self.pick()
        if len(self.names) > 20:
            os.unlink(path)
            self.forget(path)

    def do_rename(self):
        path = self.pick()
        self.serial += 1
        new = self.v.path(self.top, "renamed-%d" % self.serial)
        os.rename(path, new)
        self.forget(path)
        self.names.append(new)
        self.costly.add(new)
        self.fsync(new)

    def do_replace(self):
        """The way programs save files: a new one, fsynced, renamed over the old one."""
        path = self.pick()
        new = self.create(self.random.choice((100, 20000)))
        self.fsync(new, always=True)
        os.rename(new, path)
        self.forget(new)
        self.costly.add(path)

    def do_link(self):
        path = self.pick()
        self.serial += 1
        new = self.v.path(self.top, "link-%d" % self.serial)
        os.link(path, new)
        self.names.append(new)
        self.costly |= {path, new}

    def do_directory(self):
        self.serial += 1
        path = self.v.mkdir("%s/dir-%d" % (self.top, self.serial))
        if self.random.randrange(60) == 0:
            with kernelapi.open_fd(path) as fd:
                os.fsync(fd)

    def do_file_for_directory(self):
        """A directory of the checkpoint goes, a file gets its name."""
        for name in sorted(os.listdir(self.v.path(self.top))):
            path = self.v.path(self.top, name)
            if name.startswith("emptied-"):
                continue
            if os.path.isdir(path) and not os.listdir(path):
                os.rmdir(path)
                with open(path, "wb") as f:
                    f.write(b"was a directory")
                self.names.append(path)
                self.fsync(path, always=True)
                return

    def steps(self, count):
        doings = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")]
        for _ in range(count):
            self.random.choice(doings)()
