# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes on several devices grow and shrink where one device is one file of the volume (an alias), or where the last one has
zones; and the largest jump: an image of 2 GiB that is put on a disk of 1 TiB."""
import hashlib

import pytest

MIB, GIB = 1 << 20, 1 << 30
FILES = 40
STAYS = b"stays" * 1000


def contents(i):
    return hashlib.shake_128(b"device %d" % i).digest(i * 7919 % 300000 + 1)


def fill(f2fskit, devices):
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        volume.configure(commit_when_full=True)
        for i in range(FILES):
            volume.path(f"/{i}").write_bytes(contents(i))


def must_hold(f2fskit, devices):
    report = f2fskit.check(devices[0], devices=devices[1:], content=True)
    assert report.found == 0, [p.message for p in report.problems]
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(FILES))
        return volume.geometry


def where_it_lies(f2fskit, devices):
    """The blocks of the file that stands for a device."""
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        return [(extent.addr, extent.count) for extent in volume.lookup("/whole").extents()]


@pytest.mark.parametrize("where", ["between", "last"])
def test_an_alias(f2fskit, where):
    """Its blocks stay where they are, whatever the volume grows or shrinks to, and larger areas are written before it."""
    context = f2fskit.Context()
    first, middle, last = (f2fskit.Device.memory(size, context=context) for size in (256 * MIB, 64 * MIB, 6000 * MIB))
    alias = middle if where == "between" else last
    specs = [f2fskit.DeviceSpec(middle, path="/dev/middle"), f2fskit.DeviceSpec(last, path="/dev/last", size=96 * MIB)]
    specs = [spec._replace(alias="whole" if spec.device is alias else None) for spec in specs]
    alias.write(5 * MIB, STAYS)
    devices = [first, middle, last]
    f2fskit.mkfs(first, devices=specs, features=["extra_attr", "quota"], overwrite=True)
    fill(f2fskit, devices)
    extents = where_it_lies(f2fskit, devices)
    assert len(extents) == 1 and extents[0][1] * 4096 == (64 if where == "between" else 96) * MIB
    seen = set()
    for size in (200, 6000, 120) if where == "between" else (200, 6000, 200):
        done = f2fskit.resize(first, size * MIB, devices=devices[1:])
        seen |= {step.kind.name for step in done.steps}
        assert done.new_bytes == size * MIB
        must_hold(f2fskit, devices)
        assert where_it_lies(f2fskit, devices) == extents and alias.read(5 * MIB, len(STAYS)) == STAYS
    assert seen >= {"SHRINK", "RELAYOUT"}
    if where == "last":  # the tail is the file's
        before = [device.read(0, 40 * MIB) for device in (first, last)]
        with pytest.raises(f2fskit.UnsupportedError, match="/whole"):
            f2fskit.resize(first, 80 * MIB, devices=devices[1:])
        assert [device.read(0, 40 * MIB) for device in (first, last)] == before
        # without the file it is a device like any other
        with f2fskit.open(first, "r+", devices=devices[1:]) as volume:
            volume.path("/whole").unlink()
        assert f2fskit.resize(first, 80 * MIB, devices=devices[1:]).new_bytes == 80 * MIB
        must_hold(f2fskit, devices)


def test_an_alias_before_the_place_of_the_areas(f2fskit):
    """Larger areas would have to be where the file is: that is said before anything is written."""
    context = f2fskit.Context()
    first, alias, last = (f2fskit.Device.memory(size * MIB, context=context) for size in (64, 64, 90000))
    specs = [f2fskit.DeviceSpec(alias, path="/dev/alias", alias="whole"),
             f2fskit.DeviceSpec(last, path="/dev/last", size=256 * MIB)]
    f2fskit.mkfs(first, devices=specs, features=["extra_attr"], overwrite=True)
    devices = [first, alias, last]
    fill(f2fskit, devices)
    before = [device.read(0, 20 * MIB) for device in devices]
    with pytest.raises(f2fskit.UnsupportedError, match="first device is too small|/whole"):
        f2fskit.resize(first, devices=devices[1:])
    assert [device.read(0, 20 * MIB) for device in devices] == before
    must_hold(f2fskit, devices)


@pytest.mark.parametrize("capacity", [4, 3])
def test_the_last_device_has_zones(f2fskit, capacity):
    """The areas are on an ordinary disk, the main area continues in zones: it grows and shrinks by whole zones."""
    context = f2fskit.Context()
    first = f2fskit.Device.memory(512 * MIB, context=context)
    zones = f2fskit.Device.memory(6000 * MIB, context=context).zoned(4 * MIB, conventional=0, capacity=capacity * MIB)
    spec = f2fskit.DeviceSpec(zones, path="/dev/zones", size=400 * MIB)
    f2fskit.mkfs(first, devices=[spec], zoned=True, features=["extra_attr"], overwrite=True)
    devices = [first, zones]
    fill(f2fskit, devices)
    seen = set()
    for size in (703, 6000, 241, 400):
        done = f2fskit.resize(first, size * MIB, devices=devices[1:])
        seen |= {step.kind.name for step in done.steps}
        assert done.new_bytes == size // 4 * 4 * MIB
        geo = must_hold(f2fskit, devices)
        assert geo.segment_count_main % geo.segs_per_sec == 0
        assert not f2fskit.resize(first, size * MIB, devices=devices[1:]).steps
        with f2fskit.open(first, "r+", devices=devices[1:]) as volume:  # writing to existing files continues
            volume.path("/new").write_bytes(contents(1) * 200)
            volume.commit()
            volume.path("/new").unlink()
    assert seen >= {"SHRINK", "RELAYOUT"}
    ends = 400 * MIB
    assert all(zone.write_pointer == zone.start for zone in zones.zones() if zone.start >= ends)


def test_the_largest_jump(f2fskit):
    """2 GiB to 1 TiB: node ids, files and the size are all there, and little is written for it."""
    device = f2fskit.Device.memory(1 << 40)
    f2fskit.mkfs(device, 2 * GIB)
    fill(f2fskit, [device])
    before = must_hold(f2fskit, [device])
    with f2fskit.open(device) as volume:
        used = sum(entry.valid_blocks for entry in volume.sit)
    done = f2fskit.resize(device)
    kinds = [step.kind.name for step in done.steps]
    assert kinds[-1] == "RELAYOUT" and done.area_bytes < 8 * MIB
    # the files are in the new place of the areas, each time
    assert 0 < done.moved_blocks <= used * kinds.count("RELAYOUT")
    geo = must_hold(f2fskit, [device])
    assert geo.max_nid >= before.max_nid and geo.end_blkaddr * 4096 > (1 << 40) - 4 * MIB
    least = f2fskit.resize(device, minimum=True)
    assert least.new_bytes == least.minimum_bytes
    must_hold(f2fskit, [device])
