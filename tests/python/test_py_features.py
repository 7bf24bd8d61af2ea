# SPDX-License-Identifier: LGPL-2.1-or-later
"""Features turned on and off from Python, and a power cut at each write of it."""
import itertools
import os

import f2fskit
import pytest
from conftest import pattern
from f2fskit import Feature

TREE = {"small": b"s", "inline": pattern(1, 3000), "blocks": pattern(2, 200_000), "large": pattern(3, 3_900_000),
        "dir": {f"name{i}": b"" for i in range(60)}, "link": f2fskit.Entry(symlink="small")}
TIME = 1_700_000_000 * 10**9
WANTED = Feature.EXTRA_ATTR | Feature.COMPRESSION | Feature.INODE_CHECKSUM | Feature.SB_CHECKSUM | Feature.CASEFOLD
# Findings of a check that are allowed between two features: copies of the superblock that differ, or a feature that is away for a while.
BETWEEN = {"CP_UNFINISHED", "SB_COPY", "SB_DIFFER", "SB_DOUBTED", "SB_FEATURES_WRONG"}


@pytest.fixture
def memory():
    with f2fskit.build(TREE, size=64 << 20, time=TIME) as device:
        yield device


def contents(device):
    """{path: contents or target} of all that is there."""
    found = {}
    with f2fskit.open(device) as volume:
        for path, entry in volume.scan():
            found[path] = volume.read_bytes(path) if entry.is_file() else entry.is_symlink() and str(volume[path].readlink())
        return found, volume.features


def found_by_check(device, **how):
    """Names of findings, but those that each power cut may leave, such as half of a pack."""
    return {problem.name for problem in f2fskit.check(device, **how).problems if problem.severity != f2fskit.Severity.STALE}


def test_dry_run_and_result(memory):
    with f2fskit.open(memory) as volume:
        told = volume.set_features(WANTED, convert=True, dry_run=True)
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.set_features(WANTED)
    with f2fskit.open(memory, "r+") as volume:
        done = volume.set_features(WANTED, convert=True)
        assert volume.features == WANTED and volume["/inline"].read_bytes() == TREE["inline"]
    assert (told.before, told.after, told.inodes, told.left, told.moved_blocks) == (Feature(0), WANTED, 67, 0, 955) and not told.large_nat_after
    assert told == done
    assert not found_by_check(memory)


def test_open_files_go_on(memory):
    """A file that is open has its inode in its new form, for reading and writing."""
    with f2fskit.open(memory, "r+") as volume, volume["/inline"].open("r+b") as file, volume["/dir"].inode() as folder:
        assert file.read(10) == TREE["inline"][:10]
        volume.set_features(WANTED, convert=True)
        assert file.read() == TREE["inline"][10:]
        file.write(b"more")
        file.flush()
        assert len(list(folder.iterdir())) == 60
    assert contents(memory)[0]["/inline"] == TREE["inline"] + b"more"
    assert not found_by_check(memory)


def test_what_stands_in_the_way_is_named(memory):
    with f2fskit.open(memory, "r+") as volume:
        volume.set_features(Feature.CASEFOLD)
        volume["/folded"].mkdir()
        volume["/folded"].inode().set(flags=0x40000000)
        volume.commit()
        with pytest.raises(f2fskit.StateError, match="casefold stays as it is: inode [0-9]+ ./folded. needs it"):
            volume.set_features(off=Feature.CASEFOLD)
        with pytest.raises(f2fskit.UnsupportedError, match="mkfs.f2fs"):
            volume.set_features(Feature.BLKZONED)
        with pytest.raises(f2fskit.InvalidError, match="at once"):
            volume.set_features(Feature.VERITY, Feature.VERITY)
        volume["/new"].write_bytes(b"")
        with pytest.raises(f2fskit.StateError, match="wait for a commit"):
            volume.set_features(Feature.VERITY)


def test_orphans_keep_it_writable(memory):
    """An open file without a name has to be removed by a write."""
    with f2fskit.open(memory, "r+") as volume:
        with volume["/blocks"].inode():
            volume["/blocks"].unlink()
            volume.commit()
            with pytest.raises(f2fskit.StateError, match="ro stays off: 1 orphan inodes"):
                volume.set_features(Feature.RO | Feature.VERITY)
        volume.commit()
        assert volume.features == Feature(0)
        volume.set_features(Feature.RO)
        with pytest.raises(f2fskit.ReadOnlyError, match="turn it off before changes"):
            volume["/new"].write_bytes(b"")
        volume.set_features(off=Feature.RO)
        volume["/new"].write_bytes(b"")
        volume.commit()
    assert not found_by_check(memory)


def test_files_that_cannot_move_are_counted(memory):
    """A pinned file above nodes stays, and keeps a feature off that every inode needs room for."""
    with f2fskit.open(memory, "r+") as volume:
        volume["/large"].inode().set(pin=True)
        volume.commit()
        done = volume.set_features(Feature.EXTRA_ATTR, convert=True)
        assert (done.inodes, done.left) == (66, 1)
        with pytest.raises(f2fskit.StateError, match="flexible_inline_xattr stays as it is: inode [0-9]+ ./large. has no extra attributes"):
            volume.set_features(Feature.FLEXIBLE_INLINE_XATTR, convert=True)
        volume["/large"].inode().set(pin=False)
        volume.commit()
        assert volume.set_features(Feature.FLEXIBLE_INLINE_XATTR, convert=True).left == 0
        volume["/large"].inode().set(pin=True)
        volume.commit()
        with pytest.raises(f2fskit.StateError, match="extra_attr stays as it is: inode .* keeps its extra attributes"):
            volume.set_features(off=Feature.EXTRA_ATTR | Feature.FLEXIBLE_INLINE_XATTR, convert=True)
        assert volume.features == Feature.EXTRA_ATTR | Feature.FLEXIBLE_INLINE_XATTR
    assert contents(memory)[0]["/large"] == TREE["large"] and not found_by_check(memory)


QUOTA = Feature.EXTRA_ATTR | Feature.QUOTA | Feature.PROJECT_QUOTA


def test_quota_on_a_full_volume(memory):
    """No room for quota files: the call fails, and the volume is as before."""
    with f2fskit.open(memory, "r+") as volume:
        for size in (1 << 20, 1 << 16, 1 << 12):
            for i in range(1000):
                try:
                    volume[f"/fill-{size}-{i}"].write_bytes(bytes(size))
                    volume.commit()
                except f2fskit.NospcError:
                    volume.rollback()
                    break
        blocks = volume.statfs().valid_blocks
        with pytest.raises(f2fskit.NospcError):
            volume.set_features(QUOTA)
        assert volume.statfs().valid_blocks == blocks and volume.features == Feature.EXTRA_ATTR
        volume["/large"].unlink()
        volume.commit()
        volume.set_features(QUOTA)
    assert not found_by_check(memory)


def deepen(memory):
    """A symlink as long as an inode holds, and a directory above nodes that has few names."""
    with f2fskit.open(memory, "r+") as volume:
        volume["/far"].symlink_to("t" * 3480)
        folder = volume["/deep"]
        folder.mkdir()
        names = [f"{i:05}{'n' * 240}" for i in range(5500)]
        for name in names:
            (folder / name).hardlink_to(volume["/small"])
        for name in names[40:-40]:
            (folder / name).unlink()
        volume.commit()
        assert max(extent.file_block for extent in volume["/deep"].inode().extents()) > 923


@pytest.mark.parametrize("on, off, leaves", [
    (WANTED, Feature(0), set()), (Feature(0), WANTED & ~Feature.EXTRA_ATTR, set()), (Feature(0), WANTED, set()),
    (Feature.RO, Feature(0), set()), (Feature(0), Feature.RO, set()), (Feature.RO | Feature.VERITY, Feature(0), set()), (QUOTA, Feature(0), {"FILE_LOST"}), (Feature(0), QUOTA & ~Feature.EXTRA_ATTR, {"FILE_LOST"})])
def test_power_cuts(memory, on, off, leaves):
    """At each write, whole or torn: all files are there, a check finds nothing but the features, and quota files that the superblock
    does not name. The same call ends it: it finds those by their form."""
    converts = bool((on | off) & Feature.EXTRA_ATTR)
    if converts and not leaves:
        deepen(memory)
    if off:
        with f2fskit.open(memory, "r+") as volume:
            volume.set_features(off | Feature.EXTRA_ATTR, convert=True)
    before, had = contents(memory)
    original, recorder = memory.fork(), memory.recorder()
    with f2fskit.open(recorder, "r+") as volume:
        volume.set_features(on, off, convert=converts)
        last = volume.features
    assert not found_by_check(recorder)
    writes = [record for record in recorder.records if record.kind == f2fskit.RecordKind.WRITE]
    assert len(writes) > 8
    seen, left = set(), set()
    for record in writes:
        for half in (record.data[: len(record.data) // 1024 * 512], record.data):
            original.write(record.offset, half)
            found, features = contents(original)
            assert found == before
            seen.add(features)
            left |= found_by_check(original) - BETWEEN
            with original.fork() as again:
                f2fskit.check(again, repair=True, only=BETWEEN)
                with f2fskit.open(again, "r+") as volume:
                    volume.set_features(on, off, convert=converts)
                assert contents(again) == (before, last) and not found_by_check(again)
            if (on | off) & Feature.RO:  # without a repair, too
                with original.fork() as again:
                    with f2fskit.open(again, "r+") as volume:
                        told = volume.set_features(on, off, dry_run=True)
                        assert volume.set_features(on, off) == told
                    assert contents(again) == (before, last) and found_by_check(again) <= {"SB_COPY"}
    assert {had, last} <= seen and left == leaves


@pytest.mark.parametrize("size, on, features", [(64, True, Feature(0)), (64, False, Feature(0)), (64, True, Feature.VERITY | Feature.SB_CHECKSUM),
                                                (64, False, Feature.RO), (3 << 20, True, Feature(0)), (3 << 20, False, Feature(0))])
def test_power_cuts_of_the_checkpoint(size, on, features):
    """large_nat_bitmap is one commit: at each write, whole or torn, all files are there, and a check finds nothing."""
    tree = {name: TREE[name] for name in ("small", "blocks", "dir")}
    with f2fskit.build(tree, size=size << 20, time=TIME) as memory:
        if not on:
            with f2fskit.open(memory, "r+") as volume:
                volume.set_features(large_nat=True)
        for i in range(3):  # bits of the bitmaps, of each kind
            with f2fskit.open(memory, "r+") as volume:
                volume[f"/new{i}"].write_bytes(pattern(i, 70_000))
        before = contents(memory)[0]
        original, recorder = memory.fork(), memory.recorder()
        with f2fskit.open(recorder, "r+") as volume:
            told = volume.set_features(features, large_nat=on, dry_run=True)
            assert volume.set_features(features, large_nat=on) == told and (told.large_nat_before, told.large_nat_after) == (not on, on)
            assert volume.set_features(large_nat=on).large_nat_before == on
        writes = [record for record in recorder.records if record.kind == f2fskit.RecordKind.WRITE]
        states = set()
        for record in writes:
            for half in (record.data[: len(record.data) // 1024 * 512], record.data):
                original.write(record.offset, half)
                assert contents(original)[0] == before and found_by_check(original) <= BETWEEN
                with original.fork() as again:
                    f2fskit.check(again, repair=True, only=BETWEEN)
                    with f2fskit.open(again, "r+") as volume:
                        states.add(volume.set_features(features, large_nat=on).large_nat_before)
                    assert contents(again) == (before, features) and not found_by_check(again)
        assert states == {False, True} and not found_by_check(recorder)


ALL = (Feature.EXTRA_ATTR | Feature.ENCRYPT | Feature.LOST_FOUND | Feature.VERITY | Feature.SB_CHECKSUM | Feature.CASEFOLD | Feature.QUOTA
       | Feature.PROJECT_QUOTA | Feature.COMPRESSION | Feature.INODE_CHECKSUM | Feature.INODE_CRTIME | Feature.FLEXIBLE_INLINE_XATTR)


def states(most):
    """All sets of up to that many features besides extra_attr, which each needs or has, and the set of all."""
    alone = [feature for feature in Feature if feature & ALL and feature != Feature.EXTRA_ATTR]
    for count in range(most + 1):
        for chosen in itertools.combinations(alone, count):
            found = Feature.EXTRA_ATTR
            for feature in chosen:
                found |= feature | (Feature.QUOTA if feature == Feature.PROJECT_QUOTA else Feature(0))
            yield found
    yield ALL


def tour(count):
    """Numbers below count, in an order in which each follows each other one once."""
    for step in range(1, count):
        seen = set()
        for start in range(count):
            at = start
            while at not in seen:
                seen.add(at)
                yield at
                at = (at + step) % count


def test_each_set_to_each_other(memory):
    """Contents stay, a check finds nothing, and the volume has just the features asked for, also beside those it had."""
    wanted = sorted(set(states(2 if os.environ.get("F2FSKIT_LONG_RUNS") else 1)))
    with f2fskit.open(memory, "r+") as volume:
        volume.set_features(Feature.EXTRA_ATTR, convert=True)
    before, now = contents(memory)
    tried = set()
    for number in tour(len(wanted)):
        then = wanted[number]
        if (now, then) in tried or now == then:
            continue
        tried.add((now, then))
        with f2fskit.open(memory, "r+") as volume:
            volume.set_features(then & ~now, now & ~then)
            found = volume.features
        assert found == then, (now, then)
        assert found_by_check(memory) == set(), (now, then)
        now = then
    after, features = contents(memory)
    assert features == now and {k: v for k, v in after.items() if k != "/lost+found"} == before and len(tried) > 100
