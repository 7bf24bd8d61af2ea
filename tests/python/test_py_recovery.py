# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recovery: the plan, the view that writes nothing, and recovery on the device."""
import shutil

import f2fskit
import pytest


@pytest.fixture(scope="module")
def unclean_image(tmp_path_factory):
    """A volume whose last changes were fsynced and never committed."""
    path = tmp_path_factory.mktemp("unclean") / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        for name, data in (("kept", b"k" * 9000), ("inside", b"short")):
            with volume.root.create(name).open("r+") as file:
                file.write(data)
    volume = f2fskit.open(path, "r+")
    kept = volume.lookup("/kept")
    with kept.open("r+") as file:
        file.seek(20000)
        file.write(b"appended")
    kept.fsync()
    new = volume.root.create("new")
    with new.open("r+") as file:
        file.write(b"n" * 5000)
    new.fsync()
    volume.root.create("not-synced")
    volume.close()
    return path


@pytest.fixture
def unclean(unclean_image, tmp_path):
    return shutil.copy(unclean_image, tmp_path / "disk.img")


def test_plan(unclean):
    with f2fskit.open(unclean) as volume:
        plan = volume.recovery_plan()
        summary = plan.summary
        assert summary.needs_recovery and summary.end is f2fskit.ChainEnd.FOREIGN
        assert summary.fsynced == volume.pending == 2 and summary.inodes == 2 and summary.new_inodes == 1
        assert [node.is_replayed for node in plan.nodes].count(True) == summary.replayed
        kept, new = plan.inodes
        assert (kept.is_new, kept.name, kept.parent, kept.size) == (False, None, None, 20008)
        assert (new.is_new, new.name, new.parent, new.size) == (True, "new", 3, 5000)
        assert sum(r.count for r in new.ranges if r.kind is f2fskit.ExtentKind.DATA) == 2
        assert any(r.file_block == 4 for r in kept.ranges)
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.recover()


def test_view(unclean):
    before = open(unclean, "rb").read()
    with f2fskit.open(unclean) as volume:
        assert not (volume.path("/new")).exists() and volume.lookup("/kept").stat().st_size == 9000
    with f2fskit.open(unclean, recover="view") as volume:
        assert volume.read_bytes("/new") == b"n" * 5000
        assert volume.read_bytes("/kept") == b"k" * 9000 + bytes(11000) + b"appended"
        assert not volume.path("/not-synced").exists() and volume.pending == 0
        assert not volume.recovery_plan().summary.needs_recovery
    with f2fskit.open(bytearray(before), recover=f2fskit.OpenRecover.VIEW) as volume:
        assert volume.read_bytes("/new") == b"n" * 5000
    with f2fskit.open(unclean, "r+", recover="view") as volume:
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.root.create("more")
        volume.rollback()
    assert open(unclean, "rb").read() == before


def test_apply(unclean):
    volume = f2fskit.open(unclean, "r+")
    with pytest.raises(f2fskit.StateError, match="--recover"):
        volume.root.create("more")
    volume.rollback()
    version = volume.checkpoint.checkpoint_ver
    done = volume.recover()
    assert (done.inodes, done.new_inodes, done.names, done.changed) == (2, 1, 1, True)
    assert volume.checkpoint.checkpoint_ver == version + 1
    volume.root.create("more")
    volume.commit()
    assert not volume.recover().changed
    volume.close()
    with f2fskit.open(unclean) as volume:
        assert sorted(e.name for e in volume.root.iterdir() if e.name not in (".", "..")) == ["inside", "kept", "more", "new"]


def test_apply_while_opening(unclean):
    with f2fskit.open(unclean, recover="apply") as volume:
        assert volume.read_bytes("/new") == b"n" * 5000
    with f2fskit.open(unclean) as volume:
        assert volume.pending == 0 and volume.read_bytes("/new") == b"n" * 5000
    with pytest.raises(ValueError):
        f2fskit.open(unclean, recover="later")
    with pytest.raises(f2fskit.InvalidError):
        f2fskit.open(unclean, recover="view", rescue=True)


def test_giving_up_the_chain(unclean):
    with f2fskit.open(unclean, "r+") as volume:
        done = volume.recover(drop_chain=True)
        assert done.changed and done.nodes == 0 and volume.pending == 0
        assert not volume.path("/new").exists() and volume.lookup("/kept").stat().st_size == 9000


@pytest.fixture(scope="module")
def large():
    """A device with fsynced data of two old files, whose NAT entries are in blocks 0 and 1."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, checkpoint_version=7, time=0)
    volume = f2fskit.open(device, "r+")
    for i in range(600):
        volume.path("/file-%d" % i).touch()
    volume.commit()
    files = [volume.lookup("/file-%d" % i) for i in (5, 555)]
    assert [file.number // 455 for file in files] == [0, 1]
    for file in files:
        file.pwrite(b"fsynced", 0)
        file.fsync()
    after = device.fork()
    volume.close()
    return after


@pytest.mark.parametrize("number", [0, 1])
def test_a_blank_nat_block_hides_no_fsynced_data(large, number):
    """Recovery does not take a blank block of the NAT for free inodes. A repair searches for them, and then recovers."""
    device = large.overlay()
    with f2fskit.open(device) as volume:
        block = volume.geometry.nat_blkaddr + number
    for copy in (block, block + 512):
        device.write(copy * 4096, bytes(4096))
    with device.overlay() as other, f2fskit.open(other, "r+") as volume:
        with pytest.raises(f2fskit.CorruptError, match="NAT_FREE"):
            volume.recover()
        volume.rollback()
        assert not other.changes()
    said, done = f2fskit.check(device), f2fskit.check(device, repair=True)
    assert [p.message for p in said.problems] == [p.message for p in done.problems]
    assert done.recovered_nodes == 2 and done.is_sound
    with f2fskit.open(device) as volume:
        assert volume.pending == 0 and len(list(volume.scan("/"))) == 600
        assert all(volume.read_bytes("/file-%d" % i) == b"fsynced" for i in (5, 555))
    assert f2fskit.check(device).state is f2fskit.CheckState.SOUND
