# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inside a transaction: every reader gives the same before a commit, after it, and the old state after a rollback."""
import os
import shutil

import pytest

import f2fskit
import readers
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "quota", "compression"]
FALLOCATE = f2fskit.FallocateFlag
K = 4096


class Twin:
    """A volume, and what should be in the files of it."""

    def __init__(self, path, now=None):
        self.volume = f2fskit.open(path, "r+", now=now)
        self.files = {}

    def make(self, path, data=b""):
        self.volume.path(path).write_bytes(data)
        self.files[path] = bytearray(data)

    def write(self, path, offset, data):
        self.volume.lookup(path).pwrite(data, offset)
        have = self.files[path]
        have.extend(bytes(max(offset + len(data) - len(have), 0)))
        have[offset:offset + len(data)] = data

    def truncate(self, path, size):
        self.volume.path(path).truncate(size)
        have = self.files[path]
        self.files[path] = (have + bytes(max(size - len(have), 0)))[:size]

    def fallocate(self, path, flags, offset, length):
        self.volume.lookup(path).fallocate(offset, length, flags)
        have, end = self.files[path], offset + length
        if flags & FALLOCATE.COLLAPSE_RANGE:
            del have[offset:end]
        elif flags & FALLOCATE.INSERT_RANGE:
            have[offset:offset] = bytes(length)
        elif flags & (FALLOCATE.PUNCH_HOLE | FALLOCATE.ZERO_RANGE):
            end = min(end, len(have))
            have[offset:end] = bytes(end - offset)
        elif not flags:
            have.extend(bytes(max(end - len(have), 0)))

    def remove(self, path):
        self.volume.path(path).unlink()
        del self.files[path]

    def rename(self, path, new):
        self.volume.path(path).rename(new)
        self.files[new] = self.files.pop(path)


def base(t):
    """The state of the last commit."""
    t.volume.path("/d").mkdir()
    t.make("/d/small", b"inside the inode")
    t.make("/d/blocks", pattern(1, 50_000))
    t.make("/d/big", pattern(2, 5_000_000))
    t.make("/d/holes", b"")
    t.truncate("/d/holes", 3_000_000)
    t.write("/d/holes", 1_000_000, b"island")
    t.make("/d/gone", b"to be removed")
    t.volume.path("/packed").mkdir()
    t.volume.lookup("/packed").compress("lzo", log_cluster=2)
    t.make("/packed/text", b"all work and no play\n" * 10_000)


def sparse_end(t):
    """New, with one changed block that is not whole."""
    t.make("/d/g")
    t.truncate("/d/g", 100_000)
    t.write("/d/g", 99_000, b"hello")


def parts_of_blocks(t):
    t.write("/d/blocks", 10, b"changed")
    t.write("/d/blocks", K * 5 - 3, b"across")
    t.write("/d/big", 4_000_001, b"far behind")
    t.write("/d/holes", 2_000_000, b"second island")
    t.write("/d/holes", 1_000_002, b"LAND")


def whole_blocks(t):
    t.write("/d/blocks", K, pattern(3, 4 * K))
    t.write("/d/big", 0, pattern(4, 3_000_000))
    t.make("/d/new", pattern(5, 2_000_000))


def ends(t):
    t.write("/d/blocks", 50_000, b"one more line")
    t.write("/d/small", 16, b", and more")
    t.make("/d/grown", b"inline")
    t.write("/d/grown", 6, pattern(6, 9000))
    t.truncate("/d/big", 4_999_000)
    t.truncate("/d/holes", 1_000_003)
    t.truncate("/d/holes", 1_500_000)


def ranges(t):
    t.write("/d/blocks", 3 * K + 5, b"waits")
    t.fallocate("/d/blocks", FALLOCATE.PUNCH_HOLE | FALLOCATE.KEEP_SIZE, K + 100, K)
    t.fallocate("/d/blocks", FALLOCATE.ZERO_RANGE, 5 * K + 7, 2 * K)
    t.fallocate("/d/holes", 0, 500_000, 100_000)
    t.write("/d/holes", 520_000, b"in what is reserved")
    t.fallocate("/d/big", FALLOCATE.COLLAPSE_RANGE, 2 * K, 3 * K)
    t.write("/d/big", 2 * K + 1, b"moved")
    t.fallocate("/d/big", FALLOCATE.INSERT_RANGE, K, 2 * K)


def many_parts(t):
    """More blocks than wait at once: some of them are written on the way."""
    t.make("/d/many")
    for i in range(4400):
        t.write("/d/many", i * K + i // 1000 * K + i % K, b"%d" % i)


def compressed(t):
    t.write("/packed/text", 100, b"PLAY")
    t.write("/packed/text", 16 * K - 2, b"from one cluster to the next")
    t.make("/packed/new", b"no work\n" * 9000)
    t.write("/packed/new", 50_000, pattern(7, 20_000))


def names(t):
    for i in range(300):
        t.make(f"/d/file-{i:03}", b"%d" % i)
    t.remove("/d/gone")
    t.rename("/d/blocks", "/moved")
    t.write("/moved", 1, b"x")
    t.volume.path("/long").symlink_to("x" * 3000)


def fsyncs(t):
    t.write("/d/blocks", 10, b"made durable")
    t.volume.lookup("/d/blocks").fsync()
    t.write("/d/holes", 10, b"not")


CHANGES = [sparse_end, parts_of_blocks, whole_blocks, ends, ranges, many_parts, compressed, names]


def figures(volume):
    """Other counts of use: sizes and blocks of files, usage per owner, room left."""
    return ({path: (entry.stat().st_size, entry.stat().st_blocks) for path, entry in volume.scan("/d")},
            volume.quotas("user"), volume.quotas("group"), volume.statfs().f_bfree, volume.statfs().f_ffree)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "disk.img"
    f2fskit.mkfs(path, 128 << 20, features=FEATURES)
    t = Twin(path)
    with t.volume:
        base(t)
    return path, t.files


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_reader_sees_the_transaction(start, tmp_path, change):
    path = tmp_path / "disk.img"
    shutil.copyfile(start[0], path)
    steps = iter(range(100))

    def agree(volume, files):
        readers.compare(volume, files, _folder(tmp_path / f"step-{next(steps)}"), held)

    with f2fskit.open(path, "r+") as volume:
        before = figures(volume)
    t = Twin(path)
    t.files = {name: bytearray(data) for name, data in start[1].items()}
    held = {name: t.volume.lookup(name) for name in ("/d/blocks", "/d/big", "/d/holes", "/packed/text")}
    change(t)
    if "/d/blocks" not in t.files:
        del held["/d/blocks"]
    agree(t.volume, t.files)
    during = figures(t.volume)
    report = f2fskit.check(path)    # a reader of the device sees the last commit
    assert report.found == 0 and report.files == len(start[1])
    t.volume.rollback()
    agree(t.volume, start[1])
    assert figures(t.volume) == before
    for inode in held.values():
        inode.close()
    held.clear()
    t.files = {name: bytearray(data) for name, data in start[1].items()}
    change(t)
    t.volume.commit()
    agree(t.volume, t.files)
    assert figures(t.volume) == during
    t.volume.close()
    with f2fskit.open(path, mode="strict") as volume:
        agree(volume, t.files)
        assert figures(volume) == during
    report = f2fskit.check(path)
    assert report.found == 0 and report.files == len(t.files)


def _folder(path):
    os.mkdir(path)
    return path


def test_populate_compares_with_the_transaction(tmp_path):
    """A change that is not yet committed equals its copy, or differs."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    t = Twin(path, now=10**18)
    base_files = {"/a": b"a" * 10_000, "/b": b"b" * 10_000}
    for name, data in base_files.items():
        t.make(name, data)
    t.volume.commit()
    t.write("/a", 5, b"changed")
    t.volume.path("/link").symlink_to("a")
    t.volume.extract(tmp_path / "out")
    result = t.volume.populate(tmp_path / "out", existing="update")
    assert (result.kept, result.files, result.replaced) == (3, 0, 0)
    os.utime(tmp_path / "out" / "b", ns=(1, 1))
    result = t.volume.populate(tmp_path / "out", existing="update")
    assert (result.kept, result.files, result.replaced) == (2, 1, 1)
    assert t.volume.read_bytes("/a") == t.files["/a"]
    t.volume.close()


def test_blocks_that_wait_have_no_address_yet(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/f").write_bytes(pattern(1, 10 * K))
        volume.commit()
        inode = volume.lookup("/f")
        inode.pwrite(b"x", 4 * K)
        kinds = [(e.file_block, e.count, e.kind.name, e.addr != 0) for e in inode.extents()]
        assert kinds == [(0, 4, "DATA", True), (4, 1, "WAITING", False), (5, 5, "DATA", True)]
        volume.commit()
        assert {e.kind for e in inode.extents()} == {f2fskit.ExtentKind.DATA}


def test_a_handle_notices_what_another_one_changed(tmp_path):
    """Each call asks for the inode as it is now, not as it was when the handle last looked."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/f").write_bytes(b"")
        volume.commit()

        def pair():
            one, other = volume.lookup("/f"), volume.lookup("/f")
            for inode in (one, other):
                inode.stat()
            return one, other

        one, other = pair()
        one.set(mode=0o600)
        assert other.stat().st_mode & 0o777 == 0o600
        one, other = pair()
        one.pwrite(pattern(1, 10_000), 0)
        assert readers.whole(other) == readers.extents(other) == readers.seeks(other) == pattern(1, 10_000)
        one, other = pair()
        one.xattrs["user.large"] = pattern(2, 3000)
        assert dict(other.xattrs) == {"user.large": pattern(2, 3000)}
        one, other = pair()
        del one.xattrs["user.large"]
        one.xattrs["user.again"] = pattern(3, 3000)
        assert other.nodes() == one.nodes() and len(other.nodes()) == 2
        one, other = pair()
        one.set(pin=True)
        with pytest.raises(f2fskit.UnsupportedError):
            other.pwrite_atomic([(0, b"x")])
        with pytest.raises(f2fskit.UnsupportedError):
            other.fallocate(0, K, FALLOCATE.PUNCH_HOLE | FALLOCATE.KEEP_SIZE)


def test_stale_list_of_nodes(tmp_path):
    """The first call of a handle after another one has given the file an attribute node."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/f").touch()
        one, other = volume.lookup("/f"), volume.lookup("/f")
        one.xattrs["user.large"] = pattern(2, 3000)
        assert len(other.nodes()) == 2


@pytest.mark.parametrize("whose", ["other", "own"])
def test_pinned_files_are_written_after_an_fsync(tmp_path, whose):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/other").touch()
        volume.path("/firmware").touch()
        volume.commit()
        volume.path("/other").write_bytes(b"durable")
        inode = volume.lookup("/firmware")
        inode.set(pin=True)
        inode.fallocate(0, 2 << 20)
        (volume.lookup("/other") if whose == "other" else inode).fsync()
        assert volume.pending > 0, "the fsync committed"
        inode.pwrite(b"firmware" * 1000, 0)
        inode.pwrite(b"!", 5)
        assert [(e.file_block, e.count, e.kind.name) for e in inode.extents()] == [(0, 512, "DATA")]
        want = bytearray(b"firmware" * 1000)
        want[5:6] = b"!"
        assert readers.extents(inode)[:8001] == want + b"\0"
        volume.commit()
        with pytest.raises(f2fskit.UnsupportedError):
            inode.pwrite(b"late", 0)
    with f2fskit.open(path) as volume:
        assert volume.read_bytes("/firmware")[:8001] == want + b"\0"
    assert f2fskit.check(path).found == 0
