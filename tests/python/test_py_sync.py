# SPDX-License-Identifier: LGPL-2.1-or-later
"""Making a tree of a volume equal to its source: unreadable files do not count as absent, and links are as in the source."""
import os
import random

import pytest

import f2fskit
from conftest import pattern

TIME = 1_700_000_000 * 10**9


@pytest.fixture
def disk():
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device)
    yield device
    device.close()


@pytest.fixture
def tree(tmp_path):
    top = tmp_path / "tree"
    for name in ("d/e/1", "d/2", "f", "k/3"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(name.encode())
    return top


def names(volume):
    return sorted(path for path, _ in volume.scan("/"))


def spoil_directory(tree):
    (tree / "d").rename(tree.parent / "away")


def spoil_type(tree):
    (tree / "d").rename(tree.parent / "away")
    (tree / "d").write_bytes(b"")


def spoil_name(tree):
    (tree / "k").rename(tree.parent / "away")


def spoil_file(tree):
    (tree / "f").unlink()


@pytest.mark.parametrize("existing", ["update", "replace"])
@pytest.mark.parametrize("spoil", [spoil_directory, spoil_type, spoil_name, spoil_file])
def test_what_cannot_be_read_is_not_deleted(disk, tree, spoil, existing):
    """Directories and names that were listed and cannot be opened, or looked at, when their turn comes."""
    with f2fskit.open(disk, "r+") as volume:
        volume.populate(tree)
        volume.path("/surplus").write_bytes(b"")
        volume.path("/d/surplus").write_bytes(b"")
        volume.commit()
    with f2fskit.open(disk, "r+") as volume:
        before = names(volume)

        def on_entry(path):
            if path.strip("/") == "d":
                spoil(tree)

        with pytest.raises(f2fskit.IncompleteError) as caught:
            volume.populate(tree, existing=existing, delete=True, on_entry=on_entry)
        assert caught.value.result.problems == 1
        volume.commit()
    gone = {"/surplus"} | (set() if "d" in caught.value.result.problem_list[0].path else {"/d/surplus"})
    with f2fskit.open(disk) as volume:
        assert names(volume) == sorted(set(before) - gone)


# ---- links

def groups(top):
    """Sets of names that are one file each."""
    found = {}
    for path in top.rglob("*"):
        if path.is_file():
            found.setdefault(path.stat().st_ino, set()).add("/" + str(path.relative_to(top)))
    return sorted(map(sorted, found.values()))


def groups_of(volume):
    found = {}
    for path, entry in volume.scan("/"):
        if entry.type == f2fskit.FileType.REGULAR:
            found.setdefault(entry.ino, set()).add(path)
    return sorted(map(sorted, found.values()))


def new_file(path, contents):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(contents)
    os.utime(path, ns=(TIME, TIME))


def shuffle(top, pick):
    """Make, remove, link and part names. All contents have one size and one time."""
    paths = [top / name for name in ("a", "b", "c/a", "c/z", "d", "m", "z")]
    for _ in range(6):
        path, other = pick.sample(paths, 2)
        what = pick.choice(["new", "link", "link", "link", "part", "swap", "remove"])
        if what == "new" or not other.exists():
            path.unlink(missing_ok=True)
            new_file(path, pattern(pick.randrange(4), 5000))
        elif what == "link" and not (path.exists() and path.samefile(other)):
            path.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            path.hardlink_to(other)
        elif what == "part":
            contents = other.read_bytes()
            other.unlink()
            new_file(other, contents)
        elif what == "swap" and path.exists():
            path.rename(top / "t")
            other.rename(path)
            (top / "t").rename(other)
        elif what == "remove":
            other.unlink()
    for directory in (top / "c", top):
        directory.mkdir(exist_ok=True)
        os.utime(directory, ns=(TIME, TIME))


@pytest.mark.parametrize("existing", ["update", "replace"])
@pytest.mark.parametrize("seed", range(4))
def test_links_become_those_of_the_source(disk, tmp_path, seed, existing):
    pick, top = random.Random(seed), tmp_path / "top"
    top.mkdir()
    for _ in range(25):
        shuffle(top, pick)
        with f2fskit.open(disk, "r+") as volume:
            single = {group[0] for group in groups_of(volume) if len(group) == 1}
            volume.populate(top, existing=existing, delete=True)
            volume.commit()
            assert groups_of(volume) == groups(top)
            left = [one for one in f2fskit.diff(volume, top) if one.path not in ("/", "/lost+found")]
            for one in left:
                assert one.fields == ("contents",) and existing == "update" and one.path in single, one
                volume.path(one.path).write_bytes((top / one.path[1:]).read_bytes())
                volume.lookup(one.path).set(mtime_ns=TIME)
            volume.commit()
    assert not f2fskit.check(disk).problems
