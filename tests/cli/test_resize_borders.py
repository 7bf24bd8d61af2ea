# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sizes at which tables and bitmaps change their shape or their place; with F2FSKIT_LONG_RUNS up to the largest that the
format has."""
import os

import pytest

MIB, GIB, TIB = 1 << 20, 1 << 30, 1 << 40
FILES = 60
# options of mkfs, sizes, and the payload blocks after the checkpoint block at each: bitmaps that do not fit into it
SMALL = [110 * GIB, 111 * GIB, TIB, 3300 * GIB, 16 * TIB - 2 * MIB, 16 * TIB]
LONG = bool(os.environ.get("F2FSKIT_LONG_RUNS"))
MOST = 64 * TIB if LONG else TIB
ROWS = [
    ({}, SMALL, [0, 1, 1, 1, 5, 5]),  # the SIT's bitmap goes there, as no node id may be lost
    ({"large_nat": True}, SMALL, [0, 0, 3, 12, 62, 62]),
    ({"block_size": 16384}, [110 * GIB, TIB, 4 * TIB, 8 * TIB, 64 * TIB], [0, 0, 0, 1, 1]),
    ({"block_size": 16384, "features": ["packed_ssa"], "large_nat": True}, [110 * GIB, TIB, 16 * TIB, 20 * TIB], [0, 0, 0, 1]),
]


def contents(i):
    return bytes([i + 1]) * (i * 7919 % 300000 + 1)


def must_hold(f2fskit, device):
    assert f2fskit.check(device).found == 0
    with f2fskit.open(device) as volume:
        assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(FILES))
        return volume.geometry


@pytest.mark.parametrize("options,sizes,payloads", ROWS)
def test_borders(f2fskit, options, sizes, payloads):
    device = f2fskit.Device.memory(sizes[-1])
    f2fskit.mkfs(device, 2 * GIB, **options)
    with f2fskit.open(device, "r+") as volume:
        for i in range(FILES):
            volume.path(f"/{i}").write_bytes(contents(i))
    before = must_hold(f2fskit, device)
    for size, payload in zip(sizes, payloads):
        if size > MOST:
            break
        f2fskit.resize(device, size)
        geo = must_hold(f2fskit, device)
        assert geo.cp_payload == payload and geo.max_nid >= before.max_nid
        assert geo.end_blkaddr * geo.block_size > size - 4 * options.get("block_size", 4096) * 512
        assert not f2fskit.resize(device, size).steps
        before = geo
    # and back, with the areas of a small volume
    least = f2fskit.resize(device, minimum=True)
    geo = must_hold(f2fskit, device)
    assert least.new_bytes == least.minimum_bytes and least.spare_segments == 0
    assert geo.cp_payload == 0 and geo.segment_count_sit == geo.segment_count_nat == 2 and geo.segment_count_ssa == 1
