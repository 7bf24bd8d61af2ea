# SPDX-License-Identifier: LGPL-2.1-or-later
"""Superblocks and checkpoints that cannot be read: their contents are unknown, so nothing is written."""
import pytest

import f2fskit

ROOTS = {"superblock copy 0": 0, "superblock copy 1": 1, "checkpoint pack 1": 512, "checkpoint pack 2": 1024}


def volume_with_files():
    memory = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(memory)
    with f2fskit.open(memory, "r+") as volume:
        volume.path("/first").write_text("one")
    return memory


def without(memory, block):
    fault = memory.fault()
    fault.set(bad_offset=block * 4096, bad_length=4096)
    return fault


def content(device):
    return [device.read(e.offset, e.length) for e in device.extents() if not e.is_hole]


@pytest.mark.parametrize("root", ROOTS)
def test_nothing_is_written(root):
    memory = volume_with_files()
    before = content(memory)
    fault = without(memory, ROOTS[root])
    with f2fskit.open(fault) as volume:
        assert [note for note in volume.notes if root in note and "cannot be read" in note]
    with f2fskit.open(fault, "r+") as volume:
        for change in (lambda: volume.path("/second").write_text("two"), lambda: volume.set_label("new"), volume.trim):
            with pytest.raises(OSError, match=root + " cannot be read"):
                change()
    with pytest.raises(OSError, match=root + " cannot be read"):
        f2fskit.check(fault, repair=True)
    with f2fskit.fields(fault, "r+") as fields, pytest.raises(OSError):
        fields["inode[3].i_generation"] = 5
    with pytest.raises(OSError):
        f2fskit.open(fault, "r+", recover="apply")
    assert content(memory) == before


def test_what_is_accepted_is_given_up():
    memory = volume_with_files()
    with f2fskit.open(without(memory, 1), "r+", accept_unread=True) as volume:
        volume.path("/second").write_text("two")
    with f2fskit.open(memory) as volume:
        assert volume.path("/second").read_text() == "two"


def test_a_transient_error_makes_no_difference():
    for n in range(1, 30):
        memory = volume_with_files()
        fault = memory.fault()
        fault.set(fail_read=n)
        with f2fskit.open(fault, "r+") as volume:
            volume.path("/second").write_text("two")
        assert not f2fskit.check(memory).problems


def volume_to_search():
    """(memory, contents by path, a block of the contents of /big, the block of its inode): the NAT has lost the other file,
    and the SIT does not add up, so that all of the main area is searched for nodes."""
    memory = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(memory)
    contents = {"/big": bytes(range(256)) * 16 * 1024, "/lost": b"found again" * 1000}
    with f2fskit.open(memory, "r+") as volume:
        for path, data in contents.items():
            volume.path(path).write_bytes(data)
    with f2fskit.open(memory) as volume:
        lost = volume.path("/lost").stat().st_ino
        big = volume.path("/big").stat().st_ino
        data = next(volume.inode(big).extents()).addr + 100
        node = volume.nat[big].block_addr
    with f2fskit.fields(memory, "r+") as fields:
        fields["nat[%d].block_addr" % lost] = 0
        fields["sit[%d].vblocks" % fields["cp.cur_data_segno[0]"]] = 0x3
    return memory, contents, data, node


def test_a_bad_sector_in_contents_hides_no_node():
    """The SIT and the summary say that it was data: the search continues, and the lost nodes are found again."""
    memory, contents, data, node = volume_to_search()
    before = content(memory)
    f2fskit.check(without(memory, node), repair=True)
    assert content(memory) == before
    assert f2fskit.check(without(memory, data), repair=True).problems
    assert not f2fskit.check(memory).problems
    with f2fskit.open(memory) as volume:
        assert {path: volume.path(path).read_bytes() for path in contents} == contents
