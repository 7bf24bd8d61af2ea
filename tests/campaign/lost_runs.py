# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several blocks hold zeros: consecutive ones, as after the loss of a flash block, nodes of one file, names and nodes.

A name may vanish only with the directory block that has the entry and the inode that remembers it, or below such a directory.
The rest of a file may change only with its inode, its attributes, its data, or a direct node whose parent is lost as well:
summaries of data name the lost node, and offsets of nodes below it say where it was. Its data is in another file then: no block of an
ordinary file may be in none."""
import dataclasses
import hashlib
import os
import random

import f2fskit

import lost_blocks
import sweep_judge

LENGTHS = (2, 3, 5, 8, 16, 32)
ATTRIBUTES = 0xfffffff8 >> 3        # the offset of a node of attributes (FORMAT files 1.4)


@dataclasses.dataclass
class Zeros:
    """Several blocks hold zeros."""

    volume: str
    blocks: list
    size: int
    kind: str
    order: int = 1

    @property
    def id(self):
        return "%s %s: blocks %s" % (self.volume, self.kind, " ".join(map(str, self.blocks)))

    def apply(self, device, seals):
        for block in self.blocks:
            device.write(block * self.size, bytes(self.size))


def parent_of(offset, per_node):
    """The offset of the node that points to the node of this offset; 0 is the inode."""
    if offset < 3 or offset == ATTRIBUTES:
        return 0
    if offset < 5 + 2 * per_node:
        at = 3 + (offset - 3) // (per_node + 1) * (per_node + 1)
        return 0 if offset == at else at
    double = 5 + 2 * per_node
    at = double + 1 + (offset - double - 1) // (per_node + 1) * (per_node + 1) if offset > double else double
    return 0 if offset == double else double if offset == at else at


class File:
    """An inode: its kind, names, nodes {offset: block} and blocks."""

    def __init__(self, volume, ino):
        inode = volume.inode(ino)
        self.kind = sweep_judge.KINDS.get(inode.mode & 0o170000, "")
        self.paths, self.nodes = [], {}
        self.data = [extent.addr + i for extent in inode.extents() if extent.kind.name in ("DATA", "COMPRESSED")
                     for i in range(extent.count)]
        self.is_special = bool(inode.i_flags & lost_blocks.COMPRESSED) or inode.is_encrypted


def files_of(devices):
    """{ino: File} of all inodes in use."""
    device = f2fskit.Device.multi(devices) if len(devices) > 1 else devices[0]
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        size, files = volume.block_size, {}
        for path, ino in [("/", lost_blocks.ROOT), *((path, entry.ino) for path, entry in volume.scan("/"))]:
            files.setdefault(ino, None)
            files[ino] = files[ino] or File(volume, ino)
            files[ino].paths.append(path)
        for entry in volume.nat.used():
            if entry.ino in files and entry.nid > 2:
                footer = device.read((entry.block_addr + 1) * size - 24, 24)
                files[entry.ino].nodes[int.from_bytes(footer[8:12], "little") >> 3] = entry.block_addr
        return files, volume.geometry.nids_per_block


def digests_of(devices, blocks):
    """Digests of blocks."""
    device = f2fskit.Device.multi(devices) if len(devices) > 1 else devices[0]
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        size = volume.block_size
    return [hashlib.sha256(device.read(block * size, size)).digest() for block in sorted(blocks)]


class Judge:
    """Says which names may vanish and which files may change with a run of blocks."""

    def __init__(self, whole):
        self.whole = whole
        self.files, self.per_node = files_of(whole.subject.bases)
        self.of = {path: file for file in self.files.values() for path in file.paths}
        with f2fskit.open(whole.subject.bases[0], devices=whole.subject.bases[1:]) as volume:
            self.has_keys = "ENCRYPT" in {feature.name for feature in volume.features}

    def may_change(self, file, lost):
        if file.nodes.get(0) in lost or file.nodes.get(ATTRIBUTES) in lost or not lost.isdisjoint(file.data):
            return True
        return self.has_lost_branch(file, lost)

    def has_lost_branch(self, file, lost):
        """Is a direct node lost together with its parent? Other nodes have nothing but the numbers of those below."""
        return any(block in lost and offset and self.is_direct(offset)
                   and file.nodes.get(parent_of(offset, self.per_node)) in lost
                   for offset, block in file.nodes.items())

    def is_direct(self, offset):
        """Is no node's parent at this offset?"""
        n = self.per_node
        return not (offset in (3, 4 + n, 5 + 2 * n) or (offset > 5 + 2 * n and (offset - 6 - 2 * n) % (n + 1) == 0))

    def is_gone(self, file, lost):
        """Does nothing name the file any more? A lost inode is known by its data and the nodes below it."""
        if file.nodes.get(0) not in lost:
            return False
        if file.kind == "DIRECTORY":
            return file.is_special
        return file.is_special or file.kind != "REGULAR" or lost.issuperset(file.data) or self.has_lost_branch(file, lost)

    def may_vanish(self, lost):
        """Paths of which entry and inode are lost, or that are further links of a lost entry, and all paths below."""
        found = set()
        for path, file in sorted(self.of.items()):
            folder = os.path.dirname(path)
            directory = self.of.get(folder)
            if path == "/":
                continue
            holds = {directory.nodes.get(0), *directory.data, *directory.nodes.values()}
            is_entry_lost = not lost.isdisjoint(holds)
            is_known = file.nodes.get(0) not in lost and len(file.paths) == 1 and not directory.is_special
            if folder in found or self.is_gone(file, lost) or (is_entry_lost and not is_known):
                found.add(path)
        return found

    def is_content_known(self, file, lost):
        """Are all blocks of a file there, and all that says where they are?"""
        if file.kind != "REGULAR" or file.is_special or not file.data or not lost.isdisjoint(file.data):
            return False
        return not self.has_lost_branch(file, lost) and (file.nodes.get(0) not in lost or not self.has_keys)

    def contents_lost(self, damage, after, devices):
        """Files that vanished, and whose blocks are in no other file. The bytes after the last block's start may be."""
        lost, bases = set(damage.blocks), self.whole.subject.bases
        gone = [path for path in self.may_vanish(lost) if path not in after and self.is_content_known(self.of[path], lost)]
        if not gone:
            return []
        found = {mark for path in after if path not in self.of and after[path][0] == "REGULAR"
                 for _, mark in sweep_judge.pieces(devices, path).values()}
        left = {state[1] for state in after.values()}
        return [path for path in gone if self.whole.look.found[path][1] not in left
                and not found.issuperset(mark for length, mark in list(sweep_judge.pieces(bases, path).values())[:-1])]

    def blocks_lost(self, damage, after, devices):
        """Files of which a block of data is in no file any more: a repair has them all, if not in their places."""
        lost, before = set(damage.blocks), self.whole.look.found
        changed = [file for file in self.files.values() if file.kind == "REGULAR" and not file.is_special
                   and any(after.get(path) != before.get(path) for path in file.paths)]
        if not changed:
            return []
        found = {addr for file in files_of(devices)[0].values() for addr in file.data}
        digests = set(digests_of(devices, found))
        return sorted(file.paths[0] for file in changed
                      if not digests.issuperset(digests_of(self.whole.subject.bases, set(file.data) - lost)))

    def excess(self, damage, before, after):
        """[what of the lost was known elsewhere]. before, after: {path: state}."""
        lost = set(damage.blocks)
        vanish = self.may_vanish(lost)
        change = {path for path, file in self.of.items() if self.may_change(file, lost)} | vanish
        names = [path for path in before if path not in after and path not in vanish]
        states = [path for path, state in before.items() if path in after and after[path] != state and path not in change]
        return ["name " + path for path in names] + states


def run(files, first, rng, turn):
    """Consecutive blocks that are in use, some of them. first: the first block of the main area."""
    length = LENGTHS[turn % len(LENGTHS)]
    middle = rng.choice(sorted({block for file in files for block in [*file.nodes.values(), *file.data[:64]]}))
    start = max(middle - rng.randrange(length), first)
    return range(start, start + length)


def nodes_of_one(files, first, rng, turn):
    """Nodes of one file, of several if it has some."""
    file = rng.choice([file for file in files if len(file.nodes) > 1] or files)
    return rng.sample(sorted(file.nodes.values()), rng.randint(min(2, len(file.nodes)), len(file.nodes)))


def names_and_nodes(files, first, rng, turn):
    """A block of a directory, and nodes of any files."""
    directory = rng.choice([file for file in files if file.kind == "DIRECTORY"])
    block = rng.choice(directory.data or [directory.nodes[0]])
    return {block, *(rng.choice(sorted(rng.choice(files).nodes.values())) for _ in range(rng.randint(1, 4)))}


KINDS = {"run of zeros": run, "nodes of a file": nodes_of_one, "names and nodes": names_and_nodes}


def damages_of(name, whole, seed, count):
    """`count` damages of each kind. A volume with an fsync chain has files that its tables do not know: none."""
    subject = whole.subject
    if "fsync" in name or "waiting" in name:
        return
    files = list(files_of(subject.bases)[0].values())
    with f2fskit.open(subject.bases[0], devices=subject.bases[1:]) as volume:
        first = volume.geometry.main_blkaddr
    for kind, choose in KINDS.items():
        rng = random.Random("%s %s %s" % (kind, name, seed))
        for turn in range(count):
            yield Zeros(name, sorted(choose(files, first, rng, turn)), subject.places.size, kind)


def one(judge, damage, then=None):
    """The judge's result, with excess losses as a fault. then: as of sweep_judge.one()."""
    after, contents = {}, []

    def look(bed, result, said, again):
        after.update(sweep_judge.Look(bed.devices).found)
        if not judge.whole.subject.is_read_only:
            contents.extend("contents of " + path for path in judge.contents_lost(damage, after, bed.devices))
            contents.extend("blocks of " + path for path in judge.blocks_lost(damage, after, bed.devices))
        if then:
            then(bed, result, said, again)

    result = sweep_judge.one(judge.whole, damage, None, look)
    if judge.whole.subject.is_read_only:
        return result
    excess = judge.excess(damage, judge.whole.look.found, after) + contents
    if excess:
        result["wrong"]["lost"] = "lost, though something else knew it: %s" % excess[:6]
    return result
