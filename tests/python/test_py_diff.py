# SPDX-License-Identifier: LGPL-2.1-or-later
"""Comparing trees that were changed on purpose, and at random."""
import os
import random
import shutil

import pytest

import f2fskit
from conftest import pattern


@pytest.fixture
def pair(tmp_path):
    """Two equal images, and the directory they were filled from."""
    tree = tmp_path / "tree"
    (tree / "sub/deep").mkdir(parents=True)
    (tree / "text").write_bytes(b"text\n")
    (tree / "sub/big").write_bytes(pattern(1, 300_000))
    (tree / "sub/deep/empty").write_bytes(b"")
    (tree / "link").symlink_to("text")
    os.link(tree / "text", tree / "sub/second name")
    first, second = tmp_path / "a.img", tmp_path / "b.img"
    f2fskit.mkfs(first, 64 << 20)
    with f2fskit.open(first, "r+") as volume:
        volume.populate(tree)
    shutil.copy(first, second)
    return first, second, tree


def kinds(found):
    return {one.path: (one.kind, one.fields) for one in found}


def test_equal(pair):
    first, second, tree = pair
    assert f2fskit.diff(first, second, layout=True) == []
    assert kinds(f2fskit.diff(first, tree)).keys() <= {"/"}  # the time of the root is that of the copying
    with f2fskit.open(first) as volume:
        assert f2fskit.diff(volume, volume) == []


def test_each_difference(pair):
    first, second, tree = pair
    with f2fskit.open(second, "r+") as volume:
        before = volume.lookup("/sub/big").stat()
        volume.lookup("/sub/big").pwrite(b"X", 1000)
        volume.lookup("/sub/big").set(mtime_ns=before.st_mtime_ns)
        volume.path("/new").write_bytes(b"new")
        volume.path("/link").unlink()
        volume.path("/sub/deep/empty").inode().set(mode=0o600, uid=7)
        volume.path("/sub/deep").inode().xattrs["user.a"] = b"b"
        volume.path("/sub/second name").unlink()
    found = kinds(f2fskit.diff(first, second))
    assert found["/sub/big"] == ("changed", ("contents",)) and found["/new"] == ("added", ())
    assert found["/link"] == ("removed", ()) and found["/sub/second name"] == ("removed", ())
    assert found["/sub/deep/empty"] == ("changed", ("mode", "owner")) and found["/sub/deep"] == ("changed", ("xattrs",))
    assert found["/text"] == ("changed", ("links",))
    assert kinds(f2fskit.diff(second, first))["/new"] == ("removed", ())
    assert "layout" in kinds(f2fskit.diff(first, second, layout=True))["/sub/big"][1]


def test_archives_and_manifests(pair, tmp_path):
    first, second, tree = pair
    archive, manifest = tmp_path / "tree.tar", tmp_path / "list"
    with f2fskit.open(first) as volume:
        volume.extract(tar=archive)
        volume.extract(tmp_path / "copy", manifest=manifest)
    assert f2fskit.diff(first, tar=archive) == []
    with open(archive, "rb") as stream:
        assert f2fskit.diff(first, tar=stream) == []
    assert f2fskit.diff(first, manifest=manifest) == [] == f2fskit.diff(first, tmp_path / "copy", manifest=manifest)
    with f2fskit.open(second, "r+") as volume:
        before = volume.lookup("/sub/big").stat().st_mtime_ns
        volume.lookup("/sub/big").pwrite(b"X", 299_999)
        volume.lookup("/sub/big").set(mtime_ns=before)
        volume.path("/sub/second name").unlink()
        volume.path("/sub/second name").write_bytes(b"text\n")
        volume.path("/sub/second name").inode().set(mtime_ns=volume.lookup("/text").stat().st_mtime_ns)
    gone = {"/text": ("changed", ("links",)), "/sub": ("changed", ("mtime",))}
    assert kinds(f2fskit.diff(second, manifest=manifest)) == gone  # without contents sizes are all there is
    gone["/sub/big"] = ("changed", ("contents",))
    assert kinds(f2fskit.diff(second, tar=archive)) == gone
    assert kinds(f2fskit.diff(second, tmp_path / "copy", manifest=manifest)) == gone
    assert kinds(f2fskit.diff(second, tar=archive, ignore=("contents", "links", "mtime"))) == {}
    assert kinds(f2fskit.diff(second, tar=archive, exclude=("sub",))) == {"/text": gone["/text"]}


def test_values_of_an_archive(pair, tmp_path):
    """Each field that changed has its old and its new value, also where the other side is an archive or a manifest."""
    first, second, tree = pair
    for image in (first, second):
        with f2fskit.open(image, "r+") as volume:
            for name in ("owned", "dated", "sized", "marked", "fixed"):
                volume.path(f"/{name}").write_bytes(b"12345678")
            volume.path("/null").mknod(0o020666, os.makedev(1, 3))
            volume.path("/sub/deep").inode().xattrs["user.a"] = b"kept"
    with f2fskit.open(second, "r+", now=1_700_000_000_000_000_000) as volume:
        time = volume.lookup("/").stat().st_mtime_ns
        volume.path("/owned").inode().set(mode=0o4751, uid=70_000, gid=9)
        volume.path("/dated").inode().set(mtime_ns=123_000_000_000)
        volume.path("/marked").inode().xattrs["user.a"] = b"x\0y"
        volume.path("/sub/deep").inode().xattrs["user.a"] = b"other"
        volume.path("/fixed").inode().set(flags=f2fskit.InodeFlag.NODUMP)
        volume.path("/sized").write_bytes(b"1234")
        volume.path("/link").unlink()
        volume.path("/link").symlink_to("elsewhere")
        volume.path("/null").unlink()
        volume.path("/null").mknod(0o020666, os.makedev(1, 5))
        volume.path("/sub/deep/empty").unlink()
        volume.path("/sub/deep/empty").mkdir()
        volume.path("/new").symlink_to("text")
        volume.path("/text").unlink()
        volume.lookup("/").set(mtime_ns=time)
    archive, manifest = tmp_path / "tree.tar", tmp_path / "list"
    with f2fskit.open(second) as volume:
        volume.extract(tar=archive)
        volume.extract(tmp_path / "copy", manifest=manifest)
    changed = {
        "/owned": ({"mode": 0o644, "owner": (0, 0)}, {"mode": 0o4751, "owner": (70_000, 9)}),
        "/marked": ({"xattrs": {}}, {"xattrs": {"user.a": b"x\0y"}}),
        "/sub/deep": ({"xattrs": {"user.a": b"kept"}}, {"xattrs": {"user.a": b"other"}}),
        "/sized": ({"size": 8}, {"size": 4}),
        "/link": ({"target": "text"}, {"target": "elsewhere"}),
        "/null": ({"device": os.makedev(1, 3)}, {"device": os.makedev(1, 5)}),
        "/sub/deep/empty": ({"type": "file"}, {"type": "directory"}),
        "/fixed": ({"flags": f2fskit.InodeFlag(0)}, {"flags": f2fskit.InodeFlag.NODUMP}),
        "/new": ({}, {"type": "symlink"}), "/text": ({"type": "file"}, {}),
    }
    for side in ({"tar": archive}, {"manifest": manifest}, {"b": tmp_path / "copy", "manifest": manifest}, {"b": second}):
        found = {one.path: (one.old, one.new) for one in f2fskit.diff(first, **side, ignore=("mtime", "links", "contents"))}
        missing = {"/fixed"} if "tar" in side else set()  # archives have no flags
        assert found == {path: values for path, values in changed.items() if path not in missing}, side
        dated, = (one for one in f2fskit.diff(first, **side) if one.path == "/dated")
        assert dated.fields == ("mtime",) and dated.new == {"mtime": 123_000_000_000} and dated.old["mtime"] > 1 << 60
    with f2fskit.open(first) as volume:
        volume.extract(tar=archive)
    with f2fskit.open(second, "r+") as volume:  # a further name in the archive, a file of its own in the volume
        volume.path("/text").write_bytes(b"text\n")
    names = {one.path: one for one in f2fskit.diff(second, tar=archive, ignore=("mtime",)) if one.path in ("/text", "/sub/second name")}
    one, = names.values()
    assert one.fields == ("links",) and one.old == {"links": 1} and one.new == {"links": ({"/text", "/sub/second name"} - {one.path}).pop()}


def test_sides(pair, tmp_path):
    first, second, tree = pair
    with f2fskit.open(second, "r+") as volume:
        volume.path("/text").unlink()
    assert kinds(f2fskit.diff(tree, second, ignore=("mtime", "links"))) == {"/text": ("removed", ())}
    assert kinds(f2fskit.diff(second, tree, ignore=("mtime", "links"))) == {"/text": ("added", ())}
    for wrong in ((tree, tree), (first,), (first, second, "tar")):
        with pytest.raises(TypeError):
            f2fskit.diff(*wrong[:2], **({"tar": "x"} if len(wrong) > 2 else {}))
    with pytest.raises(f2fskit.Error):
        f2fskit.diff(first, tree, layout=True)


def test_holes_are_zeros(pair, tmp_path):
    first, second, _ = pair
    for image, fill in ((first, False), (second, True)):
        with f2fskit.open(image, "r+") as volume:
            volume.path("/sparse").write_bytes(b"")
            volume.lookup("/sparse").truncate(3 << 20)
            volume.lookup("/sparse").pwrite(b"end", 2 << 20)
            if fill:
                volume.lookup("/sparse").pwrite(bytes(1 << 20), 0)
    assert kinds(f2fskit.diff(first, second, ignore=("mtime",))) == {}
    for image, other in ((first, second), (second, first)):
        with f2fskit.open(image, "r+") as volume:
            volume.lookup("/sparse").pwrite(b"\1", 777_777)
        assert kinds(f2fskit.diff(image, other, ignore=("mtime",))) == {"/sparse": ("changed", ("contents",))}
        with f2fskit.open(image, "r+") as volume:
            volume.lookup("/sparse").pwrite(b"\0", 777_777)


def test_unreadable_is_not_equal(pair):
    first, second, _ = pair
    with f2fskit.open(first) as volume:
        place = volume.lookup("/sub/big").address
    for image in (first, second):  # alike on both sides
        with open(image, "r+b") as file:
            file.seek(place * 4096)
            file.write(bytes(4096))
    assert kinds(f2fskit.diff(first, second)) == {"/sub/big": ("unreadable", ())}


@pytest.mark.parametrize("seed", range(3))
def test_random_changes(pair, seed):
    first, second, tree = pair
    pick = random.Random(seed)
    with f2fskit.open(second, "r+") as volume:
        changed = {}
        for i in range(20):
            name = f"/sub/deep/{pick.randrange(6)}"
            path = volume.path(name)
            if path.exists() and pick.random() < 0.3:
                path.unlink()
                changed.pop(name, None)
            else:
                path.write_bytes(pattern(i, pick.randrange(50_000)))
                changed[name] = "added"
    found = {one.path: one.kind for one in f2fskit.diff(first, second) if one.path != "/sub/deep"}
    assert found == changed
