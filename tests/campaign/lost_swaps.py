# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two blocks hold each other's contents: two nodes or blocks of directories, or two blocks of the tables. All of it is still there, so
that a repair loses nothing."""
import dataclasses
import random

import f2fskit

import lost_blocks

ENDS = {"sit": "nat", "nat": "ssa", "ssa": "main"}      # each table ends where the next one begins
FEW = 2                                                 # further links in a block: nothing tells where they belong


@dataclasses.dataclass
class Swap:
    """Blocks `first` and `second` hold each other's contents."""

    volume: str
    first: int
    second: int
    size: int
    kind: str
    order: int = 1

    @property
    def id(self):
        return "%s %s: blocks %d %d" % (self.volume, self.kind, self.first, self.second)

    def apply(self, device, seals):
        contents = [device.read(block * self.size, self.size) for block in (self.first, self.second)]
        for block, other in zip((self.second, self.first), contents):
            device.write(block * self.size, other)


def places(whole):
    """{kind: blocks in use}"""
    bases, size = whole.subject.bases, whole.subject.places.size
    device = f2fskit.Device.multi(bases) if len(bases) > 1 else bases[0]
    with f2fskit.open(bases[0], devices=bases[1:]) as volume:
        sb = volume.superblock
        few = {path for path in {"/", *(path for path, entry in volume.scan("/") if entry.type.name == "DIRECTORY")}
               if len(list(volume.path(path).iterdir())) < FEW}
    directories = sorted(block for block, path in lost_blocks.blocks_of_directories(bases).items() if path not in few)
    found = {"nodes": sorted(lost_blocks.nodes_of(bases)[0]), "directories": directories}
    for table, end in ENDS.items():
        area = range(getattr(sb, table + "_blkaddr"), getattr(sb, end + "_blkaddr"))
        found[table] = [block for block in area if device.read(block * size, size).strip(b"\0")]
    return found


def damages_of(name, whole, seed, count):
    """`count` pairs of each two kinds of blocks."""
    rng, size, found = random.Random("swaps %s %s" % (name, seed)), whole.subject.places.size, places(whole)
    kinds = sorted(found)
    for i, kind in enumerate(kinds):
        for other in kinds[i:]:
            if (kind in ENDS) != (other in ENDS):
                continue
            pairs = {tuple(sorted((rng.choice(found[kind]), rng.choice(found[other]))))
                     for _ in range(count) if found[kind] and found[other]}
            for first, second in sorted(pairs):
                if first != second:
                    yield Swap(name, first, second, size, "%s, %s" % (kind, other))


class Judge(lost_blocks.Judge):
    """Says that nothing may be lost."""

    def excess(self, damage, lost, after):
        return [] if self.whole.subject.is_read_only else sorted(lost)

    def moved(self, damage, after, devices):
        return []
