# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones that hold less than their size: users can write all the space that a volume offers, no section is used beyond the
kernel's limit, the smallest size holds the files, and excess promises of another mkfs are corrected."""
import pytest

MIB = 1 << 20
DEVICES = {"three quarters": (1, 3 * MIB), "half": (1, 2 * MIB), "odd": (1, 3 * MIB - 8192), "two": (2, 2 * MIB), "two, odd": (2, MIB + 4096)}


def make(f2fskit, count, capacity, mib=320):
    zoned = f2fskit.Device.memory(mib * MIB).zoned(4 * MIB, conventional=0 if count == 2 else 8, capacity=capacity)
    if count == 1:
        return f2fskit.mkfs(zoned, zoned=True, features=["lost_found"]), [zoned]
    first = f2fskit.Device.memory(160 * MIB, context=zoned.context)
    spec = f2fskit.DeviceSpec(zoned, path="/dev/zoned")
    return f2fskit.mkfs(first, devices=[spec], zoned=True, overwrite=True), [first, zoned]


def content(i):
    return bytes([i % 251]) * (MIB + i * 37)


def write_until_full(f2fskit, volume, prefix):
    names = {}
    volume.configure(commit_when_full=True)
    for i in range(1000):
        try:
            volume.path(f"/{prefix}-{i}").write_bytes(content(i))
            volume.commit()
        except f2fskit.NospcError:
            volume.rollback()
            return names
        names[f"/{prefix}-{i}"] = content(i)
    raise AssertionError("never full")


def held_blocks(volume, capacity):
    """Blocks in use, none of them where no zone would have it."""
    used, sps = 0, volume.geometry.segs_per_sec
    for segno, entry in enumerate(volume.sit):
        end = capacity // 4096 - segno % sps * 512
        used += entry.valid_blocks
        for block in range(max(end, 0), 512):
            assert not entry.is_valid(block), (segno, block)
    return used


@pytest.mark.parametrize("name", DEVICES)
def test_full(f2fskit, name):
    count, capacity = DEVICES[name]
    _, devices = make(f2fskit, count, capacity)
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0
    names = {}
    for number in range(3):
        with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
            free = volume.statfs().free_blocks * 4096
            got = write_until_full(f2fskit, volume, f"round-{number}")
            written = sum(len(data) for data in got.values())
            assert free * 0.9 < written <= free
            names.update(got)
            for gone in sorted(names)[number::3]:
                volume.path(gone).unlink()
                del names[gone]
        with f2fskit.open(devices[0], devices=devices[1:]) as volume:
            held_blocks(volume, capacity)
            assert {n: volume.read_bytes(n) for n in names} == names
        assert f2fskit.check(devices[0], devices=devices[1:]).found == 0


@pytest.mark.parametrize("name", ["three quarters", "half", "odd"])
def test_smallest(f2fskit, name):
    """The smallest size holds the files, and can be filled and grown again."""
    count, capacity = DEVICES[name]
    _, (device,) = make(f2fskit, count, capacity)
    with f2fskit.open(device, "r+") as volume:
        for i in range(30):
            volume.path(f"/{i}").write_bytes(content(i))
    least = f2fskit.resize(device, minimum=True)
    assert least.new_bytes < 320 * MIB and f2fskit.check(device).found == 0
    with f2fskit.open(device, "r+") as volume:
        free = volume.statfs().free_blocks * 4096
        more = write_until_full(f2fskit, volume, "more")
        assert sum(len(data) for data in more.values()) > free - 2 * MIB
    f2fskit.resize(device)
    assert f2fskit.check(device).found == 0
    with f2fskit.open(device) as volume:
        held_blocks(volume, capacity)
        assert all(volume.read_bytes(f"/{i}") == content(i) for i in range(30))
        assert {n: volume.read_bytes(n) for n in more} == more


def test_promised_too_much(f2fskit):
    """A volume whose checkpoint counts whole zones, as f2fs-tools make it: resizing it to the size that it has is enough."""
    memory = f2fskit.Device.memory(320 * MIB)
    f2fskit.mkfs(memory.zoned(4 * MIB, conventional=8), zoned=True)
    device = memory.zoned(4 * MIB, conventional=8, capacity=2 * MIB, full=True)
    expected, _ = make(f2fskit, 1, 2 * MIB)
    done = f2fskit.resize(device)
    assert [step.kind.name for step in done.steps] == ["RESERVE"] and done.old_user_blocks > done.new_user_blocks
    assert done.new_user_blocks == expected.layout.user_blocks and not f2fskit.resize(device).steps
    assert f2fskit.check(device).found == 0
