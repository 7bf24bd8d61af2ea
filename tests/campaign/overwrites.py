# SPDX-License-Identifier: LGPL-2.1-or-later
"""Truncated images, and images over which something else was written: all such damages of a volume, by name.

    cut 1 4194304               device 1 ends there
    zeros 0 65536               65536 bytes from byte 0 on are zeros; ones: 0xff; noise: the same random bytes each time
    gpt 0 4096                  the head of another system, cut or filled up with zeros
"""
import functools
import random
import struct
import zlib

import f2fskit

SEGMENT = 512
MIB = 1 << 20
HEADS = (512, 4096, 65536, MIB, 2 * MIB)
# odd numbers of bytes around a border
BESIDE = (-4096, -512, 1, 4096)


def gpt(size):
    entry = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff\xff\xff", 1, 0xFFFFFFFF)
    head = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, 1, size // 512 - 1, 34, size // 512 - 34, b"u" * 16,
                       2, 128, 128, zlib.crc32(bytes(128 * 128)))
    return (bytes(446) + entry + bytes(48) + b"\x55\xaa" + head[:16] + struct.pack("<I", zlib.crc32(head)) + head[20:]).ljust(1024, b"\0")


def vfat(size):
    boot = struct.pack("<3s8sHBHBHHBHHHII", b"\xeb\x3c\x90", b"mkfs.fat", 512, 4, 4, 2, 512, 0, 0xF8, 128, 32, 64, 0, size // 512)
    return (boot + b"\x80\0\x29abcdNO NAME    FAT16   ").ljust(510, b"\0") + b"\x55\xaa"


def swap(size):
    return bytes(1024) + struct.pack("<III16s", 1, size // 4096 - 1, 0, b"s" * 16).ljust(3062, b"\0") + b"SWAPSPACE2"


def ext4(size):
    """A superblock with journal and extents."""
    sb = bytearray(1024)
    struct.pack_into("<IIIIIII", sb, 0, size // 4096 // 4, size // 4096, 0, 1000, 1000, 0, 2)
    struct.pack_into("<III", sb, 32, 32768, 32768, 8192)
    struct.pack_into("<H", sb, 56, 0xEF53)
    struct.pack_into("<IIHHIII", sb, 76, 1, 0, 11, 256, 4, 0x42, 1)
    sb[104:120] = b"e" * 16
    return bytes(1024) + bytes(sb)


FOREIGN = {"gpt": gpt, "vfat": vfat, "swap": swap, "ext4": ext4}
FILLS = ("zeros", "ones", "noise")


def contents(what, size, length):
    """The bytes that are written. size: of the device."""
    if what in FOREIGN:
        return FOREIGN[what](size)[:length].ljust(length, b"\0")
    return {"zeros": bytes(length), "ones": b"\xff" * length}[what] if what != "noise" else random.Random(length).randbytes(length)


def device_of(sizes, at):
    """(index, offset) of a byte of the volume."""
    for i, size in enumerate(sizes):
        if at < size:
            return i, at
        at -= size
    raise ValueError("after the end of the volume")


def how(name):
    """The damage of a name, as damages.KINDS has them: it returns the bytes of the volume that it hit."""
    what, first, second = name.split()
    first, second = int(first), int(second)

    def cut(target, rng):
        start = sum(device.size for device in target.devices[:first])
        return {"cut": (first, second), "hit": [(start + second, start + target.devices[first].size)]}

    def fill(target, rng):
        target.whole.write(first, contents(what, target.devices[0].size, second))
        return {"hit": [(first, first + second)]}
    return cut if what == "cut" else fill


def borders(geo):
    """The first bytes of the segments of metadata, and of the main area."""
    return [block * geo.block_size for block in range(geo.segment0_blkaddr, geo.main_blkaddr + 1, SEGMENT)]


def cuts(subject):
    geo, sizes = subject.places.geo, [device.size for device in subject.bases]
    metadata = borders(geo)
    main = metadata[-1]
    places = {*metadata, *(border + odd for border in metadata[1:] for odd in BESIDE), 512, 4096, 8192}
    places |= {sizes[0] - less for less in (1, 512, 4096, 4097, MIB)}
    places |= {main + (sizes[0] - main) * part // 7 for part in range(1, 7)}
    yield from ("cut 0 %d" % at for at in sorted(places) if 0 < at < sizes[0])
    for i, size in enumerate(sizes[1:], 1):
        yield from ("cut %d %d" % (i, at) for at in (4096, size // 2 + 512, size // 4096 * 4096 - 4096, size - 1))


def holes(subject):
    """Parts in the middle of each area, and the ends of the devices."""
    geo, end = subject.places.geo, 0
    areas = (("sit", geo.sit_blkaddr, geo.nat_blkaddr), ("nat", geo.nat_blkaddr, geo.ssa_blkaddr),
             ("ssa", geo.ssa_blkaddr, geo.main_blkaddr), ("packs", geo.cp_blkaddr, geo.sit_blkaddr))
    for _, first, last in areas:
        for at, count in ((first, 1), (first, (last - first) // 2), ((first + last) // 2, (last - first) // 2)):
            if count:
                yield from ("%s %d %d" % (what, at * geo.block_size, count * geo.block_size) for what in FILLS)
    for number in subject.places.segments[:6]:
        at = (geo.main_blkaddr + number * SEGMENT) * geo.block_size
        yield from ("%s %d %d" % (what, at + skip, length) for what, skip, length in
                    (("zeros", 0, 16384), ("ones", 4096, 40960), ("noise", 512, 70000)))
    for device in subject.bases:
        end += device.size
        yield from ("%s %d %d" % (what, end - MIB, MIB) for what in FILLS)


def plan(subject):
    """The names of all damages of a volume."""
    names = list(cuts(subject))
    names += ["%s 0 %d" % (what, length) for what in (*FILLS, *FOREIGN) for length in HEADS]
    return names + list(holes(subject))


@functools.lru_cache(maxsize=64)
def blocks_of_files(subject):
    """{path: the blocks of its inode, nodes and contents}, of files that the last checkpoint has as a mount shows them; of several
    links one."""
    found, known = {}, set()
    with f2fskit.open(subject.bases[0], devices=subject.bases[1:]) as volume:
        if volume.orphans or f2fskit.check(subject.bases[0], devices=subject.bases[1:]).pending:
            return found
        for path, entry in volume.scan("/"):
            if path in subject.wanted and entry.ino not in known:
                known.add(entry.ino)
                inode = volume.inode(entry.ino)
                blocks = {node.addr for node in inode.nodes()} | {volume.nat[entry.ino].block_addr}
                blocks |= {extent.addr + i for extent in inode.extents() if extent.addr for i in range(extent.count)}
                found[path] = blocks
    return found


def untouched(subject, hits):
    """The files of which a damage hit no block."""
    size, found = subject.places.size, []
    for path, blocks in blocks_of_files(subject).items():
        if not any(first < (block + 1) * size and block * size < end for first, end in hits for block in blocks):
            found.append(path)
    return found
