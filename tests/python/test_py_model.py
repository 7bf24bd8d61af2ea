# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random changes of a volume against a plain model: both agree after every step that reads and after every reopening, and
f2fs-tools finds nothing wrong at the end of each run.

Usually some short runs that are always the same. For long ones with new seeds: F2FSKIT_LONG_RUNS=200 pytest -k model
"""
import copy
import gc
import io
import itertools
import os
import shutil
import stat
import subprocess
import tempfile

import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, settings, strategies as st  # noqa: E402
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test  # noqa: E402

import f2fskit  # noqa: E402

NOW = 1_600_000_000_000_000_007
RUNS = int(os.environ.get("F2FSKIT_LONG_RUNS", "0"))
FSCK = shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
FEATURES = [
    [],
    ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr"],
    ["extra_attr", "quota", "project_quota", "lost_found"],
]

NAMES = st.sampled_from(["a", "b", "c", "d.mp4", "ä", "x" * 255, "two words", "\udcff"])
LENGTHS = st.sampled_from([0, 1, 100, 3400, 3488, 3692, 4095, 4096, 4097, 8192, 70_000, 300_000])
OFFSETS = st.sampled_from([0, 1, 100, 3480, 4095, 4096, 10_000, 65_536, 1 << 20, (4 << 20) + 5])
PICK = st.integers(0, 1 << 16)
FALLOCATE = f2fskit.FallocateFlag
MODES = {
    "reserve": 0,
    "reserve behind": FALLOCATE.KEEP_SIZE,
    "punch": FALLOCATE.PUNCH_HOLE | FALLOCATE.KEEP_SIZE,
    "zero": FALLOCATE.ZERO_RANGE,
    "zero inside": FALLOCATE.ZERO_RANGE | FALLOCATE.KEEP_SIZE,
    "collapse": FALLOCATE.COLLAPSE_RANGE,
    "insert": FALLOCATE.INSERT_RANGE,
}
RANGES = st.sampled_from([0, 1, 100, 4095, 4096, 8192, 12_289, 65_536, 300_000])
XATTRS = st.sampled_from(["user.a", "user.long-name", "trusted.t", "security.s"])
VALUES = st.sampled_from([b"", b"v", b"x" * 60, b"y" * 250, b"z" * 2500])


class Node:
    """A file of the model; several names may lead to one. The serial number stays when the model is copied."""

    serials = itertools.count()

    def __init__(self, mode, target=None):
        self.serial = next(self.serials)
        self.mode, self.target = mode, target
        self.uid = self.gid = 0
        self.mtime = NOW
        self.data = bytearray()
        self.xattrs = {}
        self.children = {} if stat.S_ISDIR(mode) else None

    def write(self, offset, data):
        if data:
            self.data.extend(bytes(max(offset + len(data) - len(self.data), 0)))
            self.data[offset : offset + len(data)] = data
            self.mtime = NOW

    def resize(self, size):
        self.data = (self.data + bytes(max(size - len(self.data), 0)))[:size]
        self.mtime = NOW

    def fallocate(self, mode, offset, length):
        """What fallocate(2) does on blocks of 4096 bytes; False: it is refused."""
        size, end = len(self.data), offset + length
        if length == 0:
            return False
        if mode in ("collapse", "insert"):
            if offset % 4096 or length % 4096 or (end if mode == "collapse" else offset) >= size:
                return False
            if mode == "collapse":
                del self.data[offset:end]
            else:
                self.data[offset:offset] = bytes(length)
        elif mode != "punch" or offset < size:  # else nothing is there, but the time changes
            if mode in ("reserve", "zero"):
                self.resize(max(size, end))
            if mode in ("punch", "zero", "zero inside"):
                end = min(end, len(self.data))
                self.data[offset:end] = bytes(max(end - offset, 0))
        self.mtime = NOW
        return True

    def links(self, root):
        return sum(node is self for _, node in walk(root))


def walk(node, path=""):
    """Yield (path, node) of everything below a directory."""
    for name, child in node.children.items():
        yield f"{path}/{name}", child
        if child.children is not None:
            yield from walk(child, f"{path}/{name}")


# Buffered files, and what becomes of them in a rollback: those with a buffer of the caller's own are closed.
FILES = {
    "random": (lambda path: path.open("r+b"), True),
    "text": (lambda path: path.open("r+", encoding="latin-1", newline=""), True),
    "own writer": (lambda path: io.BufferedWriter(path.inode().open("r+b")), False),
    "own text": (lambda path: io.TextIOWrapper(path.open("r+b"), encoding="latin-1", newline=""), False),
}


class Open:
    """A buffered file, and the one write that may wait in it."""

    def __init__(self, kind, path, node):
        opener, self.is_ours = FILES[kind]
        self.kind, self.file, self.node, self.waits = kind, opener(path), node, None

    def take(self):
        """What waits has been written."""
        if self.waits:
            self.node.write(*self.waits)
            self.waits = None

    def put(self, offset, data):
        self.file.flush()
        self.take()
        self.file.seek(offset)
        self.file.write(data.decode("latin-1") if isinstance(self.file, io.TextIOWrapper) else data)
        self.waits = offset, data

    def look(self):
        """Its contents by itself, which first writes what waits."""
        self.file.flush()
        self.take()
        self.file.seek(0)
        found = self.file.read()
        assert (found.encode("latin-1") if isinstance(found, str) else found) == bytes(self.node.data)


def refuse(inode):
    """A dead inode does nothing any more."""
    assert inode.closed
    for call in (inode.stat, inode.read_bytes, inode.fsync, inode.open, inode.iterdir, lambda: inode.pwrite(b"x", 0),
                 lambda: inode.truncate(0), lambda: dict(inode.xattrs), lambda: inode.raw, lambda: inode.create("x"),
                 lambda: inode.set(mode=0), lambda: inode.path, lambda: list(inode.extents()), inode.nodes):
        with pytest.raises(ValueError):
            call()


class Model(RuleBasedStateMachine):
    """The volume, and what should be in it."""

    @initialize(features=st.sampled_from(FEATURES))
    def make(self, features):
        self.folder = tempfile.mkdtemp()
        self.image = os.path.join(self.folder, "disk.img")
        f2fskit.mkfs(self.image, 256 << 20, features=features, time=0, uuid=f2fskit_uuid(), checkpoint_version=1)
        self.root = Node(stat.S_IFDIR | 0o755)
        self.held, self.marks, self.dead, self.files = {}, 0, [], []
        self.open()
        if "lost_found" in features:
            self.volume.path("/lost+found").rmdir()
            self.volume.commit()
        self.remember()

    def open(self, recover="none"):
        self.volume = f2fskit.open(self.image, "r+", now=NOW, recover=recover)

    def remember(self):
        """The commit: what there is now, files without a name but with a handle among it."""
        handles = {mark: node for mark, (_, node) in self.held.items()}
        self.committed = copy.deepcopy((self.root, {**handles, **{id(one): one.node for one in self.files}}))

    def go_back(self):
        """To the last commit. Handles of what existed then stay good, all others are dead."""
        self.root, nodes = copy.deepcopy(self.committed)
        known = {node.serial: node for node in [*nodes.values(), *(node for _, node in walk(self.root))]}
        for mark, (inode, node) in list(self.held.items()):
            if node.serial in known:
                self.held[mark] = inode, known[node.serial]
            else:
                del self.held[mark]
                self.dead = [*self.dead, inode][-8:]
        for one in self.files:
            one.waits = None
            assert one.file.closed == (not one.is_ours or one.node.serial not in known)
        self.files = [one for one in self.files if not one.file.closed]
        for one in self.files:
            one.node = known[one.node.serial]

    def release(self, mark):
        inode, _ = self.held.pop(mark)
        inode.close()

    def orphans(self):
        root, nodes = self.committed
        return any(node.links(root) == 0 for node in nodes.values())

    # What there is to choose from.

    def directory(self, pick):
        found = [("", self.root), *((path, node) for path, node in walk(self.root) if node.children is not None)]
        return found[pick % len(found)]

    def anything(self, pick, kind=None):
        found = [(path, node) for path, node in walk(self.root) if kind is None or kind(node.mode)]
        return found[pick % len(found)] if found else (None, None)

    def new(self, pick, name, node):
        """Where a new node goes, or the error that its making is."""
        path, parent = self.directory(pick)
        return self.volume.path(f"{path}/{name}"), parent, f2fskit.ExistsError if name in parent.children else None

    def attempt(self, error, function, *arguments):
        """Call a function that should fail with an error, or succeed. Return which."""
        if error is None:
            function(*arguments)
            return True
        with pytest.raises(error):
            function(*arguments)
        return False

    # Changes.

    @rule(pick=PICK, name=NAMES)
    def mkdir(self, pick, name):
        path, parent, error = self.new(pick, name, None)
        if self.attempt(error, path.mkdir):
            parent.children[name] = Node(stat.S_IFDIR | 0o755)

    @rule(pick=PICK, name=NAMES, length=LENGTHS)
    def create(self, pick, name, length):
        path, parent, error = self.new(pick, name, None)
        if error is None:
            data = bytes([pick & 255]) * length
            path.write_bytes(data)
            parent.children[name] = node = Node(stat.S_IFREG | 0o644)
            node.write(0, data)

    @rule(pick=PICK, count=st.integers(1, 60))
    def fill(self, pick, count):
        path, parent = self.directory(pick)
        for i in range(count):
            if (name := f"file-{i:03}") not in parent.children:
                self.volume.path(f"{path}/{name}").touch()
                parent.children[name] = Node(stat.S_IFREG | 0o644)

    @rule(pick=PICK, name=NAMES, contents=st.sampled_from(["a", "../b", "x" * 4000]))
    def symlink(self, pick, name, contents):
        path, parent, error = self.new(pick, name, None)
        if self.attempt(error, path.symlink_to, contents):
            parent.children[name] = Node(stat.S_IFLNK | 0o777, contents)

    @rule(pick=PICK, other=PICK, name=NAMES)
    def link(self, pick, other, name):
        source, node = self.anything(other)
        if node is not None:
            path, parent, error = self.new(pick, name, None)
            error = error if node.children is None else (f2fskit.IsDirError, f2fskit.ExistsError)
            if self.attempt(error, path.hardlink_to, source):
                parent.children[name] = node

    @rule(pick=PICK, offset=OFFSETS, length=LENGTHS)
    def write(self, pick, offset, length):
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None:
            data = bytes([pick >> 3 & 255]) * length
            with self.volume.path(path).open("r+b", buffering=0) as file:
                file.seek(offset)
                assert file.write(data) == length
            node.write(offset, data)

    @rule(pick=PICK, size=st.one_of(LENGTHS, OFFSETS))
    def truncate(self, pick, size):
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None:
            self.volume.path(path).truncate(size)
            node.resize(size)

    @rule(pick=PICK, mode=st.sampled_from(sorted(MODES)), offset=st.one_of(RANGES, OFFSETS), length=RANGES)
    def fallocate(self, pick, mode, offset, length):
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None:
            self.fallocate_inode(self.volume.lookup(path), node, mode, offset, length)

    def fallocate_inode(self, inode, node, mode, offset, length):
        allowed = node.fallocate(mode, offset, length)
        self.attempt(None if allowed else ValueError, inode.fallocate, offset, length, MODES[mode])

    # Files that are open while their names come and go.

    @rule(pick=PICK)
    def hold(self, pick):
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None and len(self.held) < 8:
            self.marks += 1
            self.held[self.marks] = self.volume.lookup(path), node

    @rule(pick=PICK)
    def hold_and_remove(self, pick):
        """All names of a file go; the handle is all that is left."""
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None and len(self.held) < 8:
            self.marks += 1
            self.held[self.marks] = self.volume.lookup(path), node
            for path in [path for path, other in walk(self.root) if other is node]:
                self.volume.path(path).unlink()
                parent, name = self.parent(path)
                del parent.children[name]

    @precondition(lambda self: getattr(self, "held", None))
    @rule(pick=PICK, action=st.sampled_from(["write", "truncate", *sorted(MODES)]), offset=OFFSETS, length=LENGTHS)
    def change_held(self, pick, action, offset, length):
        inode, node = list(self.held.values())[pick % len(self.held)]
        if action == "write":
            data = bytes([pick >> 3 & 255]) * length
            assert inode.pwrite(data, offset) == length
            node.write(offset, data)
        elif action == "truncate":
            inode.truncate(length)
            node.resize(length)
        else:
            self.fallocate_inode(inode, node, action, offset, length)

    @precondition(lambda self: getattr(self, "held", None))
    @rule(pick=PICK, name=NAMES, to=PICK)
    def link_held(self, pick, name, to):
        """A file without a name does not get one again."""
        inode, node = list(self.held.values())[pick % len(self.held)]
        path, parent = self.directory(to)
        if name not in parent.children:
            folder = self.volume.lookup(path or "/")
            if self.attempt(None if node.links(self.root) else FileNotFoundError, folder.link, name, inode):
                parent.children[name] = node

    @precondition(lambda self: getattr(self, "held", None))
    @rule(pick=PICK)
    def close_held(self, pick):
        self.release(list(self.held)[pick % len(self.held)])

    @rule(pick=PICK, kind=st.sampled_from(sorted(FILES)))
    def open_file(self, pick, kind):
        path, node = self.anything(pick, stat.S_ISREG)
        if node is not None and len(self.files) < 4 and all(one.node is not node for one in self.files):
            self.files.append(Open(kind, self.volume.path(path), node))

    @precondition(lambda self: getattr(self, "files", None))
    @rule(pick=PICK, offset=OFFSETS, length=st.sampled_from([1, 7, 4000]))
    def write_file(self, pick, offset, length):
        """Data waits in a buffer, until it is flushed, committed, or rolled back."""
        self.files[pick % len(self.files)].put(offset, bytes([65 + pick % 26]) * length)

    @precondition(lambda self: getattr(self, "files", None))
    @rule(pick=PICK, how=st.sampled_from(["close", "drop"]))
    def close_file(self, pick, how):
        one = self.files.pop(pick % len(self.files))
        if how == "close":
            one.file.close()
        else:
            with pytest.warns(ResourceWarning):
                one.file = None
                gc.collect()
        one.take()

    @precondition(lambda self: getattr(self, "files", None))
    @rule(pick=PICK)
    def look_at_file(self, pick):
        one = self.files[pick % len(self.files)]
        if one.kind != "own writer":
            one.look()

    @precondition(lambda self: getattr(self, "dead", None))
    @rule(pick=PICK)
    def use_dead(self, pick):
        refuse(self.dead[pick % len(self.dead)])

    @rule(pick=PICK)
    def remove(self, pick):
        path, node = self.anything(pick)
        if node is None:
            return
        where = self.volume.path(path)
        parent, name = self.parent(path)
        if node.children is None:
            self.attempt(f2fskit.NotDirError, where.rmdir)
            where.unlink()
            del parent.children[name]
        elif self.attempt(f2fskit.NotEmptyError if node.children else None, where.rmdir):
            del parent.children[name]

    @rule(pick=PICK)
    def rmtree(self, pick):
        path, node = self.anything(pick, stat.S_ISDIR)
        if node is not None:
            self.volume.path(path).rmtree()
            parent, name = self.parent(path)
            del parent.children[name]

    def parent(self, path):
        node = self.root
        *above, name = path.split("/")[1:]
        for part in above:
            node = node.children[part]
        return node, name

    @rule(pick=PICK, to=PICK, new=NAMES)
    def rename(self, pick, to, new):
        path, node = self.anything(pick)
        if node is None:
            return
        parent, name = self.parent(path)
        folder, target = self.directory(to)
        there = target.children.get(new)
        error = None
        if node.children is not None and (target is node or any(child is target for _, child in walk(node))):
            error = ValueError
        elif there is not None and there is not node:
            if node.children is not None and there.children is None:
                error = f2fskit.NotDirError
            elif node.children is None and there.children is not None:
                error = f2fskit.IsDirError
            elif there.children:
                error = f2fskit.NotEmptyError
        if self.attempt(error, self.volume.path(path).rename, f"{folder}/{new}") and there is not node:
            del parent.children[name]
            target.children[new] = node

    @rule(pick=PICK, mode=st.integers(0, 0o7777), uid=st.integers(0, 3), gid=st.integers(0, 3), mtime=st.integers(-(2**40), 2**62))
    def attributes(self, pick, mode, uid, gid, mtime):
        path, node = self.anything(pick, lambda mode: not stat.S_ISLNK(mode))
        if node is not None:
            where = self.volume.path(path)
            where.chmod(mode)
            where.chown(uid, gid)
            where.utime((0, mtime))
            node.mode, node.uid, node.gid, node.mtime = stat.S_IFMT(node.mode) | mode, uid, gid, mtime

    @rule(pick=PICK, name=XATTRS, value=VALUES)
    def set_xattr(self, pick, name, value):
        path, node = self.anything(pick)
        if node is not None and sum(map(len, node.xattrs.values())) + len(value) < 3000:
            bars = stat.S_ISLNK(node.mode) and name.startswith("user.")
            attributes = self.volume.lookup(path).xattrs
            if self.attempt(f2fskit.AccessError if bars else None, attributes.__setitem__, name, value):
                node.xattrs[name] = value

    @rule(pick=PICK, name=XATTRS)
    def remove_xattr(self, pick, name):
        path, node = self.anything(pick)
        if node is not None:
            attributes = self.volume.lookup(path).xattrs
            if self.attempt(None if name in node.xattrs else KeyError, attributes.__delitem__, name):
                del node.xattrs[name]

    # Transactions.

    @rule()
    def commit(self):
        self.volume.commit()
        for one in self.files:
            if one.is_ours:
                one.take()
        self.remember()

    @rule(policy=st.sampled_from(["greedy", "cost-benefit", "age"]))
    def gc(self, policy):
        self.commit()
        found = self.volume.gc(policy, used_limit=100, sections=5)
        assert found.unconfirmed == found.unreadable == 0

    @rule()
    def rollback(self):
        self.volume.rollback()
        self.go_back()

    @rule(how=st.sampled_from(["commit", "close", "exception"]))
    def reopen(self, how):
        for one in self.files:
            one.file.close()
            one.take()
        self.files = []
        self.dead = []
        if how == "commit":
            for mark in list(self.held):
                self.release(mark)
            with self.volume:
                self.volume.commit()    # files that lost their name and their last handle go with it
            self.remember()
        elif how == "close":
            self.volume.close()
        else:
            with pytest.raises(ZeroDivisionError), self.volume:
                raise ZeroDivisionError
        self.root = copy.deepcopy(self.committed[0])
        for mark in list(self.held):
            self.release(mark)
        # a volume whose commit lists files without a name wants to be recovered first, as after a power cut
        if self.orphans():
            with pytest.raises(f2fskit.StateError):
                self.open()
                self.volume.path("/new").touch()
            self.volume.close()
        self.open("apply" if self.orphans() else "none")
        self.remember()
        self.compare()

    # Agreement.

    @precondition(lambda self: hasattr(self, "volume"))
    @rule()
    def compare(self):
        ours = {path: entry for path, entry in self.volume.scan()}
        model = dict(walk(self.root))
        assert sorted(ours) == sorted(model)
        numbers = {}
        for path, node in model.items():
            inode = ours[path].inode()
            found = inode.stat()
            assert (found.st_mode, found.st_uid, found.st_gid) == (node.mode, node.uid, node.gid), path
            assert dict(inode.xattrs) == node.xattrs, path
            assert numbers.setdefault(inode.number, node) is node, path
            if node.children is None:
                assert found.st_nlink == node.links(self.root), path
            else:
                assert found.st_nlink == 2 + sum(child.children is not None for child in node.children.values()), path
            if node.target is not None:
                assert inode.readlink() == node.target
            elif node.children is None:
                assert found.st_mtime_ns == node.mtime, path
                assert inode.read_bytes() == node.data, path
        for inode, node in self.held.values():
            found = inode.stat()
            assert (found.st_nlink, found.st_size, found.st_mtime_ns) == (node.links(self.root), len(node.data), node.mtime)
            assert inode.read_bytes() == node.data

    def teardown(self):
        if not hasattr(self, "volume"):
            return
        try:
            self.compare()
            for one in self.files:
                one.file.close()
                one.take()
            for mark in list(self.held):
                self.release(mark)
            with self.volume:
                pass
            with f2fskit.open(self.image, mode="strict") as self.volume:
                self.compare()
            if FSCK:
                done = subprocess.run([FSCK, "--dry-run", "-f", self.image], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
                text = done.stdout.decode(errors="replace")
                assert done.returncode == 0 and "[Fail]" not in text and "ASSERT" not in text, text[-2000:]
        finally:
            self.volume.close()
            shutil.rmtree(self.folder)


def f2fskit_uuid():
    import uuid

    return uuid.UUID(int=1)


def test_model():
    run_state_machine_as_test(Model, settings=settings(
        max_examples=RUNS or 12, stateful_step_count=150 if RUNS else 40, derandomize=not RUNS, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), print_blob=True))
