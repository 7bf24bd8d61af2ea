# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel reads the encrypted files that we write with the key, and continues with them."""
import json
import os
import sys

import reading  # it knows where the guest's modules are
import uml
import kernelapi as k  # noqa: E402

GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "keyed.py")
POLICIES = [(1, k.XTS, k.CTS, 4, 0), (1, k.ESSIV, k.CTS128, 16, 0), (1, k.ADIANTUM, k.ADIANTUM, 8, 0),
            (1, k.ADIANTUM, k.ADIANTUM, 32, k.DIRECT_KEY), (2, k.XTS, k.CTS, 4, 0), (2, k.XTS, k.CTS, 32, 0),
            (2, k.XTS, k.CTS, 32, k.LBLK_64), (2, k.XTS, k.CTS, 32, k.LBLK_32), (2, k.XTS, k.HCTR2, 32, 0),
            (2, k.ESSIV, k.CTS128, 16, 0), (2, k.ADIANTUM, k.ADIANTUM, 32, 0),
            (2, k.ADIANTUM, k.ADIANTUM, 32, k.DIRECT_KEY), (2, k.SM4_XTS, k.SM4_CTS, 32, 0)]
FILE = bytes(range(251)) * 120
TEXT = b"text that can be compressed, line after line\n" * 8000


def fill(top, in_blocks=FILE):
    (top / "file").write_bytes(in_blocks)
    (top / "tiny").write_bytes(b"x")
    (top / "empty").write_bytes(b"")
    (top / ("long-name-" * 25)).write_bytes(FILE[:100])
    (top / ("n" * 255)).write_bytes(b"255")
    with (top / "hole").open("wb") as file:
        file.seek(50000)
        file.write(b"end")
    (top / "sub").mkdir()
    (top / "sub" / "deep").write_bytes(FILE[:5000])
    (top / "symlink").symlink_to("target/of/the/link")
    (top / "long-symlink").symlink_to("t" * 2000)
    (top / "longest-symlink").symlink_to("t" * 4093)
    (top / "hard-link").hardlink_to(top / "file")
    (top / "sub" / "here").write_bytes(b"moved")
    (top / "sub" / "here").rename(top / "there")
    for i in range(200):
        (top / "sub" / f"Many-of-them-{i}").write_bytes(b"")


def write_volume(f2fskit, image):
    f2fskit.mkfs(image, 256 << 20, features=["encrypt", "extra_attr", "inode_checksum", "inode_crtime", "casefold",
                                             "compression", "flexible_inline_xattr"])
    with f2fskit.open(image, "r+") as volume:
        volume.add_key(k.MASTER_KEY)
        key = volume.add_key(k.MASTER_KEY, k.DESCRIPTOR)
        for i, (version, contents, names, padding, flags) in enumerate(POLICIES):
            top = volume.path("/policy-%d" % i)
            top.mkdir()
            top.inode().encrypt(key, version=version, contents=contents, names=names, padding=padding, flags=flags)
            fill(top)
        for name, unit in (("unit", 512), ("folded", 0), ("squeezed", 0)):
            top = volume.path("/" + name)
            top.mkdir()
            top.inode().encrypt(key, data_unit=unit)
            if name == "folded":
                top.inode().set(flags=top.inode().i_flags | k.FL_CASEFOLD)
            if name == "squeezed":
                top.inode().compress("lz4")
            fill(top, TEXT)


def test_written_with_the_key(kernel, f2fskit, peer_check, tmp_path):
    image, seen = tmp_path / "disk.img", tmp_path / "seen.json"
    write_volume(f2fskit, image)
    peer_check(image)
    with f2fskit.open(image) as volume:
        volume.add_key(k.MASTER_KEY, k.DESCRIPTOR)
        ours = reading.tree(volume, f2fskit)
        assert volume.path("/squeezed/file").inode().i_compr_blocks > 0
    uml.run([sys.executable, GUEST, str(seen)], images=[str(image)], kernel=kernel, strict=True).check()
    theirs = json.loads(seen.read_text())["entries"]
    reading.must_be_same(theirs, ours, ignore=("fiemap", "map", "atime"))
    peer_check(image)
    with f2fskit.open(image) as volume:
        volume.add_key(k.MASTER_KEY, k.DESCRIPTOR)
        for top in volume.path("/").iterdir():
            if top.name == "lost+found":
                continue
            want = TEXT if top.name in ("unit", "folded", "squeezed") else FILE
            assert (top / "file").read_bytes() == want[:6000] + b"KERNEL" + want[6006:]
            assert (top / "from-the-kernel").read_bytes() == top.name.encode() * 3000
            assert (top / "sub" / "moved").read_bytes() == b"x" and not (top / "symlink").exists()


def lose_inodes(f2fskit, image, paths):
    """Zero inodes, and all free blocks beside nodes, which have older copies."""
    with f2fskit.open(image) as volume:
        volume.add_key(k.MASTER_KEY, k.DESCRIPTOR)
        size, nodes = volume.block_size, {entry.block_addr for entry in volume.nat.used() if entry.nid > 2}
        lost = {volume.nat[volume.lookup(path).number].block_addr for path in paths}
    free = {one // 512 * 512 + i for one in nodes for i in range(512)} - nodes
    with open(image, "r+b") as file:
        for block in sorted(free | lost):
            file.seek(block * size)
            file.write(bytes(size))


def test_lost_inodes(kernel, f2fskit, tmp_path):
    """The policy of the directory decrypts some files whose inodes are lost. The ciphertext of others is in lost+found."""
    image, seen = tmp_path / "disk.img", tmp_path / "seen.json"
    write_volume(f2fskit, image)
    by_number = [i for i, policy in enumerate(POLICIES) if policy[4] in (k.LBLK_64, k.LBLK_32)]
    others = [i for i in range(len(POLICIES)) if i not in by_number]
    lose_inodes(f2fskit, image, ["/policy-%d/file" % i for i in by_number] + ["/policy-%d/there" % i for i in others])
    with f2fskit.Device.open(image, writable=True) as device:
        assert {"INODE_REBUILT", "ENCRYPT_PLAIN"} <= {problem.name for problem in f2fskit.check(device, repair=True).problems}
        assert f2fskit.check(device).found == 0
    with f2fskit.open(image) as volume:
        volume.add_key(k.MASTER_KEY, k.DESCRIPTOR)
        ours = reading.tree(volume, f2fskit)
        for i in by_number:
            assert all(volume.path("/policy-%d/%s" % (i, name)).read_bytes().rstrip(b"\0") == FILE.rstrip(b"\0")
                       for name in ("file", "hard-link"))
        assert len(list(volume.path("/lost+found").iterdir())) == len(others)
    uml.run([sys.executable, GUEST, str(seen)], images=[str(image)], kernel=kernel, strict=True).check()
    reading.must_be_same(json.loads(seen.read_text())["entries"], ours, ignore=("fiemap", "map", "atime"))
