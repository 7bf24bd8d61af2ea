# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kinds of damage for bench/repair_kernel. A kind is a function of (file, places, rng): it changes the open image. Whatever
is random comes from rng, so that a seed gives the same damage again."""
import struct

import f2fskit

SEGMENT = 512
VALUES = ("0", "0xffffffff", "+=1", "-=1", "^=0x40", "-1", "1", "^=0x80000000")


class Places:
    """Where things are on an image, as block addresses."""

    def __init__(self, path):
        with f2fskit.open(path) as volume:
            geo = volume.geometry
            self.path, self.size, self.geo = str(path), geo.block_size, geo
            self.now = geo.cp_blkaddr + (volume.checkpoint_pack - 1) * SEGMENT
            self.before = geo.cp_blkaddr + (2 - volume.checkpoint_pack) * SEGMENT
            self.pack_blocks = int(volume.checkpoint.cp_pack_total_block_count)
            entries = [entry for entry in volume.nat.used() if entry.nid > 2]
            self.root = volume.nat[3].block_addr
            self.paths = [name for name, entry in volume.scan("/") if entry.type.name in ("REGULAR", "DIRECTORY")]
            self.inos = [volume.lookup(name, follow=False).number for name in self.paths]
            self.dirs, self.dir_inos = [], []
            for name, ino in zip(self.paths, self.inos):
                inode = volume.inode(ino)
                if inode.is_dir():
                    self.dir_inos.append(ino)
                    self.dirs += [extent.addr + i for extent in inode.extents() if extent.kind.name == "DATA"
                                  for i in range(extent.count)]
        self.inodes = [entry.block_addr for entry in entries if entry.nid == entry.ino]
        self.others = [entry.block_addr for entry in entries if entry.nid != entry.ino] or self.inodes
        self.nodes = self.inodes + self.others
        self.dirs = self.dirs or self.inodes
        self.nids = [entry.nid for entry in entries]
        self.segments = sorted({(entry.block_addr - geo.main_blkaddr) // SEGMENT for entry in entries}
                               | {(block - geo.main_blkaddr) // SEGMENT for block in self.dirs})
        self.nat = self.written(path, geo.nat_blkaddr, geo.ssa_blkaddr)
        self.sit = self.written(path, geo.sit_blkaddr, geo.nat_blkaddr)
        self.ssa = [geo.ssa_blkaddr + segment for segment in self.segments]
        self.pack = list(range(self.now, self.now + self.pack_blocks))

    def written(self, path, first, end):
        """Blocks of an area that are not all zero."""
        with open(path, "rb") as file:
            file.seek(first * self.size)
            data = file.read((end - first) * self.size)
        return [first + i for i in range(end - first) if data[i * self.size:(i + 1) * self.size].strip(b"\0")]


def read(file, places, block):
    file.seek(block * places.size)
    return file.read(places.size)


def put(file, places, block, data, offset=0):
    file.seek(block * places.size + offset)
    file.write(data)


# what is done to a block

def some_bytes(file, places, rng, block):
    data = rng.randbytes(rng.choice((1, 2, 4, 8, 16)))
    put(file, places, block, data, rng.randrange(places.size - len(data)))


def one_bit(file, places, rng, block):
    offset = rng.randrange(places.size)
    file.seek(block * places.size + offset)
    byte = file.read(1)[0]
    put(file, places, block, bytes([byte ^ 1 << rng.randrange(8)]), offset)


def zeros(file, places, rng, block):
    put(file, places, block, bytes(places.size))


def noise(file, places, rng, block):
    put(file, places, block, rng.randbytes(places.size))


def sector(file, places, rng, block):
    """One sector of the block is lost."""
    put(file, places, block, rng.choice((bytes(512), rng.randbytes(512))), 512 * rng.randrange(places.size // 512))


def foreign(file, places, rng, block):
    put(file, places, block, read(file, places, rng.choice(places.nodes + places.dirs + places.ssa)))


def swapped(file, places, rng, block):
    other = rng.choice(places.nodes)
    a, b = read(file, places, block), read(file, places, other)
    put(file, places, block, b)
    put(file, places, other, a)


def head_bytes(file, places, rng, block):
    """The fields at the start of a node, or its footer."""
    offset = rng.choice((rng.randrange(0, 400, 2), places.size - 44 + rng.randrange(0, 44, 2)))
    put(file, places, block, rng.randbytes(2), offset)


def stale(file, places, rng, block):
    """What was there before: any block of the main area that still has the same node id in its footer."""
    want = read(file, places, block)[-24:-16]
    file.seek(places.geo.main_blkaddr * places.size)
    data = file.read(64 << 20)
    found = [i for i in range(0, len(data), places.size) if data[i + places.size - 24:i + places.size - 16] == want]
    if found:
        at = rng.choice(found)
        put(file, places, block, data[at:at + places.size])


def blocks(where, how, most):
    def damage(file, places, rng):
        choice = getattr(places, where)
        for block in rng.sample(choice, min(rng.randint(1, most), len(choice))):
            how(file, places, rng, block)
    return damage


# areas

def wipe(file, places, rng, first, count):
    data = rng.choice((bytes(places.size), rng.randbytes(places.size), b"\xff" * places.size))
    for block in range(first, first + count):
        put(file, places, block, data)


def area(*names):
    def damage(file, places, rng):
        geo = places.geo
        spans = {"superblocks": (0, 2), "packs": (geo.cp_blkaddr, 2 * SEGMENT),
                 "sit": (geo.sit_blkaddr, geo.nat_blkaddr - geo.sit_blkaddr),
                 "nat": (geo.nat_blkaddr, geo.ssa_blkaddr - geo.nat_blkaddr),
                 "ssa": (geo.ssa_blkaddr, geo.main_blkaddr - geo.ssa_blkaddr),
                 "now": (places.now, SEGMENT), "before": (places.before, SEGMENT), "root": (places.root, 1)}
        for name in names:
            wipe(file, places, rng, *spans[name])
    return damage


def part_of_pack(first, count):
    """Some blocks of the newer pack, counted from its start or (negative) its end."""
    def damage(file, places, rng):
        start = first if first >= 0 else places.pack_blocks + first
        wipe(file, places, rng, places.now + start, count or places.pack_blocks - start)
    return damage


def heads_of_packs(file, places, rng):
    wipe(file, places, rng, places.now, 1)
    wipe(file, places, rng, places.before, 1)


def stretch(file, places, rng):
    """A run of blocks anywhere, as a broken disk or a misplaced write leaves it."""
    geo = places.geo
    first = rng.choice((rng.randrange(geo.main_blkaddr), rng.choice(places.nodes), rng.choice(places.dirs)))
    wipe(file, places, rng, first, min(rng.choice((2, 8, 32, 100)), geo.end_blkaddr - first))


# single fields, by the tables of the format

def names_of(structure):
    return [name for name in f2fskit.structs[structure].fields if not name.startswith(("reserved", "pad"))]


def address(places, rng, kind):
    if kind == "superblock":
        return "sb[%d].%s" % (rng.randint(1, 2), rng.choice(names_of("superblock")))
    if kind == "checkpoint":
        return "cp.%s" % rng.choice(names_of("checkpoint"))
    if kind == "NAT entry":
        return "nat[%d].%s" % (rng.choice(places.nids), rng.choice(("version", "ino", "block_addr")))
    if kind == "SIT entry":
        return "sit[%d].%s" % (rng.choice(places.segments), rng.choice(("valid_blocks", "type", "valid_map[9]", "mtime")))
    if kind == "summary":
        return "ssa[%d][%d].%s" % (rng.choice(places.segments), rng.randrange(SEGMENT), rng.choice(("nid", "version", "ofs_in_node")))
    if kind == "footer":
        return "node[%d].footer.%s" % (rng.choice(places.nids), rng.choice(names_of("node_footer")))
    if kind == "entry of a directory":
        return "dentry[%d][%d].%s" % (rng.choice(places.dir_inos or [3]), rng.randrange(20),
                                      rng.choice(("ino", "hash_code", "name_len", "file_type", "used")))
    return "inode[%d].%s" % (rng.choice(places.inos), rng.choice(names_of("inode") + names_of("inode_extra")
                                                                 + ["i_addr[0]", "i_addr[1]", "i_nid[0]"]))


def field(kind, most=1):
    def damage(file, places, rng):
        file.flush()
        done = 0
        for _ in range(60):
            with f2fskit.fields(file.name, "r+", raw=rng.random() < 0.3) as fields:
                where = address(places, rng, kind)
                value = rng.choice(VALUES + ("%d" % rng.getrandbits(rng.choice((8, 16, 32))),))
                try:
                    fields[where] = value
                except (f2fskit.Error, OSError, ValueError, OverflowError):
                    continue
            done += 1
            if done >= rng.randint(1, most):
                return
    return damage


def journal(file, places, rng):
    """The number of entries in the NAT journal."""
    file.flush()
    with f2fskit.fields(file.name, "r+") as fields:
        fields["nat_journal.count"] = rng.choice((0, 1, 5, 38, 39, 500, 0xffff))


def several(file, places, rng):
    for _ in range(rng.randint(2, 5)):
        KINDS[rng.choice([kind for kind in KINDS if kind != "several of these"])](file, places, rng)


KINDS = {
    "field of a superblock": field("superblock", 2),
    "field of the checkpoint": field("checkpoint"),
    "field of NAT entries": field("NAT entry", 4),
    "field of SIT entries": field("SIT entry", 4),
    "field of summaries": field("summary", 4),
    "field of inodes": field("inode", 4),
    "field of footers": field("footer", 4),
    "field of directory entries": field("entry of a directory", 4),
    "number of the NAT journal": journal,
    "nodes: bytes": blocks("nodes", some_bytes, 6),
    "nodes: bits": blocks("nodes", one_bit, 8),
    "nodes: head or footer": blocks("nodes", head_bytes, 6),
    "nodes: zeros": blocks("nodes", zeros, 4),
    "nodes: noise": blocks("nodes", noise, 4),
    "nodes: a sector": blocks("nodes", sector, 4),
    "nodes: another block": blocks("nodes", foreign, 3),
    "nodes: older contents": blocks("nodes", stale, 4),
    "nodes: swapped": blocks("nodes", swapped, 2),
    "indirect nodes: zeros": blocks("others", zeros, 2),
    "directories: bytes": blocks("dirs", some_bytes, 6),
    "directories: zeros": blocks("dirs", zeros, 3),
    "directories: noise": blocks("dirs", noise, 3),
    "directories: another block": blocks("dirs", foreign, 3),
    "NAT: bytes": blocks("nat", some_bytes, 4),
    "NAT: blocks": blocks("nat", lambda *a: a[2].choice((zeros, noise, foreign))(*a), 2),
    "SIT: bytes": blocks("sit", some_bytes, 4),
    "SIT: blocks": blocks("sit", lambda *a: a[2].choice((zeros, noise, foreign))(*a), 2),
    "SSA: blocks": blocks("ssa", lambda *a: a[2].choice((zeros, noise, foreign))(*a), 4),
    "newer pack: bytes": blocks("pack", some_bytes, 3),
    "newer pack: all": area("now"),
    "newer pack: first block": part_of_pack(0, 1),
    "newer pack: last block": part_of_pack(-1, 1),
    "newer pack: all but the last block": lambda f, p, r: wipe(f, p, r, p.now, p.pack_blocks - 1),
    "newer pack: its summaries": lambda f, p, r: wipe(f, p, r, p.now + 1, p.pack_blocks - 2),
    "older pack: all": area("before"),
    "both packs: all": area("packs"),
    "both packs: first blocks": heads_of_packs,
    "superblocks": area("superblocks"),
    "NAT: all": area("nat"),
    "SIT: all": area("sit"),
    "SSA: all": area("ssa"),
    "packs, NAT and SIT": area("packs", "nat", "sit"),
    "root directory's inode": area("root"),
    "a run of blocks": stretch,
    "several of these": several,
}
