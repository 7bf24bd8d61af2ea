# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that end elsewhere than their blocks, as programs make them. A check finds nothing in them, though the same ends are signs of a
wrong number of pointers in an inode (lib/witness/witness_shift.c)."""
import pytest

BLOCK = 4096
MIB = 1 << 20
ROOM = 50           # pointers that the room for attributes takes
OTHER = 10          # pointers that a smaller one takes
SIZE = 5 * MIB      # some blocks of it are below nodes


def reserve(blocks):
    return lambda f2fskit, inode: inode.fallocate(SIZE, blocks * BLOCK, f2fskit.FallocateFlag.KEEP_SIZE)


def lengthen(blocks):
    return lambda f2fskit, inode: inode.truncate(SIZE + blocks * BLOCK)


@pytest.mark.parametrize("features", [[], ["extra_attr", "flexible_inline_xattr"]], ids=["plain", "flexible"])
@pytest.mark.parametrize("is_usual", [True, False], ids=["usual-room", "other-room"])
@pytest.mark.parametrize("change", [reserve(ROOM), reserve(ROOM - 1), reserve(ROOM - OTHER), reserve(1), lengthen(ROOM), lengthen(ROOM + 1)],
                         ids=["reserved", "reserved-less", "reserved-rest", "reserved-1", "longer", "longer-more"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_healthy_ends(f2fskit, features, is_usual, change, is_sparse):
    device = f2fskit.Device.memory(64 * MIB)
    f2fskit.mkfs(device, features=features)
    with f2fskit.open(device, "r+") as volume:
        inode = volume.root.create("file")
        volume.commit()
        ino = inode.stat().st_ino
    if not is_usual:
        with f2fskit.fields(device, "r+") as fields:
            if features:
                fields["inode[%d].i_inline_xattr_size" % ino] = str(OTHER)
            else:
                fields["inode[%d].i_inline" % ino] = "0"
    with f2fskit.open(device, "r+") as volume:
        inode = volume.lookup("/file")
        hole = SIZE - MIB if is_sparse else 0
        inode.pwrite(bytes(range(256)) * ((SIZE - hole) // 256), hole)
        change(f2fskit, inode)
        volume.commit()
        wanted = inode.read_bytes()
    assert [p.message for p in f2fskit.check(device).problems] == []
    with f2fskit.open(device) as volume:
        assert volume.lookup("/file").read_bytes() == wanted
