# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encrypted files with their keys: written, read back, moved; wrong keys, no keys, policies that cannot be."""
import errno
import io
import os
import tarfile

import pytest

import f2fskit
from conftest import pattern

KEY = bytes((5 + 11 * i) & 255 for i in range(64))
OTHER = bytes((9 + 13 * i) & 255 for i in range(64))
POLICIES = [dict(version=1, padding=4), dict(version=1, contents=5, names=6, padding=16),
            dict(version=1, contents=9, names=9, flags=4), dict(padding=8), dict(flags=8), dict(flags=16),
            dict(names=10), dict(contents=5, names=6), dict(contents=9, names=9), dict(contents=9, names=9, flags=4),
            dict(contents=7, names=8), dict(data_unit=512)]
TREE = {"small": b"x", "empty": b"", "big": pattern(1, 1_000_003), "n" * 255: b"long name", "été": pattern(2, 5000)}


@pytest.fixture
def disk(tmp_path, peer_check):
    """The path of a new volume; our checker and f2fs-tools find nothing wrong with it after the test."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["encrypt", "extra_attr", "casefold", "compression", "inode_checksum"],
                 )
    yield path
    peer_check(path)


def fill(top):
    """Write TREE and more below a directory of a volume."""
    for name, contents in TREE.items():
        (top / name).write_bytes(contents)
    (top / "sub").mkdir()
    (top / "sub" / "deep").write_bytes(b"deep")
    (top / "link").symlink_to("target/of/it")
    (top / "long-link").symlink_to("t" * 3000)
    (top / "hard").hardlink_to(top / "small")


def compare(top):
    """Is what fill() wrote there, and nothing else?"""
    assert {p.name for p in top.iterdir()} == set(TREE) | {"sub", "link", "long-link", "hard"}
    for name, contents in TREE.items():
        assert (top / name).read_bytes() == contents, name
    assert (top / "sub" / "deep").read_bytes() == b"deep"
    assert [str(p.readlink()) for p in (top / "link", top / "long-link")] == ["target/of/it", "t" * 3000]
    assert (top / "link").lstat().st_size == 12 and (top / "hard").read_bytes() == b"x"


def encrypted(volume, name="/secret", **policy):
    path = volume.path(name)
    path.mkdir()
    path.inode().encrypt(volume.add_key(KEY), **policy)
    return path


def test_written_and_read(disk):
    """Every policy, in one volume."""
    tops = ["/top-%d" % i for i in range(len(POLICIES))]
    with f2fskit.open(disk, "r+") as volume:
        for name, policy in zip(tops, POLICIES):
            fill(encrypted(volume, name, **policy))
            compare(volume.path(name))              # blocks that wait in memory
        volume.commit()
        for name in tops:
            compare(volume.path(name))
            big = volume.path(name, "big")
            with big.open("r+b") as file:           # parts of blocks: deciphered, changed, enciphered
                file.seek(5000)
                file.write(b"changed")
            with big.open("r+b") as file:
                file.truncate(900_001)
    with f2fskit.open(disk) as volume:
        volume.add_key(KEY)
        want = TREE["big"][:5000] + b"changed" + TREE["big"][5007:900_001]
        for name in tops:
            assert volume.path(name, "big").read_bytes() == want
            inode = volume.path(name, "big").inode()
            stored = inode.read_raw(0, 8192)
            assert len(stored) == 8192 and stored[:4096] != want[:4096]
    raw = disk.read_bytes()
    for contents in (b"target/of/it", b"deep", TREE["big"][:4096], "été".encode()):
        assert contents not in raw


def test_without_key_and_with_another(disk):
    with f2fskit.open(disk, "r+") as volume:
        fill(encrypted(volume))
    with f2fskit.open(disk, "r+") as volume:
        top = volume.path("/secret")
        shown = {p.name for p in top.iterdir()}
        assert len(shown) == len(TREE) + 4 and not shown & set(TREE)
        for clear in ("small", "n" * 255, "e" * 40):        # the last two are base64, but of no listed name
            with pytest.raises(f2fskit.EncryptedError, match="cannot look for .*no key is at hand") as caught:
                (top / clear).stat()
            assert caught.value.errno == errno.ENOKEY
            for look in (top / clear).exists, (top / clear).unlink, lambda name=clear: top.inode().entry(name):
                with pytest.raises(f2fskit.EncryptedError):
                    look()
        listed = sorted(shown)[0]
        assert (top / listed).lstat()
        other = listed[:30] + ("A" if listed[30] != "A" else "E") + listed[31:]
        with pytest.raises(f2fskit.NotFoundError):          # as listed, but not there
            (top / other).stat()
        with pytest.raises(f2fskit.EncryptedError, match="no key is at hand"):
            (top / "new").write_bytes(b"")
        volume.add_key(OTHER)
        assert {p.name for p in top.iterdir()} == shown
        inode = next(p for p in top.iterdir() if p.is_file() and p.stat().st_size).inode()
        for fail in inode.read_bytes, lambda: (top / "small").read_bytes():
            with pytest.raises(f2fskit.EncryptedError, match=r"none of the keys at hand \(1\) is the one"):
                fail()
        with pytest.raises(f2fskit.EncryptedError):
            top.inode().create("new", 0o100644)
        key = volume.add_key(KEY)
        assert [k.size for k in volume.keys] == [64, 64] and volume.keys[1] == key
        compare(top)
        with pytest.raises(f2fskit.StateError):
            volume.remove_key(key.identifier)       # a refused change began a transaction
        volume.rollback()
        volume.remove_key(key.identifier)
        assert {p.name for p in top.iterdir()} == shown and len(volume.keys) == 1
        with pytest.raises(KeyError):
            volume.remove_key(key.identifier)
        next(p for p in top.iterdir() if p.is_file()).unlink()      # that takes no key
    with f2fskit.open(disk) as volume:
        volume.add_key(KEY)
        assert len(list(volume.path("/secret").iterdir())) == len(TREE) + 3


def test_a_wrong_key_of_version_1_is_found_out(disk):
    """Descriptors say nothing about keys, but a wrong one makes noise of all names. It counts as none, with a warning."""
    with f2fskit.open(disk, "r+") as volume:
        top = encrypted(volume, version=1)
        for i in range(100):
            (top / ("name-%d" % i)).write_bytes(b"1" * 5000)
        descriptor = volume.keys[0].descriptor
    with f2fskit.open(disk) as volume:
        volume.add_key(OTHER, descriptor)
        names = list(volume.path("/secret").iterdir())
        assert len(names) == 100 and not any("name-" in path.name for path in names)
        assert any("key is wrong" in note for note in volume.notes)
        with pytest.raises(f2fskit.EncryptedError, match="the key given for them is wrong"):
            names[0].read_bytes()
        with pytest.raises(f2fskit.EncryptedError, match="the key given for them is wrong"):
            volume.path("/secret/name-1").read_bytes()
        volume.remove_key(descriptor)
        volume.add_key(KEY[:16], descriptor)
        assert len(list(volume.path("/secret").iterdir())) == 100     # too short to be tried: as without
        with pytest.raises(f2fskit.InvalidError, match="wrong key"):
            next(volume.path("/secret").iterdir()).read_bytes()


def test_keys_that_cannot_be(disk):
    with f2fskit.open(disk) as volume:
        key = volume.add_key(KEY)
        assert volume.add_key(KEY, key.identifier) == key and len(volume.keys) == 1
        with pytest.raises(f2fskit.InvalidError, match="not the one of this identifier"):
            volume.add_key(OTHER, key.identifier)
        for length in (0, 15, 65):
            with pytest.raises(f2fskit.RangeError):
                volume.add_key(bytes(length))
        with pytest.raises(f2fskit.RangeError):
            volume.add_key(KEY, b"short")


def test_policies_that_cannot_be(disk):
    with f2fskit.open(disk, "r+") as volume:
        key = volume.add_key(KEY)
        top = volume.path("/dir")
        top.mkdir()
        for policy in (dict(contents=1, names=9), dict(flags=4), dict(version=1, names=10), dict(flags=24),
                       dict(contents=5, names=6, flags=8), dict(data_unit=256), dict(data_unit=512, flags=8),
                       dict(version=3)):
            with pytest.raises(f2fskit.InvalidError):
                top.inode().encrypt(key, **policy)
        with pytest.raises(f2fskit.InvalidError):
            volume.root.encrypt(key)
        (top / "file").write_bytes(b"")
        with pytest.raises(f2fskit.NotEmptyError):
            top.inode().encrypt(key)
        with pytest.raises(f2fskit.NotDirError):
            (top / "file").inode().encrypt(key)
        (top / "file").unlink()
        with pytest.raises(f2fskit.EncryptedError):
            top.inode().encrypt(key._replace(identifier=bytes(16)))
        top.inode().encrypt(key)
        with pytest.raises(f2fskit.ExistsError):
            top.inode().encrypt(key)


def test_names_do_not_cross_policies(disk):
    with f2fskit.open(disk, "r+") as volume:
        one, other = encrypted(volume, "/one"), encrypted(volume, "/other", padding=4)
        (one / "file").write_bytes(b"1")
        (one / "dir").mkdir()
        volume.path("/clear").write_bytes(b"2")
        for source, target in ((one / "file", other / "x"), (one / "dir", other / "x"),
                               (volume.path("/clear"), one / "x")):
            with pytest.raises(f2fskit.XdevError):
                source.rename(target)
            if not source.is_dir():
                with pytest.raises(f2fskit.XdevError):
                    target.hardlink_to(source)
        (one / "file").rename(one / "dir" / "renamed")              # the same policy, another nonce
        (one / "dir" / "renamed").rename(volume.path("/out"))       # out is allowed
        assert volume.path("/out").read_bytes() == b"1"
    with f2fskit.open(disk) as volume:
        with pytest.raises(f2fskit.EncryptedError):
            volume.path("/out").read_bytes()


def test_casefolded_and_compressed(disk):
    with f2fskit.open(disk, "r+") as volume:
        top = encrypted(volume)
        fold = top / "Fold"
        fold.mkdir()
        fold.inode().set(flags=fold.inode().i_flags | 0x40000000)
        (fold / "Straße").write_bytes(b"folded")
        for i in range(300):
            (fold / ("Name-%d" % i)).write_bytes(b"")
        with pytest.raises(f2fskit.ExistsError):
            (fold / "STRASSE").mkdir()
        text = b"compressible " * 50_000
        squeezed = top / "squeezed"
        squeezed.touch()
        squeezed.inode().compress("lz4")
        squeezed.write_bytes(text)
        volume.commit()
        with squeezed.open("r+b") as file:
            file.seek(30_000)
            file.write(b"CHANGED")
        text = text[:30_000] + b"CHANGED" + text[30_007:]
    with f2fskit.open(disk) as volume:
        volume.add_key(KEY)
        assert volume.path("/secret/fold").exists() is False
        assert volume.path("/secret/Fold/STRASSE").read_bytes() == b"folded"
        assert all(volume.path("/secret/Fold/name-%d" % i).exists() for i in range(300))
        inode = volume.path("/secret/squeezed").inode()
        assert inode.read_bytes() == text and inode.i_compr_blocks > 0


def test_in_and_out_of_the_host(disk, tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    for name, contents in TREE.items():
        (source / "sub" / name).write_bytes(contents)
    (source / "link").symlink_to("sub/big")
    with f2fskit.open(disk, "r+") as volume:
        encrypted(volume)
        volume.populate(source, target="/secret")
    with f2fskit.open(disk) as volume:
        volume.add_key(KEY)
        result = volume.extract(tmp_path / "out", paths=["/secret"])
        assert not result.problems
        stream = io.BytesIO()
        volume.extract(tar=stream, paths=["/secret"])
    found = {p.name: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file() and not p.is_symlink()}
    assert found == TREE
    assert [os.readlink(p) for p in (tmp_path / "out").rglob("link")] == ["sub/big"]
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as tar:
        packed = {os.path.basename(m.name): tar.extractfile(m).read() for m in tar if m.isfile()}
    assert packed == TREE


def test_long_reads_are_deciphered_by_workers(disk):
    """Reads long enough for workers have the same result as short ones: each cipher, pieces that end within blocks, blocks
    that cannot be read in the middle, a process that was forked, and another file directly after it; and the same where a
    device takes one reader at a time."""
    data = pattern(7, (3 << 20) + 1001)
    with f2fskit.open(disk, "r+") as volume:
        for i, policy in enumerate((dict(), dict(contents=5, names=6), dict(contents=9, names=9, flags=4), dict(data_unit=512),
                                    dict(flags=16))):
            (encrypted(volume, f"/top{i}", **policy) / "file").write_bytes(data)

    def read(inode, length, offset):
        with inode.open() as file:
            file.seek(offset)
            return file.read(length)

    def open_files(volume):
        volume.add_key(KEY)
        files = [volume.lookup(f"/top{i}/file") for i in range(5)]
        for inode in files + files:
            assert read(inode, len(data), 0) == data
            assert read(inode, 2 << 20, 4095) == data[4095:4095 + (2 << 20)]
            assert read(inode, 1 << 20, 1 << 20) == data[1 << 20:2 << 20]
        middle = next(e for e in files[0].extents() if e.file_block + e.count > 400)
        return files, (middle.addr + 400 - middle.file_block) * 4096

    fault = f2fskit.Device.open(disk).fault()
    with f2fskit.open(fault) as volume:
        files, at = open_files(volume)
        fault.set(bad_offset=at, bad_length=4096)
        with pytest.raises(OSError):
            read(files[0], len(data), 0)
        assert read(files[1], len(data), 0) == data
        fault.set()
        assert read(files[0], len(data), 0) == data
    with f2fskit.open(disk) as volume:
        files, at = open_files(volume)
        whole = disk.read_bytes()
        os.truncate(disk, at)                       # the host takes it away from under the workers
        with pytest.raises(OSError, match="cannot read [0-9]+ bytes at [0-9]+ of .*disk.img") as found:
            read(files[0], len(data), 0)
        assert found.value.errno == errno.EIO and read(files[0], 1 << 20, 0) == data[:1 << 20]
        with open(disk, "r+b") as image:
            image.seek(at)
            image.write(whole[at:])
        assert read(files[0], len(data), 0) == data
        if hasattr(os, "fork"):
            child = os.fork()
            if child == 0:
                os._exit(0 if read(files[2], len(data), 0) == data else 1)
            assert os.waitpid(child, 0)[1] == 0
        volume.remove_key(volume.keys[0].identifier)
        with pytest.raises(f2fskit.Error):
            read(files[0], len(data), 0)
        volume.add_key(KEY)
        assert read(files[3], len(data), 0) == data


def test_passphrase(disk):
    """The same passphrase and salt give the same key. The volume has no salt of its own before the kernel makes one."""
    with f2fskit.open(disk, "r+") as volume:
        with pytest.raises(f2fskit.NotFoundError, match="no salt"):
            volume.add_passphrase("correct horse")
        assert volume.keys == []
        key = volume.add_passphrase("correct horse", b"salt")
        assert key.descriptor.hex() == "2ea819e58b47fa9f" and key.size == 64      # as f2fscrypt says
        top = volume.path("/secret")
        top.mkdir()
        top.inode().encrypt(key, version=1)
        (top / "file").write_bytes(b"secret contents")
    with f2fskit.open(disk) as volume:
        with pytest.raises(f2fskit.Error, match="at most 1023 bytes"):
            volume.add_passphrase(b"x" * 1024, b"")
        assert volume.add_passphrase("correct horse", b"").descriptor != key.descriptor
        assert volume.add_passphrase(b"correct horse", b"salt") == key
        assert volume.path("/secret/file").read_bytes() == b"secret contents"
