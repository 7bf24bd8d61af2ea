# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our turn on a volume of turns.py: changes at random by the Python module, then one or two of the larger tasks.

What can be predicted simply (contents of files that are written, cut, punched) is compared with bytes in memory at once; the
whole tree is for the kernel to compare, which reads it next.
"""
import hashlib
import io
import os
import stat
import struct
import subprocess
import tarfile

MIB, BLOCK = 1 << 20, 4096
SIZES = (0, 1, 100, 3400, 3689, 4096, 5000, 16384, 70000, 300000, 3 * MIB)
FALLOCATE = {"": 0, "keep size": 1, "punch": 3, "zero": 16, "collapse": 8, "insert": 32}
ENCRYPTED, ZONED = 1, 2         # features
MASTER_KEY = bytes((3 + 7 * i) & 255 for i in range(64))
DESCRIPTOR = bytes.fromhex("f2f5c0de00000001")
ACL = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, bits, who) for tag, bits, who in (
    (1, 6, 2**32 - 1), (2, 5, 1000), (4, 4, 2**32 - 1), (16, 7, 2**32 - 1), (32, 4, 2**32 - 1)))


class TurnError(AssertionError):
    pass


def add_keys(volume):
    """As turning.py does; without the feature there is nothing to open."""
    if volume.superblock.feature & ENCRYPTED:
        volume.add_key(MASTER_KEY)
        volume.add_key(MASTER_KEY, DESCRIPTOR)


class OurTurn:
    def __init__(self, f2fskit, paths, rng, tool):
        self.f2fskit, self.paths, self.rng, self.tool = f2fskit, paths, rng, tool
        self.done, self.serial = [], rng.randrange(10**6) * 1000
        self.kinds = sorted(name for name in dir(self) if name.startswith("do_"))
        self.tasks = sorted(name for name in dir(self) if name.startswith("task_"))

    def open(self, access="r+", **options):
        return self.f2fskit.open(self.paths[0], access, devices=self.paths[1:] or None, **options)

    def data(self, size):
        seed = self.rng.randbytes(8)
        if self.rng.random() < 0.4:
            return (seed * (size // 8 + 1))[:size]
        return hashlib.shake_128(seed).digest(size)

    # ---- existing files

    def look_around(self):
        self.dirs, self.files, self.others = ["/"], [], []
        for name, entry in self.volume.scan("/"):
            kinds = {"DIRECTORY": self.dirs, "REGULAR": self.files}
            kinds.get(entry.type.name, self.others).append(name)

    def new_name(self):
        self.serial += 1
        return self.volume.path(self.rng.choice(self.dirs)) / ("ours-%d%s" % (self.serial, self.rng.choice(("", ".jpg", ".db", "-" * 180))))

    def file(self):
        if not self.files:
            raise self.f2fskit.NotFoundError("no file")
        return self.volume.lookup(self.rng.choice(self.files), follow=False)

    def anything(self):
        return self.rng.choice(self.files + self.others + self.dirs[1:])

    def room(self):
        return self.volume.statfs().free_blocks * BLOCK > 24 * MIB

    # ---- changes

    def do_create(self):
        if self.room():
            path, data = self.new_name(), self.data(self.rng.choice(SIZES))
            path.write_bytes(data)
            self.files.append(str(path))
            if path.read_bytes() != data:
                raise TurnError("%s is not what was written" % path)

    do_create_more = do_create

    def do_mkdir(self):
        path = self.new_name()
        path.mkdir()
        self.dirs.append(str(path))

    def do_link(self):
        path = self.new_name()
        path.hardlink_to(self.rng.choice(self.files))
        self.files.append(str(path))

    def do_symlink(self):
        path = self.new_name()
        path.symlink_to("t" * self.rng.choice((1, 60, 3000, 4095)))
        self.others.append(str(path))

    def do_mknod(self):
        path = self.new_name()
        path.mknod(self.rng.choice((stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK)) | 0o600, os.makedev(7, 300))
        self.others.append(str(path))

    def do_remove(self):
        name = self.rng.choice(self.files + self.others)
        self.volume.path(name).unlink()

    def do_rmtree(self):
        if len(self.dirs) > 6 and self.rng.random() < 0.3:
            self.volume.path(self.rng.choice(self.dirs[1:])).rmtree()

    def do_rename(self):
        self.volume.path(self.anything()).rename(str(self.new_name()))
        self.look_around()

    def do_write(self):
        inode = self.file()
        if self.room() and inode.size < 16 * MIB:
            model = bytearray(inode.read_bytes())
            at, piece = self.rng.choice((0, 100, 3600, 4096, 40000, len(model))), self.data(self.rng.choice((10, 5000, 50000)))
            inode.pwrite(piece, at)
            model.extend(bytes(max(0, at + len(piece) - len(model))))
            model[at:at + len(piece)] = piece
            self.same(inode, model)

    do_write_more = do_write_again = do_write

    def do_truncate(self):
        inode = self.file()
        if inode.size < 16 * MIB:
            model, size = inode.read_bytes(), self.rng.choice((0, 10, 3688, 4096, 50000, 4 * MIB))
            inode.truncate(size)
            self.same(inode, model[:size].ljust(size, b"\0"))

    def do_fallocate(self):
        inode = self.file()
        if inode.size < 16 * MIB and self.room():
            at, length = self.rng.randrange(20) * BLOCK, self.rng.randrange(1, 40) * BLOCK
            how, model = self.rng.choice(list(FALLOCATE)), bytearray(inode.read_bytes())
            inode.fallocate(at, length, FALLOCATE[how])
            self.same(inode, fallocated(model, how, at, length))

    do_fallocate_more = do_fallocate

    def same(self, inode, model):
        """Space reserved for a pinned file that appears after its end holds old contents of the device."""
        if not inode.is_pinned and inode.read_bytes() != bytes(model):
            raise TurnError("%d (%s) is not what it should be" % (inode.number, inode.path))

    def do_attributes(self):
        path = self.volume.path(self.anything())
        names = [name for name in path.xattrs if name.startswith("user.")]
        if names and self.rng.random() < 0.4:
            del path.xattrs[self.rng.choice(names)]
        else:
            path.xattrs[self.rng.choice(("trusted.", "security.", "user.")) + self.rng.choice("abc")] = self.data(self.rng.choice((0, 10, 200, 1500)))

    def do_acl(self):
        self.volume.path(self.rng.choice(self.files + self.dirs)).xattrs["system.posix_acl_access"] = ACL

    def do_inode(self):
        inode = self.volume.lookup(self.anything(), follow=False)
        what = self.rng.choice(({"mode": self.rng.randrange(0o10000)}, {"uid": 7, "gid": 1000}, {"projid": 5}, {"mtime_ns": 10**18 + 7},
                                {"atime_ns": -5, "ctime_ns": 2**33 * 10**9}))
        inode.set(**what)

    def do_fsync(self):
        self.file().fsync(data_only=self.rng.random() < 0.3)

    def do_atomic(self):
        self.file().pwrite_atomic([(0, self.data(100)), (8192, self.data(5000))])

    def do_commit(self):
        self.volume.commit()

    def do_compress(self):
        path = self.new_name()
        path.touch()
        inode = path.inode()
        inode.compress(self.rng.choice(("lzo", "lz4", "zstd", "lzo-rle")), log_cluster=self.rng.choice((2, 4)), checksum=self.rng.random() < 0.5)
        inode.pwrite(self.data(self.rng.choice(SIZES)), 0)
        if self.rng.random() < 0.3:
            inode.release_compressed()

    def do_verity(self):
        self.file().enable_verity(self.rng.choice(("sha256", "sha512")))

    def do_encrypt(self):
        if self.volume.keys:
            path = self.new_name()
            path.mkdir()
            path.inode().encrypt(self.volume.keys[-1])
            self.dirs.append(str(path))

    def do_pin(self):
        path = self.new_name()
        if self.room():
            path.touch()
            path.inode().set(pin=True)
            path.inode().fallocate(0, 2 * MIB)

    def edit(self, steps):
        """A transaction that ends in a commit, or is forgotten but for its fsyncs."""
        with self.open() as self.volume:
            add_keys(self.volume)
            ways = ("adaptive", "normal", "threaded")[:2 if self.volume.superblock.feature & ZONED else 3]
            self.volume.configure(logging=self.rng.choice(ways), commit_when_full=True)
            self.look_around()
            for _ in range(steps):
                kind = self.rng.choice(self.kinds)
                self.done.append(kind)
                try:
                    getattr(self, kind)()
                except (self.f2fskit.CorruptError, TurnError):
                    raise
                except (self.f2fskit.Error, IndexError) as e:
                    self.done[-1] += " " + type(e).__name__
                    if self.volume.transaction.name == "FAILED":
                        self.volume.rollback()
                        self.look_around()
            if self.rng.random() < 0.25:
                self.done.append("discard")
                self.volume.rollback()

    # ---- tasks

    def task_collect(self):
        with self.open() as volume:
            return volume.gc(self.rng.choice(("greedy", "cost-benefit", "age")), sections=self.rng.randrange(1, 40), used_limit=95)

    def task_defrag(self):
        with self.open() as volume:
            return volume.defrag(self.rng.choice(("score", "tree", "age", "space")), move_pinned=self.rng.random() < 0.5)

    def task_resize(self):
        if len(self.paths) == 1:
            least = self.f2fskit.resize(self.paths[0], dry_run=True).minimum_bytes
            most = self.rng.choice((300 * MIB, 900 * MIB, 5000 * MIB))
            return self.f2fskit.resize(self.paths[0], self.rng.randrange(least, max(most, least + 1)), truncate=self.rng.random() < 0.7,
                                       overprovision=self.rng.choice((None, None, 8.0)))
        return None

    def task_populate(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for i in range(self.rng.randrange(1, 40)):
                data = self.data(self.rng.choice(SIZES))
                info = tarfile.TarInfo("populated/%d" % i)
                info.size, info.mtime = len(data), 1234567890
                tar.addfile(info, io.BytesIO(data))
        archive.seek(0)
        with self.open() as volume:
            return self.room_for(volume, archive) and volume.populate(tar=archive, target="/populated-%d" % self.serial).files

    def room_for(self, volume, archive):
        return volume.statfs().free_blocks * BLOCK > 2 * len(archive.getbuffer()) + 24 * MIB

    def task_label(self):
        with self.open() as volume:
            volume.set_label("turn %d \u00e9" % self.serial)

    def task_uuid(self):
        import uuid
        with self.open() as volume:
            volume.set_uuid(uuid.UUID(bytes=self.rng.randbytes(16)))

    def task_features(self):
        with self.open() as volume:
            volume.add_features(self.rng.choice((self.f2fskit.Feature.ENCRYPT, self.f2fskit.Feature.VERITY, self.f2fskit.Feature.CASEFOLD)))

    def task_undelete(self):
        if len(self.paths) == 1:
            subprocess.run([self.tool("f2fs"), "-w", self.paths[0], "undelete", "/*"], capture_output=True, stdin=subprocess.DEVNULL)

    def task_trim(self):
        if len(self.paths) == 1:
            subprocess.run([self.tool("f2fs"), "-w", self.paths[0], "trim"], capture_output=True, stdin=subprocess.DEVNULL)

    def run(self, steps):
        self.edit(steps)
        for _ in range(self.rng.randrange(3)):
            name = self.rng.choice(self.tasks)
            self.done.append(name)
            try:
                getattr(self, name)()
            except self.f2fskit.CorruptError:
                raise
            except self.f2fskit.Error as e:
                self.done[-1] += " %s: %s" % (type(e).__name__, e)


def fallocated(model, how, at, length):
    """What fallocate() makes of bytes."""
    end = at + length
    if how in ("punch", "zero"):
        if how == "zero":
            model.extend(bytes(max(0, end - len(model))))
        end = min(end, len(model))
        if at < end:
            model[at:end] = bytes(end - at)
    elif how == "collapse":
        del model[at:end]
    elif how == "insert":
        model[at:at] = bytes(length)
    elif not how:
        model.extend(bytes(max(0, end - len(model))))
    return model
