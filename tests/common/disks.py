# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disks with partition tables: GPT with both copies, MBR with logical partitions, sectors of 512 or 4096 bytes."""
import hashlib
import struct
import uuid
import zlib

MIB = 1 << 20
ZEROS = bytes(MIB)
LINUX = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")


def partition_uuid(number):
    return uuid.UUID(int=0xABCD0000 + number)


def _mbr_row(kind, first, count):
    return struct.pack("<B3xB3xII", 0, kind, first, count)


def _mbr(*rows):
    return bytes(446) + b"".join(rows).ljust(64, b"\0") + b"\x55\xaa"


def gpt(path, size, partitions, sector=512):
    """partitions: (label, first MiB, MiB) in the order of their numbers."""
    rows = b"".join(
        struct.pack("<16s16sQQQ72s", LINUX.bytes_le, partition_uuid(n).bytes_le, first * MIB // sector,
                    (first + count) * MIB // sector - 1, 0, label.encode("utf-16-le"))
        for n, (label, first, count) in enumerate(partitions, 1)).ljust(128 * 128, b"\0")
    last, blocks = size // sector - 1, len(rows) // sector

    def header(own, other, table):
        def pack(crc):
            return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other, 2 + blocks,
                               last - 1 - blocks, uuid.UUID(int=77).bytes_le, table, 128, 128, zlib.crc32(rows))
        return pack(zlib.crc32(pack(0)))
    _write(path, size, {0: _mbr(_mbr_row(0xEE, 1, min(last, 0xFFFFFFFF))), sector: header(1, last, 2), 2 * sector: rows,
                        (last - blocks) * sector: rows, last * sector: header(last, 1, last - blocks)})


def mbr(path, size, partitions, logical=()):
    """Primary partitions, and logical ones that fill an extended partition up to the end; (first MiB, MiB) each."""
    rows = [_mbr_row(0x83, first * 2048, count * 2048) for first, count in partitions]
    pieces = {}
    if logical:
        start = logical[0][0] * 2048 - 2048  # each has its own table one MiB before it
        rows.append(_mbr_row(0x05, start, size // 512 - start))
        for i, (first, count) in enumerate(logical):
            own = first * 2048 - 2048
            links = [_mbr_row(0x83, 2048, count * 2048)]
            if i + 1 < len(logical):
                follow = logical[i + 1]
                links.append(_mbr_row(0x05, follow[0] * 2048 - 2048 - start, follow[1] * 2048 + 2048))
            pieces[own * 512] = _mbr(*links)
    pieces[0] = _mbr(*rows)
    _write(path, size, pieces)


SUPER_METADATA = 12288
SUPER_MOST = 65536


def _summed(raw, at):
    return raw[:at] + hashlib.sha256(raw[:at] + bytes(32) + raw[at + 32:]).digest() + raw[at + 32:]


def super_metadata(size, partitions, minor=0):
    """partitions: (name, [(first MiB, or None for zeros, MiB)], attributes=0)."""
    rows, extents = [], []
    for name, pieces, *attributes in partitions:
        rows.append(struct.pack("<36sIIII", name.encode(), attributes[0] if attributes else 0, len(extents), len(pieces), 0))
        extents += [struct.pack("<QIQI", count * 2048, first is None, (first or 0) * 2048, 0) for first, count in pieces]
    groups = [struct.pack("<36sIQ", b"default", 0, 0)]
    devices = [struct.pack("<QIIQ36sI", 2048, 1 << 20, 0, size, b"super", 0)]
    tables, descriptors = b"", b""
    for table, width in (rows, 52), (extents, 24), (groups, 48), (devices, 64):
        descriptors += struct.pack("<III", len(tables), len(table), width)
        tables += b"".join(table)
    length = 256 if minor >= 2 else 128
    head = struct.pack("<IHHI32sI32s", 0x414C5030, 10, minor, length, bytes(32), len(tables), hashlib.sha256(tables).digest())
    return _summed((head + descriptors).ljust(length, b"\0"), 12) + tables


def android_super(path, size, *slots, at=0, minor=0):
    """An image of a super partition, or one at MiB `at` of a disk; each slot has its own partitions."""
    geometry = _summed(struct.pack("<II32sIII", 0x616C4467, 52, bytes(32), SUPER_MOST, len(slots), 4096), 8)
    pieces = {4096: geometry, 8192: geometry}
    for copy in range(2):
        for n, partitions in enumerate(slots):
            pieces[SUPER_METADATA + (copy * len(slots) + n) * SUPER_MOST] = super_metadata(size, partitions, minor)
    _write(path, None if at else size, {at * MIB + place: data for place, data in pieces.items()})


def _write(path, size, pieces):
    with open(path, "r+b" if size is None else "wb") as f:
        if size is not None:
            f.truncate(size)
        for at, data in pieces.items():
            f.seek(at)
            f.write(data)


def outside(path, first, count):
    """A checksum of all bytes but those of [first, first + count) MiB, where they are not zero."""
    total = 0
    with open(path, "rb") as f:
        for at in range(path.stat().st_size // MIB):
            piece = f.read(MIB)
            if not first <= at < first + count and piece != ZEROS:
                total = zlib.crc32(piece, total ^ at)
    return total


def vhd(data, block=2 * MIB, kind=3):
    """The bytes of a dynamic VHD. Blocks of zeros are not stored. kind 4: it claims to continue in another file."""
    def summed(head, at):
        head[at:at + 4] = struct.pack(">I", ~sum(head) & 0xFFFFFFFF)
        return bytes(head)

    count = -(-len(data) // block)
    bitmap = -(-block // 4096 // 512) * 512
    at = 1536 + -(-count * 4 // 512) * 512
    footer = summed(bytearray(struct.pack(">8sIIQI4sI4sQQHBBII16sB", b"conectix", 2, 0x10000, 512, 0, b"win ", 0x10000, b"Wi2k", len(data),
                                          len(data), 1, 1, 1, kind, 0, b"identity of disk", 0).ljust(512, b"\0")), 64)
    head = summed(bytearray(struct.pack(">8sQQIII", b"cxsparse", 2**64 - 1, 1536, 0x10000, count, block).ljust(1024, b"\0")), 36)
    table, blocks = b"", b""
    for i in range(count):
        part = data[i * block:(i + 1) * block].ljust(block, b"\0")
        stored = any(part)
        table += struct.pack(">I", (at + len(blocks)) // 512 if stored else 0xFFFFFFFF)
        blocks += (b"\xff" * (block // 4096)).ljust(bitmap, b"\0") + part if stored else b""
    return footer + head + table.ljust(at - 1536, b"\xff") + blocks + footer
