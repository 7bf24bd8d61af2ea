# SPDX-License-Identifier: LGPL-2.1-or-later
"""All fields of all structures on a volume, as the tables of the format name them: where they are, which checksum covers them, and
whose they are. Contents of files, symlinks and attributes are no fields."""
import collections
import stat
import struct

import f2fskit

import sweep_seals

SEGMENT = 512
LONG = 64               # larger fields are swept only where they are in use, and a little after that
LISTS = {"extension_list"}
PARTS = {"devs"}        # tables of their own
NAMES = 6               # entries of a directory that are swept; twice as many of the chosen inodes
POINTERS = 3
FLAG_INLINE_XATTR, FLAG_INLINE_DATA, FLAG_INLINE_DENTRY, FLAG_EXTRA = 0x01, 0x02, 0x04, 0x20
CONTEXT, VERITY = 9, 11  # indexes of attributes that are structures


class Spot(collections.namedtuple("Spot", "address kind place offset width seal owners bit twin")):
    """A number, or a byte of a longer field. address: as of `f2fs IMAGE set`; kind: structure and field; place: the structure;
    offset: byte on the volume; seal: of sweep_seals; owners: the inodes that need it; bit: of a spot that is no more than a bit,
    whose width is 0; twin: bytes to a second copy that changes, too, or 0."""
    __slots__ = ()


class Finder:
    """Finds all spots of a volume."""

    def __init__(self, subject):
        self.spots, self.known, self.devices = [], set(), subject.bases
        self.whole = f2fskit.Device.multi(self.devices) if len(self.devices) > 1 else self.devices[0]
        self.volume = f2fskit.open(self.devices[0], devices=self.devices[1:])
        self.fields = f2fskit.fields(self.devices[0], devices=self.devices[1:])
        self.seals = sweep_seals.Seals(self.volume)
        self.geo, self.size = self.volume.geometry, self.volume.block_size
        self.nodes = collections.defaultdict(list)
        for entry in self.volume.nat.used():
            if entry.nid > 2:
                self.nodes[entry.ino].append(entry)
        self.addr = {entry.nid: entry.block_addr for of in self.nodes.values() for entry in of}
        self.segments = collections.defaultdict(set)

    def close(self):
        self.fields.close()
        self.volume.close()
        if self.whole not in self.devices:
            self.whole.close()

    # adding

    def add(self, address, kind, place, offset, width, owners=(), seal=None, twin=0):
        if (offset, width, twin) in self.known:
            return
        self.known.add((offset, width, twin))
        self.spots.append(Spot(address, kind, place, offset, width, seal, frozenset(owners), 0, twin))

    def describe(self, address):
        """Where the structure of a field begins; None: there is no such field."""
        try:
            found = self.fields.describe(address)
        except (f2fskit.Error, OSError, ValueError):
            return None
        table = f2fskit.structs.get(found.structure)
        inner = table.fields[found.field].offset if table and found.field in table.fields else 0
        return found.offset - inner

    def bytes_in_use(self, at, field):
        """The bytes of a long field that matter, and where its unused part begins and ends."""
        raw = self.whole.read(at, field.size)
        used = [i for i, byte in enumerate(raw) if byte]
        behind = (used[-1] + 1 if used else 0)
        return sorted({*used, *range(behind, min(behind + 2, field.size)), field.size - 1})

    def shown(self, prefix, field, i):
        """The address of one byte of a field."""
        return "%s.u8[%d]" % (prefix, field.offset + i) if field.name in LISTS else "%s.%s[%d]" % (prefix, field.name, i)

    def structure(self, prefix, name, at, place, owners=(), seal=None, limit=1 << 20, twin=0, kinds=None):
        """All fields of a structure, as far as it goes. kinds: {field: kind} of those that have fewer witnesses than others."""
        for field in f2fskit.structs[name].fields.values():
            if field.offset + field.size > limit or field.name in PARTS:
                continue
            kind, start = (kinds or {}).get(field.name, "%s.%s" % (name, field.name)), at + field.offset
            where = "%s.%s" % (prefix, field.name)
            if field.code == "s":
                chosen = range(field.size) if field.size <= LONG else self.bytes_in_use(start, field)
                for i in chosen:
                    self.add(self.shown(prefix, field, i), kind, place, start + i, 1, owners, seal, twin)
                continue
            width = struct.calcsize("<" + field.code)
            for i in range(field.count):
                address = where if field.count == 1 else "%s[%d]" % (where, i)
                self.add(address, kind, place, start + i * width, width, owners, seal, twin)

    def raw(self, prefix, base, name, at, place, owners=(), seal=None, limit=1 << 20):
        """The fields of a structure that addresses do not know, byte by byte. prefix.u8[] counts from base."""
        for field in f2fskit.structs[name].fields.values():
            for i in range(field.size if field.offset + field.size <= limit else 0):
                start = at + field.offset + i
                self.add("%s.u8[%d]" % (prefix, start - base), "%s.%s" % (name, field.name), place, start, 1, owners, seal)

    # roots

    def superblocks(self):
        for copy in (1, 2):
            prefix = "sb[%d]" % copy
            at = self.describe(prefix + ".magic")
            seal = ("superblock", at)
            self.seals.is_right(self.whole, seal)
            self.structure(prefix, "superblock", at, prefix, seal=seal)
            for i in range(min(len(self.devices) + 1, 8)):
                devs = at + f2fskit.structs["superblock"].fields["devs"].offset
                self.raw(prefix, at, "sb_device", devs + 68 * i, prefix, seal=seal)

    def packs(self):
        """The first and last block of each pack alone, and both alike, as the address cp has it."""
        for pack in (1, 2):
            head, foot = (self.describe("%s[%d].checkpoint_ver" % (name, pack)) for name in ("cp", "cp_foot"))
            if head is None:
                continue
            self.structure("cp[%d]" % pack, "checkpoint", head, "cp[%d]" % pack, seal=("checkpoint", head), twin=foot - head)
            for at in (head, foot):
                prefix, seal = "block[%d]" % (at // self.size), ("checkpoint", at)
                self.seals.is_right(self.whole, seal)
                self.raw(prefix, at, "checkpoint", at, prefix, seal=seal)
                self.version_bitmaps(prefix, at, seal)
        self.summaries_of_pack()

    def version_bitmaps(self, prefix, at, seal):
        raw = self.whole.read(at, self.size)
        end = sweep_seals.word(raw, sweep_seals.CHECKPOINT["checksum_offset"].offset)
        sizes = sum(sweep_seals.word(raw, sweep_seals.CHECKPOINT[name].offset)
                    for name in ("sit_ver_bitmap_bytesize", "nat_ver_bitmap_bytesize"))
        used = [192 + i for i in range(min(sizes, end - 192)) if i < 24 or raw[192 + i]]
        for i in used:
            self.add("%s.u8[%d]" % (prefix, i), "checkpoint.version bitmap", prefix, at + i, 1, seal=seal)
        for i in range(4) if end <= self.size - 4 else ():
            self.add("%s.u8[%d]" % (prefix, end + i), "checkpoint.checksum", prefix, at + end + i, 1)

    def summaries_of_pack(self):
        """The blocks of the pack in force that are neither its first nor its last one: journals, summaries, orphans."""
        for name in ("nat_journal", "sit_journal"):
            at = self.describe(name + ".count")
            self.add(name + ".count", name + ".count", name, at, 2)
            count = int(self.fields[name + ".count"])
            for i in range(min(count + 1, 8)):
                prefix, entry = "%s[%d]" % (name, i), name + "_entry"
                at = self.describe(prefix + (".nid" if name == "nat_journal" else ".segno"))
                if at is not None:
                    self.structure(prefix, entry, at, prefix)
        for i in range(4):
            at = self.describe("orphan_block[%d].entry_count" % i)
            if at is not None:
                self.structure("orphan_block[%d]" % i, "orphan_tail", at, "orphan_block[%d]" % i)
        for i, ino in enumerate(self.volume.orphans):
            self.add("orphan[%d].ino" % i, "orphan.ino", "orphan[%d]" % i, self.describe("orphan[%d].ino" % i), 4, {ino})
        geo, now = self.geo, self.volume.checkpoint_pack
        start = geo.cp_blkaddr + (now - 1) * SEGMENT
        begin = start + int(self.volume.checkpoint.cp_pack_start_sum)
        end = start + int(self.volume.checkpoint.cp_pack_total_block_count) - 1
        for block in range(begin, end):
            raw = self.whole.read(block * self.size, self.size)
            for i in [i for i, byte in enumerate(raw) if byte][:64]:
                self.add("block[%d].u8[%d]" % (block, i), "summaries of the pack", "block[%d]" % block, block * self.size + i, 1)

    # files

    def signature(self, ino):
        """Inodes of one signature have the same structures: two of each are swept."""
        inode = self.volume.inode(ino)
        fields, layout = inode.fields(), inode.layout
        kinds = sorted({str(self.kind_of_node(inode, node)) for node in inode.nodes()})
        return (stat.S_IFMT(fields["i_mode"]), int(fields["i_inline"]) & 0x3f, int(fields["i_flags"]) & 0x40100814,
                int(fields["i_advise"]) & 0x54, bool(fields["i_xattr_nid"]), fields["i_links"] > 1 and not inode.is_dir(),
                layout.cluster_blocks, tuple(kinds), ino == 3)

    @staticmethod
    def kind_of_node(inode, node):
        return "inode" if node.nid == inode.number else "xattr" if node.node_offset >= 1 << 24 else min(node.node_offset, 6)

    def chosen(self):
        """The inodes that are swept."""
        found = collections.defaultdict(list)
        for ino in sorted(self.nodes):
            try:
                found[self.signature(ino)].append(ino)
            except (f2fskit.Error, OSError, ValueError):
                continue
        return sorted(ino for of in found.values() for ino in of[:2])

    def block_of(self, block, owners):
        """The SSA entry of a block of the main area, and its segment."""
        segno, slot = divmod(block - self.geo.main_blkaddr, SEGMENT)
        self.segments[segno] |= set(owners)
        at = self.describe("ssa[%d][%d].nid" % (segno, slot))
        if at is not None and self.geo.ssa_blkaddr < self.geo.main_blkaddr:
            self.structure("ssa[%d][%d]" % (segno, slot), "summary_entry", at, "ssa[%d][%d]" % (segno, slot), owners)

    def nat(self, nid, owners):
        """Both copies, and the entry of the journal when there is one."""
        for prefix in ("nat[%d]" % nid, "nat[%d,1]" % nid, "nat[%d,2]" % nid):
            try:
                found = self.fields.describe(prefix + ".ino")
            except (f2fskit.Error, OSError, ValueError):
                continue
            self.structure(prefix, found.structure, self.describe(prefix + ".ino"), prefix, owners)

    def pointers(self, prefix, name, kind, at, words, place, owners, seal=None):
        """Some pointers in use, the last of them, and one that is not in use."""
        used, free = [i for i, value in enumerate(words) if value], [i for i, value in enumerate(words) if not value]
        for i in sorted({*used[:POINTERS], *used[-1:], *free[:1], *free[-1:]}):
            self.add("%s.%s[%d]" % (prefix, name, i), kind, place, at + 4 * i, 4, owners, seal)
        return [words[i] for i in used[:POINTERS] + used[-1:]]

    def inode(self, ino):
        inode, owners, prefix = self.volume.inode(ino), {ino}, "inode[%d]" % ino
        at, layout, raw = self.addr[ino] * self.size, inode.layout, inode.raw
        seal = ("inode", at)
        seal = seal if self.seals.is_right(self.whole, seal) else None
        is_device = stat.S_ISCHR(inode.mode) or stat.S_ISBLK(inode.mode)
        self.structure(prefix, "inode", at, prefix, owners, seal,
                       kinds={"i_mode": "inode.i_mode of a device with a checksum"} if is_device and seal else None)
        if layout.extra_size:
            self.structure(prefix, "inode_extra", at + 360, prefix, owners, seal, layout.extra_size,
                           kinds=None if inode.xattrs else {"i_inline_xattr_size": "inode_extra.room without attributes"})
        if not raw[3] & (FLAG_INLINE_DATA | FLAG_INLINE_DENTRY):
            words = struct.unpack_from("<%dI" % layout.slots, raw, layout.slot_offset)
            kind = "inode.device number" if is_device else "inode.i_addr"
            for block in self.pointers(prefix, "i_addr", kind, at + layout.slot_offset, words, prefix, owners, seal):
                if self.geo.main_blkaddr <= block < self.geo.end_blkaddr:
                    self.block_of(block, owners)
        for i in range(5):
            self.add("%s.i_nid[%d]" % (prefix, i), "inode.i_nid", prefix, at + layout.nid_offset + 4 * i, 4, owners, seal)
        self.structure("node[%d].footer" % ino, "node_footer", at + layout.footer_offset, prefix, owners, seal)
        self.nat(ino, owners)
        self.block_of(self.addr[ino], owners)
        for node in inode.nodes():
            if node.nid != ino:
                self.node(inode, node, owners)
        self.attributes(ino, raw, layout, at, owners, seal)
        if inode.is_compressed:
            self.clusters(inode, owners)

    def node(self, inode, node, owners):
        prefix, at = "node[%d]" % node.nid, node.addr * self.size
        kind = self.kind_of_node(inode, node)
        if kind != "xattr":
            name = "nid" if kind in (3, 4, 5) or (kind == 6 and self.is_indirect(node)) else "addr"
            words = struct.unpack_from("<%dI" % (self.size // 4 - 6), self.whole.read(at, self.size))
            for block in self.pointers(prefix, name, "%s node.%s" % ("direct" if name == "addr" else "indirect", name), at, words,
                                       prefix, owners):
                if name == "addr" and self.geo.main_blkaddr <= block < self.geo.end_blkaddr:
                    self.block_of(block, owners)
        self.structure(prefix + ".footer", "node_footer", at + self.size - 24, prefix, owners)
        self.nat(node.nid, owners)
        self.block_of(node.addr, owners)

    def is_indirect(self, node):
        """Whether nodes after the first indirect one have node ids (FORMAT files 1.4)."""
        per, place = self.geo.addrs_per_block, node.node_offset
        return place in (4 + per, 5 + 2 * per) or (place > 5 + 2 * per and (place - 6 - 2 * per) % (per + 1) == 0)

    def attributes(self, ino, raw, layout, at, owners, seal):
        nid = sweep_seals.word(raw, f2fskit.structs["inode"].fields["i_xattr_nid"].offset)
        inner = range(at, at + self.size)

        def where(found):
            return ("inode[%d]" % ino, at, seal) if found in inner else ("node[%d]" % nid, self.addr.get(nid, 0) * self.size, None)
        found = self.describe("xattr[%d].h_magic" % ino)
        if found is None or not (layout.xattr_size or nid):
            return
        self.structure("xattr[%d]" % ino, "xattr_header", found, where(found)[0], owners, where(found)[2])
        for i in range(64):
            entry = self.describe("xattr[%d][%d].e_name_index" % (ino, i))
            if entry is None:
                return
            prefix, base, own = where(entry)
            self.structure("xattr[%d][%d]" % (ino, i), "xattr_entry", entry, prefix, owners, own)
            index, name, size = struct.unpack("<BBH", self.whole.read(entry, 4))
            if index == CONTEXT:
                self.raw(prefix, base, "fscrypt_v2" if size >= 40 else "fscrypt_v1", entry + 4 + name, prefix, owners, own)
            if index == VERITY:
                self.raw(prefix, base, "verity_xattr", entry + 4 + name, prefix, owners, own)
                self.descriptor(ino, self.whole.read(entry + 4 + name, 16), owners)

    def descriptor(self, ino, value, owners):
        """The descriptor of fs-verity, after the end of the file."""
        block, offset = divmod(struct.unpack_from("<Q", value, 8)[0], self.size)
        addr = self.volume.inode(ino).block_addr(block)
        if addr >= self.geo.main_blkaddr and offset <= self.size - 256:
            prefix = "block[%d]" % addr
            self.raw(prefix, addr * self.size, "verity_descriptor", addr * self.size + offset, prefix, owners)

    def clusters(self, inode, owners):
        for extent in list(inode.extents())[:2]:
            if extent.kind.name == "COMPRESSED" and extent.addr >= self.geo.main_blkaddr:
                prefix = "block[%d]" % extent.addr
                self.raw(prefix, extent.addr * self.size, "cluster_header", extent.addr * self.size, prefix, owners)

    def entries(self, ino, chosen):
        """Entries of a directory: those of the chosen inodes, and some more."""
        inode, left = self.volume.inode(ino), [NAMES, 2 * NAMES]
        inline = bool(inode.raw[3] & FLAG_INLINE_DENTRY)
        seal = ("inode", self.addr[ino] * self.size) if inline else None
        seal = seal if seal and self.seals.is_right(self.whole, seal) else None
        blocks = [0] if inline else [e.file_block + i for e in inode.extents() if e.kind.name == "DATA" for i in range(e.count)]
        for block in blocks[:40]:
            per = 1 << 20 if inline else self.geo.dentries_per_block
            first = slot = block * per
            end, frees = first + per, 0
            while slot < end:
                prefix = "dentry[%d][%d]" % (ino, slot)
                at = self.describe(prefix + ".hash_code")
                if at is None:
                    break
                _, child, length, _ = struct.unpack("<IIHB", self.whole.read(at, 11))
                if not self.fields[prefix + ".used"]:
                    frees += 1
                    if frees == 1:
                        self.slot_bit(prefix, slot - first, {ino}, seal)
                    slot += 1
                    continue
                if left[child in chosen]:
                    left[child in chosen] -= 1
                    self.entry(prefix, slot - first, at, length, {ino, child}, seal, self.kinds_of_entry(inode, child, prefix, length))
                slot += max((length + 7) // 8, 1)

    def kinds_of_entry(self, directory, child, prefix, length):
        """The fields of an entry that have fewer witnesses than those of other entries."""
        inode, kinds = self.volume.inode(child), {}
        name = self.whole.read(self.describe(prefix + ".name"), length)
        remembered = f2fskit.structs["inode"].fields["i_name"].offset
        if not inode.is_dir() and inode.fields()["i_links"] > 1 and \
                name != inode.raw[remembered:remembered + int(inode.fields()["i_namelen"])]:
            kinds.update(used="dentry.used of a further link", ino="dentry.ino of a further link")
        if directory.is_encrypted and directory.is_casefold:
            kinds["name"] = "dentry.name with a keyed hash"
        return kinds

    def slot_bit(self, prefix, slot, owners, seal, kind="dentry.used"):
        """Whether a slot is in use."""
        at = self.fields.describe(prefix + ".used").offset
        self.spots.append(Spot(prefix + ".used", kind, prefix, at, 0, seal, frozenset(owners), 1 << slot % 8, 0))

    def entry(self, prefix, slot, at, length, owners, seal, kinds):
        self.structure(prefix, "dentry", at, prefix, owners, seal, kinds=kinds)
        name = self.describe(prefix + ".name")
        for i in range(min(length, 24)):
            self.add("%s.name[%d]" % (prefix, i), kinds.get("name", "dentry.name"), prefix, name + i, 1, owners, seal)
        self.slot_bit(prefix, slot, owners, seal, kinds.get("used", "dentry.used"))

    def quota(self, ino):
        """Header and leaves of a quota file: blocks of 1 KiB."""
        data, inode = self.volume.inode(ino), self.volume.inode(ino)
        for extent in data.extents():
            if extent.kind.name != "DATA":
                continue
            for k in range(min(extent.count, 2)):
                base, prefix = (extent.addr + k) * self.size, "block[%d]" % (extent.addr + k)
                if extent.file_block + k == 0:
                    self.raw(prefix, base, "quota_header", base, prefix, {inode.number})
                for at in range(0, self.size, 1024):
                    raw = self.whole.read(base + at, 1024)
                    count = struct.unpack_from("<H", raw, 8)[0]
                    if (extent.file_block + k or at >= 4096) and 0 < count <= 14:
                        self.raw(prefix, base, "quota_leaf", base + at, prefix, {inode.number})
                        self.raw(prefix, base, "quota_entry", base + at + 16, prefix, {inode.number})

    def sit(self):
        free = next((s.segno for s in self.volume.sit if not s.valid_blocks), None)
        for segno in sorted({*self.segments, *(() if free is None else (free,))}):
            for prefix in ("sit[%d]" % segno, "sit[%d,1]" % segno, "sit[%d,2]" % segno):
                try:
                    found = self.fields.describe(prefix + ".vblocks")
                except (f2fskit.Error, OSError, ValueError):
                    continue
                self.structure(prefix, found.structure, self.describe(prefix + ".vblocks"), prefix, self.segments.get(segno, ()))
            at = self.describe("ssa[%d].entry_type" % segno)
            if at is not None and self.geo.ssa_blkaddr < self.geo.main_blkaddr:
                self.structure("ssa[%d]" % segno, "summary_footer", at, "ssa[%d]" % segno, self.segments.get(segno, ()))

    def all(self):
        self.superblocks()
        self.packs()
        chosen = self.chosen()
        for ino in chosen:
            self.inode(ino)
        for ino in chosen:
            if stat.S_ISDIR(self.volume.inode(ino).mode):
                self.entries(ino, set(chosen))
        for ino in {int(ino) for ino in self.volume.superblock.qf_ino} - {0}:
            self.quota(ino)
        self.sit()
        return self.spots


def find(subject):
    """(the spots of a volume, its seals)"""
    finder = Finder(subject)
    try:
        return finder.all(), finder.seals
    finally:
        finder.close()
