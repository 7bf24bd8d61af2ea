# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small volumes for the tests of programs, and a second, independent reader of their tables.

The reader knows the offsets of the format document by itself: tests compare the programs' output with it.
"""
import os
import shutil
import struct
import subprocess
import zlib

MIB = 1 << 20
BLOCK = 4096
MAGIC = 0xF2F52010


def find_sload():
    return shutil.which("sload.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def fill(image, source):
    """Put a directory of the host into an image, by f2fs-tools. Its status 1 means success."""
    done = subprocess.run([find_sload(), "-f", str(source), "-t", "/", str(image)], capture_output=True,
                          stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 1), done.stdout.decode(errors="replace")[-2000:]


def noise(seed, n):
    """n bytes that look random and are always the same."""
    out, state = bytearray(), seed * 2654435761 & 0xFFFFFFFF
    while len(out) < n:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out += struct.pack("<I", state)
    return bytes(out[:n])


def plant(top):
    """The source tree of the tests: {path: contents, None for a directory, str for the target of a symlink}."""
    tree = {
        b"hello.txt": b"hello\n", b"empty": b"", b"sub": None, b"sub/deeper": None, b"sub/deeper/leaf": b"leaf" * 40,
        b"sub/sparse": b"\0" * 50000 + b"end", b"big": noise(1, 5 * MIB + 123), b"medium": noise(2, 30000),
        b"link": "sub/deeper/leaf", b"caf\xc3\xa9": b"utf-8", b"not \xff utf-8": b"bytes",
        b"control\x1b[31m": b"x", b"back\\slash": b"y", b"quo\"te": b"z",
    }
    for i in range(250):
        tree[b"sub/file-%03d" % i] = b"%d" % i
    for path, what in tree.items():
        full = os.path.join(os.fsencode(top), path)
        if what is None:
            os.mkdir(full)
        elif isinstance(what, str):
            os.symlink(what, full)
        else:
            with open(full, "wb") as f:
                f.write(what)
    return tree


def crc(data, seed=MAGIC):
    return ~zlib.crc32(data, ~seed & 0xFFFFFFFF) & 0xFFFFFFFF


class Raw:
    """Superblock, checkpoint and tables of an image with 4 KiB blocks and no payload, by offsets alone."""
    SB = {"block_count": (36, "<Q"), "segment_count_sit": (56, "<I"), "segment_count_nat": (60, "<I"),
          "segment_count_main": (68, "<I"), "cp_blkaddr": (76, "<I"), "sit_blkaddr": (80, "<I"),
          "nat_blkaddr": (84, "<I"), "ssa_blkaddr": (88, "<I"), "main_blkaddr": (92, "<I")}

    def __init__(self, path):
        self.path = str(path)
        with open(self.path, "rb") as f:
            sb = f.read(2 * BLOCK)[1024:1024 + 3072]
        self.sb = {name: struct.unpack_from(form, sb, at)[0] for name, (at, form) in self.SB.items()}
        first, second = (self.block(self.sb["cp_blkaddr"] + 512 * i) for i in (0, 1))
        v1, v2 = (struct.unpack_from("<Q", cp)[0] for cp in (first, second))
        self.pack = 2 if v2 > v1 else 1
        self.cp = second if v2 > v1 else first
        self.version = max(v1, v2)
        self.flags, self.total, self.start_sum = struct.unpack_from("<3I", self.cp, 132)
        sit_size, nat_size = struct.unpack_from("<2I", self.cp, 156)
        self.sit_bits, self.nat_bits = self.cp[192:192 + sit_size], self.cp[192 + sit_size:192 + sit_size + nat_size]
        self.read_journals()

    def block(self, addr, count=1):
        with open(self.path, "rb") as f:
            f.seek(addr * BLOCK)
            return f.read(count * BLOCK)

    def read_journals(self):
        base = self.sb["cp_blkaddr"] + 512 * (self.pack - 1)
        if self.flags & 4:      # compact summaries
            block = self.block(base + self.start_sum)
            nat, sit = block[:507], block[507:1014]
        else:
            data = base + self.total - 1 - (6 if self.flags & (1 | 0x20) else 3)
            nat, sit = (self.block(data + i)[3584:4091] for i in (0, 2))
        self.nat_journal = {}
        for i in range(struct.unpack_from("<H", nat)[0]):
            nid, version, ino, addr = struct.unpack_from("<IBII", nat, 2 + 13 * i)
            self.nat_journal[nid] = (version, ino, addr)
        self.sit_journal = {}
        for i in range(struct.unpack_from("<H", sit)[0]):
            segno = struct.unpack_from("<I", sit, 2 + 78 * i)[0]
            self.sit_journal[segno] = sit[2 + 78 * i + 4:2 + 78 * (i + 1)]

    @staticmethod
    def bit(bits, k):
        return bits[k >> 3] >> (7 - (k & 7)) & 1

    @property
    def max_nid(self):
        return self.sb["segment_count_nat"] // 2 * 512 * 455

    def nat_block(self, k):
        return self.sb["nat_blkaddr"] + (k >> 9) * 1024 + (k & 511) + 512 * self.bit(self.nat_bits, k)

    def nat(self, nid):
        """(version, ino, block address)"""
        if nid in self.nat_journal:
            return self.nat_journal[nid]
        return struct.unpack_from("<BII", self.block(self.nat_block(nid // 455)), nid % 455 * 9)

    def nodes(self):
        """{nid: (version, ino, address)} of all in use."""
        found = {}
        for k in range(self.sb["segment_count_nat"] // 2 * 512):
            block = self.block(self.nat_block(k))
            if any(block):
                for i in range(455):
                    found[k * 455 + i] = struct.unpack_from("<BII", block, 9 * i)
        found.update(self.nat_journal)
        return {nid: entry for nid, entry in sorted(found.items()) if entry[2]}

    def sit(self, segno):
        """The 74 bytes of a segment."""
        if segno in self.sit_journal:
            return self.sit_journal[segno]
        k = segno // 55
        copy = self.sb["segment_count_sit"] // 2 * 512 * self.bit(self.sit_bits, k)
        return self.block(self.sb["sit_blkaddr"] + k + copy)[segno % 55 * 74:][:74]

    # the files of f2fs-tools

    def dump_nat(self, first=0, end=None):
        lines = []
        for nid, (version, ino, addr) in self.nodes().items():
            if nid in (1, 2) or nid < first or (end is not None and nid >= end):
                continue
            footer = self.block(addr)[-24:]
            flag, cp_ver = struct.unpack_from("<IQ", footer, 8)
            lines.append("nid:%5d\tino:%5d\tver:%3d\toffset:%5d\tblkaddr:%10d\tpack:%d\tcp_ver:0x%x\n" % (
                nid, ino, version, flag >> 3, addr, self.bit(self.nat_bits, nid // 455) + 1, cp_ver))
        return "".join(lines)

    def dump_sit(self, first=0, end=None):
        out = ["segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)\n"]
        valid = used = free = 0
        for segno in range(first, self.sb["segment_count_main"] if end is None else end):
            entry = self.sit(segno)
            vblocks, mtime = struct.unpack_from("<H", entry)[0], struct.unpack_from("<Q", entry, 66)[0]
            count = vblocks & 1023
            out.append("\nsegno:%8d\tvblocks:%3d\tseg_type:%d\tmtime:%d\tsit_pack:%d\n\n" % (
                segno, count, vblocks >> 10, mtime, self.bit(self.sit_bits, segno // 55) + 1))
            if not count:
                free += 1
                continue
            used += 1
            valid += count
            for i in range(0, 64, 16):
                out.append("".join("  %02x" % b for b in entry[2 + i:18 + i]) + "\n")
        out.append("valid_blocks:[0x%x]\tvalid_segs:%d\t free_segs:%d\n" % (valid, used, free))
        return "".join(out)


def patch(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


def repair_checkpoint(path, raw, change):
    """Change the current checkpoint block and give both of its copies a right checksum."""
    cp = bytearray(raw.cp)
    change(cp)
    at = struct.unpack_from("<I", cp, 164)[0]
    struct.pack_into("<I", cp, at, crc(bytes(cp[:at])))
    base = raw.sb["cp_blkaddr"] + 512 * (raw.pack - 1)
    for block in (base, base + raw.total - 1):
        patch(path, block * BLOCK, bytes(cp))
