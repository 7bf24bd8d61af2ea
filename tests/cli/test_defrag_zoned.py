# SPDX-License-Identifier: LGPL-2.1-or-later
"""Putting zoned volumes in order: logs do the placing. The device refuses writes that are not at a zone's write pointer."""
import random

import pytest

MIB = 1 << 20
SIZES = (1, 3, 20, 40, 90, 200)
# size of a zone, of it what holds data, conventional ones at the start
DEVICES = {"plain": (4, 4, 14), "less": (4, 3, 14), "large, less": (8, 7, 10)}


def contents(i, blocks):
    return b"".join(bytes([i & 255, k & 255, 7]) * 1365 + b"z" for k in range(blocks))


def aged(f2fskit, name, percent, mib=200):
    """A volume of files that grew by turns; the device, and {path: contents}."""
    zone, capacity, conventional = DEVICES[name]
    device = f2fskit.Device.memory(mib * MIB).zoned(zone * MIB, conventional=conventional, capacity=capacity * MIB)
    f2fskit.mkfs(device, zoned=True)
    chance, expected = random.Random(name), {}
    with f2fskit.open(device, "r+") as volume:
        volume.configure(commit_when_full=True)
        volume.set_gc("greedy")
        left, sizes = volume.statfs().user_blocks * percent // 100, [zone * 256 * 3 // 2]
        while sum(sizes) + 2 * len(sizes) < left:
            sizes.append(chance.choice(SIZES))
        for d in range(4):
            volume.path(f"/d{d}").mkdir()
        for at in range(0, max(sizes), 16):
            for i in chance.sample(range(len(sizes)), len(sizes)):
                if at < sizes[i]:
                    path = f"/d{i % 4}/f{i}"
                    expected[path] = expected.get(path) or contents(i, sizes[i])
                    with volume.path(path).open("ab") as file:
                        file.write(expected[path][at * 4096:(at + 16) * 4096])
            volume.commit()
    return device, expected


def must_hold(f2fskit, device, expected):
    report = f2fskit.check(device, content=True)
    assert report.found == 0, [p.message for p in report.problems]
    with f2fskit.open(device) as volume:
        assert all(volume.read_bytes(path) == data for path, data in expected.items())


def pieces(volume, path, per):
    """Find the breaks of a file, except those at ends of sections."""
    main, rows = volume.geometry.main_blkaddr, list(volume.lookup(path).extents())
    return sum(a.addr + a.count != b.addr and (b.addr - main) % per != 0 for a, b in zip(rows, rows[1:]))


def same_but_run(a, b):
    keys = ("files_placed", "blocks_placed", "blocks_cleared", "nodes_cleared", "commits", "most_moves", "end", "after")
    return [key for key in keys if getattr(a, key) != getattr(b, key)]


@pytest.mark.parametrize("name, order, percent", [
    ("plain", "score", 70), ("less", "tree", 65), ("less", "tree", 90), ("large, less", "score", 60), ("less", "list", 70), ("plain", "age", 85)])
def test_files_come_into_one_piece(f2fskit, tmp_path, name, order, percent):
    device, expected = aged(f2fskit, name, percent)
    chosen = {"parts": sorted(expected)[:40]} if order == "list" else {}
    with f2fskit.open(device) as volume:
        before = {path: pieces(volume, path, 512) for path in expected}
        would = volume.defrag(order, dry_run=True, spill_dir=str(tmp_path), **chosen)
    assert sum(before.values()) > 40
    with f2fskit.open(device, "r+") as volume:
        found = volume.defrag(order, **chosen)
    assert found.end.name == "DONE" and not same_but_run(found, would)
    assert found.unconfirmed == found.unreadable == 0 < found.blocks_placed
    must_hold(f2fskit, device, expected)
    with f2fskit.open(device, "r+") as volume:
        per = volume.geometry.segs_per_sec * 512
        paths = chosen.get("parts", expected)
        assert [path for path in paths if pieces(volume, path, per)] == []
        again = volume.defrag(order, **chosen)
        if order != "list":
            assert again.blocks_placed + again.blocks_cleared <= found.blocks_placed // 20
        if order == "tree" and percent < 70:
            names = [path for path, entry in volume.scan("/d2") if entry.is_file()]
            at = [next(iter(volume.lookup(path).extents())).addr for path in names]
            # sections are filled as they are found, and what fits into their ends comes early
            main = volume.geometry.main_blkaddr
            together = [a < b for a, b in zip(at, at[1:]) if (a - main) // per == (b - main) // per]
            assert len(together) > len(at) // 4 and sum(together) >= 0.9 * len(together)
    must_hold(f2fskit, device, expected)
    with f2fskit.open(device, "r+") as volume:  # the logs continue at their places
        volume.path("/more").write_bytes(contents(9, 10))
    must_hold(f2fskit, device, {**expected, "/more": contents(9, 10)})


def test_free_space(f2fskit):
    device, expected = aged(f2fskit, "less", 80)
    with f2fskit.open(device, "r+") as volume:
        for path in sorted(expected)[::2]:
            volume.path(path).unlink()
            del expected[path]
    with f2fskit.open(device, "r+") as volume:
        goal = volume.defrag("space", free=volume.fragmentation().free_sections + 2)
        assert goal.end.name == "LIMIT" and goal.after.free_sections >= goal.before.free_sections + 2
        found = volume.defrag("space")
        assert found.end.name == "DONE" and found.after.free_sections > goal.after.free_sections
        per = 3 * MIB // 4096
        assert found.after.free_sections >= volume.geometry.section_count - found.after.blocks * 10 // per // 9 - 12
        again = volume.defrag("space")
        assert again.after.free_sections - found.after.free_sections in (0, 1)
    must_hold(f2fskit, device, expected)


@pytest.mark.parametrize("logs", [2, 4])
def test_few_logs(f2fskit, logs):
    """Placed blocks and blocks in the way share a log, not a section."""
    device, expected = aged(f2fskit, "plain", 85)
    with f2fskit.open(device, "r+") as volume:
        volume.configure(logs=logs)
        chosen = sorted(expected)[::3]
        found = volume.defrag("list", parts=chosen)
        assert found.end.name == "DONE" and found.files_placed >= len(chosen)
        per = volume.geometry.segs_per_sec * 512
        assert [path for path in chosen if pieces(volume, path, per)] == []
    must_hold(f2fskit, device, expected)


def test_a_stopped_one(f2fskit):
    """A write fails: all files are there, partly written zones are abandoned, and the work continues."""
    device, expected = aged(f2fskit, "less", 70, 160)
    stopped = 0
    for point in (1, 2, 5, 9, 14, 40, 90):
        faulty = device.fault()
        faulty.set(fail_write=point, sticky=True)
        try:
            with f2fskit.open(faulty, "r+") as volume:
                volume.defrag("tree", blocks=6000)
        except f2fskit.IoError:
            stopped += 1
        # an uncommitted log wrote more of its zone
        assert {p.name for p in f2fskit.check(device).problems} <= {"ZONE_POINTER", "CP_PACK", "CP_UNFINISHED"}
    assert stopped > 4
    with f2fskit.open(device, "r+") as volume:
        assert volume.defrag("tree").end.name == "DONE"
    must_hold(f2fskit, device, expected)
    with f2fskit.open(device, "r+") as volume:
        with pytest.raises(f2fskit.UnsupportedError, match="place of choice"):
            volume.defrag_range(volume.geometry.main_blkaddr, 512, volume.geometry.main_blkaddr + 512)
