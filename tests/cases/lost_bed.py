# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small volume in memory that can lose nodes, for tests of what a repair builds again."""
import pytest

MIB, BLOCK = 1 << 20, 4096
INLINE, LINKS = 3, 12       # offsets of i_inline and i_links in an inode


@pytest.fixture
def bed(f2fskit):
    """A small volume in memory that can lose inodes."""
    class Bed:
        def __init__(self, **options):
            self.device = f2fskit.Device.memory(64 * MIB)
            f2fskit.mkfs(self.device, overwrite=True, **options)

        def open(self, mode="r"):
            return f2fskit.open(self.device, mode)

        def at(self, path):
            with self.open() as volume:
                return volume.nat[volume.lookup(path).number].block_addr * BLOCK

        def forget(self, *paths):
            """Zero inodes and all old copies of nodes."""
            with self.open() as volume:
                used = {entry.block_addr for entry in volume.nat.used() if entry.nid > 2}
            for block in {one // 512 * 512 + i for one in used for i in range(512)} - used:
                self.device.write(block * BLOCK, bytes(BLOCK))
            for at in [self.at(path) for path in paths]:
                self.device.write(at, bytes(BLOCK))

        def repair(self):
            found = {problem.name for problem in f2fskit.check(self.device, repair=True).problems}
            assert f2fskit.check(self.device).found == 0
            return found
    return Bed
