# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other forms of copying every image out with dump.f2fs, compared with the kernel's view: ciphertext, GNU tar's extraction of
the archive, the manifest.

The recorder that looked at the mounted volume looks at the copy on the host, which only root can make.
"""
import json
import os
import shutil
import subprocess

import pytest

import images  # noqa: F401  (puts guest/ on the path)
import record

BLOCK = 4096
COMPARED = ("kind", "mode", "uid", "gid", "size", "mtime", "atime", "rdev", "target", "sha256", "blocks_sha256")
# Properties that a host may refuse: the name in messages, and the key that then is worthless.
REFUSALS = {"owner": ("uid", "gid", "mode"), "mode": ("mode",), "times": ("mtime", "atime")}

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can keep owners and make devices")


def devices(image):
    return ["--device=" + path for path in image.paths[1:]]


def resolved(entries):
    """({path: entry}, {path: all paths of its inode}) of a manifest whose further links are {"link": first path}"""
    groups = {}
    for path, entry in entries.items():
        groups.setdefault(entry.get("link", path), set()).add(path)
    by_path = {p: frozenset(g) for g in groups.values() for p in g}
    return {p: entries[e.get("link", p)] for p, e in entries.items()}, by_path


def without_key(path, entries):
    """Is it a file that cannot be copied: encrypted, and compressed before that?"""
    return entries[path].get("error") == "ENOKEY"


def assert_same_tree(got, expected, but=(), ignored=()):
    """`but`: paths that need not be there; `ignored`: keys that are not looked at."""
    got, got_links = resolved(got)
    expected, expected_links = resolved(expected)
    assert set(expected) - set(got) <= set(but) and not set(got) - set(expected)
    for path in got:
        a, b = expected[path], got[path]
        assert got_links[path] == expected_links[path] - set(but), path
        for key in COMPARED:
            if key in ignored or (key == "size" and a["kind"] == "dir"):
                continue
            if without_key(path, expected) and key in ("size", "sha256", "blocks_sha256"):
                continue
            assert b.get(key) == a.get(key), "%s of %r" % (key, path)
        if "xattrs" not in ignored:
            wanted = {k: v for k, v in a.get("xattrs", {}).items() if k != "system.advise"}
            assert b.get("xattrs", {}) == wanted, path
        if "data" in b and "data" in a:     # no more than one block of a hole became data
            assert sum(n for _, n in b["data"]) <= sum(n for _, n in a["data"]) + BLOCK, path


@pytest.fixture
def copy(image, run_tool, tmp_path):
    """copy("--extract"): where it is, and the program's result; removed afterwards, some are large"""
    def run(option, name="copy", rc=0, *more):
        target = tmp_path / name
        done = run_tool("dump.f2fs", "--json", "%s=%s" % (option, target), "--encrypted=raw", *more, *devices(image),
                        image.path, rc=rc)
        return target, json.loads(done.stdout)[option.lstrip("-")]
    yield run
    shutil.rmtree(tmp_path)


def unreadable(image):
    """Files of encrypted and compressed contents: even their ciphertext makes no file."""
    entries = image.manifest()["entries"]
    return {p for p, e in entries.items() if e.get("error") == "ENOKEY" and e["kind"] == "file" and e["size"] and
            "compressed" in e.get("attributes", ())}


def refused(result):
    keys = set()
    for problem in result["problems"]:
        if problem["kind"] == "attribute":
            keys |= set(REFUSALS.get(problem["what"], ("xattrs",)))
    return keys


@needs_root
def test_directory_with_ciphertext(image, copy):
    missing = unreadable(image)
    where, result = copy("--extract", rc=4 if missing else 0)
    assert {p["path"].lstrip("/") for p in result["problems"] if p["is_counted"]} == missing
    assert_same_tree(record.tree(str(where)), image.manifest()["entries"], but=missing, ignored=refused(result))


@needs_root
def test_gnu_tar_reads_the_archive(image, copy, tmp_path):
    """All but access times, which GNU tar leaves alone, and sockets, which it does not know."""
    if not shutil.which("tar"):
        pytest.skip("no tar program")
    entries = image.manifest()["entries"]
    missing = unreadable(image)
    archive, result = copy("--tar", "archive.tar", 4 if missing else 0)
    sockets = {p for p, e in resolved(entries)[0].items() if e["kind"] == "socket"}
    where = tmp_path / "out"
    where.mkdir()
    done = subprocess.run(["tar", "-xpf", archive, "--numeric-owner", "--xattrs", "--xattrs-include=*", "--acls", "-C",
                           where], capture_output=True, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr[-2000:]
    strange = [line for line in done.stderr.decode().splitlines()
               if "implausibly old" not in line and "time stamp" not in line and "'hdrcharset'" not in line]
    assert not strange
    assert_same_tree(record.tree(str(where)), entries, but=missing | sockets, ignored={"atime"})


def test_manifest_of_what_is_copied(image, copy, tmp_path):
    """The lines beside the copy hold the properties that the host cannot."""
    lines = tmp_path / "lines"
    missing = unreadable(image)
    copy("--tar", "archive.tar", 4 if missing else 0, "--manifest=%s" % lines)
    entries = resolved(image.manifest()["entries"])[0]
    found = {}
    for line in lines.read_text().splitlines():
        e = json.loads(line)
        path = bytes.fromhex(e["path_hex"]) if "path_hex" in e else e["path"].encode()
        found[os.fsdecode(path).lstrip("/")] = e
    assert set(found) == {p for p, e in entries.items() if e["kind"] != "socket"} - missing
    for path, e in found.items():
        wanted = entries[path]
        assert int(e["mode"], 8) == wanted["mode"], path
        for ours, theirs in (("uid", "uid"), ("gid", "gid"), ("nlink", "nlink"), ("ino", "ino"), ("projid", "project")):
            if theirs in wanted:
                assert e[ours] == wanted[theirs], (path, ours)
        for when in ("atime", "mtime", "ctime", "crtime"):
            if when in e and wanted.get(when):
                assert e[when][0] * 10**9 + e[when][1] == wanted[when], (path, when)
        shown = {k: v for k, v in e.get("xattrs", {}).items() if k.split(".")[0] in ("user", "trusted", "security") or
                 k.startswith("system.posix_acl")}
        assert shown == {k: v for k, v in wanted.get("xattrs", {}).items() if k != "system.advise"}, path
