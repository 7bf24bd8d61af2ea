# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole blocks written over others of their kind: a repair keeps what could be read, and makes no names."""
import dataclasses
import itertools
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "campaign"))

FOOTER = 24     # bytes of a node's footer
ENCRYPTED = ("seed:encrypted", "seed:encrypted-casefold")


@dataclasses.dataclass
class Copied:
    """Block `source` is written over block `target`, or both change places."""

    source: int
    target: int
    size: int
    swaps: bool = False
    keeps_footer: bool = False
    kind: str = "block"
    order: int = 2

    @property
    def id(self):
        return "%d over %d" % (self.source, self.target)

    def apply(self, device, seals):
        old = device.read(self.target * self.size, self.size)
        length = self.size - FOOTER if self.keeps_footer else self.size
        device.write(self.target * self.size, device.read(self.source * self.size, length))
        if self.swaps:
            device.write(self.source * self.size, old)


@pytest.fixture(scope="module")
def beds(f2fskit):
    import sweep_beds

    made = sweep_beds.Beds(["ours:plain", *ENCRYPTED])
    yield made
    made.close()


def test_blocks_of_a_directory(beds, f2fskit):
    """Each name of a copied block is there twice, for the same inode: the copies go, and no name gets another inode."""
    import sweep_judge

    whole, _, seals = beds.get("ours:plain")
    with f2fskit.open(whole.subject.bases[0]) as volume:
        blocks = whole.subject.places.blocks_of(volume.lookup("/many"))
    assert len(blocks) > 3
    for source, target in itertools.permutations(blocks, 2):
        result = sweep_judge.one(whole, Copied(source, target, whole.subject.places.size), seals)
        assert (result["wrong"], result["strange"], result["state"]) == ({}, [], "REPAIRED"), result
        assert "DENTRY_TWICE" in result["found"] and "DENTRY_TARGET" not in result["found"]


@pytest.mark.parametrize("name", ENCRYPTED)
def test_inodes_of_encrypted_directories(beds, name):
    """A block that is all of another inode is that one, wherever it is. No repair fails for want of a key."""
    import sweep_judge

    whole, _, seals = beds.get(name)
    inodes, size = whole.subject.places.inodes[:5], whole.subject.places.size
    for source, target in itertools.permutations(inodes, 2):
        for swaps in (False, True)[:1 + (source < target)]:
            result = sweep_judge.one(whole, Copied(source, target, size, swaps), seals)
            assert (result["wrong"], result["state"]) == ({}, "REPAIRED"), result
            assert result["files_hurt"] == 0 or not swaps, result


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_root_takes_no_names(beds, name):
    """Without the key of the root a repair gives no names to lost inodes. It says so, and repairs the rest."""
    import sweep_judge

    whole, _, seals = beds.get(name)
    root, states = whole.subject.places.root, set()
    for source in whole.subject.places.inodes:
        if source != root:
            result = sweep_judge.one(whole, Copied(source, root, whole.subject.places.size, keeps_footer=True), seals)
            assert result["wrong"] == {}, result
            states.add(result["state"])
    assert states <= {"LEFT", "REPAIRED"} and "LEFT" in states


def names_of(f2fskit, device):
    with f2fskit.open(device) as volume:
        return {(path, entry.ino) for path, entry in volume.scan("/")}


def test_moved_blocks_of_hard_links(f2fskit):
    """Three blocks of a directory are in each other's places, and another block was copied. Only the copy has names too many."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, overwrite=True)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/first").write_bytes(b"contents")
        for name, count in (("/links", 500), ("/few", 50)):
            volume.path(name).mkdir()
            for i in range(count):
                volume.path("%s/%03d%s" % (name, i, "n" * 30)).hardlink_to("/first")
        volume.commit()
        links, few = ([extent.addr + i for extent in volume.lookup(name).extents() if extent.kind.name == "DATA"
                       for i in range(extent.count)] for name in ("/links", "/few"))
    blocks, wanted = [device.read(block * 4096, 4096) for block in links[:6]], names_of(f2fskit, device)
    for to, block in ((1, 2), (2, 4), (4, 1)):
        device.write(links[to] * 4096, blocks[block])
    device.write(few[-1] * 4096, blocks[1])
    wanted &= names_of(f2fskit, device)
    f2fskit.check(device, repair=True)
    assert f2fskit.check(device).found == 0
    assert wanted <= names_of(f2fskit, device)
