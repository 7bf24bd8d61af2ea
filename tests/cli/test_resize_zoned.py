# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zoned volumes grow and shrink by whole zones. The device refuses whatever is not written at a zone's write pointer, and each
step is checked as a volume and against the zones."""
import hashlib

import pytest

MIB = 1 << 20


def contents(i):
    return hashlib.shake_128(b"zoned %d" % i).digest(i * 7919 % 400000 + 1)


def fill(f2fskit, device, first, end):
    with f2fskit.open(device, "r+") as volume:
        volume.configure(commit_when_full=True)
        for i in range(first, end):
            volume.path(f"/{i}").write_bytes(contents(i))
            if i % 16 == 0:
                volume.commit()


def must_hold(f2fskit, device, names):
    report = f2fskit.check(device, content=True)
    assert report.found == 0, [p.message for p in report.problems]
    with f2fskit.open(device) as volume:
        assert {path.name for path in volume.path("/").iterdir()} == {str(i) for i in names}
        for i in names:
            assert volume.read_bytes(f"/{i}") == contents(i), i


# size of a zone, of it what holds data, conventional ones at the start
DEVICES = {"plain": (4, 4, 14), "less": (4, 3, 14), "large": (16, 16, 6), "large, less": (16, 10, 6)}


@pytest.mark.parametrize("name", DEVICES)
def test_up_and_down(f2fskit, name):
    zone, capacity, conventional = DEVICES[name]
    memory = f2fskit.Device.memory(1600 * MIB)
    device = memory.zoned(zone * MIB, conventional=conventional, capacity=capacity * MIB)
    f2fskit.mkfs(device, 800 * MIB, zoned=True)
    with f2fskit.open(device, "r+") as volume:  # files after it
        volume.path("/large").write_bytes(b"large" * ((80 if zone == 4 else 30) * MIB))
    fill(f2fskit, device, 0, 40)
    names, moved = list(range(40)), 0
    with f2fskit.open(device, "r+") as volume:
        volume.path("/large").unlink()
    for size in (1600, 450, 703):
        plan = f2fskit.resize(device, size * MIB, dry_run=True)
        done = f2fskit.resize(device, size * MIB)
        assert [s.kind for s in done.steps] == [s.kind for s in plan.steps]
        moved += done.moved_blocks
        with f2fskit.open(device) as volume:
            geo = volume.geometry
            assert geo.segment_count_main % geo.segs_per_sec == 0 and done.new_bytes == size // zone * zone * MIB
            # as a new volume of that size counts them
            used = sum(volume.sit[i].valid_blocks for i in range(geo.segment_count_main))
            lost = geo.section_count * ((zone - capacity) // 2)
            assert used <= done.new_user_blocks < (geo.segment_count_main - lost) * 512
        must_hold(f2fskit, device, names)
        assert not f2fskit.resize(device, size * MIB).steps
        more = names[-1] + 1
        fill(f2fskit, device, more, more + 9)
        names += range(more, more + 9)
    least = f2fskit.resize(device, minimum=True)
    assert least.new_bytes == least.minimum_bytes and (zone > 4 or moved + least.moved_blocks > 0)
    must_hold(f2fskit, device, names)
    # the dropped part is empty: no zone of it stays open
    ends = least.new_bytes
    assert all(zone.write_pointer == zone.start for zone in device.zones() if zone.start >= ends)
    with pytest.raises(f2fskit.NospcError, match="the smallest size is"):
        f2fskit.resize(device, least.new_bytes - zone * MIB)


def test_areas_need_zones_that_can_be_written_anywhere(f2fskit):
    for conventional, works in ((10, False), (40, True)):
        memory = f2fskit.Device.memory(8000 * MIB)
        device = memory.zoned(4 * MIB, conventional=conventional)
        f2fskit.mkfs(device, 512 * MIB, zoned=True)
        fill(f2fskit, device, 0, 60)
        if works:
            assert [s.kind.name for s in f2fskit.resize(device, 8000 * MIB).steps] == ["RELAYOUT"]
        else:
            with pytest.raises(f2fskit.UnsupportedError, match="written anywhere end too early"):
                f2fskit.resize(device, 8000 * MIB)
        must_hold(f2fskit, device, range(60))
    # without the device it is not known
    memory = f2fskit.Device.memory(8000 * MIB)
    f2fskit.mkfs(memory.zoned(4 * MIB, conventional=40), 512 * MIB, zoned=True)
    fill(f2fskit, memory, 0, 60)
    with pytest.raises(f2fskit.UnsupportedError, match="on the zoned device"):
        f2fskit.resize(memory, 8000 * MIB)
    assert f2fskit.resize(memory, 600 * MIB).new_bytes == 600 * MIB
    must_hold(f2fskit, memory, range(60))


@pytest.mark.parametrize("target", [1600, 600])
def test_a_stopped_one_is_settled(f2fskit, target):
    """A write fails: the volume holds everything; a repair settles it, counting what zones hold; or resizing continues."""
    seen = set()
    for point in range(1, 200, 3):
        device = f2fskit.Device.memory(1600 * MIB).zoned(4 * MIB, conventional=14, capacity=3 * MIB)
        f2fskit.mkfs(device, 800 * MIB, zoned=True)
        fill(f2fskit, device, 0, 40)
        faulty = device.fault()
        faulty.set(fail_write=point, sticky=True)
        try:
            f2fskit.resize(faulty, target * MIB)
            break
        except f2fskit.Error:
            pass
        found = {p.name for p in f2fskit.check(device).problems}
        seen |= found
        if point % 2:  # in half of them
            f2fskit.check(device, repair=True)
            must_hold(f2fskit, device, range(40))
        f2fskit.resize(device, target * MIB)
        must_hold(f2fskit, device, range(40))
    assert point > 8 and "RESIZE_NUMBERS" in seen
