# SPDX-License-Identifier: LGPL-2.1-or-later
"""Direct nodes are lost together with all pointers to them. Their blocks become files in lost+found, if nothing
shows their place."""
import random

import pytest

from lost_bed import BLOCK, bed  # noqa: F401  (fixture)

NODE = 1018                 # blocks of a direct node


def contents_of(blocks):
    return random.Random(blocks).randbytes(blocks * BLOCK)


def fill(bed, blocks, path="/file"):
    with bed.open("r+") as volume:
        volume.path(path).write_bytes(contents_of(blocks))
    bed.forget()
    return nodes_of(bed, path)


def nodes_of(bed, path):
    """{offset in the file's tree: (nid, block)} of a file."""
    with bed.open() as volume:
        ino = volume.lookup(path).number
        found = [(entry.nid, entry.block_addr) for entry in volume.nat.used() if entry.ino == ino]
    return {int.from_bytes(bed.device.read((block + 1) * BLOCK - 16, 4), "little") >> 3: (nid, block) for nid, block in found}


def lose(bed, nodes, *offsets):
    for offset in offsets:
        bed.device.write(nodes[offset][1] * BLOCK, bytes(BLOCK))


def everything(bed):
    """{path: contents} of all files."""
    with bed.open() as volume:
        return {path: volume.path(path).read_bytes() for path, entry in volume.scan("/") if entry.type.name == "REGULAR"}


# blocks of the file, offsets of the lost nodes, pointers of the inode that hold something else
PLACED = {
    "the only gap": (2800, (0, 1), {}),
    "after the last node": (2800, (0, 2), {}),
    "a full one before another": (2800, (0, 1, 2), {}),
    "all nodes of a small file": (1500, (0, 1), {}),
    "below an indirect node": (3000, (3, 4), {}),
    "the first below an indirect node": (4000, (3, 4), {}),
    "the last below an indirect node": (4000, (3, 5), {}),
    "all below an indirect node": (4000, (3, 4, 5), {}),
    "a pointer that is zero": (2800, (1,), {0: 0}),
    "a pointer to something else": (2800, (2,), {1: 3}),
}


SUMS = ("extra_attr", "inode_checksum")     # a wrong pointer under a checksum would be a damaged inode


@pytest.mark.parametrize("kind,features", [*((kind, ()) for kind in PLACED), *((kind, SUMS) for kind in PLACED if not PLACED[kind][2])])
def test_placed(bed, kind, features):
    """One place in the file is left for each node."""
    blocks, offsets, pointers = PLACED[kind]
    bed = bed(features=features)
    nodes = fill(bed, blocks)
    lose(bed, nodes, *offsets)
    point(bed, nodes, pointers)
    found = bed.repair()
    assert "NODE_REBUILT" in found and "NODE_UNPLACED" not in found
    assert everything(bed) == {"/file": contents_of(blocks)}


def point(bed, nodes, pointers):
    """Set pointers of an inode to nodes."""
    for i, nid in pointers.items():
        bed.device.write((nodes[0][1] + 1) * BLOCK - 24 - 20 + i * 4, nid.to_bytes(4, "little"))


def fill_parts(bed, parts, size):
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(b"")
        for at, part in parts.items():
            volume.lookup("/file").pwrite(part, at * BLOCK)
        volume.lookup("/file").truncate(size * BLOCK)
    bed.forget()
    return nodes_of(bed, "/file")


def test_holes_beside(bed):
    """Where there are holes, too, the node may have been in any of several places."""
    bed, rng = bed(), random.Random(8)
    parts = {at: rng.randbytes(BLOCK) for at in (0, 1000)}
    nodes = fill_parts(bed, parts, 2800)
    lose(bed, nodes, 1)
    point(bed, nodes, {0: 0})
    assert "NODE_UNPLACED" in bed.repair()
    found = everything(bed)
    assert len(found["/file"]) == 2800 * BLOCK and found["/file"].rstrip(b"\0") == parts[0].rstrip(b"\0")
    assert parts[1000] in found["/lost+found/inode-%d-node-%d" % (nodes[0][0], nodes[1][0])]


@pytest.mark.parametrize("first", (0, 900))
def test_seams(bed, first):
    """A node with holes at its ends fits into any gap of a file whose size is lost."""
    bed, rng = bed(), random.Random(9)
    parts = {0: rng.randbytes(873 * BLOCK), max(first, 873): rng.randbytes(20 * BLOCK), 1891: rng.randbytes(BLOCK)}
    nodes = fill_parts(bed, parts, 1892)
    assert set(nodes) == {0, 1, 2}
    lose(bed, nodes, 0, 1)
    assert "NODE_UNPLACED" in bed.repair()
    kept = everything(bed)["/lost+found/inode-%d-node-%d" % (nodes[0][0], nodes[1][0])]
    assert parts[max(first, 873)] in kept


@pytest.mark.parametrize("options", ({}, {"features": ["extra_attr", "inode_checksum", "quota", "project_quota"]}))
def test_several_nodes(bed, options):
    """Two nodes of equal form: either may be the first."""
    bed = bed(**options)
    contents = contents_of(3500)
    nodes = fill(bed, 3500)
    ino = nodes[0][0]
    lose(bed, nodes, 0, 1, 2)
    assert {"INODE_REBUILT", "NODE_UNPLACED"} <= bed.repair()
    found = everything(bed)
    parts = ["/lost+found/inode-%d-node-%d" % (ino, nodes[offset][0]) for offset in (1, 2)]
    start = contents.index(found[parts[0]])
    assert start % BLOCK == 0
    assert found[parts[0]] + found[parts[1]] == contents[start:start + 2 * NODE * BLOCK]


def test_holes(bed):
    """A slot without a block stays a hole of the file."""
    bed, rng = bed(), random.Random(7)
    parts = {at: rng.randbytes(BLOCK) for at in (0, 1000, 1005, 1880)}
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(b"")
        for at, part in parts.items():
            volume.lookup("/file").pwrite(part, at * BLOCK)
    bed.forget()
    nodes = nodes_of(bed, "/file")
    lose(bed, nodes, 0, 1)
    assert "NODE_UNPLACED" in bed.repair()
    kept = everything(bed)["/lost+found/inode-%d-node-%d" % (nodes[0][0], nodes[1][0])]
    at = kept.index(parts[1000])
    assert kept[:at].strip(b"\0") == b"" and kept[at:] == parts[1000] + bytes(4 * BLOCK) + parts[1005] + kept[at + 6 * BLOCK:]
    assert kept.endswith(parts[1880]) and kept.index(parts[1880]) - at == 880 * BLOCK


def test_name_is_taken(bed):
    """An earlier repair made a file of that name."""
    bed = bed()
    nodes = fill(bed, 3500)
    name = "/lost+found/inode-%d-node-%d" % (nodes[0][0], nodes[1][0])
    with bed.open("r+") as volume:
        volume.path("/lost+found").mkdir()
        volume.path(name).write_bytes(b"earlier")
    bed.forget()
    lose(bed, nodes_of(bed, "/file"), 0, 1, 2)
    bed.repair()
    found = everything(bed)
    assert found[name] == b"earlier" and found[name + "-2"] in contents_of(3500)


def test_unlinked(bed, f2fskit):
    """Nothing is kept of a file that was unlinked while it was open."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(contents_of(3500))
        held = volume.lookup("/file").open()
        volume.path("/file").unlink()
        volume.commit()
        inos = [entry.ino for entry in volume.nat.used() if entry.ino != entry.nid]
        blocks = [entry.block_addr for entry in volume.nat.used() if entry.ino == inos[0]]
        orphaned = bed.device.fork()
        held.close()
    bed.device = orphaned
    for block in blocks:
        bed.device.write(block * BLOCK, bytes(BLOCK))
    assert "NODE_UNPLACED" not in bed.repair()
    assert everything(bed) == {}


def test_directory(bed, f2fskit):
    """Blocks of a directory are no data. The names come back from the inodes."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/dir").mkdir()
        number = volume.lookup("/dir").number
    with f2fskit.fields(bed.device, "r+") as fields:
        fields["inode[%d].i_dir_level" % number] = "10"     # the first level has 1024 buckets of two blocks
    with bed.open("r+") as volume:
        for i in range(400):
            volume.path("/dir/%d" % i).write_bytes(b"%d" % i)
    bed.forget()
    nodes = nodes_of(bed, "/dir")
    assert 2 in nodes
    lose(bed, nodes, 0, 1, 2)
    assert "NODE_UNPLACED" not in bed.repair()
    assert sorted(everything(bed).values()) == sorted(b"%d" % i for i in range(400))


def test_interrupted(bed, f2fskit):
    """A repair that ends after any of its writes leaves all blocks for the next one."""
    bed = bed()
    nodes = fill(bed, 3500)
    lose(bed, nodes, 0, 1, 2)
    before, contents = bed.device, contents_of(3500)
    blocks = {contents[i:i + BLOCK] for i in range(0, len(contents), BLOCK)}
    recorder = before.fork().recorder()
    f2fskit.check(recorder, repair=True)
    writes = [record for record in recorder.records if record.kind.name == "WRITE"]
    assert len(writes) > 10
    for count in range(len(writes) + 1):
        bed.device = before.fork()
        for record in writes[:count]:
            bed.device.write(record.offset, record.data)
        bed.repair()
        found = b"".join(everything(bed).values())
        assert blocks <= {found[i:i + BLOCK] for i in range(0, len(found), BLOCK)}, count
    recorder.close()
