# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of metadata hold something else: a repair keeps all that the rest of the volume knows (tests/campaign/lost_blocks.py). By hand:
tests/campaign/lost-blocks."""
import os
import random
import sys

import pytest

from lost_bed import BLOCK, INLINE, LINKS, MIB, bed  # noqa: F401  (fixture)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "campaign"))
NODES = ("ours:all", "ours:several", "ours:16k", "seed:plain", "seed:features", "seed:casefold", "seed:inline-xattr")
KINDS = ("zeros", "noise", "another node")
LOST_WRITES = ("ours:plain", "ours:zoned")
DIRECTORIES = ("seed:directories", "seed:encrypted", "seed:encrypted-casefold", "seed:features")
GROUPS = ("ours:plain", "ours:16k", "seed:large-blocks", "seed:features")
SECTORS = ("ours:all", "seed:encrypted", "seed:fsync-mixed", "seed:directories")
SWAPS = ("ours:all", "ours:16k", "ours:waiting", "seed:casefold", "seed:directories", "seed:encrypted-casefold")
AGED = ("ours:plain", "ours:all", "ours:zoned")


def faults(judge, damages):
    import lost_blocks

    return {damage.id: wrong for damage in damages if (wrong := lost_blocks.one(judge, damage)["wrong"])}


@pytest.mark.parametrize("name", NODES)
def test_nodes(f2fskit, name):
    """Each node in turn, with another kind of damage than the one before it."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    blocks, chosen = {}, []
    for damage in lost_blocks.damages_of_nodes(name, whole):
        kinds = blocks.setdefault(damage.block, [])
        kinds.append(damage)
    for i, kinds in enumerate(blocks.values()):
        chosen.append(kinds[i % len(kinds)])
    assert len(chosen) > 8
    assert faults(lost_blocks.Judge(whole), chosen) == {}
    whole.subject.close()


@pytest.mark.parametrize("name", LOST_WRITES)
def test_lost_writes(f2fskit, name):
    """Each block as it was before its last write, which the device lost."""
    import lost_blocks

    whole, damages = lost_blocks.lost_writes(name)
    assert len(damages) > 100
    assert faults(lost_blocks.Judge(whole), damages) == {}
    whole.subject.close()


@pytest.mark.parametrize("name", DIRECTORIES)
def test_directories(f2fskit, name):
    """Each block of a directory. Inodes remember their names, also the ciphertext of encrypted ones."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    damages = list(lost_blocks.damages_of_directories(name, whole))
    assert damages
    assert faults(lost_blocks.Judge(whole), damages) == {}
    whole.subject.close()


def test_slots_of_removed_names(f2fskit):
    """The block of another directory has slots of removed names. A file that lacks many names for another reason gets none of them."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make("seed:directories"))
    damages = [damage for damage in lost_blocks.damages_of_directories("seed:directories", whole, 31)
               if damage.block in (5637, 5648) and damage.kind.endswith("another one")]
    assert len(damages) == 2
    assert faults(lost_blocks.Judge(whole), damages) == {}
    whole.subject.close()


@pytest.mark.parametrize("name", AGED)
def test_aged_directories(f2fskit, name):
    """Further links and names that were taken over come back from older copies (DENTRY_OLDER), and removed names do not.
    A copied block loses its entries first (DIR_COPIED)."""
    import lost_blocks

    whole, damages = lost_blocks.aged_directories(name)
    assert len(damages) > 10
    found = set()
    judge = lost_blocks.Judge(whole, has_older_directories=True)
    for damage in damages:
        result = lost_blocks.one(judge, damage)
        assert result["wrong"] == {}, damage.id
        found |= set(result["found"])
    assert {"DENTRY_OLDER", "DIR_COPIED"} <= found
    whole.subject.close()


@pytest.mark.parametrize("name", GROUPS)
def test_groups(f2fskit, name):
    """Several blocks at once. All that other blocks know comes back."""
    import lost_runs
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    judge = lost_runs.Judge(whole)
    damages = list(lost_runs.damages_of(name, whole, 0, 40))
    assert len(damages) == 120
    assert {damage.id: wrong for damage in damages if (wrong := lost_runs.one(judge, damage)["wrong"])} == {}
    whole.subject.close()


@pytest.mark.parametrize("name", SECTORS)
def test_sectors(f2fskit, name):
    """A sector of a block. No more is lost than with the block, and a repair ends."""
    import lost_sectors
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    judge, damages = lost_sectors.Judge(whole), list(lost_sectors.damages_of(name, whole))
    chosen = [damage for i, damage in enumerate(damages) if damage.order == 0 or i % 5 == 0]
    assert len(chosen) > 60
    assert faults(judge, chosen) == {}
    whole.subject.close()


@pytest.mark.parametrize("name", SWAPS)
def test_swaps(f2fskit, name):
    """Two blocks hold each other's contents. Nothing is lost."""
    import lost_blocks
    import lost_swaps
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    damages = list(lost_swaps.damages_of(name, whole, 0, 15))
    assert len(damages) > 3
    judge, found = lost_swaps.Judge(whole), set()
    for damage in damages:
        result = lost_blocks.one(judge, damage)
        assert result["wrong"] == {}, damage.id
        found |= set(result["found"])
    assert "BLOCKS_EXCHANGED" in found
    whole.subject.close()


def test_judge_notices(f2fskit, monkeypatch):
    """A repair that deletes a file with its inode would be found."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make("ours:plain"))
    judge = lost_blocks.Judge(whole)
    with f2fskit.open(whole.subject.bases[0]) as volume:
        block = volume.nat[volume.lookup("/far").number].block_addr
    damage = lost_blocks.Lost("ours:plain", block, bytes(4096), "zeros")
    found = dict(whole.look.found)
    assert judge.excess(damage, {"/far"}, found) == []
    del found["/far"]
    assert judge.excess(damage, {"/far"}, found) == ["name /far"]
    assert judge.excess(damage, {"/far", "/second"}, found) == ["/second", "name /far"]
    whole.subject.close()


def test_room_for_attributes(bed):
    """Some inodes have no room for attributes, and more pointers: by their blocks, or by their directory."""
    bed, rng = bed(), random.Random(0)
    with bed.open("r+") as volume:
        volume.path("/holes").mkdir()
        for path in ("/dense", "/holes/hole"):
            volume.path(path).write_bytes(b"")
    for path, flags in (("/dense", 0x0b), ("/holes/hole", 0x0b), ("/holes", 1)):
        at = bed.at(path) + INLINE
        bed.device.write(at, bytes([bed.device.read(at, 1)[0] & ~flags]))
    dense, hole = rng.randbytes(930 * BLOCK), rng.randbytes(BLOCK)
    with bed.open("r+") as volume:
        volume.lookup("/dense").pwrite(dense, 0)
        for block in (0, 930):
            volume.lookup("/holes/hole").pwrite(hole, block * BLOCK)
    bed.forget("/dense", "/holes/hole")
    assert "INODE_REBUILT" in bed.repair()
    with bed.open() as volume:
        assert volume.path("/dense").read_bytes() == dense
        assert volume.path("/holes/hole").read_bytes() == hole + bytes(929 * BLOCK) + hole


def test_folded_directories(bed, f2fskit):
    """A directory without blocks of its own folds names as the one above. One with blocks does as its entries say."""
    bed = bed(features=["casefold"])
    with bed.open("r+") as volume:
        for path in ("/plain", "/folded", "/folded/small", "/folded/large"):
            volume.path(path).mkdir()
            if path == "/folded":
                volume.lookup(path).set(flags=f2fskit.InodeFlag.CASEFOLD)
        volume.path("/folded/small/Name").write_bytes(bytes(5000))
        for i in range(300):
            volume.path("/plain/Name-%d" % i).write_bytes(bytes(5000))
            volume.path("/folded/large/Name-%d" % i).write_bytes(bytes(5000))
        volume.path("/plain").rename("/folded/plain")
    bed.forget("/folded/small", "/folded/large", "/folded/plain")
    assert "INODE_REBUILT" in bed.repair()
    with bed.open() as volume:
        assert volume.path("/FOLDED").exists() is False
        assert volume.path("/folded/LARGE/NAME-7").exists()
        assert volume.path("/folded/small").is_dir() and volume.lookup("/folded/small").i_flags & int(f2fskit.InodeFlag.CASEFOLD)
        assert volume.path("/folded/plain/Name-7").exists() and not volume.path("/folded/plain/NAME-7").exists()


def test_inode_with_its_nodes(bed):
    """An older copy of an inode knows where its nodes belong that are lost with it."""
    bed, contents = bed(), random.Random(1).randbytes(2800 * BLOCK)
    with bed.open("r+") as volume:
        volume.path("/large").write_bytes(contents)
    at = bed.at("/large")
    copy = bed.device.read(at, BLOCK)
    bed.forget()
    with bed.open("r+") as volume:
        volume.path("/large").chmod(0o640)
        ino = volume.lookup("/large").number
    with bed.open() as volume:
        nodes = [entry.block_addr for entry in volume.nat.used() if entry.ino == ino]
    assert len(nodes) == 3 and at // BLOCK not in nodes
    bed.device.write(at, copy)
    for block in nodes:
        bed.device.write(block * BLOCK, bytes(BLOCK))
    assert {"INODE_REBUILT", "NODE_REBUILT"} <= bed.repair()
    with bed.open() as volume:
        assert volume.path("/large").read_bytes() == contents


def test_compressed_since(bed):
    """An older copy of an inode does not know that its blocks are compressed."""
    bed = bed(features=["extra_attr", "compression"])
    with bed.open("r+") as volume:
        volume.path("/packed").write_bytes(b"")
    old_at = bed.at("/packed")
    old = bed.device.read(old_at, BLOCK)
    with bed.open("r+") as volume:
        packed = volume.lookup("/packed")
        packed.compress("lz4")
        packed.pwrite(b"all the same " * 9000, 0)
    bed.forget("/packed")
    bed.device.write(old_at, old[:INLINE] + bytes([old[INLINE] & ~0x0a]) + old[INLINE + 1:])
    bed.repair()
    with bed.open() as volume:
        assert not volume.path("/packed").exists()


def test_copy_of_another_node(bed):
    """A node of attributes had the inode's number later. It is no copy of the inode."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(b"contents")
        volume.path("/file").chmod(0o640)
        ino = volume.lookup("/file").number
    at = bed.at("/file")
    copy = bytearray(bed.device.read(at, BLOCK))
    bed.forget("/file")
    bed.device.write(at + 20 * BLOCK, bytes(copy))
    copy[0:2] = (0o100777).to_bytes(2, "little")
    copy[-20:-12] = (ino + 1).to_bytes(4, "little") + (0xfffffff8 | copy[-16] & 7).to_bytes(4, "little")
    copy[-12:-4] = (int.from_bytes(copy[-12:-4], "little") + 1).to_bytes(8, "little")
    bed.device.write(at + 21 * BLOCK, bytes(copy))
    assert "INODE_REBUILT" in bed.repair()
    with bed.open() as volume:
        assert volume.lookup("/file").mode == 0o100640
        assert volume.path("/file").read_bytes() == b"contents"


def test_copy_after_the_write_pointer(f2fskit):
    """Blocks after a zone's write pointer hold something of an unknown time. It is no copy of the inode."""
    device = f2fskit.Device.memory(192 * MIB)
    zoned = device.zoned(4 * MIB, conventional=5)
    f2fskit.mkfs(zoned, overwrite=True, zoned=True)
    with f2fskit.open(zoned, "r+") as volume:
        volume.path("/file").write_bytes(b"contents")
        volume.path("/file").chmod(0o604)
        volume.commit()
        volume.path("/file").chmod(0o640)
    with f2fskit.open(zoned) as volume:
        nat = volume.nat[volume.lookup("/file").number]
    copy = bytearray(device.read(nat.block_addr * BLOCK, BLOCK))
    copy[0:2] = (0o100777).to_bytes(2, "little")
    after = next(zone.write_pointer for zone in zoned.zones() if zone.start <= nat.block_addr * BLOCK < zone.start + zone.length)
    device.write(after + 20 * BLOCK, bytes(copy))
    device.write(nat.block_addr * BLOCK, bytes(BLOCK))
    found = {problem.name for problem in f2fskit.check(zoned, repair=True).problems}
    assert "INODE_REBUILT" in found
    with f2fskit.open(zoned) as volume:
        assert volume.lookup("/file").mode == 0o100604
    zoned.close()


def lose_root(bed):
    """Zero the block of the root directory."""
    with bed.open() as volume:
        at = [extent.addr for extent in volume.root.extents() if extent.kind.name == "DATA"]
    assert len(at) == 1
    bed.device.write(at[0] * BLOCK, bytes(BLOCK))


def names_of(bed):
    with bed.open() as volume:
        return sorted(path.name for path in volume.path("/").iterdir())


def test_removed_names(bed):
    """An older copy of the root has a name that was removed since. Which one is not known, so that none comes back."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/first").write_bytes(b"contents")
        volume.path("/second").hardlink_to("/first")
        volume.path("/third").hardlink_to("/first")
    with bed.open("r+") as volume:
        volume.path("/first").unlink()
        volume.path("/fourth").hardlink_to("/second")
    lose_root(bed)
    assert "DENTRY_OLDER" not in bed.repair()
    assert names_of(bed) == ["fourth"]
    with bed.open() as volume:
        assert volume.lookup("/fourth").stat().st_nlink == 1


def test_names_of_sound_blocks(bed):
    """A file has too few names according to i_links alone: an older name does not come back, because no block is lost."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/first").write_bytes(b"contents")
        volume.path("/second").hardlink_to("/first")
    with bed.open("r+") as volume:
        volume.path("/first").unlink()
    with bed.open("r+") as volume:
        volume.path("/other").write_bytes(b"more")
    at = bed.at("/second") + LINKS
    assert bed.device.read(at, 1) == b"\x01"
    bed.device.write(at, b"\x02")
    assert "LINKS_FILE" in bed.repair()
    assert names_of(bed) == ["other", "second"]


def test_names_taken_over(bed):
    """A file that took its name from another one remembers the name before. The older copy has both names of it."""
    bed = bed()
    with bed.open("r+") as volume:
        for name in ("saved", "linked"):
            volume.path("/" + name).write_bytes(b"old")
    with bed.open("r+") as volume:
        for name in ("saved", "linked"):
            volume.path("/new-" + name).write_bytes(b"new")
            volume.path("/new-" + name).replace("/" + name)
        volume.path("/further").hardlink_to("/linked")
    with bed.open("r+") as volume:
        volume.path("/other").write_bytes(b"other")
    lose_root(bed)
    assert "DENTRY_OLDER" in bed.repair()
    assert names_of(bed) == ["further", "linked", "other", "saved"]
    with bed.open() as volume:
        assert [volume.path("/" + name).read_bytes() for name in ("saved", "linked")] == [b"new"] * 2


def test_a_copy_of_links(bed):
    """A block with the entries of another directory is a copy. The original, whose files have further links, is none."""
    bed = bed()
    with bed.open("r+") as volume:
        for directory in ("/a", "/b"):
            volume.path(directory).mkdir()
        for i in range(300):
            volume.path("/a/name-%d" % i).write_bytes(b"%d" % i)
            volume.path("/b/name-%d" % i).hardlink_to("/a/name-%d" % i)
        volume.path("/c").mkdir()
        for i in range(300):
            volume.path("/c/file-%03d" % i).write_bytes(b"c")
    with bed.open() as volume:
        blocks = {path: [extent.addr + i for extent in volume.lookup(path).extents() if extent.kind.name == "DATA"
                         for i in range(extent.count)] for path in ("/a", "/c")}
    bed.device.write(blocks["/c"][0] * BLOCK, bed.device.read(blocks["/a"][0] * BLOCK, BLOCK))
    assert "DIR_COPIED" in bed.repair()
    with bed.open() as volume:
        for directory in ("/a", "/b", "/c"):
            assert len(list(volume.path(directory).iterdir())) == 300


def blocks_of(bed, path):
    """{offset in the file's tree: block} of the nodes of a file."""
    with bed.open() as volume:
        ino = volume.lookup(path).number
        found = [entry.block_addr for entry in volume.nat.used() if entry.ino == ino]
    return {int.from_bytes(bed.device.read((block + 1) * BLOCK - 16, 4), "little") >> 3: block for block in found}


def test_inode_with_indirect_nodes(bed):
    """The direct nodes below say by their offsets which indirect nodes there were. No pointer leads to those any more."""
    bed, rng = bed(), random.Random(2)
    parts = {at: rng.randbytes(BLOCK) for at in (0, 3000, 4000, 1500000, 2039000, 3100000)}
    with bed.open("r+") as volume:
        volume.path("/far").write_bytes(b"")
        for at, part in parts.items():
            volume.lookup("/far").pwrite(part, at * BLOCK)
    bed.forget()
    nodes = blocks_of(bed, "/far")
    above = [offset for offset in nodes if offset in (0, 3, 3 + 1019, 5 + 2 * 1018)
             or (offset > 5 + 2 * 1018 and (offset - 6 - 2 * 1018) % 1019 == 0)]
    assert len(nodes) == 10 and len(above) == 5
    for offset in above:
        bed.device.write(nodes[offset] * BLOCK, bytes(BLOCK))
    assert {"INODE_REBUILT", "NODE_REBUILT", "NODE_POINTER"} <= bed.repair()
    with bed.open() as volume:
        far = volume.lookup("/far")
        assert far.size == (max(parts) + 1) * BLOCK
        assert {at: far.read_raw(at * BLOCK, BLOCK) for at in parts} == parts


def test_inode_and_the_node_below_an_indirect_one(bed):
    """The last direct node is lost with the inode. The indirect node has its place, the summaries have its slots."""
    bed, contents = bed(), random.Random(3).randbytes(3100 * BLOCK)
    with bed.open("r+") as volume:
        volume.path("/large").write_bytes(contents)
    bed.forget()
    nodes = blocks_of(bed, "/large")
    for offset in (0, max(nodes)):
        bed.device.write(nodes[offset] * BLOCK, bytes(BLOCK))
    assert {"INODE_REBUILT", "NODE_REBUILT"} <= bed.repair()
    with bed.open() as volume:
        assert volume.path("/large").read_bytes() == contents


def test_entry_of_a_lost_inode(bed):
    """A file lacks a name, because its directory is lost. An entry of another lost file, whose number is near, is not its name."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/dir").mkdir()
        volume.path("/dir/file").write_bytes(b"contents")
        wanted = volume.lookup("/dir/file").number ^ 32
        for i in range(64):
            volume.path("/near-%d" % i).write_bytes(b"near")
        near = next(path for path in map(str, volume.path("/").iterdir()) if volume.lookup(path).number == wanted)
    bed.forget("/dir", near)
    found = bed.repair()
    assert "DENTRY_TARGET" not in found
    with bed.open() as volume:
        assert volume.path("/dir/file").read_bytes() == b"contents"
        assert not volume.path(near).exists()


def test_lost_directories_below_each_other(bed):
    """A directory has lost its names, and is below one that has lost its own name. The names return to it nevertheless."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/low").mkdir()
        volume.path("/low/file").write_bytes(b"contents")
        volume.path("/high/more").mkdir(parents=True)
        volume.path("/low").rename("/high/more/low")
    bed.forget("/high/more")
    lose_root(bed)
    bed.repair()
    with bed.open() as volume:
        assert volume.path("/high/more/low/file").read_bytes() == b"contents"
        assert not volume.path("/lost+found").exists()


def test_inode_and_name(bed, f2fskit):
    """An inode is lost with the one entry that names it. Its blocks are there under another name, and a directory keeps its names."""
    bed, contents = bed(), random.Random(4).randbytes(1000 * BLOCK)
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(contents)
        volume.path("/dir").mkdir()
        for i in range(300):
            volume.path("/dir/name-%d" % i).write_bytes(b"%d" % i)
        inos = [volume.lookup(path).number for path in ("/file", "/dir")]
    bed.forget("/file", "/dir")
    lose_root(bed)
    assert {"INODE_REBUILT", "FILE_LOST", "DIR_LOST"} <= bed.repair()
    with bed.open() as volume:
        file, folder = (volume.path("/lost+found/inode-%d" % ino) for ino in inos)
        assert file.read_bytes() == contents
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"name-%d" % i: b"%d" % i for i in range(300)}


def test_older_inode_and_name(bed):
    """An older copy of the inode remembers the name that is lost with it."""
    bed, contents = bed(), random.Random(5).randbytes(20 * BLOCK)
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(contents)
    with bed.open("r+") as volume:
        volume.path("/file").chmod(0o600)
        volume.path("/file").xattrs["user.mark"] = b"mark"
    bed.device.write(bed.at("/file"), bytes(BLOCK))
    lose_root(bed)
    assert "INODE_REBUILT" in bed.repair()
    with bed.open() as volume:
        assert volume.path("/file").read_bytes() == contents


def test_unlinked_inode_is_lost(bed):
    """Nothing comes back of a file that was unlinked while it was open."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(bytes(range(256)) * 160)
        ino = volume.lookup("/file").number
        held = volume.lookup("/file").open()
        volume.path("/file").unlink()
        volume.commit()
        at = volume.nat[ino].block_addr
        orphaned = bed.device.fork()
        held.close()
    bed.device = orphaned
    bed.device.write(at * BLOCK, bytes(BLOCK))
    bed.repair()
    with bed.open() as volume:
        assert [str(path) for path in volume.path("/").rglob("*")] == []


def test_one_name_in_a_new_lost_found(bed, f2fskit):
    """A lost directory gets its name when the one that remembers it is met, and no second one afterwards."""
    bed = bed()
    with bed.open("r+") as volume:
        volume.path("/low").mkdir()
        volume.path("/low/file").write_bytes(b"contents")
        volume.path("/top").mkdir()
        volume.path("/low").rename("/top/low")
        low, top = volume.lookup("/top/low").number, volume.lookup("/top").number
    assert low < top
    with f2fskit.fields(bed.device, "r+") as fields:
        for directory, name in ((top, "low"), (3, "top")):
            fields['dentry[%d]["%s"].ino' % (directory, name)] = "0"
            fields['dentry[%d]["%s"].used' % (directory, name)] = "0"
        fields["inode[%d].i_namelen" % top] = "0"
    found = bed.repair()
    assert "DIR_LOST" in found and "DIR_TWICE" not in found
    with bed.open() as volume:
        assert volume.path("/lost+found/inode-%d/low/file" % top).read_bytes() == b"contents"
