# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsync from Python, and what our own recovery makes of volumes that were fsynced and never committed."""
import hashlib
import os
import shutil
import stat
import sys
import time

import pytest

import f2fskit

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import fsync_model  # noqa: E402

FEATURES = {"plain": [], "features": ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr", "quota"]}
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "dir"}


def manifest(volume):
    """What tests/kernel/guest/record.py would say of the volume, as far as the model knows it."""
    entries, first = {}, {}
    for path, entry in [("", volume.root)] + list(volume.scan("/")):
        inode = entry if path == "" else entry.inode()
        st = inode.stat()
        path = path.strip("/")
        kind = KINDS[stat.S_IFMT(st.st_mode)]
        if kind == "file" and first.setdefault(st.st_ino, path) != path:
            entries[path] = {"link": first[st.st_ino]}
            continue
        entries[path] = {
            "kind": kind, "ino": st.st_ino, "nlink": st.st_nlink, "mode": stat.S_IMODE(st.st_mode), "uid": st.st_uid,
            "gid": st.st_gid, "size": st.st_size, "mtime": st.st_mtime_ns,
            "sha256": hashlib.sha256(inode.read_bytes()).hexdigest() if kind == "file" else None,
            "xattrs": {name: bytes(value).hex() for name, value in inode.xattrs.items()} or None}
    return entries


@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("mode", f2fskit.FsyncMode, ids=str)
@pytest.mark.parametrize("name", FEATURES)
def test_recovery_gives_the_model(tmp_path, peer_check, name, mode, seed):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 128 << 20, features=FEATURES[name])
    run = fsync_model.Run(f2fskit, path, seed, mode.name)
    for i in range(3):
        run.mkdir("d%d" % i)
    run.steps(40, sync=0, commit=0.1)
    run.commit()
    run.steps(30 * seed + 5)
    run.close()
    before = path.read_bytes()
    with f2fskit.open(path, recover="view") as volume:
        wrong = fsync_model.expect(run.durable, manifest(volume))
    assert not wrong, "\n".join(wrong[:20])
    assert path.read_bytes() == before
    with f2fskit.open(path, recover="apply") as volume:
        wrong = fsync_model.expect(run.durable, manifest(volume))
    assert not wrong, "\n".join(wrong[:20])
    peer_check(path)


def test_interface(tmp_path):
    path, copy = tmp_path / "disk.img", tmp_path / "copy.img"
    f2fskit.mkfs(path, 64 << 20)
    volume = f2fskit.open(path, "r+")
    volume.path("/file").write_bytes(b"1")
    volume.commit()
    version = volume.checkpoint.checkpoint_ver
    file = volume.lookup("/file")
    file.pwrite(b"22", 0)
    assert file.fsync_reason() is f2fskit.FsyncReason.NONE
    file.fsync()
    file.pwrite(b"333", 0)
    file.fsync(data_only=True)
    file.pwrite_atomic([(0, b"4444"), (100000, b"far"), (2, bytearray(b"!"))])
    volume.set_sync(f2fskit.SyncMode.DATA)
    file.pwrite(b"5", 3)
    assert volume.pending == 4 and volume.checkpoint.checkpoint_ver == version
    shutil.copy(path, copy)
    volume.path("/file").rename("/other")
    assert file.fsync_reason() is f2fskit.FsyncReason.IDENTITY
    file.fsync()
    assert volume.pending == 0 and volume.checkpoint.checkpoint_ver == version + 1
    with pytest.raises(ValueError):
        file.pwrite_atomic([(-1, b"")])
    with pytest.raises(f2fskit.InvalidError):
        volume.set_sync(7)
    volume.close()
    with f2fskit.open(copy, recover="view") as recovered:
        data = recovered.read_bytes("/file")
    assert data == b"44!5" + bytes(99996) + b"far"


def test_times_tick():
    """The host's clock ticks as the kernel's does for files: of many fsyncs of overwrites only a few write the inode."""
    device = f2fskit.Device.memory(1 << 30)  # what fsyncs write is not used again before a commit
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        volume.root.create("file").pwrite(bytes(8 << 20), 0)
    with f2fskit.open(device, "r+") as volume:
        inode = volume.lookup("/file")
        stamps, turns = set(), 0
        began, start = time.time_ns(), time.monotonic()
        while time.monotonic() - start < 0.2:
            inode.pwrite(b"x" * 4096, turns * 37 % 2048 * 4096)
            inode.fsync()
            stamps.add(inode.stat().st_mtime_ns)
            turns += 1
        assert began - 10**9 < min(stamps) and max(stamps) <= time.time_ns()
        assert len(stamps) <= (time.monotonic() - start) * 1100 + 2      # no clock ticks faster than 1000 times a second


@pytest.mark.parametrize("free", [10, 9, 8])
def test_an_atomic_write_is_not_committed_in_pieces(free):
    """On a volume so full that a write in pieces commits between them: all of it or, for want of room, nothing."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        volume.root.create("table").pwrite(b"o" * (1500 * 4096), 0)
        filler, turns = volume.root.create("filler"), 0
        while volume.statfs().free_segments > free and volume.statfs().free_blocks > 200:
            filler.pwrite(b"f" * (64 * 4096), turns * 64 * 4096)
            turns += 1
            if turns % 8 == 0:
                volume.commit()
    volume = f2fskit.open(device, "r+")     # no block: closing drops everything that was not fsynced
    volume.configure(commit_when_full=True)
    before = volume.checkpoint.checkpoint_ver
    try:
        volume.lookup("/table").pwrite_atomic([(i * 100 * 4096, b"n" * (100 * 4096)) for i in range(15)])
        expected = {ord("n")}
    except f2fskit.NospcError:
        volume.rollback()
        expected = {ord("o")}
    assert set(volume.read_bytes("/table")) == expected
    volume.close()
    with f2fskit.open(device) as volume:
        assert volume.checkpoint.checkpoint_ver == before
    with f2fskit.open(device, recover="view") as volume:
        assert set(volume.read_bytes("/table")) == expected


def test_wrong_mark_of_a_node(tmp_path):
    """The footer of a direct node says by mistake that it is a directory's. In their log recovery would not find it."""
    path, old, new = tmp_path / "disk.img", b"old " * 2_000_000, b"new " * 1024
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/file").write_bytes(old)
        volume.commit()
        blocks = [entry.block_addr for entry in volume.nat if entry.nid != entry.ino]
    with open(path, "r+b") as image:
        for block in blocks:
            image.seek((block << 12) + 4096 - 24 + 8)
            flag = image.read(1)[0]
            image.seek(-1, os.SEEK_CUR)
            image.write(bytes([flag & ~1]))
    assert {p.name for p in f2fskit.check(path).problems} == {"NODE_COLD"}
    volume = f2fskit.open(path, "r+")
    with volume.path("/file").open("r+b") as file:
        for at in (4_000_000, 7_000_000):
            file.seek(at)
            file.write(new)
        file.flush()
        volume.path("/file").inode().fsync()
    volume.close()
    expected = bytearray(old)
    for at in (4_000_000, 7_000_000):
        expected[at:at + len(new)] = new
    with f2fskit.open(path, recover="view") as volume:
        assert volume.path("/file").read_bytes() == expected
