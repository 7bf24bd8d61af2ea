# SPDX-License-Identifier: LGPL-2.1-or-later
"""Partitions of a disk: listed, opened by each of their names, and volumes in them."""
import os
import sys

import f2fskit
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import disks  # noqa: E402

MIB = 1 << 20
PLACES = [("first", 1, 2), ("second", 4, 46), ("third", 50, 46)]


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    disks.gpt(path, 100 * MIB, PLACES)
    for name in "second", "third":
        with f2fskit.Device.open(path, writable=True) as device, device.partition(name) as part:
            f2fskit.mkfs(part, label=name + " volume")
    return path


def test_list(disk):
    with f2fskit.Device.open(disk) as device:
        rows = device.partitions()
    assert [(row.number, row.label, row.offset, row.length, row.pieces) for row in rows] == [
        (n, label, first * MIB, count * MIB, 1) for n, (label, first, count) in enumerate(PLACES, 1)]
    assert [row.is_f2fs for row in rows] == [False, True, True]
    assert [row.volume_label for row in rows] == ["", "second volume", "third volume"]
    assert {row.scheme for row in rows} == {"gpt"} and rows[1].uuid == str(disks.partition_uuid(2))
    assert rows[0].type == str(disks.LINUX) and len(rows[2].volume_uuid) == 36


def test_no_table():
    with f2fskit.Device.memory(MIB) as device:
        assert device.partitions() == []
        with pytest.raises(f2fskit.NotFoundError, match="no partition table"):
            device.partition(1)


def test_open(disk):
    for name in 3, "3", "third", "third volume", str(disks.partition_uuid(3)):
        with f2fskit.open(disk, partition=name) as volume:
            assert volume.label == "third volume"
    with pytest.raises(f2fskit.InvalidError, match="2 partitions hold F2FS"):
        f2fskit.Device.open(disk).partition()
    with pytest.raises(ValueError, match="both say"):
        f2fskit.open(disk, partition=1, offset=512)
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.open(disk, partition=1)
    with pytest.raises(f2fskit.NotFoundError, match="no partition 'fourth': it has 1 'first', 2 'second' \\(F2FS\\)"):
        f2fskit.open(disk, partition="fourth")


def test_write(disk):
    before = disks.outside(disk, 4, 46)
    with f2fskit.open(disk, "r+", partition="second") as volume:
        (volume.path("/") / "file").write_bytes(b"inside")
    with f2fskit.open(disk, partition=2) as volume:
        assert volume.read_bytes("/file") == b"inside"
    assert disks.outside(disk, 4, 46) == before


def test_window_ends_with_the_partition(disk):
    with f2fskit.Device.open(disk, writable=True) as device, device.partition(1) as part:
        assert part.size == 2 * MIB
        with pytest.raises(f2fskit.RangeError):
            part.write(2 * MIB - 1, b"ab")


def test_partition_past_the_end(disk):
    """A disk image that was cut: its last partition ends with it, or is not there at all."""
    os.truncate(disk, 60 * MIB)
    with f2fskit.Device.open(disk) as device:
        assert device.partition("third").size == 10 * MIB
    os.truncate(disk, 20 * MIB)
    with f2fskit.Device.open(disk) as device:
        with pytest.raises(f2fskit.RangeError, match="partition 3 begins at byte"):
            device.partition("third")
