# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged quota files are made again with all readable limits. The owners of unreadable ones are reported."""
import shutil
import struct

import pytest

USERS = {0: (0, 0, 0, 0), 1000: (10, 20, 5000, 6000), 70000: (0, 5, 0, 1 << 40), 4000000000: (7, 0, 99, 0),
         555: (1, 2, 3, 4)}     # the last one has no files
GRACE = (86400, 3600)
LEAF, ENTRY, COUNT = 16, 72, 14


def entries_of(data):
    """{id: byte of its entry} in a sound file, and the blocks of leaves."""
    found, leaves = {}, set()

    def walk(block, level):
        for i in range(256):
            below = struct.unpack_from("<I", data, block * 1024 + 4 * i)[0]
            if below and level < 3:
                walk(below, level + 1)
            elif below:
                leaves.add(below)
    walk(1, 0)
    for leaf in leaves:
        for i in range(COUNT):
            at = leaf * 1024 + LEAF + ENTRY * i
            if any(data[at:at + ENTRY]):
                found[struct.unpack_from("<I", data, at)[0]] = at
    return found, sorted(leaves)


def contents(f2fskit, path, ino):
    with f2fskit.open(path) as volume:
        return volume.inode(ino).read_bytes()


@pytest.fixture(scope="module")
def limited(f2fskit, tmp_path_factory):
    """A volume on which five users have limits."""
    path = tmp_path_factory.mktemp("quota") / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_checksum", "quota"])
    with f2fskit.open(path, "r+") as volume:
        for uid in USERS:
            volume.root.create("of-%d" % uid, uid=uid).pwrite(b"x" * 10000, 0)
    with f2fskit.open(path) as volume:
        ino = volume.superblock.qf_ino[0]
    places, _ = entries_of(contents(f2fskit, path, ino))
    with f2fskit.fields(path, "r+") as fields:
        for i, seconds in enumerate(GRACE):
            fields["file[%d].u32[%d]" % (ino, 2 + i)] = seconds
        for uid, (isoft, ihard, bsoft, bhard) in USERS.items():
            for offset, value in ((8, ihard), (16, isoft), (32, bhard), (40, bsoft)):
                fields["file[%d].u64[%d]" % (ino, (places[uid] + offset) // 8)] = value
    with f2fskit.open(path, "r+") as volume:
        volume.root.remove("of-555")
    assert f2fskit.check(path).found == 0
    return path, ino


def limits(f2fskit, path):
    with f2fskit.open(path) as volume:
        return {q.id: (q.inodes_soft, q.inodes_hard, q.space_soft_kib, q.space_hard_kib)
                for q in volume.quotas("user")}


def header(data):
    return [(0, b"\0\0\0\0")], set()


def header_is_noise(data):
    return [(0, b"\xa5" * 32)], set()


def root(data):
    return [(1024, b"\xff" * 1024)], set()


def all_of_the_tree(data):
    _, leaves = entries_of(data)
    return [(at, bytes(1024)) for at in range(1024, len(data), 1024) if at // 1024 not in leaves], set()


def count_of_a_leaf(data):
    _, leaves = entries_of(data)
    return [(leaves[0] * 1024 + 8, b"\x63")], set()


def one_limit(data):
    places, _ = entries_of(data)
    return [(1024, b"\xff" * 4), (places[1000] + 32, b"\xff" * 8)], {1000}


def the_leaf(data):
    _, leaves = entries_of(data)
    return [(leaf * 1024, b"\x77" * 1024) for leaf in leaves], set(USERS)


def one_entry(data):
    places, _ = entries_of(data)
    return [(places[70000], b"\x99" * ENTRY)], {70000}


def cut(data):
    """The header says that there is next to nothing."""
    return [(20, struct.pack("<I", 1))], set()


@pytest.mark.parametrize("hurt", [header, header_is_noise, root, all_of_the_tree, count_of_a_leaf, one_limit, the_leaf,
                                  one_entry, cut], ids=lambda f: f.__name__)
def test_limits_stay(limited, f2fskit, peer_check, tmp_path, hurt):
    image, ino = limited
    path = shutil.copy(image, tmp_path / "disk.img")
    before = limits(f2fskit, path)
    assert {uid: before[uid] for uid in USERS} == USERS
    edits, lost = hurt(contents(f2fskit, path, ino))
    with f2fskit.open(path) as volume:
        starts = [volume.inode(ino).block_addr(i) * 4096 for i in range(len(contents(f2fskit, path, ino)) // 4096 + 1)]
    with open(path, "r+b") as file:
        for at, data in edits:
            file.seek(starts[at // 4096] + at % 4096)
            file.write(data)
    report = f2fskit.check(path)
    assert "QUOTA_TREE" in {p.name for p in report.problems}
    told = {p.slot for p in report.problems if p.name == "QUOTA_LIMITS"}
    # of those who have no files nothing is known when their entry is gone with the leaf
    assert told in (lost, lost - {555}), told
    assert ("QUOTA_GRACE" in {p.name for p in report.problems}) == hurt.__name__.startswith("header")
    assert f2fskit.check(path, repair=True).left == 0
    assert f2fskit.check(path).found == 0
    after = limits(f2fskit, path)
    for uid in set(USERS) - lost:
        assert after.get(uid, (0, 0, 0, 0)) == USERS[uid], uid
    if hurt is one_limit:
        assert after[1000] == (10, 20, 5000, 0)
    grace = struct.unpack_from("<2I", contents(f2fskit, path, ino), 8)
    assert grace == ((604800, 604800) if hurt.__name__.startswith("header") else GRACE)
    peer_check(path)


def test_counts_are_corrected_as_chosen(limited, f2fskit, run_tool, tmp_path):
    """Space and inodes of several users are set right; the mark that quotas are wrong goes when nothing of them is left."""
    source, ino = limited
    path = tmp_path / "disk.img"
    shutil.copyfile(source, path)
    places, _ = entries_of(contents(f2fskit, path, ino))

    def usage():
        with f2fskit.open(path) as volume:
            marked = bool(int(volume.checkpoint.ckpt_flags) & 0x800)
            return {q.id: (q.inodes, q.space_bytes) for q in volume.quotas("user")}, marked

    right, _ = usage()
    with f2fskit.fields(path, "r+") as fields:
        for uid, (inodes, space) in {1000: (+3, -4096), 70000: (-1, +8192)}.items():
            fields["file[%d].u64[%d]" % (ino, (places[uid] + 24) // 8)] = right[uid][0] + inodes
            fields["file[%d].u64[%d]" % (ino, (places[uid] + 48) // 8)] = right[uid][1] + space
        fields["cp.ckpt_flags"] = int(fields["cp.ckpt_flags"]) | 0x800
    assert usage()[1], "the mark is set"
    run_tool("fsck.f2fs", "-f", "--except", "QUOTA_INODES", path, rc=5)
    found, marked = usage()
    assert {uid: u[1] for uid, u in found.items()} == {uid: u[1] for uid, u in right.items()}
    assert found[1000][0] == right[1000][0] + 3 and found[70000][0] == right[70000][0] - 1 and marked
    run_tool("fsck.f2fs", "-f", path, rc=1)
    assert usage() == (right, False)
    run_tool("fsck.f2fs", "-n", path)


def test_quota_file_longer_than_its_blocks(f2fskit, tmp_path):
    """The header counts the blocks. A longer size is no damage, and no change of the volume fails at it."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["quota"])
    with f2fskit.open(path) as volume:
        ino = int(volume.superblock.qf_ino[0])
    with f2fskit.fields(path, "r+") as fields:
        fields["inode[%d].i_size" % ino] = 1 << 40
    assert not f2fskit.check(path).found
    with f2fskit.open(path, "r+") as volume:
        volume.path("/file").write_bytes(bytes(9000))
    assert not f2fskit.check(path).found
