# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs extracts the files that the kernel shows: each image of the catalogue, extracted to tmpfs as root.

A guest does it, so that owners, devices and every attribute can be set by any user who runs the tests.
"""
import decimal
import hashlib
import io
import json
import os
import sys
import tarfile

import pytest

import reading
import uml

HERE = os.path.dirname(os.path.abspath(__file__))

@pytest.fixture(scope="session")
def extracted(made, kernel, tool, tmp_path_factory):
    """{name: (exit status, messages, manifest)} of every image extracted to tmpfs, as root, in a guest."""
    work = tmp_path_factory.mktemp("extracted")
    jobs = [[n, i.paths] for n, i in made.items() if not i.error]
    (work / "jobs.json").write_text(json.dumps({"jobs": jobs, "dump": tool("dump.f2fs"), "out": str(work)}))
    r = uml.run([sys.executable, "-I", os.path.join(HERE, "guest", "extract_all.py"), str(work / "jobs.json")],
                kernel=kernel, mem="1536M", timeout=900)
    r.check()
    found = {}
    for name, _ in jobs:
        result = json.loads((work / (name + ".json")).read_text())
        found[name] = (result["status"], result["messages"], result["entries"])
    return found


EMPTY = hashlib.sha256().hexdigest()
# What another file system cannot be given, or shows in its own way.
NOT_EXTRACTED = ("ino", "blocks", "ctime", "crtime", "attributes", "flags", "project", "fiemap", "map", "compression", "verity",
                 "policy", "nonce", "children", "data")


def extractable(entries):
    """A manifest without what an extraction has to leave out: encrypted contents; sizes of directories."""
    found = {}
    for path, entry in entries.items():
        entry = dict(reading.resolve(entries, path))
        entry.pop("link", None)
        if entry["kind"] == "dir":
            entry.pop("size", None)
            entry.pop("nlink", None)
        found[path] = entry
    return found


def test_extract(image, extracted):
    status, messages, got = extracted[image.name]
    entries = image.manifest()["entries"]
    locked = {p for p in entries if reading.resolve(entries, p).get("error") == "ENOKEY"}
    refused = {p for p in locked if reading.resolve(entries, p)["size"]}
    refused |= {p for p, e in entries.items() if e.get("kind") == "symlink" and "encrypted" in e.get("attributes", ())}
    for path in locked - refused:               # nothing in it that would take a key
        entries[path] = dict(entries[path], sha256=EMPTY, blocks_sha256=EMPTY)
    expected = {p: e for p, e in extractable(entries).items() if p not in refused}
    reading.must_be_same(expected, extractable(got), ignore=NOT_EXTRACTED + ("error",))
    assert {g - refused for g in reading.hard_links(entries) if len(g - refused) > 1} == reading.hard_links(got)
    if refused:
        assert status != 0
        for path in list(refused)[:20]:
            assert path.rsplit("/", 1)[-1] in messages
    else:
        assert status == 0, messages


def test_extract_keeps_holes(made, extracted):
    entries = extracted["sparse"][2]
    files = [path for path, entry in made["sparse"].manifest()["entries"].items() if entry["kind"] == "file"]
    assert files and max(entries[path]["blocks"] * 512 for path in files) <= 200 * 4096


# ---- dump.f2fs --tar

def of_tar(stream):
    """{path: entry} of a tar stream in the words of a manifest, as far as tar has them."""
    kinds = {tarfile.DIRTYPE: "dir", tarfile.SYMTYPE: "symlink", tarfile.CHRTYPE: "char", tarfile.BLKTYPE: "block",
             tarfile.FIFOTYPE: "fifo"}
    found = {}
    with tarfile.open(fileobj=stream, mode="r|", errors="surrogateescape") as archive:
        for member in archive:
            path = member.name.removeprefix("./").rstrip("/")
            path = "" if path == "." else path
            if member.islnk():
                found[path] = {"link": member.linkname.removeprefix("./")}
                continue
            entry = {"kind": kinds.get(member.type, "file"), "mode": member.mode, "uid": member.uid, "gid": member.gid}
            if entry["kind"] == "file":
                entry["size"] = member.size
                entry["sha256"] = hashlib.file_digest(archive.extractfile(member), "sha256").hexdigest()
            elif entry["kind"] == "symlink":
                entry["target"] = member.linkname
            elif entry["kind"] in ("char", "block"):
                entry["rdev"] = [member.devmajor, member.devminor]
            if "mtime" in member.pax_headers:
                entry["mtime"] = int(decimal.Decimal(member.pax_headers["mtime"]) * 10**9)
            found[path] = entry
    return found


@pytest.mark.parametrize("image", ["plain", "features", "fragmented", "big-directories"], indirect=True)
def test_tar(image, run_tool):
    """What another reader of tar finds in the stream."""
    done = run_tool("dump.f2fs", "--tar", "-", image.path)
    got = of_tar(io.BytesIO(done.stdout))
    entries = image.manifest()["entries"]
    expected = {}
    for path, entry in entries.items():
        entry = reading.resolve(entries, path)
        keys = ("kind", "mode", "uid", "gid", "target", "rdev", "sha256") + (("size",) if entry["kind"] == "file" else ())
        expected[path] = {k: entry[k] for k in keys if k in entry}
        if entry["kind"] == "socket":           # tar knows no sockets
            del expected[path]
        elif entry["mtime"] % 10**9:
            expected[path]["mtime"] = entry["mtime"]
    for path, entry in got.items():
        if "link" not in entry and "mtime" not in expected.get(path, {}):
            entry.pop("mtime", None)
    expected.pop("")
    got.pop("", None)
    reading.must_be_same(expected, got)
    theirs = {frozenset(p for p in g if p in expected) for g in reading.hard_links(entries)}
    assert {g for g in theirs if len(g) > 1} == reading.hard_links(got)
