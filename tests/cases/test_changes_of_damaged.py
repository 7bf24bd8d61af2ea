# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes of a file whose pointers to nodes are wrong. The change fails or succeeds, but no other file loses anything, neither by the
change nor by the repair that follows it."""
import itertools

import pytest

BLOCK = 4096
MIB = 1 << 20
FAR = (0, 950, 1960, 3000, 1040000, 2080000)        # blocks below each pointer of an inode
POINTERS = ("i_nid[0]", "i_nid[1]", "i_nid[2]", "i_nid[3]", "i_nid[4]", "i_xattr_nid")


def fill(f2fskit, device):
    """Two files with nodes of every kind and an attribute too large for the inode, and a small one."""
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for number, name in enumerate(("victim", "other")):
            inode = volume.root.create(name)
            for block in FAR:
                inode.pwrite(bytes([number + 1]) * BLOCK + b"%d" % block, block * BLOCK)
            inode.xattrs["user.large"] = name.encode() * 200
        volume.path("/small").write_bytes(b"small" * 1000)
        volume.commit()


def look(f2fskit, device):
    """Pieces and attributes of all files but the victim."""
    found = {}
    with f2fskit.open(device) as volume:
        for name in ("other", "small"):
            inode = volume.lookup("/" + name)
            with inode.open() as file:
                for block in FAR if name == "other" else (0,):
                    file.seek(block * BLOCK)
                    found[name, block] = file.read(2 * BLOCK)
            found[name, "attributes"] = dict(inode.xattrs)
    return found


CHANGES = {
    "unlink": lambda volume, inode: volume.path("/victim").unlink(),
    "truncate": lambda volume, inode: inode.truncate(0),
    "cut": lambda volume, inode: inode.truncate(1500 * BLOCK),
    "write": lambda volume, inode: [inode.pwrite(b"new" * 3000, block * BLOCK) for block in FAR],
    "set": lambda volume, inode: inode.xattrs.__setitem__("user.large", b"new" * 300),
    "remove": lambda volume, inode: inode.xattrs.__delitem__("user.large"),
    "unlink-open": lambda volume, inode: (inode.open(), volume.path("/victim").unlink()),
}


@pytest.fixture(scope="module")
def base(f2fskit):
    device = f2fskit.Device.memory(64 * MIB)
    fill(f2fskit, device)
    return device, look(f2fskit, device)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("pointer", POINTERS)
def test_others_stay(f2fskit, base, pointer, change):
    device, wanted = base
    with f2fskit.open(device) as volume:
        inos = [volume.lookup("/" + name).stat().st_ino for name in ("victim", "other", "small")]
    with f2fskit.fields(device) as fields:
        targets = [inos[1], inos[2], *(int(fields["inode[%d].%s" % (inos[1], other)]) for other in POINTERS)]
        targets += [int(fields["inode[%d].%s" % (inos[0], other)]) for other in POINTERS if other != pointer]
    tried = 0
    for target, fields_of in itertools.product(targets, ("inode[%d]" % inos[0],)):
        damaged = device.overlay()
        with f2fskit.fields(damaged, "r+") as fields:
            fields["%s.%s" % (fields_of, pointer)] = str(target)
        try:
            with f2fskit.open(damaged, "r+") as volume:
                CHANGES[change](volume, volume.lookup("/victim"))
                volume.commit()
        except (f2fskit.Error, OSError):
            tried += 1
        assert look(f2fskit, damaged) == wanted, (pointer, target)
        f2fskit.check(damaged, repair=True)
        assert look(f2fskit, damaged) == wanted, (pointer, target)
        damaged.close()
    assert tried > 0 or change in ("cut", "write", "set", "remove", "truncate")


# ---- slots that point to blocks of others

SMALL_MIB = 56


def blocks_of(f2fskit, device, name):
    """The number of a file, and the addresses of its first block and of a later one, which has a node of its own."""
    with f2fskit.open(device) as volume:
        inode = volume.lookup("/" + name)
        data = {extent.file_block: extent.addr for extent in inode.extents() if extent.addr}
        return inode.number, {block: data[block] for block in (0, 950)}


def fill_up(f2fskit, device):
    """Write into every free block, holes of old segments among them."""
    with f2fskit.open(device, "r+") as volume:
        volume.configure(logging="threaded")
        try:
            for i in range(SMALL_MIB):
                volume.path("/full-%d" % i).write_bytes(b"full" * (MIB // 4))
                volume.commit()
        except f2fskit.NospcError:
            volume.rollback()


SLOT_CHANGES = {
    "unlink": lambda f2fskit, volume, inode: volume.path("/victim").unlink(),
    "truncate": lambda f2fskit, volume, inode: inode.truncate(0),
    "punch": lambda f2fskit, volume, inode: inode.fallocate(
        0, 1000 * BLOCK, f2fskit.FallocateFlag.PUNCH_HOLE | f2fskit.FallocateFlag.KEEP_SIZE),
    "zero": lambda f2fskit, volume, inode: [
        inode.fallocate(block * BLOCK, 2 * BLOCK, f2fskit.FallocateFlag.ZERO_RANGE) for block in (0, 950)],
    "write": lambda f2fskit, volume, inode: [inode.pwrite(b"new!" * (BLOCK // 4), block * BLOCK) for block in (0, 950)],
    "part": lambda f2fskit, volume, inode: [inode.pwrite(b"new", block * BLOCK + 5) for block in (0, 950)],
    "in-place": lambda f2fskit, volume, inode: (volume.configure(in_place=True), [
        inode.pwrite(b"new!" * (40 * BLOCK // 4), block * BLOCK) for block in (0, 950)]),
    "collapse": lambda f2fskit, volume, inode: inode.fallocate(0, BLOCK, f2fskit.FallocateFlag.COLLAPSE_RANGE),
}


@pytest.fixture(scope="module")
def small_base(f2fskit):
    device = f2fskit.Device.memory(SMALL_MIB * MIB)
    fill(f2fskit, device)
    return device, look(f2fskit, device)


@pytest.mark.parametrize("change", SLOT_CHANGES)
@pytest.mark.parametrize("block", (0, 950))
def test_blocks_of_others_stay(f2fskit, small_base, block, change):
    """The wrong slot points to a block of data, to a node, or to a block of another slot of the same file."""
    device, wanted = small_base
    (victim, own), (other, others) = (blocks_of(f2fskit, device, name) for name in ("victim", "other"))
    with f2fskit.fields(device) as fields:
        node = victim if block == 0 else int(fields["inode[%d].i_nid[0]" % victim])
        targets = [others[0], others[950], int(fields["nat[%d].block_addr" % other]), own[950 - block]]
        with f2fskit.open(device) as volume:
            first = 0 if block == 0 else volume.geometry.addrs_per_inode - 50       # slots of inline attributes
        slot = "inode[%d].i_addr[0]" % node if block == 0 else "node[%d].addr[%d]" % (node, block - first)
        old = int(fields[slot])
    assert old == own[block]
    for target in targets:
        damaged = device.overlay()
        with f2fskit.fields(damaged, "r+") as fields:
            fields[slot] = str(target)
        with pytest.raises(f2fskit.CorruptError) as refused:
            with f2fskit.open(damaged, "r+") as volume:
                SLOT_CHANGES[change](f2fskit, volume, volume.lookup("/victim"))
                volume.commit()
        if target == own[950 - block] and refused.value.rule == "SIT_COUNT":
            continue        # its own slot came first
        assert refused.value.rule == "NODE_SHARED" and refused.value.block == target and "fsck.f2fs" in str(refused.value)
        fill_up(f2fskit, damaged)
        assert look(f2fskit, damaged) == wanted
        f2fskit.check(damaged, repair=True)
        assert look(f2fskit, damaged) == wanted
        damaged.close()


def test_a_wrong_summary_forbids_nothing(f2fskit, small_base):
    """The owner that a summary names does not point to the block: the file may free it."""
    device, wanted = small_base
    (victim, own), (other, _) = (blocks_of(f2fskit, device, name) for name in ("victim", "other"))
    damaged = device.overlay()
    with f2fskit.open(damaged) as volume:
        segment, offset = divmod(own[0] - volume.geometry.main_blkaddr, 512)
    with f2fskit.fields(damaged, "r+") as fields:
        fields["ssa[%d][%d].nid" % (segment, offset)] = str(other)
    with f2fskit.open(damaged, "r+") as volume:
        volume.path("/victim").unlink()
        volume.commit()
    assert look(f2fskit, damaged) == wanted


# ---- entries that name inodes of others

NAMES = ("/victim", "/other", "/folder/below", "/symlink", "/empty")


def name_state(f2fskit, device):
    """{path: (inode number, contents)}"""
    with f2fskit.open(device) as volume:
        return {path: (entry.ino, volume.path(path).read_bytes() if volume.path(path).is_file(follow_symlinks=False) else None)
                for path, entry in volume.scan("/")}


@pytest.fixture(scope="module", params=(0, 300))
def names_base(f2fskit, request):
    """Names in an inline directory, and in one of blocks."""
    device = f2fskit.Device.memory(SMALL_MIB * MIB)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/folder").mkdir()
        for path in NAMES[:3]:
            volume.path(path).write_bytes(path.encode() * 2000)
        volume.path("/symlink").symlink_to("target" * 30)
        volume.path("/empty").mkdir()
        for i in range(request.param):
            volume.path("/fill-%d" % i).write_bytes(b"")
    return device, name_state(f2fskit, device)


def exchange(volume, name, to):
    """Exchange two names of the root, or one of the root and one below it."""
    folder, _, name_there = to.rpartition("/")
    volume.root.rename(name, volume.lookup("/" + folder), name_there, EXCHANGE)


EXCHANGE = 2        # F2FS_RENAME_EXCHANGE
NAME_CHANGES = {
    "unlink": lambda volume: volume.path("/victim").unlink(),
    "rename": lambda volume: volume.path("/victim").rename("/folder/new"),
    "replace": lambda volume: (volume.path("/new").write_bytes(b"new"), volume.path("/new").replace("/victim")),
    "exchange": lambda volume: exchange(volume, "victim", "folder/below"),
}


@pytest.mark.parametrize("change", NAME_CHANGES)
@pytest.mark.parametrize("target", NAMES[1:])
def test_inodes_of_others_stay(f2fskit, names_base, target, change):
    device, wanted = names_base
    damaged = device.overlay()
    with f2fskit.fields(damaged, "r+") as fields:
        fields['dentry[3]["victim"].ino'] = str(wanted[target][0])
    with pytest.raises(f2fskit.CorruptError) as refused:
        with f2fskit.open(damaged, "r+") as volume:
            NAME_CHANGES[change](volume)
            volume.commit()
    assert refused.value.rule == "DENTRY_OWNER" and refused.value.nid == wanted[target][0] and "fsck.f2fs" in str(refused.value)
    f2fskit.check(damaged, repair=True)
    assert name_state(f2fskit, damaged) == wanted


def relinked(volume):
    volume.path("/again").hardlink_to("/victim")
    volume.path("/again").unlink()


def exchanged(volume):
    exchange(volume, "victim", "other")


@pytest.mark.parametrize("before", (relinked, exchanged, lambda volume: volume.path("/folder/below").replace("/victim")))
@pytest.mark.parametrize("is_stale", (False, True))
def test_names_that_an_inode_does_not_remember(f2fskit, names_base, before, is_stale):
    """Linux keeps the old name in an inode that replaces another one. Such names can be changed."""
    device, _ = names_base
    layer = device.overlay()
    with f2fskit.open(layer, "r+") as volume:
        before(volume)
        ino = volume.lookup("/victim").number
    if is_stale:
        with f2fskit.fields(layer, "r+") as fields:
            fields["inode[%d].i_name" % ino], fields["inode[%d].i_namelen" % ino] = '"gone"', "4"
    with f2fskit.open(layer, "r+") as volume:
        volume.path("/victim").rename("/folder/moved")
        volume.path("/folder/moved").unlink()
        volume.commit()
    assert "/folder/moved" not in name_state(f2fskit, layer)


# ---- slots of names that are only marked as free

def test_marked_slots_stay(f2fskit, names_base):
    """Nothing but its slots says that a file has a second name: new names leave them alone, and a repair takes them back."""
    device, _ = names_base
    layer = device.overlay()
    with f2fskit.open(layer, "r+") as volume:
        volume.path("/second").hardlink_to("/victim")
    wanted = name_state(f2fskit, layer)
    with f2fskit.fields(layer, "r+") as fields:
        fields['dentry[3]["second"].used'] = "0"
    with f2fskit.open(layer, "r+") as volume:
        for i in range(9):
            volume.path("/new-%d" % i).write_bytes(b"")
    f2fskit.check(layer, repair=True)
    found = name_state(f2fskit, layer)
    assert {path: state for path, state in found.items() if not path.startswith("/new-")} == wanted


def test_removed_names_give_their_slots_back(f2fskit):
    """Names that come and go take no more room, neither of one inode nor of many."""
    device = f2fskit.Device.memory(SMALL_MIB * MIB)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/folder").mkdir()
        volume.path("/file").write_bytes(b"x")
        for i in range(600):
            name = "/folder/name-%d" % (i % 3)
            volume.path(name).hardlink_to("/file") if i % 2 else volume.path(name).write_bytes(b"y")
            volume.path(name).unlink()
        assert volume.lookup("/folder").stat().st_size < BLOCK
    assert f2fskit.check(device).found == 0


def test_recovery_frees_no_block_of_another_file(f2fskit):
    """A pointer leads to another file's block, and an fsynced write replaced it. The recovery refuses; a repair keeps both."""
    device = f2fskit.Device.memory(64 * MIB)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for name in ("victim", "other"):
            volume.path("/" + name).write_bytes(name.encode() * BLOCK)
    with f2fskit.open(device, "r+") as volume:
        victim, other = (volume.lookup("/" + name).number for name in ("victim", "other"))
        inode = volume.lookup("/victim")
        inode.pwrite(b"new" * 1000, 0)
        inode.fsync()
        volume.rollback()
    with f2fskit.fields(device, "r+") as fields:
        fields["inode[%d].i_addr[0]" % victim] = int(fields["inode[%d].i_addr[0]" % other])
    with pytest.raises(f2fskit.CorruptError, match="NODE_SHARED"):
        f2fskit.open(device, recover="apply")
    f2fskit.check(device, repair=True)
    with f2fskit.open(device) as volume:
        assert volume.path("/other").read_bytes() == b"other" * BLOCK
        assert volume.path("/victim").read_bytes()[:3000] == b"new" * 1000
