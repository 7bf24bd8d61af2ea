# SPDX-License-Identifier: LGPL-2.1-or-later
"""Odd calls: a call that fails because of its arguments leaves the running transaction unchanged and usable.

A generator makes random calls of everything that changes a volume, half of them with arguments at and beyond their limits. A
failed call must have failed before the first change: everything visible is as before, and further changes and the commit are
made.
"""
import io
import os
import random
import stat
import tarfile

import pytest

import f2fskit
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr", "quota", "project_quota", "casefold",
            "compression", "verity"]
BIG = (0, 1, 4095, 4096, 4097, 16384, 100_000, 1 << 20, 3 << 20, 1 << 30, (1 << 42) + 5, (1 << 63) - 1, 1 << 63,
       (1 << 64) - 4096, (1 << 64) - 1)
NAMES = ["", ".", "..", "a/b", "n\0l", "x" * 255, "x" * 256, "é" * 127, b"\xff\xfe", "missing", "plain", "inside", "sparse",
         "packed", "released", "sealed", "pinned", "link", "other", "fifo", "dev", "dir", "full", "fold", "new", "NEW"]
TYPES = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, 0, 0o070000)
DEVICES = [(0, 0), (8, 1), (255, 256), (4095, (1 << 20) - 1), (4096, 0), (0, 1 << 20), ((1 << 32) - 1, (1 << 32) - 1)]
FAULTS = ("NOSPC", "IO", "NOMEM", "CORRUPT", "CANCELED")


def plant(volume):
    """Files of all kinds."""
    root = volume.root
    root.create("plain").pwrite(pattern(1, 300_000), 0)
    root.create("inside").pwrite(b"inside", 0)
    sparse = root.create("sparse")
    sparse.truncate(1 << 40)
    sparse.pwrite(b"end", (1 << 40) - 3)
    for name in ("packed", "released"):
        packed = root.create(name)
        packed.compress("lzo")
        packed.pwrite(b"all work and no play " * 10_000, 0)
    volume.lookup("/released").release_compressed()
    sealed = root.create("sealed")
    sealed.pwrite(pattern(2, 50_000), 0)
    sealed.enable_verity()
    pinned = root.create("pinned")
    pinned.set(pin=True)
    pinned.fallocate(0, 2 << 20)
    root.create("link", stat.S_IFLNK | 0o777, target="plain")
    root.link("other", volume.lookup("/plain"))
    root.create("fifo", stat.S_IFIFO | 0o600)
    root.create("dev", stat.S_IFCHR | 0o600, device=os.makedev(1, 3))
    root.create("dir", stat.S_IFDIR | 0o755)
    full = root.create("full", stat.S_IFDIR | 0o755)
    for i in range(300):
        full.create(f"file{i}")
    root.create("fold", stat.S_IFDIR | 0o755).set(flags=f2fskit.InodeFlag.CASEFOLD)
    volume.lookup("/fold").create("Name")
    volume.lookup("/plain").xattrs["user.a"] = b"b" * 100


@pytest.fixture
def disk(tmp_path, peer_check):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 128 << 20, features=FEATURES)
    with f2fskit.open(path, "r+", now=10**18) as volume:
        plant(volume)
    yield path
    peer_check(path)


def seen(volume, handles):
    """Everything visible: each name, and each open object."""
    def one(inode):
        st = inode.stat()
        found = [st, dict(inode.xattrs), inode.i_flags, inode.i_advise]
        if inode.is_file() and st.st_size < 4 << 20:
            found.append(inode.read_bytes())
        if inode.is_file():
            # a call may write what waits: where blocks are is none of its caller's business
            found.append({(e.file_block + i) for e in inode.extents() if e.kind.name != "HOLE" for i in range(e.count)})
        return found
    state = {name: one(volume.lookup(name)) for name, _ in volume.scan("/") if not name.startswith("/full/")}
    state["/"], state["open"] = one(volume.root), [one(handle) for handle in handles]
    state["blocks"] = volume.statfs()
    return state


class Caller:
    """Makes one call after the other."""

    def __init__(self, volume, seed):
        self.volume, self.random = volume, random.Random(seed)
        self.handles = []

    def pick(self, *what):
        return self.random.choice(what)

    def inode(self):
        if self.handles and self.random.random() < 0.2:
            return self.random.choice(self.handles)
        return self.random.choice([self.volume.root] + [entry.inode() for entry in self.volume.root.iterdir()])

    def directory(self):
        return self.volume.lookup(self.pick("/", "/dir", "/full", "/fold")) if self.random.random() < 0.8 else self.inode()

    def name(self):
        return self.pick(*NAMES)

    def number(self):
        return self.pick(*BIG) if self.random.random() < 0.7 else self.random.randrange(1 << 21)

    def do_create(self):
        target = self.pick(None, "", "t", "t" * 4095, "t" * 4096, b"a\0b")
        device = self.pick(*DEVICES)
        from f2fskit import inode as module
        major, minor = module.os.major, module.os.minor
        try:  # numbers that os.makedev() cannot make
            module.os.major, module.os.minor = lambda _: device[0], lambda _: device[1]
            made = self.directory().create(self.name(), self.pick(*TYPES) | self.pick(0o644, 0o7777), target=target)
        finally:
            module.os.major, module.os.minor = major, minor
        if self.random.random() < 0.3:
            self.handles.append(made)

    def do_link(self):
        self.directory().link(self.name(), self.inode())

    def do_remove(self):
        self.directory().remove(self.name())

    def do_rename(self):
        self.directory().rename(self.name(), self.directory(), self.name(), self.pick(0, 0, 1, 2, 4, 3, 5, 6, 8, 255))

    def do_pwrite(self):
        self.inode().pwrite(bytes(self.pick(0, 1, 5000, 70_000)), self.number())

    def do_truncate(self):
        self.inode().truncate(self.number())

    def do_fallocate(self):
        flags = self.pick(0, 1, 2, 3, 8, 9, 0x10, 0x11, 0x20, 0x21, 0x30, 0x40, 0xFFFF)
        length = self.pick(0, 4096, 8192, 1 << 20) if self.random.random() < 0.6 else self.number()
        self.inode().fallocate(self.pick(0, 4096, 8192) if self.random.random() < 0.6 else self.number(), length, flags)

    def do_pwrite_atomic(self):
        self.inode().pwrite_atomic([(self.number(), b"x" * self.pick(0, 1, 5000)) for _ in range(self.pick(0, 1, 3))])

    def do_set(self):
        options = {"mode": (0, 0o777, 0xFFFFFFFF), "uid": (0, 5), "gid": (0, 5), "projid": (0, 7),
                   "atime_ns": (0, -1, -(1 << 62)), "mtime_ns": (0, 1 << 62), "crtime_ns": (0, 1),
                   "flags": (0, 0x10, 0x20, 0x400, 0x40000000, 0x80000000, 0xFFFFFFFF, 0x20000000), "pin": (True, False)}
        chosen = self.random.sample(sorted(options), self.pick(1, 1, 2, 3))
        self.inode().set(**{name: self.random.choice(options[name]) for name in chosen})

    def do_xattr(self):
        name = self.pick("user.a", "user." + "n" * 250, "user." + "n" * 251, "user.", "", "odd.a", "trusted.t", "security.s",
                         "system.posix_acl_access", "system.posix_acl_default", "system.advise", "system.other", "user.a\0b")
        if self.random.random() < 0.3:
            del self.inode().xattrs[name]
        else:
            self.inode().xattrs[name] = bytes(self.pick(0, 1, 4, 8, 100, 3000, 70_000))

    def do_compress(self):
        self.inode().compress(self.pick(None, "lzo", "lz4", "zstd", "lzo-rle"), self.pick(0, 3, 99), log_cluster=self.pick(0, 1, 2, 8, 9))

    def do_release(self):
        self.inode().release_compressed()

    def do_reserve(self):
        self.inode().reserve_compressed()

    def do_seal(self):
        self.inode().enable_verity(block_size=self.pick(1024, 4096, 8192, 1000, 0), salt=bytes(self.pick(0, 32, 33)))

    def do_close(self):
        if self.handles:
            del self.handles[self.random.randrange(len(self.handles))]

    def do_populate(self):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
            tar.addfile(tarfile.TarInfo("new"))
        self.volume.populate(tar=io.BytesIO(data.getvalue()), target=self.pick("/missing\0", "/plain", "/x" * 3 + "y" * 256, "/fifo/a"),
                             existing=self.pick("refuse", "skip"))


CALLS = [getattr(Caller, name) for name in dir(Caller) if name.startswith("do_")]


@pytest.mark.parametrize("seed", range(2 * int(os.environ.get("F2FSKIT_LONG_RUNS", "1"))))
def test_calls_that_fail_change_nothing(disk, seed):
    failed = {}
    with f2fskit.open(disk, "r+", now=10**18 + 1) as volume:
        caller = Caller(volume, seed)
        before = seen(volume, caller.handles)
        for step in range(250):
            call = caller.random.choice(CALLS)
            place = f"seed {seed} step {step}: {call.__name__}"
            try:
                call(caller)
            except (f2fskit.Error, ValueError, KeyError, OverflowError) as error:
                name = getattr(error, "name", type(error).__name__)
                assert name not in FAULTS or (name == "NOSPC" and volume.transaction.name != "FAILED"), (place, error)
                assert volume.transaction.name != "FAILED", (place, error)
                after = seen(volume, caller.handles)
                wrong = [(key, was, now) for key in after for was, now in zip(before.get(key, []), after[key]) if was != now]
                assert after == before, (place, error, wrong)
                failed.setdefault(call.__name__, set()).add(name)
            else:
                before = seen(volume, caller.handles)
            if step % 60 == 59:
                caller.handles.clear()
                volume.rollback() if step % 120 == 59 else volume.commit()
                before = seen(volume, caller.handles)
    assert f2fskit.check(disk).state.name == "SOUND"
    missed = {call.__name__ for call in CALLS} - set(failed) - {"do_close"}
    assert len(missed) <= 3, missed  # each kind of call fails now and then
    assert len(set().union(*failed.values())) >= 10, failed


@pytest.mark.parametrize("device", [(4096, 0), (0, 1 << 20), (1 << 20, 5)])
def test_a_device_number_that_cannot_be_stored(disk, device):
    """As in the kernel's encoding: 12 bits and 20."""
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/before").touch()
        for kind in (stat.S_IFCHR, stat.S_IFBLK):
            with pytest.raises(f2fskit.RangeError, match="%d:%d" % device):
                volume.root.create("odd", kind | 0o600, device=os.makedev(*device))
        assert volume.transaction.name == "OPEN" and not volume.path("/odd").exists()
        volume.root.create("last", stat.S_IFCHR | 0o600, device=os.makedev(4095, (1 << 20) - 1))
    with f2fskit.open(disk) as volume:
        assert volume.path("/before").exists() and volume.path("/last").stat().st_rdev == os.makedev(4095, (1 << 20) - 1)


def test_an_archive_with_entries_that_cannot_be(disk):
    """Each is named and counted; the rest is there."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        def add(name, **members):
            info = tarfile.TarInfo(name)
            for key, value in members.items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(b"x" * info.size))
        add("first", size=1)
        add("major", type=tarfile.CHRTYPE, devmajor=4096, devminor=1)
        add("minor", type=tarfile.BLKTYPE, devmajor=1, devminor=1 << 20)
        add("n" * 256, size=1)
        add("target", type=tarfile.SYMTYPE, linkname="t" * 5000)
        add("hard", type=tarfile.LNKTYPE, linkname="nowhere")
        add("../up", size=1)
        add("owner", size=1, uid=1 << 40)
        add("plain/below", size=1)  # of a file
        add("last", size=1)
    with f2fskit.open(disk, "r+") as volume:
        result = volume.populate(tar=io.BytesIO(data.getvalue()), check=False)
        assert {p.path.rsplit("/", 1)[-1] for p in result.problem_list} == {"major", "minor", "n" * 256, "target", "hard", "up", "owner",
                                                                          "below"}
        assert result.problems == 8 and result.files == 2 and volume.transaction.name == "OPEN"
    with f2fskit.open(disk) as volume:
        assert volume.path("/first").exists() and volume.path("/last").exists()
        assert not any(volume.path("/" + name).exists() for name in ("major", "minor", "target", "hard", "owner"))


def test_pieces_one_of_which_is_too_far(disk):
    """None is written, though the first could be."""
    with f2fskit.open(disk, "r+") as volume:
        inode = volume.lookup("/plain")
        with pytest.raises(f2fskit.TooBigError):
            inode.pwrite_atomic([(0, b"changed"), (1 << 50, b"x")])
        assert volume.transaction.name != "FAILED"
        with pytest.raises(f2fskit.NospcError):
            inode.pwrite_atomic([(0, b"changed"), (1 << 20, bytes(200 << 20))])
        assert volume.transaction.name != "FAILED"
        volume.rollback()
        assert volume.read_bytes("/plain") == pattern(1, 300_000)
