# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cleaning in the Python module: the volume's clock."""
import uuid

import pytest

import f2fskit

MIB = 1 << 20
DAY = 86400


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 * MIB)
    return path


def ages(volume):
    """Mean ages of the segments that hold something, seconds on the volume's clock."""
    return {entry.mtime for entry in volume.sit if entry.valid_blocks}


def test_the_clock_follows_the_times_of_changes(disk):
    moment = [1_700_000_000 * 10**9]
    with f2fskit.open(disk, "r+", now=lambda: moment[0]) as volume:
        start = volume.clock
        volume.path("/a").write_bytes(b"a")
        moment[0] += 3600 * 10**9
        assert volume.clock == start
        volume.path("/b").write_bytes(b"b")
        assert volume.clock == start + 3600
        moment[0] -= 7200 * 10**9
        volume.path("/c").write_bytes(b"c")
        volume.commit()
        assert volume.clock == volume.checkpoint.elapsed_time == start + 3600
        volume.configure(clock_stands=True)
        moment[0] += 9999 * 10**9
        volume.path("/d").write_bytes(b"d")
    with f2fskit.open(disk) as volume:
        assert volume.clock == start + 3600
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.elapse(1)


def test_the_clock_of_the_context_counts(disk):
    moment = [1_700_000_000 * 10**9]
    context = f2fskit.Context(now=lambda: moment[0])
    with f2fskit.open(disk, "r+", context=context) as volume:
        start = volume.clock
        moment[0] += 60 * 10**9
        volume.path("/a").write_bytes(b"a")
        assert volume.clock == start + 60


def test_segments_know_their_age(disk):
    with f2fskit.open(disk, "r+", now=1_700_000_000 * 10**9) as volume:
        start = volume.clock
        volume.elapse(DAY)
        volume.path("/old").write_bytes(bytes(4 * MIB))
        volume.commit()
        volume.elapse(90 * DAY)
        volume.path("/new").write_bytes(bytes(4 * MIB))
        volume.commit()
        assert volume.clock == start + 91 * DAY
        assert any(age <= start + 2 * DAY for age in ages(volume))
        assert any(age >= start + 90 * DAY for age in ages(volume))
        with pytest.raises(f2fskit.Error, match="cannot advance"):
            volume.elapse(2**63)
    assert f2fskit.check(disk).found == 0


def test_the_same_changes_give_the_same_bytes(tmp_path):
    """With a fixed time however long they take, and when images are filled."""
    for run in "ab":
        f2fskit.mkfs(tmp_path / run, 64 * MIB, uuid=uuid.UUID(int=7), time=1_700_000_000 * 10**9, checkpoint_version=5)
        with f2fskit.open(tmp_path / run, "r+", now=1_700_000_000 * 10**9) as volume:
            volume.path("/a").write_bytes(b"a" * 10000)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def scatter(volume, room):
    """Fill most of a volume, and punch out every second block."""
    blocks = volume.statfs().free_blocks - room
    with volume.path("/data").open("wb") as file:
        for i in range(0, blocks, 256):
            file.write(b"".join(k.to_bytes(4, "little") * 1024 for k in range(i, min(i + 256, blocks))))
    volume.commit()
    inode = volume.path("/data").inode()
    for i in range(0, blocks, 2):
        inode.fallocate(i * 4096, 4096, f2fskit.FallocateFlag.PUNCH_HOLE | f2fskit.FallocateFlag.KEEP_SIZE)
    volume.commit()


def test_a_writable_volume_is_cleaned_by_itself(disk):
    """Between commits, so with blocks that are all or nothing; and not at all when it is disabled."""
    with f2fskit.open(disk, "r+") as volume:
        scatter(volume, 200)
        volume.configure(logging="normal")
        volume.set_gc(None)
        data = b"new" * (MIB // 3)
        with pytest.raises(f2fskit.NospcError, match="GC could free"):
            for i in range(20):
                volume.path(f"/{i}").write_bytes(data)
                volume.commit()
        volume.rollback()
        volume.set_gc("age-threshold")
        assert f2fskit.GcPolicy.AGE_THRESHOLD is f2fskit.GcPolicy.AGE
        volume.set_gc("cost-benefit")
        for i in range(10):
            volume.path(f"/{i}").write_bytes(data)
            volume.commit()
        with pytest.raises(ValueError, match=r"none of .*\bage\b.*\bgreedy\b"):
            volume.set_gc("newest")
    assert f2fskit.check(disk).found == 0


def test_what_is_written_is_counted(disk):
    with f2fskit.open(disk, "r+") as volume:
        assert sum(volume.counters.bytes.values()) == volume.counters.commits == 0
        volume.path("/a").write_bytes(bytes(range(256)) * 16 * 100)
        volume.commit()
        found = volume.counters
        assert found.bytes["data"] >= 100 * 4096 and found.bytes["node"] > 0 and found.bytes["moved-data"] == 0
        assert found.commits == 1 and found.flushes == 3  # one before the first change
        assert sum(found.sizes) == sum(found.requests.values()) > 0


@pytest.mark.parametrize("budget", [2 * MIB, 6 * MIB])
def test_a_budget_of_bytes(disk, budget):
    """Cleaning ends when so much was written; only the section it is at and the commit may exceed that."""
    with f2fskit.open(disk, "r+") as volume:
        for i in range(32):
            volume.path(f"/{i}").write_bytes(bytes([i + 1]) * (MIB // 2))
        volume.commit()
        for i in range(0, 32, 2):
            volume.path(f"/{i}").unlink()
    with f2fskit.open(disk, "r+") as volume:
        free = volume.gc(dry_run=True)
        found = volume.gc(bytes_written=budget)
        written = sum(volume.counters.bytes.values())
    assert found.end == f2fskit.GcEnd.LIMIT and 0 < found.sections < free.sections
    assert budget <= written < budget + 3 * MIB
    assert f2fskit.check(disk).found == 0


def half_empty(disk):
    """Files of half a segment, of which each second one is gone."""
    with f2fskit.open(disk, "r+") as volume:
        for i in range(28):
            volume.path(f"/{i}").write_bytes(bytes([i + 1]) * (MIB // 2))
        volume.commit()
        for i in range(0, 28, 2):
            volume.path(f"/{i}").unlink()


def must_hold(disk):
    assert f2fskit.check(disk).found == 0
    with f2fskit.open(disk) as volume:
        for i in range(1, 28, 2):
            assert volume.read_bytes(f"/{i}") == bytes([i + 1]) * (MIB // 2)


def test_a_policy_of_ones_own(disk):
    half_empty(disk)
    asked = []

    def last_first(section):
        asked.append(section)
        return None if section.section % 2 else -section.section * 10**300

    with f2fskit.open(disk, "r+") as volume:
        before = [entry.valid_blocks for entry in volume.sit]
        found = volume.gc(last_first, sections=2)
        after = [entry.valid_blocks for entry in volume.sit]
    assert found.sections == 2 and len(asked) >= found.candidates >= 4
    assert all(0 < s.valid <= s.blocks == 512 and s.min_mtime <= s.mtime <= s.max_mtime for s in asked)
    emptied = [i for i, left in enumerate(after) if before[i] and not left]
    assert emptied == sorted(s.section for s in asked if s.section % 2 == 0 and s.section in emptied)
    assert set(emptied) == set(sorted({s.section for s in asked if s.section % 2 == 0})[-2:])
    must_hold(disk)


@pytest.mark.parametrize("answer, raised", [
    (lambda volume, section: 1 // 0, ZeroDivisionError),
    (lambda volume, section: "much", ValueError),
    (lambda volume, section: 10**400, OverflowError),
    (lambda volume, section: volume.gc(), RuntimeError),
    (lambda volume, section: volume.path("/new").write_text("x"), RuntimeError),
    (lambda volume, section: float("nan"), None),
    (lambda volume, section: None, None),
])
def test_what_a_policy_raises_ends_cleaning(disk, answer, raised):
    half_empty(disk)
    with f2fskit.open(disk, "r+") as volume:
        if raised:
            with pytest.raises(raised):
                volume.gc(lambda section: answer(volume, section))
        else:
            assert volume.gc(lambda section: answer(volume, section)).sections == 0
        assert volume.gc(lambda section: section.valid, sections=1).sections == 1
    must_hold(disk)


def test_a_policy_of_ones_own_for_changes(disk):
    """It is asked when free sections run out; when it fails, its exception comes out of a change that is made all the same."""
    with f2fskit.open(disk, "r+") as volume:
        scatter(volume, 200)
        volume.configure(logging="normal")
        asked = []
        volume.set_gc(lambda section: asked.append(section) or section.valid)
        data = b"new" * (MIB // 3)
        for i in range(6):
            volume.path(f"/{i}").write_bytes(data)
            volume.commit()
        assert asked
        volume.set_gc(lambda section: {}["none"])
        with pytest.raises(KeyError):
            for i in range(6, 9):
                volume.path(f"/{i}").write_bytes(data)
                volume.commit()
        volume.commit()
    assert f2fskit.check(disk).found == 0


def test_pinned_files_move_when_told(disk):
    """Two of them, each in a part of its own section, share one afterwards, whole and in order."""
    with f2fskit.open(disk, "r+") as volume:
        for name in ("/a", "/b"):
            volume.path(name).write_bytes(b"")
            volume.path(name).inode().set(pin=True)
            volume.path(name).inode().fallocate(0, 2 * MIB)
            volume.path(name).inode().truncate(MIB // 2)
            volume.path(name).inode().pwrite(name.encode() * (MIB // 4), 0)
        volume.commit()
        assert volume.gc().pinned == 2
        found = volume.gc(move_pinned=True)
        assert found.pinned == 0 and found.sections == 2 and found.free_after == found.free_before + 1
        for name in ("/a", "/b"):
            inode = volume.path(name).inode()
            (extent,) = [e for e in inode.extents() if e.addr]
            assert inode.is_pinned and extent.count == MIB // 2 // 4096
            assert volume.read_bytes(name) == name.encode() * (MIB // 4)
    assert f2fskit.check(disk).found == 0


@pytest.mark.parametrize("target", ["age", "holes", "adaptive"])
def test_moved_data_fills_holes(target, tmp_path):
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 128 * MIB)
    with f2fskit.open(disk, "r+", now=1_700_000_000 * 10**9) as volume:
        for week in range(6):
            volume.elapse(8 * DAY)
            for i in range(8):
                volume.path(f"/{week}-{i}").write_bytes(bytes([week * 8 + i + 1]) * MIB)
            volume.commit()
        for week in range(6):
            for i in range(0, 8, 2):
                volume.path(f"/{week}-{i}").unlink()
        volume.commit()
    with f2fskit.open(disk, "r+", now=1_700_000_000 * 10**9) as volume:
        free = {i for i, entry in enumerate(volume.sit) if not entry.valid_blocks}
        found = volume.gc("greedy", target=target, sections=3)
        after = {i for i, entry in enumerate(volume.sit) if not entry.valid_blocks}
        assert found.sections == 3 and found.data_blocks > 0
        assert len(free - after) <= 1  # node logs apart, no free segment was begun
        with pytest.raises(ValueError):
            volume.gc(target="elsewhere")
    assert f2fskit.check(disk).found == 0
    with f2fskit.open(disk) as volume:
        for week in range(6):
            for i in range(1, 8, 2):
                assert volume.read_bytes(f"/{week}-{i}") == bytes([week * 8 + i + 1]) * MIB


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_nodes_that_own_blocks_of_several_victims_are_written_once(damaged):
    """Each section holds a block of each of 300 files: two of them have 600 blocks and 300 inodes, not 600. Unconfirmed
    sections are left alone, and counted once."""
    device = f2fskit.Device.memory(64 * MIB)
    f2fskit.mkfs(device, overwrite=True)
    with f2fskit.open(device, "r+") as volume:
        volume.configure(logging="normal")
        inodes = [volume.root.create(str(i)) for i in range(512)]
        volume.commit()
        for block in range(1, 9):
            for i, inode in enumerate(inodes):
                inode.pwrite(bytes([1 + i % 250]) * 4096, block * 4096)
            volume.commit()
        for i in range(300, 512):
            volume.path(f"/{i}").unlink()
        del inodes, inode
        volume.commit()
        assert volume.gc(policy="greedy", sections=1).data_blocks == 0  # the section of the nodes that are gone
        full = [i for i, entry in enumerate(volume.sit) if entry.valid_blocks == 300 and entry.type < 3]
        summaries = volume.geometry.ssa_blkaddr
    assert len(full) == 8
    for segment in full[:damaged]:
        device.write((summaries + segment) * 4096, bytes(3584))
    with f2fskit.open(device, "r+") as volume:
        volume.configure(logging="normal")
        done = volume.gc(policy="greedy", sections=4)
        assert (done.sections, done.data_blocks, done.unconfirmed) == (4, 1200, damaged) and done.free_after > done.free_before
        for i in range(300):
            assert volume.read_bytes(f"/{i}") == bytes(4096) + bytes([1 + i % 250]) * 8 * 4096
    assert f2fskit.check(device).found == damaged
