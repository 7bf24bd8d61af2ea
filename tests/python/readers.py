# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every way to read the contents of files: each must give the same bytes in whatever state a volume is.

FILE_READERS take an inode, TREE_READERS a volume and a folder that does not exist; compare() holds all of them against
what should be there.
"""
import os
import subprocess

import f2fskit
from f2fskit import ExtentKind


def whole(inode):
    return inode.read_bytes()


def pieces(inode):
    """Pieces that begin and end in the middle of blocks."""
    found = bytearray()
    with inode.open() as file:
        while piece := file.read(5003 if len(found) < 200_000 else 1_000_003):
            found += piece
    return bytes(found)


def extents(inode):
    """Data on the device is read from there, by its address."""
    volume, size = inode.volume, inode.size
    block = volume.geometry.block_size
    found = bytearray(size)
    for extent in inode.extents():
        at, length = extent.file_block * block, extent.count * block
        if at >= size or extent.kind in (ExtentKind.HOLE, ExtentKind.RESERVED):
            continue
        if extent.kind is ExtentKind.DATA:
            raw = volume.block(extent.addr, extent.count)
            assert [inode.block_addr(extent.file_block + i) for i in range(extent.count)] == list(
                range(extent.addr, extent.addr + extent.count))
        else:
            raw = inode.read_raw(at, length if extent.kind is not ExtentKind.INLINE else size)
            if extent.kind is ExtentKind.WAITING:
                assert inode.block_addr(extent.file_block) == 0xFFFFFFFF
        raw = raw[:size - at]
        found[at:at + len(raw)] = raw
    return bytes(found)


def seeks(inode):
    """Only what SEEK_DATA and SEEK_HOLE call data."""
    size = inode.size
    found = bytearray(size)
    with inode.open() as file:
        at = 0
        while at < size:
            try:
                start = file.seek(at, os.SEEK_DATA)
            except OSError:
                break
            at = file.seek(start, os.SEEK_HOLE)
            assert at > start, (start, at)
            file.seek(start)
            while start < at:
                piece = file.read(at - start)
                found[start:start + len(piece)] = piece
                start += len(piece)
    return bytes(found)


def tree_of(folder):
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found["/" + os.path.relpath(path, folder)] = file.read()
    return found


def extracted(volume, folder):
    volume.extract(folder, keep=f2fskit.Keep.DEFAULT & ~f2fskit.Keep.OWNER)
    return tree_of(folder)


def extracted_without_holes(volume, folder):
    volume.extract(folder, keep=f2fskit.Keep.TIMES)
    return tree_of(folder)


def tar(volume, folder):
    path = folder + ".tar"
    volume.extract(tar=path)
    os.mkdir(folder)
    subprocess.run(["tar", "-xf", path, "-C", folder], check=True)    # Python's tarfile takes minutes for many holes
    os.remove(path)
    return tree_of(folder)


FILE_READERS = [whole, pieces, extents, seeks]
TREE_READERS = [extracted, extracted_without_holes, tar]


def compare(volume, files, folder, inodes=None):
    """Hold every reader against files, {path: contents}; inodes: open already, {path: inode}."""
    for path, data in files.items():
        for inode in [volume.lookup(path), *([inodes[path]] if inodes and path in inodes else [])]:
            for reader in FILE_READERS:
                assert reader(inode) == data, (reader.__name__, path)
    for reader in TREE_READERS:
        found = reader(volume, os.path.join(folder, reader.__name__))
        assert sorted(found) == sorted(files), reader.__name__
        for path, data in files.items():
            assert found[path] == data, (reader.__name__, path)
