# SPDX-License-Identifier: LGPL-2.1-or-later
"""A NAT journal that claims more entries than fit. Entries with the right address of a node count. Leftovers of earlier
checkpoints after its end do not."""
import struct

import pytest


@pytest.fixture
def image(f2fskit, tmp_path):
    """A volume of which the journal moves ten files, removes one, and has leftovers after its end."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_checksum"])
    with f2fskit.open(path, "r+") as volume:
        for i in range(60):
            volume.path("/f-%d" % i).write_bytes(b"old %d" % i)
    with f2fskit.open(path) as volume:
        inos = [volume.lookup("/f-%d" % i).number for i in range(60)]
        old = [volume.nat[ino].block_addr for ino in inos]
    with f2fskit.open(path, "r+") as volume:
        for i in range(10):
            volume.path("/f-%d" % i).write_bytes(b"new %d" % i)
        volume.root.remove("f-59")
    with f2fskit.open(path) as volume:
        new = [volume.nat[ino].block_addr for ino in inos]
        assert not volume.nat_journal
    entries = [(inos[i], 0, inos[i], new[i]) for i in range(10)] + [(inos[59], 1, 0, 0)]
    entries += [(inos[20], 0, inos[20], old[21]), (inos[5], 0, inos[5], old[5]), (0xFFFFFFFF, 0, 7, 9),
                (inos[30], 0, inos[30], 77), (inos[31], 0, 0, 0)]
    with f2fskit.fields(path, "r+") as fields:
        at = fields.describe("nat_journal.count").offset
        for i in (*range(10), 59):      # the table is as it was before
            fields["nat[%d].block_addr" % inos[i]] = old[i]
            fields["nat[%d].ino" % inos[i]] = inos[i]
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(struct.pack("<H", 60000) + b"".join(struct.pack("<IBII", *entry) for entry in entries))
    return path


def test_entries_that_count(f2fskit, peer_check, image):
    found = f2fskit.check(image).problems
    assert {p.name for p in found} == {"NAT_JOURNAL"} and found[0].found == 11
    assert f2fskit.check(image, repair=True).left == 0
    with f2fskit.open(image) as volume:
        contents = {name: volume.inode(entry.ino).read_bytes() for name, entry in volume.scan("/")
                    if entry.type.name == "REGULAR"}
    assert contents == {"/f-%d" % i: (b"new %d" if i < 10 else b"old %d") % i for i in range(59)}
    peer_check(image)


def test_bad_entry_of_the_sit_journal_hides_no_other(f2fskit, tmp_path):
    """One impossible segment number drops its own entry only."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/file").write_bytes(bytes(9000))
    with f2fskit.open(path) as volume:
        entries = list(volume.sit_journal)
    with f2fskit.fields(path, "r+") as fields:
        fields["sit_journal[0].segno"] = 0xFFFFFFF0
    found, = (p for p in f2fskit.check(path).problems if p.name == "SIT_JOURNAL")
    assert len(entries) > 2 and (found.found, found.expected) == (len(entries) - 1, len(entries))
    with f2fskit.open(path) as volume:
        assert list(volume.sit_journal) == entries[1:]
