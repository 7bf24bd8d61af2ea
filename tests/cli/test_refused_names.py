# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host that refuses names, or takes two for one: each entry gets a substitute name, the manifest notes it, and the tree with its manifest
gives the volume back. Without a manifest such entries are problems. Nothing is overwritten in any case."""
import json
import os
import resource
import stat

import pytest

FEATURES = "extra_attr,inode_crtime"
REFUSED = ["a:b", "aavf:00nE", "a?b", "what*.txt", "tab\there", "dots..", "con|sole", "back\\slash"]     # the checksum of the second one has all bits
FOLDED = ["Mixed", "mixed", "MIXED"]
FORMS = ["caf\u00e9", "cafe\u0301"]
LONG = "long" * 50 + ".tar"


def host_env(build_dir, longest=200):
    return dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libchoosy_host.so"), LONGEST_NAME=str(longest),
                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")


@pytest.fixture
def choosy(run_tool, build_dir):
    """Run a program on a host that takes names as FAT does."""
    def run(*words, longest=200, **keywords):
        return run_tool(*words, env=host_env(build_dir, longest), **keywords)
    return run


def plant(volume):
    """Every kind of entry under names that the host refuses. Returns how many have one of these names."""
    root = volume.path("/")
    names = REFUSED + FOLDED[1:] + FORMS[1:] + [LONG, os.fsdecode(b"latin-\xe9")]
    for name in REFUSED + FOLDED + FORMS + [LONG, os.fsdecode(b"latin-\xe9"), "plain", "größe"]:
        (root / name).write_bytes(os.fsencode(name) * 100)
    (root / "Folder").mkdir()
    (root / "folder").mkdir()
    (root / "folder" / "nul<l").mkdir()
    for where in ("Folder/x", "folder/x", "folder/nul<l/y", "folder/nul<l/Y"):
        (root / where).write_bytes(where.encode())
    (root / "folder" / "hard:link").hardlink_to(root / "a:b")
    (root / "hard").hardlink_to(root / "folder" / "hard:link")
    (root / "link>").symlink_to("a:b")
    root.inode().create("pipe?", stat.S_IFIFO | 0o600).close()
    return len(names) + len(["folder", "nul<l", "nul<l/Y", "hard:link", "link>", "pipe?"])


@pytest.fixture
def image(f2fskit, tmp_path):
    path = tmp_path / "volume.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_crtime"])
    with f2fskit.open(path, "r+") as volume:
        count = plant(volume)
    return path, count


def contents(top):
    return sorted(open(os.path.join(folder, name), "rb").read() for folder, _, names in os.walk(top) for name in names
                  if stat.S_ISREG(os.lstat(os.path.join(folder, name)).st_mode))


def test_the_tree_with_its_manifest_gives_the_volume_back(run_tool, choosy, image, tmp_path):
    path, count = image
    out, listed, copy = tmp_path / "out", tmp_path / "list", tmp_path / "copy.img"
    done = choosy("dump.f2fs", f"--extract={out}", f"--manifest={listed}", path)
    said = done.stderr.decode().splitlines()
    assert len(said) == 2 and "the host does not take the name: it is " in said[0], said
    assert said[1] == f"dump.f2fs: warning: {count} entries have substitute names, which the manifest notes; the first is named above"
    entries = [json.loads(line) for line in listed.read_text().splitlines()]
    moved = {entry["path"]: entry["source"] for entry in entries if "source" in entry}
    assert len(moved) == count + len(["folder/x", "nul<l/y"])
    for source in moved.values():
        assert os.path.lexists(out / source)
        assert source.isascii() and not set(source) & set(":*?\"<>|\\"), source
    assert moved["/a:b"].startswith("a_b~") and moved["/what*.txt"].endswith(".txt") and len(moved["/" + LONG]) < 60
    assert moved["/folder/nul<l/Y"].startswith(moved["/folder"] + "/")
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", out, f"--manifest={listed}", copy, "64M")
    assert run_tool("f2fs", path, "diff", copy).stdout == b""
    run_tool("mkfs.f2fs", "-q", "-f", "-O", FEATURES, copy, "64M")
    choosy("sload.f2fs", "-q", "-P", "-f", out, f"--manifest={listed}", copy)
    assert run_tool("f2fs", path, "diff", copy).stdout == b""
    assert run_tool("fsck.f2fs", copy).returncode == 0
    assert run_tool("f2fs", copy, "diff", "-C", out, listed).stdout == b""
    assert run_tool("f2fs", copy, "diff", listed).stdout == b"", "without contents"


def test_a_second_run_replaces_what_the_first_made(choosy, image, tmp_path):
    path, count = image
    out, lists = tmp_path / "out", [tmp_path / "first", tmp_path / "second"]
    choosy("dump.f2fs", f"--extract={out}", f"--manifest={lists[0]}", path)
    before = contents(out)
    choosy("dump.f2fs", f"--extract={out}", f"--manifest={lists[1]}", "--existing=replace", path)
    assert lists[0].read_bytes() == lists[1].read_bytes()
    assert contents(out) == before
    done = choosy("dump.f2fs", f"--extract={out}", f"--manifest={lists[1]}", "--existing=skip", "--json", path)
    assert json.loads(done.stdout)["extract"]["files"] == 0


@pytest.mark.parametrize("policy", ["refuse", "skip", "replace"])
def test_without_a_manifest_they_are_problems(choosy, image, tmp_path, policy):
    """The first of the names that are one to the host stays as it is, and others are named."""
    path, _ = image
    out = tmp_path / "out"
    done = choosy("dump.f2fs", f"--extract={out}", f"--existing={policy}", path, rc=4)
    for name in ("mixed", "MIXED"):
        assert f"/{name}: contents: cannot make the file: the host takes its name for that of another entry" in done.stderr.decode()
    assert "/folder: cannot make the directory: the host takes its name" in done.stderr.decode()
    assert (out / "Mixed").read_bytes() == b"Mixed" * 100
    assert (out / "Folder" / "x").read_bytes() == b"Folder/x"


def test_names_that_look_like_substitutes(f2fskit, run_tool, choosy, tmp_path):
    """The volume has the substitute of a name as another entry's own, before it and after it, and in another case."""
    path, out, listed, copy = (tmp_path / name for name in ("volume.img", "out", "list", "copy.img"))
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_crtime"])
    with f2fskit.open(path, "r+") as volume:
        (volume.path("/") / "a:b").write_bytes(b"a:b")
    choosy("dump.f2fs", f"--extract={out}", f"--manifest={listed}", path)
    taken = json.loads(listed.read_text().splitlines()[1])["source"]
    for names in ([taken, "a:b", taken.upper()], ["a:b", taken, taken.upper()], [taken.upper(), "a:b", taken]):
        path.unlink()
        f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_crtime"])
        with f2fskit.open(path, "r+") as volume:
            for name in names:
                (volume.path("/") / name).write_bytes(name.encode())
        again = tmp_path / "-".join(names)[:20]
        choosy("dump.f2fs", f"--extract={again}", f"--manifest={listed}", "--existing=replace", path)
        assert contents(again) == sorted(name.encode() for name in names)
        run_tool("mkfs.f2fs", "-q", "-f", "-O", FEATURES, "--root-dir", again, f"--manifest={listed}", copy, "64M")
        assert run_tool("f2fs", path, "diff", copy).stdout == b""


def test_a_host_that_takes_every_name_renames_none(run_tool, image, tmp_path):
    path, _ = image
    out, listed = tmp_path / "out", tmp_path / "list"
    done = run_tool("dump.f2fs", f"--extract={out}", f"--manifest={listed}", path)
    assert done.stderr == b"" and '"source"' not in listed.read_text()
    assert os.path.exists(out / "a:b") and os.path.exists(out / "dots..")


def test_a_part_of_the_volume_comes_back(run_tool, image, tmp_path):
    """Where the paths in the destination are others, the manifest has them."""
    path, _ = image
    out, listed, copy = (tmp_path / name for name in ("out", "list", "copy.img"))
    run_tool("dump.f2fs", f"--extract={out}", f"--manifest={listed}", "--strip=1", path, "/folder")
    assert {entry["path"]: entry.get("source") for entry in map(json.loads, listed.read_text().splitlines())}["/folder/nul<l/y"] == "nul<l/y"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", out, f"--manifest={listed}", copy, "64M")
    assert run_tool("f2fs", copy, "cat", "/folder/nul<l/Y").stdout == b"folder/nul<l/Y"


def test_many_files_that_are_made_at_once(f2fskit, choosy, build_dir, tmp_path):
    """More files than the host lets a program have open."""
    path, out, listed = (tmp_path / name for name in ("volume.img", "out", "list"))
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_crtime"])
    with f2fskit.open(path, "r+") as volume:
        for i in range(500):
            (volume.path("/") / f"file:{i}").write_bytes(b"%d" % i)
    choosy("dump.f2fs", f"--extract={out}", f"--manifest={listed}", "--threads=8", path,
           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120)))
    assert contents(out) == sorted(b"%d" % i for i in range(500))
