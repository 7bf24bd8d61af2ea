# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged types: the mode of an inode says another type than it has, or none. Its contents and the entries that name it
show the right type, and it comes back with that type and its contents."""
import os
import stat

import pytest

FILES = {"small": b"hello\n", "medium": os.urandom(30000), "empty": b"", "big": os.urandom(5 << 20)}
TYPES = {"regular": 0o100000, "directory": 0o040000, "symlink": 0o120000, "char": 0o020000, "block": 0o060000,
         "pipe": 0o010000, "socket": 0o140000, "none": 0, "no-type": 0o170000}
SUBJECTS = {"/small": 0o100644, "/medium": 0o100640, "/big": 0o100600, "/empty": 0o100644, "/dir": 0o040755,
            "/many": 0o040755, "/short": 0o120777, "/long": 0o120777, "/tty": 0o020620, "/disk": 0o060660,
            "/pipe": 0o010644, "/sock": 0o140755}
# Types of files without contents, which only the mode and the entry distinguish: with a checksum the mode counts, without one
# the side with fewer wrong bits is believed wrong.
SUMS = {"sums": "extra_attr,inode_checksum,quota", "none": "extra_attr,quota"}


def snapshot(path, f2fskit):
    """What there is: {path: (mode, contents, target, device)}."""
    found = {}
    with f2fskit.open(path) as volume:
        for name, entry in volume.scan("/"):
            inode, stored = volume.inode(entry.ino), volume.inode(entry.ino).stat()
            kind = stat.S_IFMT(stored.st_mode)
            found[name] = (stored.st_mode, inode.read_bytes() if kind == stat.S_IFREG else None,
                           inode.readlink() if kind == stat.S_IFLNK else None,
                           stored.st_rdev if kind in (stat.S_IFCHR, stat.S_IFBLK) else None)
    return found


@pytest.fixture(scope="module", params=SUMS)
def volume(request, f2fskit, tmp_path_factory):
    """(image, what there is in it, whether inodes have checksums)"""
    image = tmp_path_factory.mktemp("types") / "disk.img"
    f2fskit.mkfs(image, 64 << 20, features=SUMS[request.param].split(","))
    more = {"/short": {"target": "small"}, "/long": {"target": "x/" * 1900},
            "/tty": {"device": os.makedev(4, 1)}, "/disk": {"device": os.makedev(259, 70000)}}
    with f2fskit.open(image, "r+") as vol:
        for path, mode in SUBJECTS.items():
            made = vol.root.create(path[1:], mode, **more.get(path, {}))
            if FILES.get(path[1:]):
                made.pwrite(FILES[path[1:]], 0)
        for i in range(3):
            vol.lookup("/dir").create("f%d" % i)
        for i in range(250):
            vol.lookup("/many").create("a-name-that-is-a-little-longer-%d" % i).pwrite(b"%d" % i, 0)
    assert f2fskit.check(image).found == 0
    return image, snapshot(image, f2fskit), request.param == "sums"


@pytest.fixture
def broken(volume, tmp_path, f2fskit):
    """broken({path: mode}): a copy of the volume with these modes, checksums as they were."""
    def damage(modes):
        path = tmp_path / "disk.img"
        os.system("cp --sparse=always %s %s" % (volume[0], path))
        with f2fskit.open(path) as vol:
            numbers = {name: vol.lookup(name).number if isinstance(name, str) else name for name in modes}
        with f2fskit.fields(path, "r+", raw=True) as fields:
            for name, mode in modes.items():
                fields["inode[%d].i_mode" % numbers[name]] = mode
        return path
    return damage


# As entries store types (FORMAT files 5.2).
IN_ENTRY = {"regular": 1, "directory": 2, "char": 3, "block": 4, "pipe": 5, "socket": 6, "symlink": 7}
EMPTY = ("/empty", "/tty", "/disk", "/pipe", "/sock")


def looks_like_a_wrong_entry(path, wrong):
    right = next(name for name, mode in TYPES.items() if mode == stat.S_IFMT(SUBJECTS[path]))
    if path not in EMPTY or wrong not in IN_ENTRY:
        return False
    return bin(IN_ENTRY[right] ^ IN_ENTRY[wrong]).count("1") < bin(TYPES[right] ^ TYPES[wrong]).count("1")


@pytest.mark.parametrize("wrong", TYPES)
def test_every_type_comes_back(volume, broken, f2fskit, wrong):
    """All subjects get the same wrong type at once, their permissions stay."""
    _, before, has_sums = volume
    hit = [path for path, mode in SUBJECTS.items()
           if stat.S_IFMT(mode) != TYPES[wrong] and (has_sums or not looks_like_a_wrong_entry(path, wrong))]
    assert hit
    image = broken({path: TYPES[wrong] | SUBJECTS[path] & 0o7777 for path in hit})
    report = f2fskit.check(image)
    # a checksum names the bit of a mode that is wrong by one bit
    names = {"INODE_MODE", "INODE_CHECKSUM", "INODE_FIELD"} if has_sums else {"INODE_MODE"}
    assert {p.name for p in report.problems} <= names, report.problems
    assert sorted(p.path for p in report.problems if p.name in ("INODE_MODE", "INODE_FIELD")) == sorted(hit)
    report = f2fskit.check(image, repair=True)
    assert report.left == 0, report.problems
    assert f2fskit.check(image).found == 0
    assert snapshot(image, f2fskit) == before


def test_permissions_that_cannot_be(volume, broken, f2fskit):
    """Of a mode that is noise nothing is kept; nobody gets rights by it."""
    _, before, has_sums = volume
    image = broken({"/medium": 0o5067, "/dir": 0o0007, "/empty": 0o6755})
    assert f2fskit.check(image, repair=True).left == 0
    after = snapshot(image, f2fskit)
    assert [after[path][0] for path in ("/medium", "/dir", "/empty")] == [0o100600, 0o040700, 0o100755]
    assert {path: found[1:] for path, found in after.items()} == {path: found[1:] for path, found in before.items()}


def test_nested_directories(volume, broken, f2fskit):
    """A directory of which the type is gone holds a file of which it is gone too; and so does the root."""
    _, before, _ = volume
    image = broken({"/dir/f1": 0o060755, "/dir": 0o060755, "/": 0o060755})
    assert f2fskit.check(image, repair=True).left == 0
    after = snapshot(image, f2fskit)
    assert after.pop("/dir/f1")[0] == 0o100755
    before = dict(before)
    before.pop("/dir/f1")
    assert after == before


def test_limits_outlive_the_type_of_a_quota_file(volume, broken, f2fskit):
    with f2fskit.open(volume[0]) as vol:
        ino = vol.superblock.qf_ino[0]
    image = broken({ino: 0o040600})
    names = {p.name for p in f2fskit.check(image, repair=True).problems}
    assert "INODE_MODE" in names and "QUOTA_INODE" not in names
    assert f2fskit.check(image).found == 0


def test_the_entry_is_wrong(volume, broken, f2fskit):
    """The contents of the inode confirm its mode: the entry is corrected."""
    _, before, _ = volume
    image = broken({})
    with f2fskit.fields(image, "r+") as fields:
        for name, kind in (("medium", 2), ("dir", 1), ("many", 4), ("disk", 1), ("short", 6), ("long", 2), ("small", 5)):
            fields['dentry[3]["%s"].file_type' % name] = kind
    report = f2fskit.check(image)
    assert {p.name for p in report.problems} == {"DENTRY_TYPE"}
    assert f2fskit.check(image, repair=True).left == 0
    assert snapshot(image, f2fskit) == before
