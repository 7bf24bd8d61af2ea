# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that wait for recovery and are also damaged: fsynced data is recovered, and does not overwrite data that the
damage hid."""
import os
import shutil

import pytest

OLD = {"/old-%d" % i: os.urandom(40000) for i in range(20)}
SYNCED = {"/new": os.urandom(9000), "/dir/deep": os.urandom(3 << 20), "/old-1": os.urandom(70000), "/small": b"inside"}


@pytest.fixture(scope="module")
def unclean(f2fskit, tmp_path_factory):
    """A volume with files of the last checkpoint, and files that were fsynced since."""
    image = tmp_path_factory.mktemp("unclean") / "disk.img"
    f2fskit.mkfs(image, 64 << 20, features=["extra_attr", "inode_checksum", "quota"])
    with f2fskit.open(image, "r+") as volume:
        volume.root.create("dir", 0o40755)
        for path, data in OLD.items():
            volume.path(path).write_bytes(data)
    volume = f2fskit.open(image, "r+")
    for path, data in SYNCED.items():
        volume.path(path).write_bytes(data)
        volume.path(path).inode().fsync()
    volume.close()
    with f2fskit.open(image) as volume:
        assert volume.pending >= len(SYNCED)
    return image


class Hurt:
    """An image being damaged."""

    def __init__(self, path, f2fskit):
        self.path, self.f2fskit = path, f2fskit
        with f2fskit.open(path) as vol:
            self.main, self.checkpoint = vol.geometry.main_blkaddr, vol.checkpoint
            self.inos = {name: vol.lookup(name).number for name in OLD}
            self.blocks = {name: vol.lookup(name).block_addr(1) for name in OLD}
            self.nodes = {name: vol.nat[ino].block_addr for name, ino in self.inos.items()}
            self.chain = vol.recovery_plan().nodes
        self.fields = f2fskit.fields(path, "r+")

    def segment(self, name):
        return (self.blocks[name] - self.main) // 512

    def forget(self, block):
        """The SIT has a block as free, and counts so."""
        segno, offset = divmod(block - self.main, 512)
        bits = self.fields["sit[%d].valid_map[%d]" % (segno, offset // 8)]
        assert bits >> (7 - offset % 8) & 1
        self.fields["sit[%d].valid_map[%d]" % (segno, offset // 8)] = bits & ~(0x80 >> offset % 8)
        self.fields["sit[%d].valid_blocks" % segno] = "-=1"


def hidden_data(h):
    for i in range(2, 20):
        h.forget(h.blocks["/old-%d" % i])


def hidden_node(h):
    h.forget(h.nodes["/old-3"])


def hidden_segment(h):
    """A whole segment looks free."""
    for i in range(64):
        h.fields["sit[%d].valid_map[%d]" % (h.segment("/old-5"), i)] = 0
    h.fields["sit[%d].valid_blocks" % h.segment("/old-5")] = 0


def wrong_count(h):
    h.fields["sit[%d].valid_blocks" % h.segment("/old-2")] = "+=3"


def wrong_type(h):
    h.fields["sit[%d].type" % h.segment("/old-2")] = 9


def shared_block(h):
    """Two files of the last checkpoint have one block."""
    h.fields["inode[%d].i_addr[2]" % h.inos["/old-7"]] = h.blocks["/old-8"]


def log_goes_on_in_use(h):
    """By the SIT, that is."""
    segno, offset = h.checkpoint.cur_data_segno[1], h.checkpoint.cur_data_blkoff[1]
    h.fields["sit[%d].valid_map[%d]" % (segno, offset // 8)] = "|=%d" % (0x80 >> offset % 8)
    h.fields["sit[%d].valid_blocks" % segno] = "+=1"


def lost_node(h):
    """The NAT sends an old file's node to nowhere: it is searched, after the recovery."""
    h.fields["nat[%d].block_addr" % h.inos["/old-4"]] = 77


def sit_journal(h):
    h.fields["sit_journal.count"] = 60000


def circle(h):
    """The last node of the chain leads back into it."""
    h.fields["node_at[%d].footer.next_blkaddr" % h.chain[-1].addr] = h.chain[-2].addr


# Files that the damage itself may change.
MAY_CHANGE = {"shared_block": {"/old-7"}, "circle": set()}


@pytest.mark.parametrize("hurt", [hidden_data, hidden_node, hidden_segment, wrong_count, wrong_type, shared_block,
                                  log_goes_on_in_use, lost_node, sit_journal, circle], ids=lambda f: f.__name__)
def test_nothing_fsynced_is_lost(unclean, f2fskit, peer_check, tmp_path, hurt):
    path = tmp_path / "disk.img"
    shutil.copy(unclean, path)
    hurting = Hurt(path, f2fskit)
    hurt(hurting)
    hurting.fields.close()
    found = {p.name for p in f2fskit.check(path).problems}
    assert found - {"CP_PENDING"}
    report = f2fskit.check(path, repair=True)
    assert report.left == 0, report.problems
    assert found - {"CP_PENDING"} <= {p.name for p in report.problems}
    assert report.recovered_inodes == len(SYNCED)
    assert f2fskit.check(path).found == 0
    with f2fskit.open(path) as volume:
        assert volume.pending == 0
        for name, data in {**OLD, **SYNCED}.items():
            if name not in MAY_CHANGE.get(hurt.__name__, ()):
                assert volume.read_bytes(name) == data, name
    peer_check(path)


def test_damage_takes_only_its_own(unclean, f2fskit, peer_check, tmp_path):
    """The inode that one of the fsynced files had at the checkpoint is gone: the others are recovered all the same, and that one
    is built again, and then recovered, too."""
    path = tmp_path / "disk.img"
    shutil.copy(unclean, path)
    hurting = Hurt(path, f2fskit)
    hurting.fields.close()
    with open(path, "r+b") as file:
        file.seek(hurting.nodes["/old-1"] * 4096)
        file.write(bytes(4096))
    report = f2fskit.check(path, repair=True)
    assert report.left == 0 and report.recovered_inodes == len(SYNCED)
    assert f2fskit.check(path).found == 0
    with f2fskit.open(path) as volume:
        for name, data in {**OLD, **SYNCED}.items():
            assert volume.read_bytes(name) == data, name
    peer_check(path)


def test_wrong_checksums_stop_no_recovery(unclean, f2fskit, tmp_path):
    """Damage that a repair fixes in any case is fixed before the recovery begins."""
    path = tmp_path / "disk.img"
    shutil.copy(unclean, path)
    with f2fskit.open(path) as volume:
        inos = [volume.lookup(name).number for name in ("/", "/dir", "/old-1")]
    with f2fskit.fields(path, "r+", raw=True) as fields:
        for ino in inos:
            fields["inode[%d].i_inode_checksum" % ino] = "^=1"
    report = f2fskit.check(path, repair=True)
    assert "INODE_CHECKSUM" in {p.name for p in report.problems} and report.recovered_inodes == len(SYNCED)
    assert f2fskit.check(path).found == 0
    with f2fskit.open(path) as volume:
        assert all(volume.read_bytes(name) == data for name, data in {**OLD, **SYNCED}.items())


@pytest.mark.parametrize("area", ["nat", "sit"])
def test_tables_that_cannot_be_read(unclean, f2fskit, area):
    """The table that a recovery needs can be neither read nor written: the repair says so, and nothing is lost."""
    with f2fskit.Device.open(unclean) as file:
        with f2fskit.open(file) as volume:
            start, blocks = getattr(volume.geometry, area + "_blkaddr"), 512
        layer = file.overlay()
        fault = layer.fault()
        fault.set(bad_offset=start * 4096, bad_length=blocks * 4096)
        with pytest.raises(OSError):
            f2fskit.check(fault, repair=True)
        with f2fskit.open(layer, recover="view") as volume:
            assert all(volume.read_bytes(name) == data for name, data in {**OLD, **SYNCED}.items())
