# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inodes of verity files are lost. The descriptor after the contents has the size, so that the file is as before, and sealed."""
import random

import pytest

from lost_bed import BLOCK, INLINE, bed  # noqa: F401  (fixture)

FEATURES = ["extra_attr", "verity", "flexible_inline_xattr"]
SIZE = 16                   # offset of i_size in an inode
MAGIC = 0xF2F52011          # first word of the attributes
KINDS = {
    "empty": (0, {}),
    "one block": (100, {}),
    "text": (-4000, {}),
    "whole blocks": (3 * BLOCK, {}),
    "sixty-four": (65536, {}),
    "small tree blocks": (70000, {"block_size": 1024, "salt": b"salt"}),
    "sha512": (70001, {"algorithm": "sha512"}),
    "direct nodes": (2000 * BLOCK + 5, {}),
    "indirect node": (3000 * BLOCK, {}),
}


def contents_of(size):
    return b"text" * (-size // 4) if size < 0 else random.Random(size).randbytes(size)


def seal(bed, size, form):
    with bed.open("r+") as volume:
        volume.path("/sealed").write_bytes(contents_of(size))
        volume.lookup("/sealed").enable_verity(**form)
        return volume.lookup("/sealed").verity


def verified(bed, size, seal):
    """Is the file as before, and do its hashes agree?"""
    with bed.open() as volume:
        file = volume.lookup("/sealed")
        assert volume.path("/sealed").read_bytes() == contents_of(size)
        assert file.verity == seal
        file.verify_verity()


@pytest.mark.parametrize("kind", KINDS)
def test_sealed(bed, kind):
    """Without an older copy."""
    size, form = KINDS[kind]
    bed = bed(features=FEATURES)
    before = seal(bed, size, form)
    bed.forget("/sealed")
    assert {"INODE_REBUILT", "VERITY_RESTORED"} <= bed.repair()
    verified(bed, size, before)


def test_nameless(bed):
    """Its entry is lost as well."""
    bed = bed(features=FEATURES)
    before = seal(bed, 9000, {})
    with bed.open("r+") as volume:
        for i in range(300):
            volume.path("/other-%d" % i).write_bytes(b"other")
        ino = volume.lookup("/sealed").number
    with bed.open() as volume:
        root = [extent.addr + i for extent in volume.root.extents() if extent.kind.name == "DATA" for i in range(extent.count)]
    bed.forget("/sealed")
    for block in root:
        bed.device.write(block * BLOCK, bytes(BLOCK))
    assert {"INODE_REBUILT", "VERITY_RESTORED", "FILE_LOST"} <= bed.repair()
    with bed.open() as volume:
        file = volume.inode(ino)
        assert file.read_raw(0, file.size) == contents_of(9000) and file.verity == before


@pytest.mark.parametrize("is_sealed_before", (False, True))
def test_older_copy(bed, is_sealed_before):
    """The older copy is from before the file was sealed, or from after that."""
    bed = bed(features=FEATURES)
    with bed.open("r+") as volume:
        volume.path("/sealed").write_bytes(contents_of(9000))
        volume.path("/sealed").xattrs["user.mark"] = b"mark"
    if not is_sealed_before:
        bed.forget()
        older, copy = bed.at("/sealed"), bed.device.read(bed.at("/sealed"), BLOCK)
    with bed.open("r+") as volume:
        volume.lookup("/sealed").enable_verity()
    if is_sealed_before:
        bed.forget()
        older, copy = bed.at("/sealed"), bed.device.read(bed.at("/sealed"), BLOCK)
    with bed.open("r+") as volume:
        volume.path("/sealed").chmod(0o640)
        before = volume.lookup("/sealed").verity
    bed.forget("/sealed")
    bed.device.write(older, copy)
    found = bed.repair()
    assert "INODE_REBUILT" in found and ("VERITY_RESTORED" in found) != is_sealed_before
    verified(bed, 9000, before)
    with bed.open() as volume:
        assert volume.path("/sealed").xattrs["user.mark"] == b"mark"


def make_narrow(bed):
    """An empty file without room for attributes in its inode."""
    with bed.open("r+") as volume:
        volume.path("/sealed").write_bytes(b"")
    at = bed.at("/sealed") + INLINE
    bed.device.write(at, bytes([bed.device.read(at, 1)[0] & ~0x0b]))
    with bed.open("r+") as volume:
        volume.lookup("/sealed").pwrite(contents_of(930 * BLOCK), 0)


def test_attributes_in_a_node(bed):
    """The node of attributes is there, and has the place of the descriptor."""
    bed = bed(features=["verity"])
    make_narrow(bed)
    with bed.open("r+") as volume:
        volume.lookup("/sealed").enable_verity()
        before = volume.lookup("/sealed").verity
    bed.forget("/sealed")
    assert {"INODE_REBUILT", "VERITY_RESTORED"} <= bed.repair()
    verified(bed, 930 * BLOCK, before)


def test_no_room_for_the_place(bed):
    """The node of attributes is lost with the inode. The size is right, and nothing protects the file."""
    bed = bed(features=["verity"])
    make_narrow(bed)
    with bed.open("r+") as volume:
        volume.lookup("/sealed").enable_verity()
        ino = volume.lookup("/sealed").number
    with bed.open() as volume:
        attributes = [entry.block_addr for entry in volume.nat.used() if entry.ino == ino
                      and bed.device.read(entry.block_addr * BLOCK, 4) == MAGIC.to_bytes(4, "little")]
    assert len(attributes) == 1
    bed.forget("/sealed")
    bed.device.write(attributes[0] * BLOCK, bytes(BLOCK))
    assert {"INODE_REBUILT", "VERITY_RESTORED"} <= bed.repair()
    with bed.open() as volume:
        assert volume.path("/sealed").read_bytes() == contents_of(930 * BLOCK)
        assert not volume.lookup("/sealed").is_verity


@pytest.mark.parametrize("change", ("size", "place", "later"))
def test_contents_like_a_descriptor(bed, change):
    """Contents that look like a descriptor, and are not in the place of one, stay contents."""
    bed = bed(features=FEATURES)
    seal(bed, 9000, {})
    with bed.open() as volume:
        before = volume.lookup("/sealed").verity
        raw = bytearray(volume.lookup("/sealed").read_raw(before.descriptor_offset, 256))
    if change == "size":
        raw[8:16] = (70000).to_bytes(8, "little")
    at = before.descriptor_offset + {"size": 0, "place": BLOCK, "later": 0}[change]
    with bed.open("r+") as volume:
        volume.path("/plain").write_bytes(bytes(at) + raw + b"\1" * (BLOCK * 9 if change == "later" else 0))
    bed.forget("/plain")
    found = bed.repair()
    assert "INODE_REBUILT" in found and "VERITY_RESTORED" not in found
    with bed.open() as volume:
        assert not volume.lookup("/plain").is_verity and volume.lookup("/plain").size > at
