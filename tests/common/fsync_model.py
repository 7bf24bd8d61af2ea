# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random changes of a volume with fsyncs between, and a model of the durable state: the last commit, and the last fsync of
each file. A recovery of the volume must show exactly the model's tree."""
import copy
import hashlib
import random
import stat


class File:
    """The expected state of a regular file; times only as long as they were made durable with the rest."""

    def __init__(self, mode, uid):
        self.data = b""
        self.mode, self.uid, self.gid, self.mtime = mode, uid, 0, 1
        self.xattrs = {}
        self.times = True


class Model:
    def __init__(self):
        self.dirs = {""}                # paths without the slash in front
        self.names = {}                 # path -> ino
        self.files = {}                 # ino -> File

    def links(self, ino):
        return sum(1 for i in self.names.values() if i == ino)

    def drop_name(self, path):
        ino = self.names.pop(path)
        if self.links(ino) == 0:
            del self.files[ino]


class Run:
    """A volume being changed through the library's own interface."""

    def __init__(self, f2fskit, path, seed, fsync_mode="strict"):
        from f2fskit import _core
        self.lib, self.ffi, self.sized = _core.lib, _core.ffi, _core.sized
        self.device = f2fskit.Device.open(str(path), writable=True)
        self.volume = f2fskit.open(self.device)
        self.configure(fsync_mode=getattr(self.lib, "F2FS_FSYNC_MODE_" + fsync_mode.upper()))
        self.reuses = fsync_mode == "posix"     # names that were taken away
        self.random = random.Random(seed)
        self.now, self.durable = Model(), Model()
        self.next = 0
        self.reasons = {}

    def configure(self, **values):
        options = self.sized("struct f2fs_write_options *")
        for name, value in values.items():
            setattr(options, name, value)
        self.volume._handle.call(self.lib.f2fs_volume_configure, options)

    def close(self):
        self.volume.close()
        self.device.close()

    # ---- single operations

    def inode(self, path):
        return self.volume.lookup("/" + path)

    def on(self, path, function, *arguments):
        inode = self.inode(path)        # open as long as the call lasts
        inode._handle.call(function, *arguments)

    def parent(self, path):
        top, _, name = path.rpartition("/")
        return self.inode(top), name.encode()

    def spec(self, mode):
        spec = self.sized("struct f2fs_new *")
        spec.mode, spec.uid = mode, self.next % 5
        spec.mtime.seconds = 1
        return spec

    def make(self, path, mode):
        top, name = self.parent(path)
        spec = self.spec(mode)
        top._handle.call(self.lib.f2fs_create, name, len(name), spec, self.ffi.NULL)
        return spec.uid

    def mkdir(self, path):
        self.make(path, stat.S_IFDIR | 0o755)
        self.now.dirs.add(path)

    def create(self, path):
        uid = self.make(path, stat.S_IFREG | 0o644)
        ino = self.inode(path).number
        self.now.names[path] = ino
        self.now.files[ino] = File(0o644, uid)

    def write(self, path, offset, data):
        self.on(path, self.lib.f2fs_inode_write, offset, data, len(data))
        self.wrote(path, offset, data)

    def wrote(self, path, offset, data):
        file = self.file(path)
        if data:
            file.data = file.data[:offset].ljust(offset, b"\0") + data + file.data[offset + len(data):]

    def write_atomic(self, path, pieces):
        parts = self.ffi.new("struct f2fs_write_part[]", len(pieces))
        keep = [self.ffi.from_buffer(data) for _, data in pieces]
        for part, (offset, data), buffer in zip(parts, pieces, keep):
            part.offset, part.data, part.length = offset, buffer, len(data)
        inode = self.inode(path)
        version = self.version()
        inode._handle.call(self.lib.f2fs_inode_write_atomic, parts, len(pieces))
        for offset, data in pieces:
            self.wrote(path, offset, data)
        self.synced(path, None, 0, version)

    def truncate(self, path, size):
        self.on(path, self.lib.f2fs_inode_truncate, size)
        file = self.file(path)
        file.data = file.data[:size].ljust(size, b"\0")

    def file(self, path):
        return self.now.files[self.now.names[path]]

    def set(self, path, mode, uid, mtime):
        lib = self.lib
        values = self.ffi.new("struct f2fs_stat *")
        values.mode, values.uid = mode, uid
        values.mtime.seconds = mtime
        self.on(path, lib.f2fs_inode_set, lib.F2FS_SET_MODE | lib.F2FS_SET_UID | lib.F2FS_SET_MTIME, values)
        file = self.file(path)
        file.mode, file.uid, file.mtime = mode, uid, mtime

    def set_xattr(self, path, name, value):
        self.on(path, self.lib.f2fs_xattr_set, name.encode(), value, len(value))
        self.file(path).xattrs[name] = value

    def remove_xattr(self, path, name):
        self.on(path, self.lib.f2fs_xattr_remove, name.encode())
        del self.file(path).xattrs[name]

    def remove(self, path):
        top, name = self.parent(path)
        top._handle.call(self.lib.f2fs_remove, name, len(name))
        self.now.drop_name(path)

    def remove_dir(self, path):
        top, name = self.parent(path)
        top._handle.call(self.lib.f2fs_remove, name, len(name))
        self.now.dirs.remove(path)

    def rename(self, path, to):
        top, name = self.parent(path)
        new_top, new_name = self.parent(to)
        top._handle.call(self.lib.f2fs_rename, name, len(name), new_top._handle.pointer, new_name, len(new_name), 0)
        ino = self.now.names.pop(path)
        if to in self.now.names:
            self.now.drop_name(to)
        self.now.names[to] = ino

    def rename_dir(self, path, to):
        top, name = self.parent(path)
        new_top, new_name = self.parent(to)
        top._handle.call(self.lib.f2fs_rename, name, len(name), new_top._handle.pointer, new_name, len(new_name), 0)

        def moved(old):
            return to + old[len(path):] if old == path or old.startswith(path + "/") else old
        self.now.dirs = {moved(d) for d in self.now.dirs}
        self.now.names = {moved(n): ino for n, ino in self.now.names.items()}

    def exchange(self, path, to):
        top, name = self.parent(path)
        new_top, new_name = self.parent(to)
        top._handle.call(self.lib.f2fs_rename, name, len(name), new_top._handle.pointer, new_name, len(new_name),
                         self.lib.F2FS_RENAME_EXCHANGE)
        names = self.now.names
        names[path], names[to] = names[to], names[path]

    def fallocate(self, path, what, offset, length):
        """what: "reserve", "keep", "punch", "zero", "collapse", "insert"."""
        lib, file = self.lib, self.file(path)
        flags = {"reserve": 0, "keep": lib.F2FS_FALLOCATE_KEEP_SIZE, "zero": lib.F2FS_FALLOCATE_ZERO_RANGE,
                 "punch": lib.F2FS_FALLOCATE_PUNCH_HOLE | lib.F2FS_FALLOCATE_KEEP_SIZE,
                 "collapse": lib.F2FS_FALLOCATE_COLLAPSE_RANGE, "insert": lib.F2FS_FALLOCATE_INSERT_RANGE}
        self.on(path, lib.f2fs_fallocate, flags[what], offset, length)
        data, end = file.data, offset + length
        if what in ("punch", "zero"):
            zeros = bytes(max(0, min(len(data), end) - offset))
            file.data = data[:offset] + zeros + data[end:]
        elif what == "collapse":
            file.data = data[:offset] + data[end:]
        elif what == "insert":
            file.data = data[:offset] + bytes(length) + data[offset:]
        if what in ("reserve", "zero"):
            file.data = file.data.ljust(end, b"\0")

    def link(self, path, to):
        inode = self.inode(path)
        top, name = self.parent(to)
        top._handle.call(self.lib.f2fs_link, name, len(name), inode._handle.pointer)
        self.now.names[to] = self.now.names[path]

    # ---- durability

    def commit(self):
        self.volume._handle.call(self.lib.f2fs_volume_commit)
        self.committed()

    def committed(self):
        self.durable = copy.deepcopy(self.now)
        for file in self.durable.files.values():
            file.times = True

    def fsync(self, path, flags=0):
        inode = self.inode(path)
        reason = self.ffi.new("int *")
        inode._handle.call(self.lib.f2fs_fsync_reason, reason)
        version = self.version()
        inode._handle.call(self.lib.f2fs_fsync, flags)
        self.synced(path, reason[0], flags, version)

    def version(self):
        """The version of the checkpoint in force: shows whether there was a commit."""
        return self.ffi.cast("uint64_t *", self.volume._handle.get(self.lib.f2fs_volume_checkpoint, self.ffi.NULL, self.ffi.NULL))[0]

    def synced(self, path, reason, flags, version):
        if reason is not None:
            name = self.ffi.string(self.lib.f2fs_fsync_reason_name(reason)).decode()
            self.reasons[name] = self.reasons.get(name, 0) + 1
        if self.version() != version:
            assert reason != 0, "committed without a reason"
            self.committed()
            return
        if reason:                      # not committed either: the file had no changes
            return
        ino = self.now.names[path]
        is_new = ino not in self.durable.files
        before = self.durable.files.get(ino)
        file = self.durable.files[ino] = copy.deepcopy(self.now.files[ino])
        if flags and before and not is_new:
            file.times = before.times and before.mtime == file.mtime
        if is_new:
            other = self.durable.names.get(path)
            if other is not None:       # recovery takes the name from it, and with its last name the file is gone
                assert other not in self.now.files, "a recovery would lose the file that was %s" % path
                self.durable.drop_name(path)
            self.durable.names[path] = ino

    def fsync_dir(self, path):
        version = self.version()
        self.on(path, self.lib.f2fs_fsync, 0)
        if self.version() != version:
            self.committed()

    # ---- at random

    def new_path(self):
        gone = sorted(path for path in set(self.durable.names) - set(self.now.names) - self.now.dirs
                      if path.rpartition("/")[0] in self.now.dirs)
        if self.reuses and gone and self.random.random() < 0.8:
            return self.random.choice(gone)
        self.next += 1
        top = self.random.choice(sorted(self.now.dirs))
        return (top + "/" if top else "") + "f%d%s" % (self.next, "-long" * self.random.randrange(8))

    def noise(self, size):
        return self.random.randbytes(size)

    def some_offset(self, size):
        r = self.random.random()
        return self.random.randrange(size + 1) if r < 0.7 else size if r < 0.9 else self.random.randrange(9 << 20)

    def step(self):
        r, paths = self.random, sorted(self.now.names)
        what = r.choices(range(10), (12, 30, 8, 6, 6, 4, 3, 5, 3, 2))[0] if paths else 0
        path = r.choice(paths) if paths else None
        if what == 0:
            path = self.new_path()
            self.create(path)
        elif what == 1:
            self.write(path, self.some_offset(len(self.file(path).data)), self.noise(r.choice((1, 100, 3000, 4096, 20000))))
        elif what == 2:
            self.truncate(path, r.randrange(len(self.file(path).data) + 5000))
        elif what == 3:
            self.set(path, r.choice((0o600, 0o755)), r.randrange(9), r.randrange(1 << 30))
        elif what == 4:
            name = "user.n%d" % r.randrange(5)
            if name in self.file(path).xattrs and r.random() < 0.4:
                self.remove_xattr(path, name)
            else:
                self.set_xattr(path, name, self.noise(r.choice((0, 30, 300))))
        elif what == 5:
            self.remove(path)
            path = None
        elif what == 6:
            to = r.choice(paths) if r.random() < 0.3 else self.new_path()
            if self.now.names.get(to) != self.now.names[path]:
                self.rename(path, to)
                path = to
        elif what == 7:
            size = len(self.file(path).data)
            self.write_atomic(path, [(self.some_offset(size), self.noise(r.randrange(9000))) for _ in range(r.randrange(1, 5))])
        elif what == 8:
            self.link(path, self.new_path())
        else:
            self.mkdir(self.new_path())
            path = None
        return path

    def steps(self, count, sync=0.5, commit=0.0):
        for _ in range(count):
            path = self.step()
            if path and self.random.random() < sync:
                self.fsync(path, self.random.choice((0, 0, self.lib.F2FS_FSYNC_DATA)))
            if self.random.random() < commit:
                self.commit()


def expect(model, entries):
    """List what a manifest (tests/kernel/guest/record.py) has beyond the model, as sentences."""
    wrong = []
    for path in sorted(set(model.dirs) | set(model.names) | set(entries)):
        if path not in entries or (path not in model.dirs and path not in model.names):
            wrong.append("%s: %s" % (path, "missing" if path not in entries else "should not be there"))
            continue
        entry = entries[path]
        if "link" in entry:
            if model.names.get(path) != model.names.get(entry["link"]):
                wrong.append("%s: is a link to %s" % (path, entry["link"]))
        elif path in model.names:
            ino = model.names[path]
            wrong += ["%s: %s is %s, not %s" % (path, what, entry.get(what), value)
                      for what, value in facts_of(model.files[ino], ino, model.links(ino)) if entry.get(what) != value]
    return wrong


def facts_of(file, ino, links):
    facts = [("kind", "file"), ("ino", ino), ("nlink", links), ("mode", file.mode), ("uid", file.uid), ("gid", file.gid),
             ("size", len(file.data)), ("sha256", hashlib.sha256(file.data).hexdigest()),
             ("xattrs", {name: value.hex() for name, value in file.xattrs.items()} or None)]
    return facts + ([("mtime", file.mtime * 10**9)] if file.times else [])
