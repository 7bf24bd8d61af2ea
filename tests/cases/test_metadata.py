# SPDX-License-Identifier: LGPL-2.1-or-later
"""Copies of metadata behave as the volume: each damage of the cases is found in the copy as in the volume itself, with the
same words, and no contents of files are in it."""
import io
import os

import pytest

import cases

pytestmark = pytest.mark.module_only

# A block that cannot be read is zeros in a copy, and an image that is cut short is whole. What contents show of an inode
# is not in a copy: there the inode's own words are all there is.
# Names in a copy are others, so hashes do not vote on them. Entries that are marked as free, and contents, are not in it.
BY_CONTENTS = ("divided", "dentry_name_", "dentry_freed", "root_marked_as_inline", "directory_marked_as_inline",
               "symlink_division_and_node", "xattr_size_of_an_inode_with_a_node")
# Scrambled names are other names of the same length: names that inodes remember and near hashes do not vote on them.
BY_NAMES = ("dentry_link_", "dentry_length_and_hash", "dot_without_length", "dotdot_longer")
# A copy joins the devices, and has no table of them that says where an alias begins.
BY_DEVICES = {"alias_extent_of_no_device"}
UNREADABLE = [name for name, case in cases.load().items() if case.unreadable]
ORDINARY = [name for name, case in cases.load().items() if not case.unreadable and not case.end and
            "INODE_PACKING" not in case.finds and not name.startswith(BY_CONTENTS) and
            name not in BY_DEVICES]
# A repair searches for what came after the older pack; contents of quota files that only that knows are not in a copy.
# These say of a directory that it has many buckets, and a scrambled name is searched for in all of them: seconds each.
MANY_BUCKETS = ("dir_level_", "dir_size_more", "dir_depth_more")
SEARCHED = {"log_behind_the_end", "cp_newer_pack", "cp_content"}


@pytest.fixture(scope="module")
def maker(run_tool, tmp_path_factory):
    return cases.Maker(run_tool, tmp_path_factory.mktemp("cases"))


@pytest.fixture
def broken(maker, f2fskit):
    made = []

    def make(name):
        case = cases.load()[name]
        made.append(cases.Broken(f2fskit, maker.paths(case.image), case))
        return made[-1]
    yield make
    for one in made:
        one.close()


def report(f2fskit, device, *further):
    return [(p.name, p.ino, p.block, p.message) for p in f2fskit.check(device, devices=further).problems]


def open_damaged(f2fskit, device, *further):
    try:
        return f2fskit.open(device, devices=further)
    except f2fskit.Error:
        return f2fskit.open(device, devices=further, mode="rescue")


@pytest.mark.parametrize("name", ORDINARY)
def test_same_report(broken, f2fskit, name):
    volume = broken(name)
    with open_damaged(f2fskit, *volume.devices) as vol:
        with vol.metadata() as copy, vol.metadata(scramble=True, key=bytes(16)) as scrambled:
            expected = report(f2fskit, *volume.devices)
            if name == "inode_checksum":  # another one would be right, as the contents are others
                expected, got = ([row[:3] for row in rows] for rows in (expected, report(f2fskit, copy)))
                assert got == expected
            elif name in SEARCHED:
                assert report(f2fskit, copy)[:len(expected)] == expected
            else:
                assert report(f2fskit, copy) == expected
            if name.startswith(BY_NAMES) or (name.startswith(MANY_BUCKETS) and not os.environ.get("F2FSKIT_LONG_RUNS")):
                return
            got = report(f2fskit, scrambled)
            got = got[:len(expected)] if name in SEARCHED else got
            assert [row[:3] for row in got] == [row[:3] for row in expected]
