# SPDX-License-Identifier: LGPL-2.1-or-later
"""A device returns an older checkpoint area beside newer nodes: the tables are no witnesses against pointers then."""
import random

MIB, BLOCK = 1 << 20, 4096
FILES = 40


def contents(f2fskit, device):
    with f2fskit.open(device) as volume:
        return {volume.path(path).read_bytes() for path, entry in volume.scan("/") if entry.type.name == "REGULAR"}


def test_pointers_are_newer_than_tables(f2fskit):
    """All contents that could be read before the repair can be read afterwards."""
    device, rng = f2fskit.Device.memory(96 * MIB), random.Random(1)
    f2fskit.mkfs(device, overwrite=True)
    with f2fskit.open(device, "r+") as volume:
        geo = volume.geometry
        for i in range(FILES):
            volume.path("/file-%d" % i).write_bytes(rng.randbytes(9000))
        volume.path("/large").write_bytes(rng.randbytes(5 * MIB))  # the segment of the files is full, and has its summary
    first, length = geo.cp_blkaddr * BLOCK, (geo.sit_blkaddr - geo.cp_blkaddr) * BLOCK
    older = device.read(first, length)
    with f2fskit.open(device, "r+") as volume:
        for i in range(0, FILES, 3):
            volume.path("/file-%d" % i).write_bytes(rng.randbytes(9000))
        volume.commit()
        for i in range(FILES // 2):
            volume.path("/later-%d" % i).write_bytes(rng.randbytes(7000))
    device.write(first, older)
    before = contents(f2fskit, device)
    assert len(before) > FILES
    f2fskit.check(device, repair=True)
    assert f2fskit.check(device).found == 0
    assert before <= contents(f2fskit, device)
