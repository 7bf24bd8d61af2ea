# SPDX-License-Identifier: LGPL-2.1-or-later
"""mkfs.f2fs --offset on a disk with partitions: data outside the volume's own partition stays."""
import os
import struct
import uuid
import zlib

import pytest

MIB = 1 << 20
SECTOR = 512
DISK = 512 * MIB
PARTITIONS = [(1, 128), (129, 128), (340, 100)]  # first and count, in MiB: free space before and after the last


def dos_table():
    rows = b"".join(struct.pack("<B3xB3xII", 0, 0x83, first * 2048, count * 2048) for first, count in PARTITIONS)
    return {0: bytes(446) + rows.ljust(64, b"\0") + b"\x55\xaa"}


def gpt():
    """Both copies of a table, as the UEFI specification says."""
    kind, disk = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4"), uuid.UUID(int=77)
    rows = b"".join(struct.pack("<16s16sQQQ72s", kind.bytes_le, uuid.UUID(int=n + 1).bytes_le, first * 2048,
                                (first + count) * 2048 - 1, 0, b"") for n, (first, count) in enumerate(PARTITIONS))
    rows = rows.ljust(128 * 128, b"\0")
    last = DISK // SECTOR - 1

    def header(own, other, table):
        def pack(crc):
            return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other, 34, last - 33,
                               disk.bytes_le, table, 128, 128, zlib.crc32(rows))
        return pack(zlib.crc32(pack(0)))
    protective = struct.pack("<B3xB3xII", 0, 0xee, 1, last).ljust(64, b"\0")
    return {0: bytes(446) + protective + b"\x55\xaa", SECTOR: header(1, last, 2), 2 * SECTOR: rows,
            (last - 32) * SECTOR: rows, last * SECTOR: header(last, 1, last - 32)}


@pytest.fixture(params=[dos_table, gpt], ids=["dos", "gpt"])
def disk(request, tmp_path):
    """(path, what may not change outside a region: a function)."""
    path = tmp_path / "disk.img"
    table = request.param()
    with open(path, "wb") as f:
        f.truncate(DISK)
        for n in range(DISK // MIB):
            f.seek(n * MIB + 4096)
            f.write(b"neighbour %d" % n)
        for offset, data in table.items():
            f.seek(offset)
            f.write(data)

    def outside(first, end):
        with open(path, "rb") as f:
            before = zlib.crc32(f.read(first))
            f.seek(end)
            return before, zlib.crc32(f.read())
    path_and = path, outside
    return path_and



@pytest.mark.parametrize("start, end", [(1, 129), (129, 257), (257, 340), (340, 440), (440, 512)])
def test_the_volume_ends_where_its_place_does(run_tool, disk, start, end):
    path, outside = disk
    if end == 512:
        is_gpt = b"EFI PART" in open(path, "rb").read(2 * SECTOR)
        end_bytes = DISK - (33 * SECTOR if is_gpt else 0)
    else:
        end_bytes = end * MIB
    before = outside(start * MIB, end_bytes)
    run_tool("mkfs.f2fs", "-q", "--offset", "%dM" % start, path)
    assert outside(start * MIB, end_bytes) == before
    assert os.path.getsize(path) == DISK
    run_tool("fsck.f2fs", "-n", "--offset=%dM" % start, path)
    with open(path, "rb") as f:
        f.seek(start * MIB + 1024)
        magic, = struct.unpack("<I", f.read(4))
        f.seek(start * MIB + 1024 + 0x24)
        blocks, = struct.unpack("<Q", f.read(8))
    assert magic == 0xF2F52010 and end_bytes - 4 * MIB < start * MIB + blocks * 4096 <= end_bytes


def test_what_would_go_over_others_is_refused(run_tool, disk):
    path, outside = disk
    before = outside(DISK, DISK)
    said = run_tool("mkfs.f2fs", "-q", "--offset", "1M", path, "200M", rc=1).stderr
    assert b"up to %d" % (129 * MIB) in said and b"-f" in said
    said = run_tool("mkfs.f2fs", "-q", "--offset", "20M", path, rc=1).stderr
    assert b"begins before the offset" in said and b"-f" in said
    assert outside(DISK, DISK) == before
    run_tool("mkfs.f2fs", "-q", "--offset", "1M", path, "128M")
    run_tool("mkfs.f2fs", "-q", "-f", "--offset", "1M", path, "200M")
    run_tool("fsck.f2fs", "-n", "--offset=1M", path)
