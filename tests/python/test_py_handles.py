# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two handles of one inode: changes through one are seen through the other, by every function."""
import itertools
import os
import stat
import uuid

import pytest

import f2fskit
from f2fskit import FallocateFlag

FEATURES = ["extra_attr", "project_quota", "inode_checksum", "inode_crtime", "compression", "verity", "flexible_inline_xattr"]
UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")
BLOCK = 4096
SAMPLE = 9  # of the pairs, with every push; all of them with F2FSKIT_LONG_RUNS=1

# The readers of a handle; each runs before a change and after it.
READS = {
    "raw": lambda i: i.raw,
    "layout": lambda i: i.layout,
    "fields": lambda i: {key: value for key, value in i.fields().items() if key != "i_inode_checksum"},
    "footer": lambda i: bytes(i.footer.raw) if hasattr(i.footer, "raw") else str(i.footer),
    "stat": lambda i: i.stat(),
    "flags": lambda i: (i.mode, i.size, i.is_compressed, i.is_inline, i.is_pinned, i.is_verity, i.gc_failures),
    "path": lambda i: i.path,
    "xattrs": lambda i: (dict(i.xattrs), i.xattrs.internal),
    "bytes": lambda i: i.read_bytes(),
    "raw bytes": lambda i: i.read_raw(0, 100000),
    "open": lambda i: i.open().read(),
    "link": lambda i: i.readlink(),
    "entries": lambda i: [(entry.name, entry.ino) for entry in i.iterdir(dots=True)],
    "entry": lambda i: i.entry("old").ino,
    "new entry": lambda i: i.entry("new").ino,
    "extents": lambda i: list(i.extents()),
    "block": lambda i: [i.block_addr(n) for n in (0, 1, 900, 2000)],
    "nodes": lambda i: i.nodes(),
    "fsync": lambda i: i.fsync_reason(),
    "verity": lambda i: i.verity,
    "verified": lambda i: i.verify_verity(),
}

FILE_CHANGES = {
    "write": lambda i: i.pwrite(b"written" * 2000, 100),
    "write far": lambda i: i.pwrite(b"far", 5_000_000),
    "append": lambda i: i.pwrite(b"more" * 50, i.size),
    "open": lambda i: put(i),
    "cut": lambda i: i.truncate(7),
    "empty": lambda i: i.truncate(0),
    "lengthen": lambda i: i.truncate(9_000_000),
    "reserve": lambda i: i.fallocate(BLOCK, 40 * BLOCK),
    "punch": lambda i: i.fallocate(0, 2 * BLOCK, FallocateFlag.PUNCH_HOLE | FallocateFlag.KEEP_SIZE),
    "collapse": lambda i: i.fallocate(0, BLOCK, FallocateFlag.COLLAPSE_RANGE),
    "insert": lambda i: i.fallocate(0, BLOCK, FallocateFlag.INSERT_RANGE),
    "atomic": lambda i: i.pwrite_atomic([(0, b"atomic"), (BLOCK, b"pieces")]),
    "fsync": lambda i: i.fsync(),
    "mode": lambda i: i.set(mode=0o600, uid=7, projid=9),
    "pin": lambda i: i.set(pin=True),
    "unpin": lambda i: i.set(pin=False),
    "xattr": lambda i: i.xattrs.__setitem__("user.new", b"value"),
    "large xattr": lambda i: i.xattrs.__setitem__("user.large", b"value" * 300),
    "no xattr": lambda i: i.xattrs.__delitem__("user.old"),
    "compress": lambda i: i.compress("lz4"),
    "plain": lambda i: i.compress(None),
    "release": lambda i: i.release_compressed(),
    "reserve compressed": lambda i: i.reserve_compressed(),
    "verity": lambda i: i.enable_verity(),
    "commit": lambda i: i.volume.commit(),
}
DIRECTORY_CHANGES = {
    "create": lambda i: i.create("new").number,
    "many": lambda i: [i.create("a name of some length, number %d" % n).number for n in range(250)],
    "folder": lambda i: i.create("new", stat.S_IFDIR | 0o755).number,
    "remove": lambda i: i.remove("old"),
    "remove new": lambda i: i.remove("new"),
    "link": lambda i: i.link("new", i.entry("old").inode()),
    "rename": lambda i: i.rename("old", i, "new"),
    "back": lambda i: i.rename("new", i, "old"),
    "mode": lambda i: i.set(mode=0o700, projid=4),
    "xattr": lambda i: i.xattrs.__setitem__("user.new", b"value" * 30),
    "no xattr": lambda i: i.xattrs.__delitem__("user.old"),
    "compress": lambda i: i.compress("zstd"),
    "commit": lambda i: i.volume.commit(),
}
KINDS = {
    "inline": ("/file", lambda p: p.write_bytes(b"short"), FILE_CHANGES),
    "blocks": ("/file", lambda p: p.write_bytes(bytes(range(256)) * 80), FILE_CHANGES),
    "compressed": ("/file", lambda p: compressed(p), FILE_CHANGES),
    "directory": ("/folder", lambda p: folder(p, 3), DIRECTORY_CHANGES),
    "large directory": ("/folder", lambda p: folder(p, 300), DIRECTORY_CHANGES),
}


def put(inode):
    with inode.open("r+b") as file:
        file.seek(3)
        file.write(b"buffered")


def compressed(path):
    path.touch()
    path.inode().compress("lz4")
    path.write_bytes(bytes(400 * BLOCK // 100) * 25)


def folder(path, count):
    path.mkdir()
    (path / "old").write_text("old")
    for n in range(count):
        (path / ("name %d" % n)).touch()


def made(kind):
    """A device with one object of that kind."""
    path, fill, _ = KINDS[kind]
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, features=FEATURES, time=1_700_000_000 * 10**9, uuid=UUID, checkpoint_version=1)
    with f2fskit.open(device, "r+") as volume:
        fill(volume.path(path))
        volume.path(path).inode().xattrs["user.old"] = b"old"
    return device


def outcome(function, inode):
    try:
        return function(inode)
    except (f2fskit.Error, KeyError) as error:
        return type(error).__name__, str(error)


def state(inode):
    return {name: outcome(read, inode) for name, read in READS.items()}


def without_times(seen):
    """What two runs have in common: all but the moment they ran at."""
    fields = seen["fields"]
    return {**{name: seen[name] for name in ("flags", "path", "xattrs", "bytes", "link", "entries", "verity", "verified")},
            "fields": {key: value for key, value in fields.items() if "time" not in key} if isinstance(fields, dict) else fields}


class Stale:
    """A handle for each thing that is read, which nothing else brings up to date."""

    def __init__(self, open_one):
        self.handles = {name: open_one() for name in READS}
        self.read()

    def read(self):
        return {name: outcome(read, self.handles[name]) for name, read in READS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_changes(kind):
    """One change through one handle, the next one through another, and each reader through a handle of its own: all equal a
    new handle, and the volume is as if one handle had made all changes."""
    path, _, changes = KINDS[kind]
    base = made(kind)
    for first, second in list(itertools.product(changes, repeat=2))[::1 if os.environ.get("F2FSKIT_LONG_RUNS") else SAMPLE]:
        name = "%s, then %s" % (first, second)
        device = base.fork()
        with f2fskit.open(device, "r+") as volume:
            def open_one():
                return volume.path(path).inode()
            one, other, readers = open_one(), open_one(), Stale(open_one)
            state(other)
            outcome(changes[first], one)
            assert readers.read() == state(open_one()), name
            done = outcome(changes[second], other)
            seen = state(open_one())
            assert readers.read() == state(one) == seen, name
        assert f2fskit.check(device, content=True).found == 0, name
        with f2fskit.open(base.fork(), "r+") as volume:
            one = open_one()
            outcome(changes[first], one)
            assert outcome(changes[second], one) == done, name
            assert without_times(state(open_one())) == without_times(seen), name


def test_entries_while_they_change():
    """A directory in its inode gives the entries that it had; one in blocks gives each name that stays once."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for count, same in itertools.product((4, 400), (True, False)):
            path = volume.path("/%d %s" % (count, same))
            folder(path, count)
            inode = path.inode()
            writer = inode if same else path.inode()
            stays = {entry.name for entry in inode.iterdir()}
            seen = []
            for n, entry in enumerate(inode.iterdir()):
                seen.append(entry.name)
                if n == 2:
                    for made_then in range(600):
                        writer.create("then %d" % made_then)
                    volume.commit()
                    for made_then in range(600):
                        writer.remove("then %d" % made_then)
                    volume.commit()
            assert sorted(seen) == sorted(stays)
            assert {entry.name for entry in inode.iterdir()} == stays


def test_entries_of_a_directory_that_goes():
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for count in (3, 300):
            path = volume.path("/%d" % count)
            folder(path, count)
            entries = path.inode().iterdir()
            first = next(entries).name
            for child in list(path.iterdir()):
                child.unlink()
            path.rmdir()
            volume.commit()
            volume.path("/file").write_bytes(b"what takes its place" * 5000)
            rest = [entry.name for entry in entries]
            assert len(set(rest)) == len(rest) and first not in rest and len(rest) <= count
