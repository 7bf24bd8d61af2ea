# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disks with partition tables: GPT with both copies, MBR with logical partitions, sectors of 512 or 4096 bytes."""
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


def _write(path, size, pieces):
    with open(path, "wb") as f:
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
