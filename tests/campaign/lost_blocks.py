# SPDX-License-Identifier: LGPL-2.1-or-later
"""Single blocks of metadata that hold something else: zeros, noise, another block, or the block before a write that was lost.

The tables and the rest of the file's tree know the blocks and nodes below a node. So a repair may lose only contents of the block
itself: attributes, contents inside an inode, links besides the name that an inode remembers, and the exact size of a file whose
inode is lost.

A directory block has names. Inodes remember one each, and older copies of the block have the others. So a repair may lose only
further links of which there is no older copy. It may bring back no name that was removed.
"""
import collections
import dataclasses
import os
import random

import f2fskit

import subjects
import sweep_judge
import sweep_volumes

TURNS = 4               # transactions whose writes are lost, one by one
COMPRESSED = int(f2fskit.InodeFlag.COMPR)
ROOT = 3


@dataclasses.dataclass
class Lost:
    """Block `block` holds `contents`."""

    volume: str
    block: int
    contents: bytes = dataclasses.field(repr=False)
    kind: str
    order: int = 1

    @property
    def id(self):
        return "%s block %d %s" % (self.volume, self.block, self.kind)

    def apply(self, device, seals):
        device.write(self.block * len(self.contents), self.contents)


def nodes_of(devices):
    """{block: (nid, ino)} of all nodes, and {ino: (kind, number of blocks outside, paths)}."""
    nodes, inodes = {}, {}
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        for entry in volume.nat.used():
            if entry.nid > 2:
                nodes[entry.block_addr] = entry.nid, entry.ino
        for path, ino in [("/", ROOT), *((path, entry.ino) for path, entry in volume.scan("/"))]:
            if ino not in inodes:
                inode = volume.inode(ino)
                outside = sum(extent.count for extent in inode.extents() if extent.kind.name in ("DATA", "COMPRESSED"))
                inodes[ino] = (sweep_judge.KINDS.get(inode.mode & 0o170000, ""), outside, bool(inode.i_flags & COMPRESSED), [])
            inodes[ino][3].append(path)
    return nodes, inodes


def damages_of_nodes(name, whole, seed=0):
    """Each node's block with zeros, with noise, and with another node."""
    subject, rng = whole.subject, random.Random("%s %s" % (name, seed))
    size, nodes = subject.places.size, sorted(nodes_of(subject.bases)[0])
    device = f2fskit.Device.multi(subject.bases) if len(subject.bases) > 1 else subject.bases[0]
    for block in nodes:
        other = rng.choice(nodes)
        yield Lost(name, block, bytes(size), "zeros")
        yield Lost(name, block, rng.randbytes(size), "noise")
        if other != block:
            yield Lost(name, block, device.read(other * size, size), "another node")


def blocks_of_directories(devices):
    """{block: path} of all directory blocks; inline directories have none."""
    found = {}
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        for path, ino in [("/", ROOT), *((path, entry.ino) for path, entry in volume.scan("/") if entry.type.name == "DIRECTORY")]:
            for extent in volume.inode(ino).extents():
                for i in range(extent.count if extent.kind.name == "DATA" else 0):
                    found[extent.addr + i] = path
    return found


def damages_of_directories(name, whole, seed=0):
    """Each block of a directory with zeros, with noise, and with a block of another directory."""
    subject, rng = whole.subject, random.Random("directories %s %s" % (name, seed))
    size, blocks = subject.places.size, blocks_of_directories(subject.bases)
    device = f2fskit.Device.multi(subject.bases) if len(subject.bases) > 1 else subject.bases[0]
    for block, path in sorted(blocks.items()):
        others = [other for other, owner in sorted(blocks.items()) if owner != path]
        yield Lost(name, block, bytes(size), "directory block: zeros")
        yield Lost(name, block, rng.randbytes(size), "directory block: noise")
        if others:
            yield Lost(name, block, device.read(rng.choice(others) * size, size), "directory block: another one")


def fill_directories(volume, folded):
    """Directories of one and of several blocks, with links besides the last name, and with names that were taken over."""
    for directory, count in (("/few", 6), ("/more", 120), ("/letters", 60)):
        volume.path(directory).mkdir()
        if folded and directory == "/letters":
            volume.lookup(directory).set(flags=f2fskit.InodeFlag.CASEFOLD)
        for i in range(count):
            volume.path("%s/Name-%d-%s" % (directory, i, "x" * (i % 90))).write_bytes(b"%s %d" % (directory.encode(), i))
        for i in range(0, count, 3):
            volume.path("%s/Link-%d" % (directory, i)).hardlink_to("/few/Name-%d-%s" % (i % 6, "x" * (i % 6)))
        for i in range(0, count, 5):
            volume.path("%s/new-%d" % (directory, i)).write_bytes(b"new %s %d" % (directory.encode(), i))


def age_directories(volume):
    """Names are removed, moved and taken over. Files of the removed names are still there under others."""
    for directory, count in (("/few", 6), ("/more", 120), ("/letters", 60)):
        for i in range(0, count, 5):
            volume.path("%s/new-%d" % (directory, i)).replace("%s/Name-%d-%s" % (directory, i, "x" * (i % 90)))
        for i in range(0, count, 6):
            volume.path("%s/Link-%d" % (directory, i)).unlink()
        for i in range(2, count, 5):
            volume.path("%s/Name-%d-%s" % (directory, i, "x" * (i % 90))).rename("%s/moved-%d" % (directory, i))


def touch_directories(volume):
    """Write each block of the directories again: each gets a name, or loses one."""
    for directory, count in (("/few", 6), ("/more", 120), ("/letters", 60)):
        for i in range(40 if count > 6 else 1):
            volume.path("%s/late-%d" % (directory, i)).write_bytes(b"late")
        for i in range(9, count, 5):
            volume.path("%s/Name-%d-%s" % (directory, i, "x" * (i % 90))).unlink()


def aged_directories(name, seed=0):
    """A volume with older copies of all directory blocks: (whole, damages)."""
    shape = dict(sweep_volumes.SHAPES[name], names=3)
    folded = "casefold" in shape.get("features", [])
    devices, zones = sweep_volumes.make_ours(name, shape)
    first = devices[0].zoned(zones[0], conventional=zones[1], full=True) if zones else devices[0]
    for step in (lambda volume: fill_directories(volume, folded), age_directories, touch_directories):
        with f2fskit.open(first, "r+", devices=devices[1:], now=(sweep_volumes.TIME + 50) * 10**9) as volume:
            step(volume)
    if first is not devices[0]:
        first.close()
    whole = sweep_judge.Whole(subjects.Subject(name, devices, zones))
    return whole, list(damages_of_directories(name, whole, seed))


def change(volume, turn, rng):
    """One transaction: new files, overwritten, renamed and removed ones, attributes and directories."""
    block = volume.block_size
    for i, size in enumerate((50, 5000, 9 * block)):
        volume.path("/tree/new-%d-%d" % (turn, i)).write_bytes(rng.randbytes(size))
    volume.lookup("/tree/size-5").pwrite(rng.randbytes(2 * block), block * rng.randrange(15))
    volume.lookup("/far").pwrite(rng.randbytes(block), block * rng.choice((0, 5)))
    volume.path("/many/late-%d" % turn).write_bytes(b"late")
    volume.path("/many/n%d-%s" % (turn * 3, "abcdefgh" * (turn * 3 % 7))).rename("/many/moved-%d" % turn)
    volume.path("/tree/size-1").xattrs["user.more-%d" % turn] = rng.randbytes(60 * (turn + 1))
    if turn:
        volume.path("/tree/new-%d-0" % (turn - 1)).unlink()
    volume.path("/dir-%d" % turn).mkdir()


def lost_writes(name):
    """(whole, damages): a volume of sweep_volumes after some transactions, and each block as it was before its last write."""
    devices, zones = sweep_volumes.make_ours(name)
    rng, before, found = random.Random("lost writes " + name), devices[-1 if zones else 0].fork(), {}
    recorder = devices[0].recorder()
    first = recorder.zoned(zones[0], conventional=zones[1], full=True) if zones else recorder
    for turn in range(TURNS):
        with f2fskit.open(first, "r+", devices=devices[1:], now=(sweep_volumes.TIME + 100 + turn) * 10**9) as volume:
            change(volume, turn, rng)
            size = volume.block_size
    for record in recorder.records:
        if record.kind.name != "WRITE":
            continue
        for at in range(0, record.length, size):
            block = (record.offset + at) // size
            found[block] = before.read(block * size, size)
            before.write(record.offset + at, record.data[at:at + size])
    if first is not recorder:
        first.close()
    recorder.close()
    whole = sweep_judge.Whole(subjects.Subject(name, devices, zones))
    return whole, [Lost(name, block, old, "lost write") for block, old in sorted(found.items())
                   if devices[0].read(block * size, size) != old]


class Judge:
    """Says what may be lost with a node."""

    def __init__(self, whole, has_older_directories=False):
        """has_older_directories: older copies of directory blocks have all names that no inode remembers."""
        self.whole, self.has_older_directories = whole, has_older_directories
        self.directories = blocks_of_directories(whole.subject.bases)
        self.nodes, self.inodes = nodes_of(whole.subject.bases)
        with f2fskit.open(whole.subject.bases[0], devices=whole.subject.bases[1:]) as volume:
            self.encrypted = [paths[0] for ino, (_, _, _, paths) in self.inodes.items() if volume.inode(ino).is_encrypted]

    def excess(self, damage, lost, after):
        """What of the lost paths was not in the block alone. after: what there is."""
        nid, ino = self.nodes.get(damage.block, (0, 0))
        kind, outside, is_compressed, paths = self.inodes.get(ino, ("", 0, False, []))
        if damage.kind.startswith("directory") and not self.whole.subject.is_read_only:
            allowed = set() if self.has_older_directories else self.further_links([self.directories[damage.block]])
            return sorted(lost - allowed)
        if not nid or self.whole.subject.is_read_only or nid == ino and (is_compressed or self.is_encrypted(paths)):
            return []
        if nid != ino:
            return sorted(lost) if not self.is_of_attributes(nid, ino) else sorted(lost - set(paths))
        allowed = set(paths)
        if kind == "DIRECTORY":
            allowed |= self.further_links(paths) | self.older_names(paths, after)
        has_trace = kind == "DIRECTORY" or (kind == "REGULAR" and outside)
        gone = [path for path in paths if path not in after and path != "/"] if has_trace else []
        return sorted(lost - allowed) + ["name " + path for path in gone]

    def strange(self, damage, strange, lost):
        """Names that no repair may make."""
        return strange

    def moved(self, damage, after, devices):
        """Files whose inode was lost, and of which other bytes than those after the last block's start differ."""
        nid, ino = self.nodes.get(damage.block, (0, 0))
        kind, outside, is_compressed, paths = self.inodes.get(ino, ("", 0, False, []))
        path = paths[0] if paths else ""
        if self.whole.subject.is_read_only or nid != ino or kind != "REGULAR" or not outside or is_compressed \
                or self.is_encrypted(paths) or path not in after:
            return []
        most = max(sweep_judge.PIECE, self.whole.subject.places.size)
        return [path] if sweep_judge.bytes_lost(self.whole, devices, path) > most else []

    def is_encrypted(self, paths):
        """Is it below an encrypted directory? The key to its contents was in its inode."""
        return any(path == directory or path.startswith(directory + "/") for path in paths for directory in self.encrypted)

    def is_of_attributes(self, nid, ino):
        with f2fskit.open(self.whole.subject.bases[0], devices=self.whole.subject.bases[1:]) as volume:
            return volume.inode(ino).i_xattr_nid == nid

    def older_names(self, directories, after):
        """Names in directories whose files have the names of an older copy of the directory."""
        found = set()
        for directory in directories:
            inside = {path for path in {*self.whole.look.found, *after} if os.path.dirname(path) == directory}
            states = {after[path] for path in inside if path in after and path not in self.whole.look.found}
            found |= {path for path in inside if self.whole.look.found.get(path) in states}
        return found

    def further_links(self, directories):
        """Names in directories of files that have several names."""
        return {path for _, _, _, paths in self.inodes.values() if len(paths) > 1 for path in paths
                if any(path.startswith(directory.rstrip("/") + "/") for directory in directories)}


def one(judge, damage, then=None):
    """The judge's result, with excess losses as a fault. then: as of sweep_judge.one()."""
    after, moved = {}, []

    def look(bed, result, said, again):
        after.update(sweep_judge.Look(bed.devices).found)
        moved.extend(judge.moved(damage, after, bed.devices))
        if then:
            then(bed, result, said, again)

    result = sweep_judge.one(judge.whole, damage, None, look)
    lost = {path for path, state in judge.whole.look.found.items() if after.get(path) != state}
    excess = judge.excess(damage, lost, after) + ["contents " + path for path in moved]
    strange = judge.strange(damage, result.get("strange", []), lost) if damage.kind.startswith("directory") else []
    if strange:
        result["wrong"]["strange"] = "names that were not there: %s" % strange
    if excess:
        result["wrong"]["lost"] = "lost, though something else knew it: %s" % excess[:6]
    return result


def tally(results):
    """{kind: [damages, names lost, bytes lost, faults; files, ours intact, f2fs-tools' intact, where these were asked]}"""
    found = collections.defaultdict(lambda: [0] * 7)
    for result in results:
        row = found[result["kind"]]
        numbers = 1, result.get("names_lost", 0), result.get("bytes_lost", 0), len(result["wrong"])
        for i, value in enumerate((*numbers, *(result.get(name, 0) for name in ("files", "ours", "theirs")))):
            row[i] += value
    return dict(found)
