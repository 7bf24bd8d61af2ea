# SPDX-License-Identifier: LGPL-2.1-or-later
"""Making and removing names leaves the same inodes and directories whether the kernel or our engine does it: permissions
and ACLs that a default ACL gives, whiteouts, and which blocks a directory has after names were taken out of it."""
import json
import os
import random
import stat
import struct
import sys

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "guest"))
USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
NO_ID = 0xFFFFFFFF
FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"
DEFAULTS = {
    "named": [(USER_OBJ, 7), (USER, 7, 1000), (USER, 5, 1001), (GROUP_OBJ, 5), (GROUP, 6, 50), (MASK, 7), (OTHER, 1)],
    "narrow": [(USER_OBJ, 6), (USER, 7, 1000), (GROUP_OBJ, 7), (MASK, 4), (OTHER, 0)],
    "plain": [(USER_OBJ, 7), (GROUP_OBJ, 5), (OTHER, 4)],
    "masked": [(USER_OBJ, 7), (GROUP_OBJ, 7), (MASK, 5), (OTHER, 7)],
    "large": [(USER_OBJ, 7), *((USER, 7, 2000 + i) for i in range(200)), (GROUP_OBJ, 5), (MASK, 7), (OTHER, 0)],
}


def acl(entries):
    return (struct.pack("<I", 2) + b"".join(struct.pack("<HHI", e[0], e[1], e[2] if len(e) > 2 else NO_ID)
                                            for e in entries)).hex()


def acl_rows():
    """Directories with a default ACL, and in them all types of files with several permissions, two levels deep."""
    rows = [["make", "without", stat.S_IFDIR | 0o777], ["make", "without/file", stat.S_IFREG | 0o666]]
    modes = {stat.S_IFREG: (0o666, 0o640, 0o4755, 0), stat.S_IFDIR: (0o777, 0o1750), stat.S_IFLNK: (0o777,),
             stat.S_IFIFO: (0o622,), stat.S_IFCHR: (0o666,), stat.S_IFSOCK: (0o777,)}
    for name, entries in DEFAULTS.items():
        rows += [["make", name, stat.S_IFDIR | 0o755], ["acl", name, ["default", acl(entries)]]]
        for folder in (name, name + "/sub"):
            if folder != name:
                rows.append(["make", folder, stat.S_IFDIR | 0o775])
            rows += [["make", "%s/%x-%o" % (folder, kind, mode), kind | mode] for kind in modes for mode in modes[kind]]
        rows += [["make", name + "/moved", stat.S_IFREG | 0o644], ["whiteout", name + "/moved", "without/from-" + name]]
    return rows


def removal_rows(seed):
    """Directories of many blocks from which names are taken in different orders, until few or none are left."""
    rng, rows = random.Random(seed), []
    for folder, count, left, length in (("emptied", 700, 0, 40), ("thinned", 700, 9, 200), ("refilled", 400, 30, 8)):
        rows.append(["make", folder, stat.S_IFDIR | 0o755])
        names = ["%s/%s-%d" % (folder, "n" * rng.randrange(1, length), i) for i in range(count)]
        rows += [["make", name, stat.S_IFREG | 0o644] for name in names]
        rng.shuffle(names)
        rows += [["remove", name, None] for name in names[left:]]
        if folder == "refilled":
            rows += [["make", "%s/again-%d" % (folder, i), stat.S_IFDIR | 0o700] for i in range(100)]
            rows += [["rename", "%s/again-%d" % (folder, i), "%s/renamed-%d" % (folder, i)] for i in range(60)]
            rows += [["remove", "%s/again-%d" % (folder, i), None] for i in range(60, 90)]
    return rows


def make(directory, name, mode):
    """As the guest does, whose umask is 022."""
    device = os.makedev(1, 3) if stat.S_ISCHR(mode) else 0
    directory.create(name, mode, umask=0o022, device=device, target="target" if stat.S_ISLNK(mode) else None)


def apply(f2fskit, image, rows):
    with f2fskit.open(str(image), "r+") as volume:
        for number, (operation, path, value) in enumerate(rows):
            at = volume.path("/") / path
            if operation == "make":
                make(at.parent.inode(), at.name, value)
            elif operation == "acl":
                at.xattrs["system.posix_acl_" + value[0]] = bytes.fromhex(value[1])
            elif operation == "remove":
                at.parent.inode().remove(at.name)
            else:
                to = volume.path("/") / value
                flags = f2fskit.RenameFlag.WHITEOUT if operation == "whiteout" else 0
                at.parent.inode().rename(at.name, to.parent.inode(), to.name, flags)
            if number % 500 == 499:
                volume.commit()


def look(f2fskit, image):
    """{path: fields of the inode, its attributes, and for directories the places of names}"""
    found = {}
    with f2fskit.open(str(image)) as volume:
        for path, entry in volume.scan("/"):
            inode = volume.inode(entry.ino)
            row = [oct(inode.stat().st_mode), inode.stat().st_size, inode.i_blocks, inode.i_links,
                   list(inode.xattrs.items())]
            if inode.is_dir():
                row += [inode.i_current_depth, [(e.file_block, e.count) for e in inode.extents() if e.kind.name != "HOLE"],
                        sorted(e.name for e in inode.iterdir())]
            found[str(path)] = row
    return found


@pytest.mark.parametrize("features", ["", FEATURES], ids=["plain", "features"])
def test_kernel_and_engine_agree(kernel, f2fskit, run_tool, peer_check, tmp_path, features):
    ours, theirs, rows = tmp_path / "ours.img", tmp_path / "theirs.img", acl_rows() + removal_rows(len(features))
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    for image in (ours, theirs):
        run_tool("mkfs.f2fs", "-q", *(["-O", features] if features else []), image, "100M")
    uml.run("mount /dev/ubda $MNT && python3 %s $MNT %s && umount $MNT" % (
        os.path.join(HERE, "guest", "naming.py"), tmp_path / "rows.json"), images=[str(theirs)], kernel=kernel).check()
    apply(f2fskit, ours, rows)
    left, right = look(f2fskit, ours), look(f2fskit, theirs)
    assert sorted(left) == sorted(right)
    for path in left:
        assert left[path] == right[path], path
    assert "system.posix_acl_access" in dict(left["/named/sub/8000-640"][4])
    peer_check(ours)
