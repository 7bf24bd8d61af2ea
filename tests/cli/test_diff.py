# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs IMAGE diff OTHER: lines, JSON and exit status, on trees that are changed at random."""
import io
import itertools
import json
import os
import pathlib
import random
import struct
import subprocess
import tarfile

import pytest

BUILD = pathlib.Path(os.environ.get("F2FSKIT_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build")
MKFS, SLOAD, EDIT = BUILD / "mkfs/mkfs.f2fs", BUILD / "sload/sload.f2fs", BUILD / "edit/f2fs"


def run(*arguments, status=0, stdin=None):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, input=stdin)
    assert done.returncode == status, (done.returncode, done.stdout.decode(), done.stderr.decode())
    return done.stdout.decode()


def make_tree(top, pick):
    for i in range(12):
        path = top / pick.choice(["a", "b/c", "b/d"]) / f"file {i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pick.randbytes(pick.choice([0, 5, 4096, 70_000])))
    (top / "link").symlink_to("a")


def change(top, pick):
    """Change a tree; return the change of each path."""
    made = {}
    files = sorted(path for path in top.rglob("*") if path.is_file() and not path.is_symlink())
    for path in pick.sample(files, 5):
        name = "/" + str(path.relative_to(top))
        what, stat = pick.choice(["remove", "mode", "contents", "append"]), path.stat()
        if what == "remove":
            path.unlink()
            made[name] = "removed"
        elif what == "mode":
            path.chmod(0o640)
            made[name] = ["mode"]
        elif what == "contents" and stat.st_size:
            contents = bytearray(path.read_bytes())
            contents[pick.randrange(len(contents))] ^= 1
            path.write_bytes(contents)
            made[name] = ["contents"]
        else:
            path.write_bytes(path.read_bytes() + b"more")
            made[name] = ["contents", "size"]
        if path.exists():
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (top / "a new one").mkdir()
    made["/a new one"] = "added"
    return made


def found(output):
    rows = json.loads(output)["differences"]
    return {row["path"]: row["fields"] if row["kind"] == "changed" else row["kind"] for row in rows}


@pytest.fixture
def volume(tmp_path):
    """An image, and the tree that it was filled from."""
    tree = tmp_path / "tree"
    tree.mkdir()
    make_tree(tree, random.Random(7))
    run(MKFS, "-q", "-f", tmp_path / "a.img", "48M")
    run(SLOAD, "-P", "-f", tree, tmp_path / "a.img")
    return tmp_path / "a.img", tree


@pytest.mark.parametrize("seed", range(3))
def test_random_changes(volume, tmp_path, seed):
    image, tree = volume
    assert run(EDIT, image, "diff", tree) == ""
    made = change(tree, random.Random(seed))
    other, archive = tmp_path / "b.img", tmp_path / "b.tar"
    run(MKFS, "-q", "-f", other, "64M")
    run(SLOAD, "-P", "-f", tree, other)
    run("tar", "--xattrs", "--format=pax", "-cf", archive, "-C", tree, ".")
    for side in (other, tree, archive):
        told = found(run(EDIT, "--json", image, "diff", "-i", "links", side, status=1))
        assert {path: what for path, what in told.items() if what != ["mtime"]} == made, side
    assert found(run(EDIT, "--json", image, "diff", "-i", "links", "-", status=1, stdin=archive.read_bytes()))
    lines = run(EDIT, image, "diff", other, status=1).splitlines()
    assert "+ /a new one" in lines and [line for line in lines if line.startswith(("- ", "M "))]
    assert run(EDIT, image, "diff", "-q", other, status=1) == ""


def test_trouble_is_2(volume, tmp_path):
    image, tree = volume
    for arguments in ((tmp_path / "none", "diff", tree), (image, "diff", tmp_path / "none"), (image, "diff", "-l", tree),
                      (image, "diff", "-i", "colour", tree), (image, "diff", "-C", tree, tree)):
        run(EDIT, *arguments, status=2)
    done = subprocess.run([EDIT, image, "diff", "-i", "mtime,colour,mode", tree], capture_output=True, text=True)
    assert "'colour' is no field" in done.stderr
    broken = tmp_path / "broken.tar"
    broken.write_bytes(b"no archive at all" * 100)
    run(EDIT, image, "diff", broken, status=2)


def test_unreadable_files_are_reported_and_not_taken_for_removed(volume, tmp_path):
    image, tree = volume
    place = json.loads(run(BUILD / "dump/dump.f2fs", "--json", "--inode=/b", image))["inode"][0]["nat"]["block_addr"]
    broken = tmp_path / "broken.img"
    broken.write_bytes(image.read_bytes())
    with broken.open("r+b") as file:
        file.seek(place * 4096)
        file.write(bytes(4096))
    for pair in ((image, broken), (broken, image)):
        told = found(run(EDIT, "--json", pair[0], "diff", pair[1], status=2))
        assert told == {"/b": "unreadable"} or set(told.values()) == {"unreadable"}, told


def acl_twice(order, base):
    """An archive's records of one ACL: GNU tar with --acls and --xattrs writes it as text and as an attribute."""
    entries = [(1, 6, -1), (2, 4, 7), (4, 4, -1), (16, 5, -1), (32, 4, -1)]
    binary = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    both = {"text": ("SCHILY.acl." + base, "user::rw-,user:7:r--,group::r--,mask::r-x,other::r--"),
            "binary": ("SCHILY.xattr.system.posix_acl_" + base, binary.decode("utf-8", "surrogateescape"))}
    return dict(both[form] for form in order)


def test_an_acl_that_an_archive_has_twice_is_one(tmp_path):
    orders = [("text",), ("binary",), ("text", "binary"), ("binary", "text")]
    image, archive = tmp_path / "a.img", tmp_path / "a.tar"
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        for at, order in enumerate(orders):
            info = tarfile.TarInfo("file %d" % at)
            info.mode, info.pax_headers, info.size = 0o654, acl_twice(order, "access"), 1
            tar.addfile(info, io.BytesIO(b"x"))
        for at, pair in enumerate(itertools.product(orders, orders)):
            info = tarfile.TarInfo("dir %d" % at)
            info.type, info.mode = tarfile.DIRTYPE, 0o654
            info.pax_headers = acl_twice(pair[0], "access") | acl_twice(pair[1], "default")
            tar.addfile(info)
    run(MKFS, "-q", "-f", "--root-dir", archive, image, "48M")
    for path in ("/file 3", "/dir 15"):
        assert run(EDIT, image, "getfattr", path).count("posix_acl") == (2 if "dir" in path else 1)
    assert run(EDIT, image, "diff", archive) == ""
