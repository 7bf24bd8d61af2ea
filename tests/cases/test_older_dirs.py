# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of a directory that hold something else. Names come back from older copies in free blocks, further links, too. Removed
names stay away (lib/witness/dir_older.c)."""
import random

import pytest

BLOCK = 4096
MIB = 1 << 20
FILES, LINKS = 400, 60


def fill(f2fskit, device, features):
    """A directory of several blocks with a history of links, moves and removals. Each block was written more than once."""
    f2fskit.mkfs(device, features=features)
    with f2fskit.open(device, "r+") as volume:
        path = volume.path
        path("/d").mkdir()
        path("/away").mkdir()
        if "casefold" in features:
            volume.lookup("/d").set(flags=f2fskit.InodeFlag.CASEFOLD)
        for i in range(FILES):
            path("/d/file-%03d" % i).write_bytes(b"%d " % i * 20)
        path("/d/sub").mkdir()
        path("/d/link").symlink_to("file-001")
        volume.commit()
        for i in range(LINKS):
            path("/d/further-%03d" % i).hardlink_to("/d/file-%03d" % i)
        volume.commit()
        for i in range(0, LINKS, 3):
            path("/d/further-%03d" % i).unlink()                        # the file stays
            path("/d/file-%03d" % (100 + i)).unlink()                   # the file is gone
            path("/d/file-%03d" % (200 + i)).rename("/d/moved-%03d" % i)
            path("/d/file-%03d" % (300 + i)).rename("/away/file-%03d" % i)
        volume.commit()
        for i in range(LINKS):
            path("/d/late-%03d" % i).write_bytes(b"late")
        volume.commit()


def look(f2fskit, device):
    with f2fskit.open(device) as volume:
        return {path: (entry.type, volume.path(path).read_bytes() if entry.type == f2fskit.FileType.REGULAR else b"")
                for path, entry in volume.scan("/")}


def blocks_of(f2fskit, device):
    with f2fskit.open(device) as volume:
        return [extent.addr + i for extent in volume.lookup("/d").extents() if extent.addr for i in range(extent.count)]


WAYS = {"zeros": lambda device, at: bytes(BLOCK), "noise": lambda device, at: random.Random(at).randbytes(BLOCK),
        "another": lambda device, at: device.read((at - 40) * BLOCK, BLOCK)}


@pytest.fixture(scope="module", params=["", "casefold"])
def base(request, f2fskit):
    device = f2fskit.Device.memory(64 * MIB)
    fill(f2fskit, device, [request.param] if request.param else [])
    assert f2fskit.check(device).problems == ()
    return device, look(f2fskit, device), blocks_of(f2fskit, device)


@pytest.mark.parametrize("way", WAYS)
def test_names_come_back(f2fskit, base, way):
    device, wanted, blocks = base
    assert len(blocks) > 3
    found = 0
    for at in blocks:
        with device.overlay() as damaged:
            damaged.write(at * BLOCK, WAYS[way](device, at))
            report = f2fskit.check(damaged, repair=True)
            assert report.left == 0 and f2fskit.check(damaged).problems == ()
            found += sum(problem.name == "DENTRY_OLDER" for problem in report.problems)
            after = look(f2fskit, damaged)
        assert {path for path in after if path not in wanted} <= {"/lost+found"}, at
        lost = {path for path, state in wanted.items() if after.get(path) != state}
        # a block that the last commit wrote for the first time has no older copy, and a further link no other witness
        assert not lost or not any(problem.name == "DENTRY_OLDER" for problem in report.problems), (at, sorted(lost))
        assert all("further" in path or "file-0" in path for path in lost), (at, sorted(lost))
    assert found >= len(blocks) - 2


def test_all_at_once(f2fskit, base):
    """Copies of blocks that the last commit did not write are older than removals. Then a file may get its removed name for the other."""
    device, wanted, blocks = base
    with device.overlay() as damaged:
        for at in blocks:
            damaged.write(at * BLOCK, bytes(BLOCK))
        f2fskit.check(damaged, repair=True)
        after = look(f2fskit, damaged)
    strange, lost = {path for path in after if path not in wanted}, {path for path, state in wanted.items() if after.get(path) != state}
    assert all(path == "/lost+found" or "further" in path for path in strange), sorted(strange)
    assert all("further" in path or "file-0" in path for path in lost) and len(lost) <= LINKS, sorted(lost)
    assert {state for state in after.values()} >= {state for state in wanted.values()}


def test_further_links_of_one_file(f2fskit):
    """The inode remembers a name in another block, which is not the first one that names it. So all names of the copy are further ones."""
    with f2fskit.Device.memory(64 * MIB) as device:
        f2fskit.mkfs(device)
        with f2fskit.open(device, "r+") as volume:
            volume.path("/d").mkdir()
            volume.path("/d/file").write_bytes(b"x")
            for i in range(LINKS):
                volume.path("/d/%0100d" % i).hardlink_to("/d/file")
            volume.path("/d/gone").write_bytes(b"")
            volume.commit()
            volume.path("/d/gone").unlink()                             # which writes the first block again
        wanted, first = look(f2fskit, device), blocks_of(f2fskit, device)[0]
        device.write(first * BLOCK, bytes(BLOCK))
        report = f2fskit.check(device, repair=True)
        assert [problem.name for problem in report.problems] == ["DENTRY_OLDER"] and look(f2fskit, device) == wanted
