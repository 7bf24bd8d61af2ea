# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two blocks hold each other's contents, and the repair may not touch the inode of one of them. It writes both blocks, or none."""
import pytest

from lost_bed import BLOCK, MIB, bed  # noqa: F401  (fixture)

I_UID, WRONG = 4, b"\x55\xaa\x33"       # several bits: one alone would be found by the checksum


def damage(bed, left):
    """Exchange an inode and the entries of its directory. The inode of `left` has a wrong checksum."""
    with bed.open("r+") as volume:
        volume.path("/dir").mkdir()
        for i in range(300):
            volume.path("/dir/file-%03d" % i).write_bytes(b"%d" % i)
    with bed.open() as volume:
        entries = next(iter(volume.lookup("/dir").extents())).addr * BLOCK
    inode = bed.at("/dir/file-007")
    bed.device.write(bed.at(left) + I_UID, WRONG)
    held = [bed.device.read(at, BLOCK) for at in (entries, inode)]
    for at, other in zip((inode, entries), held):
        bed.device.write(at, other)


def is_whole(volume):
    return all(volume.path("/dir/file-%03d" % i).read_bytes() == b"%d" % i for i in range(300))


def test_the_inode_is_written(bed, f2fskit):
    """It gets another place, and with it a right checksum."""
    bed = bed(features=["extra_attr", "inode_checksum"])
    damage(bed, "/dir/file-007")
    report = f2fskit.check(bed.device, repair=True, except_="INODE_CHECKSUM")
    assert {problem.name for problem in report.problems} == {"BLOCKS_EXCHANGED", "INODE_CHECKSUM"} and report.left == 0
    with bed.open() as volume:
        assert is_whole(volume) and volume.lookup("/dir/file-007").stat().st_uid == int.from_bytes(WRONG, "little")


def test_the_directory_cannot_be_opened(bed, f2fskit):
    bed = bed(features=["extra_attr", "inode_checksum"])
    damage(bed, "/dir")
    before = bed.device.read(0, 64 * MIB)
    with pytest.raises(f2fskit.CorruptError, match="INODE_CHECKSUM"):
        f2fskit.check(bed.device, repair=True, except_="INODE_CHECKSUM")
    assert bed.device.read(0, 64 * MIB) == before
    assert bed.repair() == {"BLOCKS_EXCHANGED", "INODE_CHECKSUM"}
    with bed.open() as volume:
        assert is_whole(volume)


def test_power_cuts(bed, f2fskit):
    """A repair that ends after any of its writes leaves a volume of which the next one loses nothing."""
    bed = bed(features=["extra_attr", "inode_checksum"])
    damage(bed, "/dir/file-007")
    before, recorder = bed.device.fork(), bed.device.recorder()
    assert f2fskit.check(recorder, repair=True).left == 0
    writes = [record for record in recorder.records if record.kind.name == "WRITE"]
    assert len(writes) > 5
    for end in range(len(writes) + 1):
        device = before.fork()
        for record in writes[:end]:
            device.write(record.offset, record.data)
        f2fskit.check(device, repair=True)
        assert f2fskit.check(device).found == 0, end
        with f2fskit.open(device) as volume:
            assert is_whole(volume), end
