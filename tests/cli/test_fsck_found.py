# SPDX-License-Identifier: LGPL-2.1-or-later
"""What damages of volumes that the kernel wrote have shown (tests/campaign), each as a small case."""
import pytest


def small(image, f2fskit, **options):
    f2fskit.mkfs(image, 64 << 20, **options)
    with f2fskit.open(image, "r+") as volume:
        for i in range(5):
            volume.path("/file-%d" % i).write_bytes(b"%d" % i * 5000)
    with f2fskit.open(image) as volume:
        return volume.geometry, [volume.nat[nid].block_addr for nid in range(3, 9)]


def overwrite(image, block, data, offset=0):
    with open(image, "r+b") as file:
        file.seek(block * 4096 + offset)
        file.write(data)


def repaired(image, f2fskit):
    assert f2fskit.check(image, repair=True).left == 0
    assert f2fskit.check(image).found == 0
    return f2fskit.open(image)


def test_new_root_has_a_block(f2fskit, tmp_path):
    """The kernel mounts no volume whose root has no block besides its inode."""
    image = str(tmp_path / "disk.img")
    _, nodes = small(image, f2fskit)
    overwrite(image, nodes[0], bytes(4096))
    with repaired(image, f2fskit) as volume:
        assert volume.root.i_blocks >= 2
        assert {item.name for item in volume.root.iterdir()} >= {"file-%d" % i for i in range(5)}


def test_journal_with_entries_of_before(f2fskit, tmp_path):
    """A journal of wrong length names places of before, where a node may look right, as it was then."""
    image = str(tmp_path / "disk.img")
    small(image, f2fskit)
    with f2fskit.open(image) as volume:
        number = volume.path("/file-0").inode().number
        old = volume.nat[number].block_addr
    with f2fskit.open(image, "r+") as volume:
        volume.path("/file-0").write_bytes(b"new" * 5000)
        volume.path("/further").write_bytes(b"further" * 1000)
    with f2fskit.fields(image, "r+") as fields:
        fields["nat_journal.count"] = 1
        fields["nat_journal[0].nid"] = fields["nat_journal[0].ino"] = number
        fields["nat_journal[0].block_addr"] = old
    with f2fskit.open(image) as volume:
        assert volume.path("/file-0").read_bytes() != b"new" * 5000
    with repaired(image, f2fskit) as volume:
        assert volume.path("/file-0").read_bytes() == b"new" * 5000
        assert volume.path("/further").read_bytes() == b"further" * 1000


def test_entry_of_the_sit_behind_the_journal(f2fskit, tmp_path):
    """The kernel mounts no volume with a SIT entry that contradicts itself, even if the journal has another one."""
    image = str(tmp_path / "disk.img")
    small(image, f2fskit)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/further").write_bytes(b"further" * 1000)
    with f2fskit.fields(image, "r+") as fields:
        assert fields["sit_journal.count"] > 0
        segment = fields["sit_journal[0].segno"]
        for copy in (1, 2):
            fields["sit[%d,%d].vblocks" % (segment, copy)] = 77
    assert "SIT_COUNT" in {p.name for p in f2fskit.check(image).problems}
    repaired(image, f2fskit).close()


def test_node_of_no_inode_is_freed(f2fskit, tmp_path):
    """A NAT entry that names no inode: removing the file is refused as damage."""
    image = str(tmp_path / "disk.img")
    small(image, f2fskit)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/large").write_bytes(bytes(range(256)) * 40000)
        ino = volume.lookup("/large").number
    with f2fskit.open(image) as volume:
        node = next(entry.nid for entry in volume.nat.used() if entry.ino == ino != entry.nid)
    with f2fskit.fields(image, "r+") as fields:
        fields["nat[%d].ino" % node] = 0xffffffff
    with f2fskit.open(image, "r+") as volume:
        with pytest.raises(f2fskit.CorruptError, match="NAT_NID"):
            volume.path("/large").unlink()
        volume.rollback()
    with repaired(image, f2fskit) as volume:
        assert volume.path("/large").read_bytes() == bytes(range(256)) * 40000
