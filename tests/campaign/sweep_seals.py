# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checksums of the format, written down a second time: a sweep makes them right after a change. seals() fails where they do not
give what an undamaged volume holds."""
import struct
import zlib

import f2fskit

MAGIC = 0xF2F52010
MASK = 0xFFFFFFFF
HEAD = 360                  # bytes of an inode before its extra attributes
INODE = f2fskit.structs["inode"].fields
EXTRA = f2fskit.structs["inode_extra"].fields
CHECKPOINT = f2fskit.structs["checkpoint"].fields
SUPERBLOCK = f2fskit.structs["superblock"].fields


def crc(seed, data):
    """CRC-32 as the kernel has it: without turning the bits over before and after."""
    return ~zlib.crc32(data, ~seed & MASK) & MASK


def word(data, at):
    return struct.unpack_from("<I", data, at)[0]


class Seals:
    """Makes the checksum of a structure right. A seal is (kind, byte of the structure on the volume)."""

    def __init__(self, volume):
        superblock = volume.superblock
        self.size = volume.block_size
        self.features = volume.features
        self.seed = crc(MASK, superblock.uuid.bytes)

    def superblock(self, raw):
        """The place of the checksum and its value; None: it has none."""
        if not self.features & f2fskit.Feature.SB_CHECKSUM:
            return None
        at = SUPERBLOCK["crc"].offset
        return at, crc(MAGIC, raw[:at])

    def checkpoint(self, raw):
        at = word(raw, CHECKPOINT["checksum_offset"].offset)
        if not 192 <= at <= self.size - 4:
            return None
        return at, crc(crc(MAGIC, raw[:at]), raw[at + 4:])

    def inode(self, raw):
        at, end = HEAD + EXTRA["i_inode_checksum"].offset, EXTRA["i_inode_checksum"].offset + 4
        if not self.features & f2fskit.Feature.INODE_CHECKSUM or not raw[INODE["i_inline"].offset] & 0x20 \
                or struct.unpack_from("<H", raw, HEAD)[0] < end:
            return None
        start, generation = self.size - 20, INODE["i_generation"].offset
        value = crc(crc(self.seed, raw[start:start + 4]), raw[generation:generation + 4])
        return at, crc(value, raw[:at] + bytes(4) + raw[at + 4:])

    def length(self, kind):
        return 3072 if kind == "superblock" else self.size

    def close(self, device, seal):
        """Compute and write the checksum of a structure."""
        kind, start = seal
        found = getattr(self, kind)(device.read(start, self.length(kind)))
        if found:
            device.write(start + found[0], struct.pack("<I", found[1]))

    def is_right(self, device, seal):
        """Whether the structure has a checksum; AssertionError: it is another than ours."""
        kind, start = seal
        raw = device.read(start, self.length(kind))
        found = getattr(self, kind)(raw)
        assert found is None or word(raw, found[0]) == found[1], "%s at %d has another checksum" % seal
        return found is not None
