# SPDX-License-Identifier: LGPL-2.1-or-later
"""Breaking a volume on purpose, by the names of fields: positions come from the volume's tables, offsets from the field
tables of the format."""
import struct

import volumes

SEGMENT = 512


class Damage:
    """An image that may be changed. Positions are those of the volume as it was opened."""

    def __init__(self, path, f2fskit):
        self.path, self.f2fskit = str(path), f2fskit
        with f2fskit.open(self.path) as vol:
            self.geo = vol.geometry
            self.bs = vol.block_size
            self.pack, self.cp = vol.checkpoint_pack, vol.checkpoint
            self.cp_raw = bytearray(vol.checkpoint_raw)[:self.bs]
        self.raw = volumes.Raw(self.path) if self.bs == 4096 else None

    # bytes

    def read(self, at, n):
        with open(self.path, "rb") as f:
            f.seek(at)
            return f.read(n)

    def write(self, at, data):
        volumes.patch(self.path, at, data)

    def field(self, kind, name):
        return self.f2fskit.structs[kind].fields[name]

    def get(self, kind, name, at, index=0):
        field = self.field(kind, name)
        size = struct.calcsize("<" + field.code)
        return struct.unpack("<" + field.code, self.read(at + field.offset + index * size, size))[0]

    def set(self, kind, name, at, value, index=0):
        field = self.field(kind, name)
        if field.code == "s":
            self.write(at + field.offset, value)
        else:
            size = struct.calcsize("<" + field.code)
            self.write(at + field.offset + index * size, struct.pack("<" + field.code, value))

    # places, in bytes

    def ino(self, path):
        with self.f2fskit.open(self.path) as vol:
            return vol.lookup(path, follow=False).number

    def node(self, nid):
        return self.raw.nat(nid)[2] * self.bs

    def inode(self, path):
        return self.node(self.ino(path))

    def footer(self, nid):
        return self.node(nid) + self.bs - 24

    def slot(self, path, i=0):
        """Pointer i of an inode."""
        at = self.inode(path)
        extra = self.get("inode_extra", "i_extra_isize", at + 360) if self.get("inode", "i_inline", at) & 0x20 else 0
        return at + 360 + extra + 4 * i

    def i_nid(self, path, i):
        return self.inode(path) + self.bs - 44 + 4 * i

    def u32(self, at, value=None):
        if value is None:
            return struct.unpack("<I", self.read(at, 4))[0]
        self.write(at, struct.pack("<I", value))
        return value

    def pack_block(self, index):
        return (self.geo.cp_blkaddr + (self.pack - 1) * SEGMENT + index) * self.bs

    def journal(self, kind):
        """Start of the NAT or SIT journal."""
        if self.raw.flags & 4:
            return self.pack_block(self.raw.start_sum) + (507 if kind == "sit" else 0)
        first = self.raw.total - 1 - (6 if self.raw.flags & 0x21 else 3)
        return self.pack_block(first + (2 if kind == "sit" else 0)) + 3584

    def nat_entry(self, nid):
        at = self.journal("nat")
        for i in range(struct.unpack("<H", self.read(at, 2))[0]):
            if self.u32(at + 2 + 13 * i) == nid:
                return at + 2 + 13 * i + 4
        return self.raw.nat_block(nid // 455) * self.bs + nid % 455 * 9

    def sit_entry(self, segno):
        at = self.journal("sit")
        for i in range(struct.unpack("<H", self.read(at, 2))[0]):
            if self.u32(at + 2 + 78 * i) == segno:
                return at + 2 + 78 * i + 4
        copy = self.geo.segment_count_sit // 2 * SEGMENT * self.raw.bit(self.raw.sit_bits, segno // 55)
        return (self.geo.sit_blkaddr + segno // 55 + copy) * self.bs + segno % 55 * 74

    def segment_of(self, block):
        return (block - self.geo.main_blkaddr) // SEGMENT

    def ssa(self, segno):
        return (self.geo.ssa_blkaddr + segno) * self.bs

    def closed_segment(self, node):
        """A segment with blocks of that class in which no log writes."""
        with self.f2fskit.open(self.path) as vol:
            logs = {log.segno for log in vol.logs.values()}
            return next(s.segno for s in vol.sit if s.valid_blocks and s.segno not in logs and (s.type >= 3) == node)

    def checkpoint(self, **fields):
        """Change fields of the checkpoint in force, with right checksums."""
        def change(cp):
            for name, value in fields.items():
                field = self.field("checkpoint", name)
                index = 0
                if isinstance(value, tuple):
                    index, value = value
                size = struct.calcsize("<" + field.code)
                struct.pack_into("<" + field.code, cp, field.offset + index * size, value)
        volumes.repair_checkpoint(self.path, self.raw, change)

    def dentry(self, directory, name):
        """(start of the area's block, slot, position of the entry) of a name."""
        with self.f2fskit.open(self.path) as vol:
            inode = vol.lookup(directory, follow=False)
            if inode.is_inline:
                layout, at = inode.layout, self.inode(directory) + inode.layout.inline_offset
                slots = layout.inline_size * 8 // 153
                entries = at + layout.inline_size - slots * 19
                blocks = [(at, slots, entries)]
            else:
                blocks = [((e.addr + i) * self.bs, 214, (e.addr + i) * self.bs + 30)
                          for e in inode.extents() if e.addr for i in range(e.count)]
        for start, slots, entries in blocks:
            bitmap = self.read(start, (slots + 7) // 8)
            for slot in range(slots):
                length = struct.unpack("<H", self.read(entries + 11 * slot + 8, 2))[0]
                if bitmap[slot // 8] >> slot % 8 & 1 and \
                        self.read(entries + 11 * slots + 8 * slot, length) == name.encode():
                    return start, slot, entries + 11 * slot
        raise LookupError(name)

    def slots_of(self, directory):
        with self.f2fskit.open(self.path) as vol:
            return vol.lookup(directory).layout.inline_size * 8 // 153

    def name_of(self, start, slot, entry):
        """Position of a name in the dentry block at start."""
        return start + 30 + 11 * 214 + 8 * slot
