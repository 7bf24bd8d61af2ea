# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inodes of encrypted files are lost, without older copies. What their directory's policy decrypts comes back, and the ciphertext of
other files is kept."""
import random

import pytest

from lost_bed import BLOCK, bed  # noqa: F401  (fixture)

KEY = bytes(range(64))
FEATURES = ["extra_attr", "encrypt", "casefold", "flexible_inline_xattr", "compression", "verity"]
INO_LBLK_64, INO_LBLK_32 = 8, 16
CONTENTS = random.Random(0).randbytes(3 * BLOCK)


def fill(bed, contents=CONTENTS, folded=False, flags=0, name="file with a name"):
    """A file in an encrypted directory. Returns its inode number and its blocks as they are stored."""
    import f2fskit

    with bed.open("r+") as volume:
        volume.path("/secret").mkdir()
        if folded:
            volume.lookup("/secret").set(flags=f2fskit.InodeFlag.CASEFOLD)
        volume.lookup("/secret").encrypt(volume.add_key(KEY), flags=flags)
        volume.path("/secret/" + name).write_bytes(contents)
        volume.path("/secret/other").write_bytes(b"other")
        ino = volume.lookup("/secret/" + name).number
    return ino, stored(bed, ino)


def stored(bed, ino):
    with bed.open() as volume:
        blocks = [extent.addr + i for extent in volume.inode(ino).extents() if extent.kind.name == "DATA" for i in range(extent.count)]
    return b"".join(bed.device.read(block * BLOCK, BLOCK) for block in blocks)


def context_of(bed, ino):
    """(policy, random number) of an inode, as stored: prefix 9, a name of one byte, 40 bytes."""
    with bed.open() as volume:
        block = bed.device.read(volume.nat[ino].block_addr * BLOCK, BLOCK)
    at = block.index(b"\x09\x01\x28\x00c") + 5
    return block[at:at + 24], block[at + 24:at + 40]


def lose(bed, *inos):
    bed.forget()
    with bed.open() as volume:
        blocks = [volume.nat[ino].block_addr for ino in inos]
    for block in blocks:
        bed.device.write(block * BLOCK, bytes(BLOCK))


def texts(bed, f2fskit):
    return [problem.message for problem in f2fskit.check(bed.device).problems if problem.name == "INODE_REBUILT"]


@pytest.mark.parametrize("size", (3, 2000, 3000))
@pytest.mark.parametrize("folded", (False, True))
@pytest.mark.parametrize("flags", (INO_LBLK_64, INO_LBLK_32))
def test_key_by_number(bed, f2fskit, flags, folded, size):
    """The file's number is enough for its key."""
    bed, contents = bed(features=FEATURES), random.Random(size).randbytes(size * BLOCK)
    ino, _ = fill(bed, contents, folded, flags)
    lose(bed, ino)
    assert ["policy of its directory" in text for text in texts(bed, f2fskit)] == [True]
    assert "INODE_REBUILT" in bed.repair()
    with bed.open("r+") as volume:
        volume.add_key(KEY)
        path = volume.path("/secret/file with a name")
        assert path.read_bytes() == contents and volume.path("/secret/other").read_bytes() == b"other"
        path.write_bytes(b"changed")
        path.rename("/secret/renamed")
    with bed.open() as volume:
        volume.add_key(KEY)
        assert volume.path("/secret/renamed").read_bytes() == b"changed"
    assert f2fskit.check(bed.device).found == 0


def test_different_numbers(bed):
    """Two files that lose their inodes do not share a key."""
    bed = bed(features=FEATURES)
    first, _ = fill(bed, flags=INO_LBLK_64)
    with bed.open("r+") as volume:
        volume.add_key(KEY)
        volume.path("/secret/second").write_bytes(CONTENTS)
        second = volume.lookup("/secret/second").number
    lose(bed, first, second)
    bed.repair()
    with bed.open() as volume:
        directory = volume.lookup("/secret").number
    policies, numbers = zip(*(context_of(bed, ino) for ino in (first, second, directory)), strict=True)
    assert len(set(policies)) == 1 and len(set(numbers)) == 3


@pytest.mark.parametrize("folded", (False, True))
def test_key_is_lost(bed, f2fskit, folded):
    """The random number was in the inode. Linux opens no file of an encrypted directory that is not encrypted."""
    bed = bed(features=FEATURES)
    ino, ciphertext = fill(bed, folded=folded)
    assert len(ciphertext) == len(CONTENTS) and ciphertext != CONTENTS
    lose(bed, ino)
    assert ["nobody can decrypt" in text for text in texts(bed, f2fskit)] == [True]
    assert {"INODE_REBUILT", "ENCRYPT_PLAIN"} <= bed.repair()
    with bed.open() as volume:
        path = volume.path("/lost+found/inode-%d" % ino)
        assert path.read_bytes() == ciphertext and not volume.lookup(str(path)).is_encrypted
        volume.add_key(KEY)
        assert [entry.name for entry in volume.path("/secret").iterdir()] == ["other"]


def test_name_is_lost_too(bed, f2fskit):
    """Whether it was encrypted is unknown."""
    bed = bed(features=FEATURES)
    ino, ciphertext = fill(bed)
    with bed.open() as volume:
        directory = volume.lookup("/secret").number
    lose(bed, ino, directory)
    assert any("if it was encrypted" in text for text in texts(bed, f2fskit))
    assert {"INODE_REBUILT", "FILE_LOST"} <= bed.repair()
    with bed.open() as volume:
        assert volume.path("/lost+found/inode-%d" % ino).read_bytes() == ciphertext


def test_compressed(bed):
    """The policy decrypts its blocks, but how they are compressed was in the inode: the blocks are kept as they are."""
    bed = bed(features=FEATURES)
    fill(bed, flags=INO_LBLK_64)
    with bed.open("r+") as volume:
        volume.add_key(KEY)
        packed = volume.lookup("/secret").create("packed")
        packed.compress("lz4")
        packed.pwrite(b"all the same " * 9000, 0)
        ino = packed.number
    with bed.open() as volume:
        extents = [extent for extent in volume.inode(ino).extents() if extent.kind.name == "COMPRESSED"]
    assert extents
    lose(bed, ino)
    assert "ENCRYPT_PLAIN" in bed.repair()
    with bed.open() as volume:
        file = volume.inode(ino)
        assert not file.is_encrypted and any(extent.kind.name == "DATA" for extent in file.extents())


def test_directory(bed, f2fskit):
    """A lost directory below an encrypted one. Its files have keys of their own, and their contents are readable."""
    bed = bed(features=FEATURES)
    fill(bed)
    with bed.open("r+") as volume:
        volume.add_key(KEY)
        volume.path("/secret/below").mkdir()
        volume.path("/secret/below/file").write_bytes(CONTENTS)
        below, ino = (volume.lookup(path).number for path in ("/secret/below", "/secret/below/file"))
    lose(bed, below)
    bed.repair()
    with bed.open() as volume:
        volume.add_key(KEY)
        assert volume.path("/lost+found/inode-%d" % ino).read_bytes() == CONTENTS


@pytest.mark.parametrize("count", (3, 300))
def test_top_directory(bed, f2fskit, count):
    """The directory with the policy is lost, and its names with it. Its files have their keys."""
    bed = bed(features=FEATURES)
    ino, _ = fill(bed)
    with bed.open("r+") as volume:
        volume.add_key(KEY)
        for i in range(count):
            volume.path("/secret/more-%d" % i).write_bytes(b"more %d" % i)
        top = volume.lookup("/secret").number
        inos = {volume.lookup("/secret/more-%d" % i).number: i for i in range(count)}
    lose(bed, top)
    bed.repair()
    with bed.open() as volume:
        volume.add_key(KEY)
        read = lambda number: volume.inode(number).read_raw(0, volume.inode(number).size)  # noqa: E731
        found = {entry.ino: path for path, entry in volume.scan("/")}
        assert set(inos) <= set(found) and ino in found
        assert volume.path(found[ino]).read_bytes() == CONTENTS
        assert all(volume.path(found[number]).read_bytes() == b"more %d" % i for number, i in inos.items())
