# SPDX-License-Identifier: LGPL-2.1-or-later
"""packed_ssa turned on and off: the tables move, and the volume is whole at each write of it.

No kernel is asked: those of the tests have pages of 4 KiB and mount no blocks of 16 KiB.
"""
import os

import f2fskit
import pytest
from conftest import pattern
from f2fskit import Feature

PACKED = Feature.PACKED_SSA
TREE = {"small": b"s", "blocks": pattern(2, 900_000), "large": pattern(3, 30_000_000), "dir": {f"name{i}": b"x" * i for i in range(80)},
        "link": f2fskit.Entry(symlink="small")}
TIME = 1_700_000_000 * 10**9
GIB = 1 << 30
# Findings that a power cut between the moves may leave.
BETWEEN = {"CP_FREE_SEGMENTS", "CP_PACK", "CP_UNFINISHED", "RESIZE_HOP", "SB_COPY", "SB_DIFFER", "SB_FEATURES_WRONG"}


def make(size, tree=TREE, **options):
    return f2fskit.build(tree, size=size, volume={"block_size": 16384, **options}, time=TIME)


def contents(device):
    with f2fskit.open(device) as volume:
        return {path: volume.read_bytes(path) if entry.is_file() else None for path, entry in volume.scan()}


def areas(device):
    """Sizes of the areas, and their places."""
    with f2fskit.open(device) as volume:
        return {name: value for name, value in volume.geometry._asdict().items() if "segment" in name or "blkaddr" in name or name == "sums_per_block"}


def found_by_check(device):
    return {problem.name for problem in f2fskit.check(device).problems if problem.severity != f2fskit.Severity.STALE}


@pytest.mark.parametrize("size", [GIB // 2, 5 * GIB, 300 * GIB])
def test_on_and_off(size):
    """The areas are those of a new volume each time, and the main area has the segments that the SSA does not need."""
    with make(size) as memory, f2fskit.Device.memory(size) as fresh:
        before, had = contents(memory), areas(memory)
        f2fskit.mkfs(fresh, block_size=16384, features=PACKED)
        want = areas(fresh)
        won = want["segment_count_main"] - had["segment_count_main"]
        assert (won > 0) == (size > GIB) and want["sums_per_block"] == 4
        for on, off, end, count in ((PACKED, Feature(0), want, won), (Feature(0), PACKED, had, -won)):
            with f2fskit.open(memory, "r+") as volume:
                told = volume.set_features(on, off, dry_run=True)
                assert areas(memory) != end and volume.set_features(on, off) == told
                assert (told.won_segments, told.moved_blocks > 0, volume.features) == (count, on == PACKED, on)
                assert volume.geometry.sums_per_block == end["sums_per_block"]
                again = volume.set_features(on, off)  # nothing is left to do
                assert (again.moved_blocks, again.won_segments) == (0, 0)
            assert areas(memory) == end and contents(memory) == before and not found_by_check(memory)


def test_a_session_goes_on():
    """Open files and uncommitted work after the change, and other features with it."""
    with make(GIB) as memory, f2fskit.open(memory, "r+") as volume, volume["/blocks"].open("r+b") as file:
        assert file.read(10) == TREE["blocks"][:10]
        for on, off in ((PACKED | Feature.EXTRA_ATTR | Feature.SB_CHECKSUM, Feature(0)), (Feature.VERITY, PACKED | Feature.SB_CHECKSUM)):
            volume.set_features(on, off, convert=True, large_nat=bool(on & PACKED))
            for i in range(50):
                volume[f"/more{i}"].write_bytes(pattern(i, 400_000))
                if i % 10 == 9:
                    volume.commit()
            for i in range(50):
                assert volume[f"/more{i}"].read_bytes() == pattern(i, 400_000)
                volume[f"/more{i}"].unlink()
            volume.commit()
            volume.gc(sections=5)
            assert volume["/large"].read_bytes() == TREE["large"]
        assert file.read() == TREE["blocks"][10:]
        file.write(b"more")
        file.flush()
        volume.commit()
        assert volume.features == Feature.EXTRA_ATTR | Feature.VERITY and not found_by_check(memory)
        assert volume["/blocks"].read_bytes() == TREE["blocks"] + b"more"


def fill(volume):
    for i in range(1000):
        try:
            volume[f"/fill{i}"].write_bytes(bytes(4 << 20))
            volume.commit()
        except f2fskit.NospcError:
            volume.rollback()
            break


def test_refusals():
    """By name, and nothing is written."""
    with f2fskit.build({"a": b"a"}, size=64 << 20, time=TIME) as memory, f2fskit.open(memory, "r+") as volume:
        with pytest.raises(f2fskit.UnsupportedError, match="blocks of 16 KiB"):
            volume.set_features(PACKED)
    with make(GIB // 2) as memory:
        was, recorder = areas(memory), memory.recorder()
        with f2fskit.open(memory, "r+") as volume:
            volume["/large"].inode().set(pin=True)
            volume.commit()
        with f2fskit.open(recorder, "r+") as volume:
            with pytest.raises(f2fskit.UnsupportedError, match="/large"):
                volume.set_features(PACKED)
            assert not recorder.records
            volume["/large"].unlink()
            with pytest.raises(f2fskit.StateError, match="uncommitted|wait for a commit"):
                volume.set_features(PACKED)
            fill(volume)
            for on, off, why in (PACKED, Feature(0), "too little is free to write new areas"), (PACKED | Feature.VERITY, Feature.RO, "too little"):
                count = len(recorder.records)
                with pytest.raises(f2fskit.NospcError, match=why):
                    volume.set_features(on, off)
                assert len(recorder.records) == count
                if not off:
                    volume.set_features(Feature.RO)
            with pytest.raises(f2fskit.StateError, match="ro is on"):
                volume.set_features(PACKED)
            assert volume.features == Feature.RO
        assert areas(memory) == was and not found_by_check(memory)


@pytest.mark.parametrize("on, off, options", [
    (PACKED, Feature(0), {}), (Feature(0), PACKED, {"features": PACKED, "segs_per_sec": 2}),
    (PACKED | Feature.VERITY, Feature.SB_CHECKSUM, {"features": Feature.SB_CHECKSUM, "large_nat": True})])
def test_power_cuts(on, off, options):
    """At each write, whole or torn: all files are there, a check explains its findings by a resize, and the same call ends it. Without it
    resize() brings the tables home, with the feature or without."""
    with make(5 * GIB, **options) as memory:
        before = contents(memory)
        original, recorder = memory.fork(), memory.recorder()
        with f2fskit.open(recorder, "r+") as volume:
            had = volume.features
            volume.set_features(on, off)
            last = volume.features
        end = areas(recorder)
        assert not found_by_check(recorder)
        writes = [record for record in recorder.records if record.kind in (f2fskit.RecordKind.WRITE, f2fskit.RecordKind.ZERO)]
        seen, hops = set(), 0
        for number, record in enumerate(writes):
            for half in (len(record.data) // 1024 * 512, len(record.data)) if record.data else (0,):
                if record.data:
                    original.write(record.offset, record.data[:half])
                else:
                    original.zero(record.offset, record.length)
                found = found_by_check(original)
                assert contents(original) == before and found <= BETWEEN, (number, found)
                hops += "RESIZE_HOP" in found
                with original.fork() as again:
                    with f2fskit.open(again, "r+") as volume:
                        seen.add(volume.features)
                        volume.set_features(on, off)
                    assert areas(again) == end and contents(again) == before and found_by_check(again) <= {"SB_COPY"}
                if number % 4 == 0:
                    with original.fork() as again:
                        f2fskit.check(again, repair=True)
                        f2fskit.resize(again)
                        assert contents(again) == before and found_by_check(again) <= {"CP_UNFINISHED"}
        assert {had, last} <= seen and hops > 3


@pytest.mark.parametrize("conventional", [8, 4])
def test_zones(conventional):
    """The tables need zones that can be written anywhere, beside the old ones."""
    with f2fskit.Device.memory(6 * GIB) as memory, memory.zoned(32 << 20, conventional=conventional) as device:
        f2fskit.mkfs(device, block_size=16384, zoned=True)
        for on, off in ((PACKED, Feature(0)), (Feature(0), PACKED)):
            with f2fskit.open(device, "r+") as volume:
                volume["/file"].write_bytes(TREE["blocks"])
                volume.commit()
                if conventional == 4 and on:
                    with pytest.raises(f2fskit.UnsupportedError, match="the zones that can be written anywhere end too early"):
                        volume.set_features(on, off)
                else:
                    volume.set_features(on, off)
                    volume["/more"].write_bytes(TREE["blocks"])
                assert volume["/file"].read_bytes() == TREE["blocks"]
            assert not found_by_check(device)


def test_two_devices(tmp_path):
    paths = [tmp_path / "first", tmp_path / "second"]
    for path in paths:
        path.touch()
        os.truncate(path, 3 * GIB)
    f2fskit.mkfs(paths[0], devices=[f2fskit.DeviceSpec(paths[1])], block_size=16384)
    for on, off in ((PACKED, Feature(0)), (Feature(0), PACKED)):
        with f2fskit.open(paths[0], "r+", devices=paths[1:]) as volume:
            volume["/file"].write_bytes(TREE["blocks"])
            volume.commit()
            assert abs(volume.set_features(on, off).won_segments) == 1
        with f2fskit.open(paths[0], devices=paths[1:]) as volume:
            assert volume["/file"].read_bytes() == TREE["blocks"]
        assert not f2fskit.check(paths[0], devices=paths[1:]).problems
