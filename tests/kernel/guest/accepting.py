# SPDX-License-Identifier: LGPL-2.1-or-later
"""In the guest: accepting.py JOB.json mounts volume after volume, walks and reads each, writes a little, and unmounts.

JOB.json is a list of {"name", "disks", "links", "options", "writes", "work", "view"}. disks are files of the host. links are the
paths by which the superblock names the further devices. work is None or one more change, "truncate /file". view is None or a file
of the host that gets {path: what the kernel reads there}. Standard output gets a line for each failure: the name, a tab, what
failed. A line with the name alone begins a volume, so that a guest that dies shows which volume killed it.
"""
import errno
import fcntl
import hashlib
import json
import os
import stat
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402

MNT = os.environ["MNT"]
LOOP_GET_FREE, LOOP_SET_FD, LOOP_CLR_FD = 0x4C82, 0x4C00, 0x4C01
PIECE, BLOCK = 1 << 20, 4096
MOST_READ = 256 << 20       # bytes of one volume, so that sparse giants do not take hours
MOST_ENTRIES = 50000
MOST_FAILURES = 20
NEED_FSCK = 1 << 2          # of sb_status
APPEND, IMMUTABLE = 0x20, 0x10      # of a directory: nothing, or nothing lasting, can be written there
EXPECTED = {errno.ENOKEY}   # contents of encrypted files, without the key


class Volume:
    def __init__(self, job):
        self.job, self.loops, self.links, self.left, self.failures = job, [], [], MOST_READ, 0
        self.view = {}

    def fail(self, what, error):
        """error: of the system, or a sentence."""
        if self.failures < MOST_FAILURES:
            name = errno.errorcode.get(error.errno, error.errno) if isinstance(error, OSError) else error
            print("%s\t%s: %s" % (self.job["name"], what, name), flush=True)
        self.failures += 1

    def attempt(self, what, function, *args, expected=()):
        """What function gives, or None where it failed."""
        try:
            return function(*args)
        except OSError as error:
            if error.errno not in EXPECTED and error.errno not in expected:
                self.fail(what, error)
            return None

    # devices

    def attach(self):
        with kernelapi.open_fd("/dev/loop-control", os.O_RDWR) as control:
            for disk in self.job["disks"]:
                loop = "/dev/loop%d" % fcntl.ioctl(control, LOOP_GET_FREE)
                with kernelapi.open_fd(loop, os.O_RDWR) as fd, kernelapi.open_fd(disk, os.O_RDWR) as file:
                    fcntl.ioctl(fd, LOOP_SET_FD, file)
                self.loops.append(loop)
        for link, loop in zip(self.job["links"], self.loops[1:]):
            if link and not os.path.lexists(link):
                os.makedirs(os.path.dirname(link), exist_ok=True)
                os.symlink(loop, link)
                self.links.append(link)

    def detach(self):
        for link in self.links:
            os.unlink(link)
        for loop in self.loops:
            with kernelapi.open_fd(loop, os.O_RDWR) as fd:
                fcntl.ioctl(fd, LOOP_CLR_FD)

    # reading

    def walk(self):
        todo, seen = [MNT], 0
        while todo:
            path = todo.pop()
            for entry in self.attempt("readdir " + self.short(path), lambda p=path: list(os.scandir(os.fsencode(p)))) or []:
                child = os.fsdecode(entry.path)
                seen += 1
                if seen > MOST_ENTRIES:
                    self.fail("walk", "more than %d entries" % MOST_ENTRIES)
                    return
                if self.look(child):
                    todo.append(child)

    @staticmethod
    def short(path):
        return ascii(path[len(MNT):] or "/")[:120]

    def look(self, path):
        """Everything of one name. Whether it is a directory."""
        what, status = self.short(path), self.attempt("stat " + self.short(path), os.lstat, path)
        if status is None:
            return False
        found = {"mode": status.st_mode, "owner": [status.st_uid, status.st_gid], "device": status.st_rdev, "attributes": {}}
        for name in self.attempt("listxattr " + what, lambda: os.listxattr(path, follow_symlinks=False)) or []:
            value = self.attempt("getxattr %s %s" % (what, ascii(name)), lambda n=name: os.getxattr(path, n, follow_symlinks=False))
            found["attributes"][ascii(name)] = None if value is None else value.hex()
        if stat.S_ISLNK(status.st_mode):
            found["contents"] = ascii(self.attempt("readlink " + what, os.readlink, path))
        elif stat.S_ISREG(status.st_mode):
            found["contents"] = [status.st_size, self.attempt("read " + what, self.read, path)]
        self.view[path[len(MNT):]] = found
        return stat.S_ISDIR(status.st_mode)

    def write_view(self):
        if self.job["view"]:
            with open(self.job["view"], "w") as file:
                json.dump(self.view, file)

    def read(self, path):
        """Read all data. Return a digest in which holes and zeros are the same."""
        digest = hashlib.sha256()
        with kernelapi.open_fd(path) as fd:
            at, size = 0, os.fstat(fd).st_size
            while at < size and self.left > 0:
                try:
                    at = os.lseek(fd, at, os.SEEK_DATA)
                except OSError as error:
                    if error.errno == errno.ENXIO:      # no more data
                        break
                    raise
                if at >= size:                          # it is preallocated
                    break
                end = os.lseek(fd, at, os.SEEK_HOLE)
                while at < end and self.left > 0:
                    piece = os.pread(fd, min(PIECE, end - at), at)
                    if not piece:
                        return digest.hexdigest()
                    self.add(digest, at, piece)
                    at, self.left = at + len(piece), self.left - len(piece)
        return digest.hexdigest() if self.left > 0 else "not all of it"

    @staticmethod
    def add(digest, at, piece):
        for start in range(0, len(piece), BLOCK):
            block = piece[start:start + BLOCK].rstrip(b"\0")
            if block:
                digest.update(b"%d %d " % (at + start, len(block)) + block)

    # writing

    def can_be_written(self):
        with kernelapi.open_fd(MNT) as fd:
            return self.job["writes"] and not kernelapi.get_flags(fd) & (APPEND | IMMUTABLE)

    def write(self):
        top = MNT + "/f2fskit-accepting"
        os.mkdir(top)
        for i in range(4):
            with open("%s/%d" % (top, i), "wb") as file:
                file.write(b"%d" % i * (i * 9000 + 10))
                os.fsync(file.fileno())
        os.rename(top + "/1", top + "/renamed")
        for name in os.listdir(top):
            os.unlink(top + "/" + name)
        os.rmdir(top)
        kernelapi.syncfs(MNT)

    # work

    def work(self):
        verb, _, what = self.job["work"].partition(" ")
        getattr(self, "do_" + verb)(MNT + what if what.startswith("/") else int(what))

    def do_truncate(self, path):
        os.truncate(path, 0)

    def do_grow(self, path):
        with open(path, "ab") as file:
            file.write(b"grown " * 2000)
            os.fsync(file.fileno())

    def do_overwrite(self, path):
        """Write the second block again, at once: the kernel does it in place."""
        with kernelapi.open_fd(path, os.O_RDWR) as fd:
            os.pwrite(fd, b"written again" * 200, BLOCK)
            os.fdatasync(fd)

    def do_fill(self, path):
        for i in range(200):
            open("%s/filled-with-a-long-name-%d" % (path, i), "w").close()

    def do_unlink(self, path):
        os.unlink(path)

    def do_empty(self, path):
        """Remove everything below a directory, except what an attribute protects: each block and node is given back."""
        for entry in list(os.scandir(os.fsencode(path))):
            try:
                if entry.is_dir(follow_symlinks=False):
                    self.do_empty(entry.path)
                    os.rmdir(entry.path)
                else:
                    os.unlink(entry.path)
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTEMPTY):
                    raise

    def do_setxattr(self, path):
        os.setxattr(path, "user.f2fskit-accepting", b"value")

    def do_collect(self, block):
        """Collect the section of a block, after making holes in /big so that the section is not full."""
        hole = kernelapi.FALLOC_PUNCH_HOLE | kernelapi.FALLOC_KEEP_SIZE
        with kernelapi.open_fd(MNT + "/big", os.O_RDWR) as fd:
            for at in range(1 << 20, os.fstat(fd).st_size, 2 << 20):
                kernelapi.fallocate(fd, hole, at, 100 * 4096)
        kernelapi.syncfs(MNT)
        with kernelapi.open_fd(MNT) as fd:
            try:
                fcntl.ioctl(fd, kernelapi.GARBAGE_COLLECT_RANGE, struct.pack("<IIQQ", 1, 0, block, 1))
            except OSError as error:
                if error.errno != errno.EAGAIN:     # nothing was freed
                    raise

    def asks_for_check(self):
        try:
            with open("/sys/fs/f2fs/%s/stat/sb_status" % os.path.basename(self.loops[0])) as file:
                return int(file.read(), 16) & NEED_FSCK
        except FileNotFoundError:       # an old kernel
            return 0

    def judge(self):
        print(self.job["name"], flush=True)
        kernelapi.say(self.job["name"], level=4)
        self.attach()
        try:
            try:
                kernelapi.mount(self.loops[0], MNT, self.job["options"])
            except OSError as error:
                self.fail("mount", error)
                return
            self.walk()
            self.write_view()
            if self.can_be_written():
                self.attempt("write", self.write, expected=(errno.ENOSPC, errno.EDQUOT))
            if self.job["work"]:
                self.attempt("work", self.work)
                self.attempt("sync", kernelapi.syncfs, MNT)
            if self.asks_for_check():
                self.fail("status", "the kernel wants a check")
            kernelapi.umount(MNT)
        finally:
            self.detach()


with open(sys.argv[1]) as jobs:
    for job in json.load(jobs):
        Volume(job).judge()
