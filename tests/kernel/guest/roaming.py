# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random work on a mounted volume: all requests that programs can make to F2FS, also refused ones.

Each method do_* of Roamer is one kind of work, on something that it picks from the tree. Refusals are counted. The kernel
reports damage by one of TROUBLE, which ends the work.
"""
import contextlib
import errno
import fcntl
import mmap
import os
import socket
import stat
import struct

import kernelapi as k
import trees

BLOCK = 4096
TROUBLE = (errno.EUCLEAN, errno.EBADMSG, errno.EFAULT, errno.ENOTRECOVERABLE)    # EIO: a write past the blocks of a pinned file
RENAME = {"": 0, "noreplace": 1, "exchange": 2, "whiteout": 4}
SIZES = (0, 1, 60, 1000, 3400, 3688, 3689, 4095, 4096, 4097, 9000, 16384, 40000, 70000, 262144, 300001, 1 << 20, 5 << 20)
OFFSETS = (0, 1, 100, 3600, BLOCK - 1, BLOCK, 5 * BLOCK, 16 * BLOCK, 37 * BLOCK + 5, 200000, 922 * BLOCK, 923 * BLOCK, 5 << 20,
           1941 * BLOCK, 3 << 30, 9 << 30)
ENDINGS = ("", "", "", ".jpg", ".mp4", ".db", ".txt", ".apk", ".so", ".vmdk", ".zst", ".cold1", ".hot1", ".JPG", ".jpg.tmp")
# As ioctl() takes them: a number, with or without a structure.
START_ATOMIC, COMMIT_ATOMIC, ABORT_ATOMIC, REPLACE_ATOMIC = (k.ioc(k.NONE, k.F2FS, n, 0) for n in (1, 2, 5, 25))
DECOMPRESS, COMPRESS, PRECACHE = (k.ioc(k.NONE, k.F2FS, n, 0) for n in (23, 24, 15))
DEFRAGMENT, MOVE_RANGE = k.ioc(k.BOTH, k.F2FS, 8, 16), k.ioc(k.BOTH, k.F2FS, 9, 32)
GC_RANGE, RESIZE, SEC_TRIM = k.ioc(k.WRITE, k.F2FS, 11, 24), k.ioc(k.WRITE, k.F2FS, 16, 8), k.ioc(k.WRITE, k.F2FS, 20, 24)
RESERVE = k.ioc(k.READ, k.F2FS, 19, 8)
TRIM, FREEZE, THAW = k.ioc(k.BOTH, "X", 121, 24), k.ioc(k.BOTH, "X", 119, 4), k.ioc(k.BOTH, "X", 120, 4)
POLICIES = ((1, k.XTS, k.CTS, k.PAD_4), (1, k.ESSIV, k.CTS128, k.PAD_16), (1, k.ADIANTUM, k.ADIANTUM, k.PAD_32 | k.DIRECT_KEY),
            (2, k.XTS, k.CTS, k.PAD_8), (2, k.XTS, k.CTS, k.PAD_32 | k.LBLK_64), (2, k.XTS, k.HCTR2, k.PAD_32),
            (2, k.ADIANTUM, k.ADIANTUM, k.PAD_32), (2, k.ESSIV, k.CTS128, k.PAD_32))
TUNED = {"ipu_policy": (0, 1, 2, 8, 16, 20), "min_ipu_util": (0, 70), "min_fsync_blocks": (0, 8), "gc_urgent": (0, 1, 2),
         "dir_level": (0, 1, 4), "max_fragment_chunk": (1, 4), "max_fragment_hole": (1, 4), "ram_thresh": (0, 1),
         "ra_nid_pages": (0, 8), "dirty_nats_ratio": (1, 50), "gc_pin_file_thresh": (1, 2048), "max_victim_search": (10, 4096),
         "migration_granularity": (1,), "seq_file_ra_mul": (2, 16), "compr_new_inode": (1,), "warm_data_age_threshold": (1,),
         "extension_list": ("[h]zst", "[c]so", "[h]!zst", "[c]!so"), "max_io_bytes": (0, 8192)}


class Roamer:
    def __init__(self, v, seed, features):
        self.v, self.features = v, features
        self.random = v.random
        self.random.seed(seed)
        self.identifier = None
        if "encryption" in features:
            k.add_key(v.mnt, 1)
            self.identifier = k.add_key(v.mnt, 2)
        self.kept = []          # descriptors of files without a name
        self.serial = seed % 10**6 * 1000
        self.refused, self.done, self.last = {}, {}, None
        self.kinds = sorted(name for name in dir(self) if name.startswith("do_"))
        self.look_around()

    # ---- existing files

    def look_around(self):
        self.files, self.others, self.dirs = [], [], []
        for where, dirs, names in os.walk(os.fsencode(self.v.mnt)):
            self.dirs.append(where)
            for name in names + [d for d in dirs if os.path.islink(os.path.join(where, d))]:
                path = os.path.join(where, name)
                (self.files if stat.S_ISREG(os.lstat(path).st_mode) else self.others).append(path)
        self.dirs.sort()
        self.files.sort()
        self.others.sort()

    def file(self):
        if not self.files:
            return self.do_create()
        self.last = self.random.choice(self.files)
        return self.last

    def anything(self):
        return self.random.choice(self.files + self.others + self.dirs[1:] or [self.do_create()])

    def new_name(self):
        self.serial += 1
        shape = self.random.randrange(12)
        text = "%06d" % self.serial
        if shape == 0:
            text = text.ljust(self.random.randrange(8, 250), "n")
        elif shape == 1:
            text = "\u00c4\u00df\u65e5-" + text
        elif shape == 2:
            text = "MiXeD-" + text
        return os.path.join(self.random.choice(self.dirs), (text + self.random.choice(ENDINGS)).encode())

    def data(self, size):
        return self.v.text(size) if self.random.randrange(2) else self.v.noise(size)

    def size(self):
        size = self.random.choice(SIZES)
        room = os.statvfs(self.v.mnt)
        if size * 4 > room.f_bavail * room.f_frsize and self.random.randrange(30):
            size %= 5000
        return size

    def offset(self):
        return self.random.choice(OFFSETS)

    def opened(self, path, flags=os.O_RDWR):
        return k.open_fd(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)

    # ---- names

    def do_create(self):
        path = self.new_name()
        flags = self.random.choice((0, 0, 0, os.O_SYNC, os.O_DSYNC))
        with self.opened(path, os.O_RDWR | os.O_CREAT | flags) as fd:
            data = self.data(self.size())
            os.write(fd, data)
            if not self.random.randrange(4):
                os.fsync(fd)
        self.files.append(path)
        return path

    do_create_more = do_create

    def do_many(self):
        top, data = self.random.choice(self.dirs), self.data(self.random.choice((0, 100, 4000)))
        for _ in range(self.random.choice((20, 60))):
            self.serial += 1
            with self.opened(b"%s/many-%d" % (top, self.serial), os.O_RDWR | os.O_CREAT) as fd:
                os.write(fd, data)

    def do_mkdir(self):
        path = self.new_name()
        os.mkdir(path, self.random.choice((0o755, 0o700, 0o1777, 0o2755)))
        self.dirs.append(path)
        bit = {0: k.FL_COMPR, 1: k.FL_CASEFOLD, 2: k.FL_NOCOMP, 3: k.FL_NODUMP}.get(self.random.randrange(8))
        if bit:
            k.set_flags(path, bit)

    def do_symlink(self):
        path = self.new_name()
        os.symlink(b"t" * self.random.choice((1, 50, 500, 3500, 4095)), path)
        self.others.append(path)

    def do_special(self):
        path = self.new_name()
        kind = self.random.choice((stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK))
        os.mknod(path, kind | 0o640, os.makedev(self.random.choice((1, 255, 4095)), self.random.choice((0, 255, 300, 1048575))))
        self.others.append(path)

    def do_link(self):
        path = self.new_name()
        os.link(self.random.choice(self.files + self.others), path, follow_symlinks=False)
        self.files.append(path)

    def do_unlink(self):
        path = self.random.choice(self.files + self.others)
        os.unlink(path)

    do_unlink_more = do_unlink

    def do_unlink_open(self):
        path = self.file()
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        self.kept.append(fd)
        os.unlink(path)

    def do_rmtree(self):
        if len(self.dirs) > 8 and not self.random.randrange(3):
            top = self.random.choice(self.dirs[1:])
            for where, dirs, names in os.walk(top, topdown=False):
                for name in names:
                    os.unlink(os.path.join(where, name))
                for name in dirs:
                    os.rmdir(os.path.join(where, name))
            os.rmdir(top)

    def do_rename(self):
        how = self.random.choice(list(RENAME))
        old = self.anything()
        new = self.new_name() if self.random.randrange(2) and how != "exchange" else self.anything()
        k.check(k.LIBC.renameat2(-100, old, -100, new, RENAME[how]))
        self.look_around()

    do_rename_more = do_rename

    def do_tmpfile(self):
        fd = os.open(self.random.choice(self.dirs), os.O_RDWR | os.O_TMPFILE)
        self.kept.append(fd)
        os.write(fd, self.data(self.size()))
        if self.random.randrange(2):
            path = self.new_name()
            k.check(k.LIBC.linkat(-100, b"/proc/self/fd/%d" % fd, -100, path, 0x400))
            self.files.append(path)

    def do_close(self):
        while self.kept and self.random.randrange(4):
            os.close(self.kept.pop(0))

    # ---- contents

    def do_write(self):
        with self.opened(self.file()) as fd:
            for _ in range(self.random.randrange(1, 5)):
                os.pwrite(fd, self.data(self.size() % 100000), self.offset())

    do_write_more = do_write_again = do_write

    def do_append(self):
        with self.opened(self.file(), os.O_WRONLY | os.O_APPEND) as fd:
            os.write(fd, self.data(self.size() % 100000))

    def do_truncate(self):
        os.truncate(self.file(), self.offset())

    def do_fallocate(self):
        mode = self.random.choice((0, 0, 1, 3, 8, 16, 17, 32, 64))
        with self.opened(self.file()) as fd:
            k.fallocate(fd, mode, self.random.randrange(40) * BLOCK + self.random.choice((0, 0, 0, 17)),
                        self.random.randrange(1, 300) * BLOCK + self.random.choice((0, 0, 0, 99)))

    do_fallocate_more = do_fallocate

    def do_mmap(self):
        """In a process of its own: where there is no room, it ends by SIGBUS."""
        with self.opened(self.file()) as fd:
            size = os.fstat(fd).st_size
            pieces = [(at, self.data(min(5000, size - at))) for at in (self.random.randrange(size) for _ in range(4))] if size else []
            if 0 < size < 8 << 20 and not os.fork():
                try:
                    with mmap.mmap(fd, size) as view:
                        for at, piece in pieces:
                            view[at:at + len(piece)] = piece
                        view.flush()
                finally:
                    os._exit(0)
            with contextlib.suppress(ChildProcessError):
                os.wait()

    def do_direct(self):
        with self.opened(self.file(), os.O_RDWR | os.O_DIRECT) as fd, k.aligned_buffer(64 << 10) as buffer:
            buffer[:] = self.data(64 << 10)
            count = self.random.choice((BLOCK, 4 * BLOCK, 16 * BLOCK))
            with memoryview(buffer) as view, view[:count] as part:
                os.pwrite(fd, part, self.offset() // BLOCK * BLOCK)

    def do_atomic(self):
        with self.opened(self.file()) as fd:
            fcntl.ioctl(fd, self.random.choice((START_ATOMIC, START_ATOMIC, REPLACE_ATOMIC)))
            for _ in range(3):
                os.pwrite(fd, self.data(self.random.choice((100, BLOCK, 50000))), self.offset() % (4 << 20))
            fcntl.ioctl(fd, self.random.choice((COMMIT_ATOMIC, COMMIT_ATOMIC, ABORT_ATOMIC)))

    def do_fsync(self):
        with self.opened(self.file()) as fd:
            self.random.choice((os.fsync, os.fdatasync))(fd)

    do_fsync_more = do_fsync_again = do_fsync

    def do_fsync_dir(self):
        with k.open_fd(self.random.choice(self.dirs)) as fd:
            os.fsync(fd)

    def do_sync(self):
        k.syncfs(self.v.mnt)

    def do_checkpoint(self):
        k.checkpoint(self.v.mnt)

    def do_drop_caches(self):
        with open("/proc/sys/vm/drop_caches", "w") as f:
            f.write("3")

    # ---- attributes

    def do_mode(self):
        os.chmod(self.random.choice(self.files + self.dirs), self.random.randrange(0o10000) | 0o400)

    def do_owner(self):
        os.lchown(self.anything(), self.random.choice((0, 7, 1000, 70000, 4294967294)), self.random.choice((0, 7, 1000, 70000)))

    def do_times(self):
        ns = tuple(self.random.choice((0, 1, -1, 10**18 + 999999999, -10**18, 2**33 * 10**9, 8 * 10**18)) for _ in range(2))
        os.utime(self.anything(), ns=ns, follow_symlinks=False)

    def do_xattr(self):
        path = self.anything()
        size = self.random.choice((0, 1, 20, 100, 180, 200, 500, 1000, 3000, 3960, 4050, 4100))
        name = self.random.choice(("user.", "trusted.", "security.")) + self.random.choice("abcdef") * self.random.choice((1, 9, 200))
        os.setxattr(path, name, self.data(size), self.random.choice((0, 0, os.XATTR_CREATE, os.XATTR_REPLACE)), follow_symlinks=False)

    do_xattr_more = do_xattr

    def do_remove_xattr(self):
        path = self.anything()
        names = os.listxattr(path, follow_symlinks=False)
        if names:
            os.removexattr(path, self.random.choice(names), follow_symlinks=False)

    def do_acl(self):
        path = self.random.choice(self.files + self.dirs)
        value = trees.acl((1, 7), *((2, i & 7, 1000 + i) for i in range(self.random.choice((1, 3, 40)))), (4, 5), (16, 7), (32, 5))
        os.setxattr(path, "system.posix_acl_" + self.random.choice(("access", "default")), value)

    def do_advise(self):
        os.setxattr(self.file(), "system.advise", bytes([self.random.choice((0, 1, 0x20))]))

    def do_flags(self):
        """Immutable and append-only files stay few: nothing can be done to them."""
        path = self.random.choice(self.files + self.dirs)
        bits = (k.FL_NODUMP, k.FL_NOATIME, 0x8, 0x10000, k.FL_COMPR, k.FL_NOCOMP)
        if not self.random.randrange(12):
            bits = (k.FL_IMMUTABLE, k.FL_APPEND)
        bit = self.random.choice(bits)
        if self.random.randrange(3):
            k.set_flags(path, bit)
        else:
            k.set_flags(path, 0, bit)

    def do_project(self):
        k.set_project(self.random.choice(self.files + self.dirs), self.random.choice((0, 5, 4711, 0xFFFFFFF0)), self.random.randrange(2))

    def do_limits(self):
        k.set_quota(self.v.device, self.random.randrange(3), self.random.choice((0, 7, 1000, 4711)), 1 << 22, 1 << 20, 90000, 40000)

    # ---- compression, encryption, verity, pinned files

    def do_compressed(self):
        path = self.new_name()
        with self.opened(path, os.O_RDWR | os.O_CREAT) as fd:
            self.files.append(path)
            k.set_flags(path, k.FL_COMPR)
            algorithm = k.compression(fd)[0]
            if algorithm in (0, 3):     # the kernel would keep a level, which LZO has not
                algorithm = self.random.choice((0, 3))
            k.set_compression(path, algorithm, self.random.choice((2, 3, 5, 8)))
            os.write(fd, self.data(self.size()))
            if self.random.randrange(2):
                os.fsync(fd)

    do_compressed_more = do_compressed

    def squeezed(self):
        """One of the files with FL_COMPR, if a few tries find any."""
        for path in self.random.sample(self.files, min(len(self.files), 12)):
            with k.open_fd(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK) as fd:
                if k.get_flags(fd) & k.FL_COMPR:
                    return path
        return self.file()

    def do_compress_now(self):
        with self.opened(self.squeezed()) as fd:
            fcntl.ioctl(fd, self.random.choice((COMPRESS, DECOMPRESS)))

    def do_release(self):
        k.release_compressed(self.squeezed())

    def do_reserve(self):
        with self.opened(self.squeezed()) as fd:
            fcntl.ioctl(fd, RESERVE, bytes(8))

    def do_squeezed_write(self):
        with self.opened(self.squeezed()) as fd:
            os.pwrite(fd, self.data(self.random.choice((10, 9000, 60000))), self.offset() % (2 << 20))
            os.fsync(fd)

    def do_encrypted_dir(self):
        if self.identifier:
            path = self.new_name()
            os.mkdir(path)
            self.dirs.append(path)
            version, contents, names, flags = self.random.choice(POLICIES)
            k.set_policy(path, version, contents, names, flags, self.identifier, self.random.choice((0, 0, 9, 12)) if version == 2 else 0)

    def do_verity(self):
        k.enable_verity(self.file(), self.random.choice((k.SHA256, k.SHA512)), self.random.choice((1024, 4096)), b"salt" * self.random.randrange(3))

    def do_pin(self):
        path = self.new_name() if self.random.randrange(2) else self.file()
        with self.opened(path, os.O_RDWR | os.O_CREAT) as fd:
            self.files.append(path)
            fcntl.ioctl(fd, k.SET_PIN_FILE, struct.pack("<I", self.random.choice((1, 1, 0))))
            k.fallocate(fd, self.random.choice((0, 1)), 0, self.random.choice((1, 3)) << 20)

    # ---- the volume's own

    def do_move_range(self):
        with self.opened(self.file()) as a, self.opened(self.file()) as b:
            where = struct.pack("<I4xQQQ", b, self.random.randrange(8) * BLOCK, self.random.randrange(8) * BLOCK, self.random.randrange(20) * BLOCK)
            fcntl.ioctl(a, MOVE_RANGE, where)

    def do_defragment(self):
        with self.opened(self.file()) as fd:
            fcntl.ioctl(fd, DEFRAGMENT, struct.pack("<QQ", 0, 4 << 20))

    def do_collect(self):
        with k.open_fd(self.v.mnt) as fd:
            fcntl.ioctl(fd, k.GARBAGE_COLLECT, struct.pack("<I", self.random.randrange(2)))

    def do_collect_range(self):
        with k.open_fd(self.v.mnt) as fd:
            first = self.random.randrange(2000, 30000)
            fcntl.ioctl(fd, GC_RANGE, struct.pack("<IxxxxQQ", 1, first, 1500))

    def do_shrink(self):
        if not self.random.randrange(8):
            fs = os.statvfs(self.v.mnt)
            with open("/sys/class/block/%s/size" % self.v.kernel_name) as f, k.open_fd(self.v.mnt) as fd:
                blocks = int(f.read()) // 8
                fcntl.ioctl(fd, RESIZE, struct.pack("<Q", max(blocks - self.random.randrange(1, max(fs.f_bfree // 2, 2)), 0)))

    def do_trim(self):
        with k.open_fd(self.v.mnt) as fd:
            fcntl.ioctl(fd, TRIM, bytearray(struct.pack("<QQQ", 0, 2**64 - 1, self.random.choice((0, 65536)))))

    def do_freeze(self):
        with k.open_fd(self.v.mnt) as fd:
            fcntl.ioctl(fd, FREEZE, bytearray(4))
            fcntl.ioctl(fd, THAW, bytearray(4))

    def do_erase(self):
        with self.opened(self.file()) as fd:
            fcntl.ioctl(fd, SEC_TRIM, struct.pack("<QQQ", 0, 2**64 - 1, self.random.choice((1, 2, 3))))

    def do_precache(self):
        with self.opened(self.file()) as fd:
            fcntl.ioctl(fd, PRECACHE)

    def do_tune(self):
        name = self.random.choice(sorted(TUNED))
        self.v.tune(name, self.random.choice(TUNED[name]))

    def do_socket(self):
        path = self.new_name()
        with socket.socket(socket.AF_UNIX) as s:
            here = os.getcwd()
            os.chdir(os.path.dirname(path))
            try:
                s.bind(os.path.basename(path)[-60:])
            finally:
                os.chdir(here)

    # ---- all of it

    def step(self):
        kind = self.random.choice(self.kinds)
        self.done[kind] = self.done.get(kind, 0) + 1
        try:
            getattr(self, kind)()
        except OSError as e:
            if e.errno in TROUBLE:
                raise RuntimeError("%s of %s: %s" % (kind, self.last, e)) from e
            key = "%s %s" % (kind, errno.errorcode.get(e.errno, e.errno))
            self.refused[key] = self.refused.get(key, 0) + 1
        except IndexError:
            pass                # an empty tree

    def work(self, steps):
        for i in range(steps):
            if i % 40 == 39:
                self.look_around()
            self.step()

    def let_go(self):
        while self.kept:
            os.close(self.kept.pop())
