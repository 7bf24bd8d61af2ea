# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first sector of an inode is lost. An older copy gives it back, and newer attributes in the other sectors stay."""
import pytest

from lost_bed import bed  # noqa: F401  (fixture)

SECTOR = 512
OLD, NEW = b"old", b"a longer and newer value"


@pytest.mark.parametrize("spill", (False, True))
def test_attributes_are_the_newer(bed, spill):
    """spill: a node holds the rest of them."""
    bed = bed(features=["extra_attr", "inode_checksum", "flexible_inline_xattr"])
    attributes = {"user.state": NEW, "user.added": NEW}
    if spill:
        attributes |= {"user.%d" % i: bytes([65 + i]) * 90 for i in range(9)}
    with bed.open("r+") as volume:
        volume.path("/file").write_bytes(b"contents " * 4000)
        volume.lookup("/file").xattrs["user.state"] = OLD
    with bed.open("r+") as volume:
        xattrs = volume.lookup("/file").xattrs
        for name, value in attributes.items():
            xattrs[name] = value
    bed.device.write(bed.at("/file"), bytes(SECTOR))
    assert "INODE_REBUILT" in bed.repair()
    with bed.open() as volume:
        assert dict(volume.lookup("/file").xattrs) == attributes
        assert volume.path("/file").read_bytes() == b"contents " * 4000
