# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kinds of damage for the campaign. A kind is a function of (target, rng): it changes the volume. Whatever is random comes from
rng, so that a seed gives the same damage again. KINDS has those that are written, READS those that only reading shows."""
import f2fskit

SEGMENT = 512
VALUES = ("0", "0xffffffff", "+=1", "-=1", "^=0x40", "-1", "1", "^=0x80000000")


class Places:
    """Where things are on a volume, as block addresses."""

    def __init__(self, devices):
        with f2fskit.open(devices[0], devices=devices[1:]) as volume:
            geo = volume.geometry
            self.size, self.geo = geo.block_size, geo
            self.now = geo.cp_blkaddr + (volume.checkpoint_pack - 1) * SEGMENT
            self.before = geo.cp_blkaddr + (2 - volume.checkpoint_pack) * SEGMENT
            self.pack_blocks = int(volume.checkpoint.cp_pack_total_block_count)
            entries = [entry for entry in volume.nat.used() if entry.nid > 2]
            self.root = volume.nat[3].block_addr
            self.inos, self.dirs, self.dir_inos, self.data = [], [], [], []
            for _, entry in volume.scan("/"):
                kind = entry.type.name
                if kind not in ("REGULAR", "DIRECTORY"):
                    continue
                self.inos.append(entry.ino)
                blocks = self.blocks_of(volume.inode(entry.ino))
                if kind == "DIRECTORY":
                    self.dir_inos.append(entry.ino)
                    self.dirs += blocks
                else:
                    self.data += blocks
        self.inodes = [entry.block_addr for entry in entries if entry.nid == entry.ino]
        self.others = [entry.block_addr for entry in entries if entry.nid != entry.ino] or self.inodes
        self.nodes = self.inodes + self.others
        self.dirs = self.dirs or self.inodes
        self.data = self.data or self.dirs
        self.nids = [entry.nid for entry in entries]
        self.segments = sorted({(block - geo.main_blkaddr) // SEGMENT for block in self.nodes + self.dirs})
        # a read-only volume has no SSA
        self.ssa = [geo.ssa_blkaddr + segment for segment in self.segments
                    if geo.ssa_blkaddr + segment < geo.main_blkaddr] or [self.before]
        self.pack = list(range(self.now, self.now + self.pack_blocks))

    @staticmethod
    def blocks_of(inode):
        """Some blocks of each extent."""
        return [extent.addr + i for extent in inode.extents() if extent.kind.name == "DATA"
                for i in range(min(extent.count, 64))]


class Target:
    """A volume that may be changed, and where things are on it."""

    def __init__(self, devices, places):
        self.devices, self.places = devices, places
        self.whole = f2fskit.Device.multi(devices) if len(devices) > 1 else devices[0]

    def read(self, block, count=1):
        return self.whole.read(block * self.places.size, count * self.places.size)

    def put(self, block, data, offset=0):
        self.whole.write(block * self.places.size + offset, data)

    def fields(self, raw=False):
        return f2fskit.fields(self.devices[0], "r+", devices=self.devices[1:], raw=raw)

    def written(self, first, end):
        """Blocks of an area that are not all zero."""
        data, size = self.read(first, end - first), self.places.size
        return [first + i for i in range(end - first) if data[i * size:(i + 1) * size].strip(b"\0")] or [first]

    def blocks(self, where):
        """The blocks of a kind."""
        geo = self.places.geo
        areas = {"nat": (geo.nat_blkaddr, geo.ssa_blkaddr), "sit": (geo.sit_blkaddr, geo.nat_blkaddr)}
        return self.written(*areas[where]) if where in areas else getattr(self.places, where)

    def close(self):
        if self.whole not in self.devices:
            self.whole.close()


# kinds of damage of a block

def some_bytes(target, rng, block):
    data = rng.randbytes(rng.choice((1, 2, 4, 8, 16)))
    target.put(block, data, rng.randrange(target.places.size - len(data)))


def one_bit(target, rng, block):
    offset = rng.randrange(target.places.size)
    target.put(block, bytes([target.read(block)[offset] ^ 1 << rng.randrange(8)]), offset)


def zeros(target, rng, block):
    target.put(block, bytes(target.places.size))


def noise(target, rng, block):
    target.put(block, rng.randbytes(target.places.size))


def sector(target, rng, block):
    """One sector of the block is lost."""
    lost = rng.choice((bytes(512), rng.randbytes(512)))
    target.put(block, lost, 512 * rng.randrange(target.places.size // 512))


def foreign(target, rng, block):
    p = target.places
    target.put(block, target.read(rng.choice(p.nodes + p.dirs + p.ssa)))


def swapped(target, rng, block):
    other = rng.choice(target.places.nodes)
    a, b = target.read(block), target.read(other)
    target.put(block, b)
    target.put(other, a)


def head_bytes(target, rng, block):
    """The fields at the start of a node, or its footer."""
    size = target.places.size
    target.put(block, rng.randbytes(2), rng.choice((rng.randrange(0, 400, 2), size - 44 + rng.randrange(0, 44, 2))))


def stale(target, rng, block):
    """Write old contents: any block of the main area that still has the same node id in its footer."""
    geo, size = target.places.geo, target.places.size
    want = target.read(block)[-24:-16]
    data = target.read(geo.main_blkaddr, min(geo.end_blkaddr - geo.main_blkaddr, (64 << 20) // size))
    found = [i for i in range(0, len(data), size) if data[i + size - 24:i + size - 16] == want]
    if found:
        at = rng.choice(found)
        target.put(block, data[at:at + size])


def whole_block(target, rng, block):
    rng.choice((zeros, noise, foreign))(target, rng, block)


def blocks(where, how, most):
    def damage(target, rng):
        choice = target.blocks(where)
        for block in rng.sample(choice, min(rng.randint(1, most), len(choice))):
            how(target, rng, block)
    return damage


# areas

def wipe(target, rng, first, count):
    size = target.places.size
    data = rng.choice((bytes(size), rng.randbytes(size), b"\xff" * size))
    target.put(first, data * count)


def span(places, name):
    """(first block, number of blocks)"""
    geo, now = places.geo, places.now
    return {"superblocks": (0, 2), "first superblock": (0, 1), "second superblock": (1, 1),
            "packs": (geo.cp_blkaddr, 2 * SEGMENT),
            "sit": (geo.sit_blkaddr, geo.nat_blkaddr - geo.sit_blkaddr),
            "nat": (geo.nat_blkaddr, geo.ssa_blkaddr - geo.nat_blkaddr),
            "ssa": (geo.ssa_blkaddr, geo.main_blkaddr - geo.ssa_blkaddr),
            "now": (now, SEGMENT), "before": (places.before, SEGMENT), "root": (places.root, 1),
            "first of now": (now, 1), "last of now": (now + places.pack_blocks - 1, 1),
            "now but its last": (now, places.pack_blocks - 1), "summaries of now": (now + 1, places.pack_blocks - 2),
            "first of before": (places.before, 1)}[name]


def area(*names):
    def damage(target, rng):
        for name in names:
            wipe(target, rng, *span(target.places, name))
    return damage


def one_superblock(target, rng):
    area(rng.choice(("first superblock", "second superblock")))(target, rng)


def stretch(target, rng):
    """A run of blocks anywhere, as a broken disk or a misplaced write leaves it."""
    p = target.places
    first = rng.choice((rng.randrange(p.geo.main_blkaddr), rng.choice(p.nodes), rng.choice(p.dirs)))
    wipe(target, rng, first, min(rng.choice((2, 8, 32, 100)), p.geo.end_blkaddr - first))


def last_device(target, rng):
    """All of the last device of several; of a single one the last quarter."""
    end = target.whole.size
    first = end - target.devices[-1].size if len(target.devices) > 1 else end // 4 * 3
    target.whole.zero(first, end - first)


# single fields, by the tables of the format

def names_of(structure):
    return [name for name in f2fskit.structs[structure].fields if not name.startswith(("reserved", "pad"))]


def address(places, rng, kind):
    if kind.startswith("superblock"):
        return "sb[%s].%s" % (kind[10:] or rng.randint(1, 2), rng.choice(names_of("superblock")))
    if kind == "checkpoint":
        return "cp.%s" % rng.choice(names_of("checkpoint"))
    if kind == "NAT entry":
        return "nat[%d].%s" % (rng.choice(places.nids), rng.choice(("version", "ino", "block_addr")))
    if kind == "SIT entry":
        return "sit[%d].%s" % (rng.choice(places.segments), rng.choice(("valid_blocks", "type", "valid_map[9]", "mtime")))
    if kind == "summary":
        return "ssa[%d][%d].%s" % (rng.choice(places.segments), rng.randrange(SEGMENT),
                                   rng.choice(("nid", "version", "ofs_in_node")))
    if kind == "footer":
        return "node[%d].footer.%s" % (rng.choice(places.nids), rng.choice(names_of("node_footer")))
    if kind == "entry of a directory":
        return "dentry[%d][%d].%s" % (rng.choice(places.dir_inos or [3]), rng.randrange(20),
                                      rng.choice(("ino", "hash_code", "name_len", "file_type", "used")))
    return "inode[%d].%s" % (rng.choice(places.inos or [3]), rng.choice(names_of("inode") + names_of("inode_extra")
                                                                 + ["i_addr[0]", "i_addr[1]", "i_nid[0]"]))


def field(kind, most=1):
    def damage(target, rng):
        done, wanted = 0, rng.randint(1, most)
        for _ in range(60):
            value = rng.choice(VALUES + ("%d" % rng.getrandbits(rng.choice((8, 16, 32))),))
            where, raw = address(target.places, rng, kind), rng.random() < 0.3
            try:
                with target.fields(raw) as fields:
                    fields[where] = value
            except (f2fskit.Error, OSError, ValueError, OverflowError):
                continue
            done += 1
            if done >= wanted:
                return
    return damage


def fields_of_one_superblock(target, rng):
    field("superblock%d" % rng.randint(1, 2), 5)(target, rng)


def journal(target, rng):
    """The number of entries in the NAT journal."""
    with target.fields() as fields:
        fields["nat_journal.count"] = rng.choice((0, 1, 5, 38, 39, 500, 0xffff))


def several(target, rng):
    for _ in range(rng.randint(2, 5)):
        kind = WRITTEN[rng.choice(list(WRITTEN))]
        try:
            kind(target, rng)
        except f2fskit.Error:   # the ones before it left no volume to find a field in
            pass


# what reading meets: a kind returns it in place of changing anything

def unreadable(*names, most=1):
    """Places that cannot be read for good, by span or by kind of block."""
    def damage(target, rng):
        found = []
        for _ in range(rng.randint(1, most)):
            name = rng.choice(names)
            if name in ("nodes", "dirs", "data", "ssa", "pack", "sit", "nat"):
                found.append((rng.choice(target.blocks(name)), 1))
            else:
                found.append(span(target.places, name))
        return {"bad": found}
    return damage


def read_fails_once(target, rng):
    """One of the reads fails, while other damage is repaired."""
    WRITTEN[rng.choice(list(WRITTEN))](target, rng)
    return {"once": rng.choice((rng.randint(1, 12), rng.randint(1, 150)))}


def cut_short(target, rng):
    """The last device ends early."""
    return {"keep": rng.choice((0.99, 0.9, 0.7, 0.5, 0.3, rng.random()))}


WRITTEN = {
    "one superblock: all": one_superblock,
    "one superblock: fields": fields_of_one_superblock,
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
    "NAT: blocks": blocks("nat", whole_block, 2),
    "SIT: bytes": blocks("sit", some_bytes, 4),
    "SIT: blocks": blocks("sit", whole_block, 2),
    "SSA: blocks": blocks("ssa", whole_block, 4),
    "newer pack: bytes": blocks("pack", some_bytes, 3),
    "newer pack: all": area("now"),
    "newer pack: first block": area("first of now"),
    "newer pack: last block": area("last of now"),
    "newer pack: all but the last block": area("now but its last"),
    "newer pack: its summaries": area("summaries of now"),
    "older pack: all": area("before"),
    "both packs: all": area("packs"),
    "both packs: first blocks": area("first of now", "first of before"),
    "superblocks": area("superblocks"),
    "NAT: all": area("nat"),
    "SIT: all": area("sit"),
    "SSA: all": area("ssa"),
    "superblocks and packs": area("superblocks", "packs"),
    "superblocks and NAT": area("superblocks", "nat"),
    "packs, NAT and SIT": area("packs", "nat", "sit"),
    "root directory's inode": area("root"),
    "a run of blocks": stretch,
    "the last device": last_device,
}

READ = {
    "cut short": cut_short,
    "one read fails": read_fails_once,
    "cannot be read: a superblock": unreadable("first superblock", "second superblock"),
    "cannot be read: in a pack": unreadable("pack", "before"),
    "cannot be read: NAT, SIT, SSA": unreadable("nat", "sit", "ssa", most=3),
    "cannot be read: nodes": unreadable("nodes", most=3),
    "cannot be read: directories": unreadable("dirs", most=2),
    "cannot be read: contents": unreadable("data", most=4),
}

KINDS = {**WRITTEN, "several of these": several, **READ}

# Things that exist twice or can be derived from others: nothing may be lost with them.
HARMLESS = {"one superblock: all", "one superblock: fields", "field of SIT entries", "field of summaries", "SIT: bytes",
            "SIT: blocks", "SSA: blocks", "older pack: all", "SIT: all", "SSA: all", "cannot be read: a superblock"}
