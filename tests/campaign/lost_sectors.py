# SPDX-License-Identifier: LGPL-2.1-or-later
"""Single sectors of 512 bytes that hold zeros, noise, or what was there before the last write, in blocks that hold metadata otherwise:
the device wrote a part of a block.

A repair may lose only what it may lose with the whole block (lost_blocks.py). With a sector of a table it loses nothing, but that a
mount takes the older checkpoint if the newer one is torn. A name that nothing else knows may come back as what is in the sector.
"""
import os
import random

import f2fskit

import lost_blocks
import sweep_judge

SECTOR = 512
MOST_OF_AN_AREA = 24    # blocks of one area of tables


def blocks_of_tables(subject, rng):
    """[(name of the area, block)]: a sample of the blocks of each area that are not blank."""
    geo, size, device, found = subject.places.geo, subject.places.size, subject.bases[0], []
    areas = (("superblock", 0, 2), ("checkpoint", geo.cp_blkaddr, geo.sit_blkaddr), ("SIT", geo.sit_blkaddr, geo.nat_blkaddr),
             ("NAT", geo.nat_blkaddr, geo.ssa_blkaddr), ("SSA", geo.ssa_blkaddr, geo.main_blkaddr))
    for name, first, end in areas:
        used = [block for block in range(first, end) if device.read(block * size, size).strip(b"\0")]
        found += [(name, block) for block in sorted(rng.sample(used, min(len(used), MOST_OF_AN_AREA)))]
    return found


def sectors_of(name, device, block, size, kind, rng):
    """Each sector of a block that is not blank, with zeros and with noise."""
    contents = device.read(block * size, size)
    for at in range(0, size, SECTOR):
        if not contents[at:at + SECTOR].strip(b"\0"):
            continue
        for what, sector in (("zeros", bytes(SECTOR)), ("noise", rng.randbytes(SECTOR))):
            yield lost_blocks.Lost(name, block, contents[:at] + sector + contents[at + SECTOR:],
                                   "%s: sector of %s" % (kind, what), at // SECTOR)


def damages_of(name, whole, seed=0):
    """Damages of nodes, directory blocks and tables. The order of each is the number of the sector."""
    subject, rng = whole.subject, random.Random("sectors %s %s" % (name, seed))
    size, device = subject.places.size, f2fskit.Device.multi(subject.bases) if len(subject.bases) > 1 else subject.bases[0]
    blocks = [("node", block) for block in sorted(lost_blocks.nodes_of(subject.bases)[0])]
    blocks += [("directory block", block) for block in sorted(lost_blocks.blocks_of_directories(subject.bases))]
    blocks += [("table %s" % area, block) for area, block in blocks_of_tables(subject, rng)]
    for kind, block in blocks:
        yield from sectors_of(name, device, block, size, kind, rng)


def old_sectors(name):
    """(whole, damages): a volume after some transactions, and each sector as it was before the last write of its block."""
    whole, lost = lost_blocks.lost_writes(name)
    subject, found = whole.subject, []
    nodes, directories = lost_blocks.nodes_of(subject.bases)[0], lost_blocks.blocks_of_directories(subject.bases)
    device = f2fskit.Device.multi(subject.bases) if len(subject.bases) > 1 else subject.bases[0]
    size, geo = subject.places.size, subject.places.geo
    for one in lost:
        kind = "node" if one.block in nodes else "directory block" if one.block in directories else \
            "table checkpoint" if one.block < geo.sit_blkaddr else "table" if one.block < geo.main_blkaddr else ""
        now = device.read(one.block * size, size)
        for at in range(0, size if kind else 0, SECTOR):
            old = one.contents[at:at + SECTOR]
            if old != now[at:at + SECTOR]:
                found.append(lost_blocks.Lost(name, one.block, now[:at] + old + now[at + SECTOR:], "%s: old sector" % kind, at // SECTOR))
    return whole, found


class Judge(lost_blocks.Judge):
    def __init__(self, whole):
        super().__init__(whole)
        self.aged = self.older_paths()

    def older_paths(self):
        """The paths that the older checkpoint does not know, or knows otherwise."""
        subject = self.whole.subject
        devices, places = subject.layers(), subject.places
        for block in (places.now, places.now + places.pack_blocks - 1):
            devices[0].write(block * places.size, bytes(places.size))
        found, older = self.whole.look.found, sweep_judge.Look(devices).found
        return {path for path in {*found, *older} if found.get(path) != older.get(path)}

    def excess(self, damage, lost, after):
        if not damage.kind.startswith("table") or self.whole.subject.is_read_only:
            return super().excess(damage, lost, after)
        return sorted(lost - self.aged) if damage.kind.startswith("table checkpoint") else sorted(lost)

    def strange(self, damage, strange, lost):
        """Names that were not there, and are no names that a lost one of this directory turned into."""
        home = self.directories.get(damage.block)
        inside = [path for path in strange if os.path.dirname(path) == home]
        return strange if len(inside) > sum(os.path.dirname(path) == home for path in lost) else \
            [path for path in strange if path not in inside]
