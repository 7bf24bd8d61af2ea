# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sizes of a file system's writes and discards, from the log of the kernel's dm-log-writes.

The log begins with a sector that has magic, version, the number of entries and the size of a sector. Each entry is a
sector with the position, the number of sectors, flags and the length of a mark's text. The written data follows it.
"""
import struct

DEVICE, MARK, MOST = "/dev/dm-0", "|dmsetup message lab 0 mark round", 1 << 40
SET_UP = 'dmsetup create --noudevsync lab --table "0 %d log-writes /dev/ubda /dev/ubdb"'
MAGIC, DISCARD, IS_MARK = 0x6A736677736872, 4, 8
WHOLE, SMALL_DISCARD = 512 << 10, 256 << 10
ROWS = ["submitted", "requests_512k", "bytes_512k", "discard_share", "small_discard_share"]


class Sizes:
    """Sizes of one round. Contiguous writes count as one request, split at each 512 KiB, as the laboratory's meter
    does."""

    def __init__(self):
        self.pieces = self.whole = self.bytes = self.discards = self.small = self.discarded = 0
        self.at = self.run = 0

    def write(self, where, length):
        if where != self.at:
            self.end()
        self.at = where + length
        self.run += length
        self.bytes += length

    def end(self):
        """End a run of contiguous writes."""
        self.whole += self.run // WHOLE
        self.pieces += -(-self.run // WHOLE)
        self.run = 0

    def discard(self, length):
        self.discards += 1
        self.small += length < SMALL_DISCARD
        self.discarded += length

    def rows(self, asked):
        """The laboratory's metrics of that name, and the number of requests as submitted."""
        return {"submitted": self.pieces, "requests_512k": self.whole / max(self.pieces, 1),
                "bytes_512k": self.whole * WHOLE / max(self.bytes, 1),
                "discard_share": self.discarded / 4096 / max(asked, 1), "small_discard_share": self.small / max(self.discards, 1)}


def rounds(path):
    """Return [Sizes], one up to each mark. Discards after the last mark belong to it. Without a mark: []."""
    found = [Sizes()]
    with open(path, "rb") as f:
        magic, _, entries, sector = struct.unpack("<QQQI", f.read(28))
        if magic != MAGIC:
            raise ValueError("%s: no log of dm-log-writes" % path)
        place = sector
        for _ in range(entries):
            f.seek(place)
            where, length, flags, _ = struct.unpack("<4Q", f.read(32))
            place += sector
            if flags & IS_MARK:
                found[-1].end()
                found.append(Sizes())
            elif flags & DISCARD:
                found[-1].discard(length * sector)
            else:
                place += length * sector
                if length:
                    found[-1].write(where * sector, length * sector)
    rest = found.pop()
    if not found:
        return []
    found[-1].discards += rest.discards
    found[-1].small += rest.small
    found[-1].discarded += rest.discarded
    return found
