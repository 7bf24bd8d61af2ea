# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs on every image of the catalogue: compared with the kernel's view, and with f2fs-tools."""
import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest

import images
import reading

VIEWS = ("--info", "--features", "--superblock", "--checkpoint", "--logs", "--journals", "--orphans", "--nat", "--sit",
         "--stat", "--tree", "--fragmentation", "--inode=3", "--node=3", "--map=/", "--xattr=/", "--ls", "--block=3",
         "--history=3")
KINDS = {"file": "regular", "dir": "directory", "symlink": "symlink", "char": "character", "block": "block",
         "fifo": "fifo", "socket": "socket"}


def devices(image):
    return ["--device=" + path for path in image.paths[1:]]


@pytest.fixture
def show(run_tool, image):
    def run(*args, rc=0):
        done = run_tool("dump.f2fs", "--json", *devices(image), *args, image.path, rc=rc)
        return json.loads(done.stdout)
    return run


def test_every_view(image, show, run_tool):
    got = show(*VIEWS)
    assert got["exit_status"] == 0
    assert set(got) >= {v.lstrip("-").split("=")[0] for v in VIEWS}
    text = run_tool("dump.f2fs", *devices(image), *VIEWS, image.path)
    assert text.stdout.decode().count("\n== ") == len(VIEWS) - 1
    assert b"\x1b" not in text.stdout
    info = got["info"]
    assert info["valid_inodes"] == sum(got["stat"]["inodes"][k] for k in KINDS.values())
    assert info["free_segments"] <= got["stat"]["segments"]["free"] + 6


def raw_name(entry, name="name"):
    return bytes.fromhex(entry[name + "_hex"]) if name + "_hex" in entry else entry[name].encode()


def test_names_and_attributes(image, show):
    """Every directory by --ls, every path by --tree."""
    entries = image.manifest()["entries"]
    resolve = {p: (entries[e["link"]] if "link" in e else e) for p, e in entries.items()}
    tree = {os.fsdecode(raw_name(e, "path")): e for e in show("--tree")["tree"][0]["entries"]}
    assert {p.lstrip("/") for p in tree} == {p for p in entries if p}
    folders = [p for p, e in resolve.items() if e["kind"] == "dir"]
    listed = show(*["--ls=%d" % resolve[p]["ino"] for p in folders])["ls"]
    for folder, listing in zip(folders, listed):
        found = {os.fsdecode(raw_name(e)): e for e in listing["entries"]}
        assert set(found) - {".", ".."} == set(resolve[folder].get("children", ()))
        for name, e in found.items():
            if name not in (".", ".."):
                compare_entry(os.path.join(folder, name), e, resolve[os.path.join(folder, name)])


def compare_entry(path, got, expected):
    assert got["type"] == KINDS[expected["kind"]], path
    wanted = {"ino": "ino", "permissions": "mode", "uid": "uid", "gid": "gid", "links": "nlink", "blocks": "blocks"}
    for ours, theirs in wanted.items():
        assert got[ours] == expected.get(theirs, 0), "%s of %r" % (ours, path)
    if expected["kind"] in ("file", "dir", "symlink"):
        assert got["size"] == expected.get("size", 0), path
    for when in ("atime", "mtime", "ctime"):
        assert got[when] * 10**9 + got[when + "_nsec"] == expected[when], "%s of %r" % (when, path)
    if "crtime" in got and expected.get("crtime"):
        assert got["crtime"] * 10**9 + got["crtime_nsec"] == expected["crtime"], path
    if expected["kind"] in ("char", "block"):
        assert [got["rdev_major"], got["rdev_minor"]] == expected["rdev"], path
    if expected["kind"] == "symlink":
        assert os.fsdecode(raw_name(got, "target")) == expected["target"], path


# the kernel shows no segments of larger volumes
@pytest.mark.images(lambda spec: sum(spec.sizes) < images.TIB)
def test_segments(image, show):
    """As the kernel counts them in /proc/fs/f2fs/<device>/segment_info."""
    expected = image.manifest()["segments"]
    types = ["HOT_DATA", "WARM_DATA", "COLD_DATA", "HOT_NODE", "WARM_NODE", "COLD_NODE"]
    got = [[types.index(s["type"]), s["valid_blocks"]] for s in show("--sit=0~-1")["sit"]]
    # the kernel shows free segments by the type that it would give them
    assert [g if g[1] else 0 for g in got] == [e if e[1] else 0 for e in expected[:len(got)]]


def peer():
    return shutil.which("dump.f2fs", path="/usr/sbin:/sbin:/usr/bin:/bin")


def fields(path):
    return [dict(re.findall(r"([a-z_]+):\s*(\S+)", line)) for line in path.read_text().split("\n")]


# the other program opens devices by the stored paths, and takes gigabytes for a large volume
@pytest.mark.images(lambda spec: len(spec.sizes) == 1 and spec.sizes[0] < images.TIB)
def test_tables_of_the_installed_program(image, run_tool, tmp_path):
    if not peer():
        pytest.skip("f2fs-tools is not installed")
    ranges = ["-n", "0~-1", "-s", "0~-1", "-a", "0~-1"]
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir(), ours.mkdir()
    subprocess.run([peer(), *ranges, image.path], cwd=theirs, check=True, stdout=subprocess.DEVNULL,
                   stdin=subprocess.DEVNULL)
    run_tool("dump.f2fs", *ranges, image.path, cwd=ours)
    for name in ("dump_nat", "dump_sit"):
        a, b = fields(ours / name), fields(theirs / name)
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert set(y) <= set(x) and {k: x[k] for k in y} == y
    if image.name not in ("ro", "ro-compressed"):       # no SSA; the other program shows rubbish of the pack
        assert (ours / "dump_ssa").read_bytes() == (theirs / "dump_ssa").read_bytes()


@pytest.mark.parametrize("image", ["plain", "sections", "aged", "compress-zstd"], indirect=True)
def test_block_maps(image, show, run_tool):
    """-M line by line is --map, and each block is identified as the file's."""
    seen, entries = 0, image.manifest()["entries"]
    for line in run_tool("dump.f2fs", "-M", image.path).stdout.decode().splitlines()[::7]:
        path = re.match(r"(.*?)((?: \d+(?:-\d+)?)*)$", line)
        if "\\" in path.group(1):
            continue
        numbers = []
        for run in path.group(2).split():
            first, _, last = run.partition("-")
            numbers += range(int(first), int(last or first) + 1)
        data = {}
        for e in show("--map=" + path.group(1))["map"][0]["extents"]:
            if e["kind"] == "data":
                data.update((e["file_block"] + i, e["addr"] + i) for i in range(e["count"]))
        entry = reading.resolve(entries, path.group(1).lstrip("/") or ".")
        blocks = -(-entry["size"] // 4096)
        for block, addr in data.items():
            if block >= blocks:             # compressed: the rest of the last cluster
                continue
            assert numbers[block:block + 1] == [addr], path.group(1)
        seen += len(data)
        for block in sorted(data)[:1]:
            got = show("--block=%d" % data[block])["block"][0]
            assert got["is_owned"] and got["is_valid"] and got["file_block"] == block
    assert seen > 0


@pytest.mark.parametrize("image", ["verity"], indirect=True)
def test_verity(image, show, run_tool, tmp_path):
    entries = {p: e for p, e in image.manifest()["entries"].items() if "verity" in e}
    some = sorted(entries)[::5]
    got = show(*["--verity=/" + p for p in some], *["--verify=/" + p for p in some])
    for path, v, check in zip(some, got["verity"], got["verify"]):
        algorithm, digest = entries[path]["verity"]
        assert (v["hash_algorithm"], v["file_digest"]) == ({1: "sha256", 2: "sha512"}[algorithm], digest)
        assert check["is_intact"] is True
    path = next(p for p in some if entries[p].get("size", 0) > 100)
    copy = tmp_path / "changed.img"
    subprocess.run(["cp", "--sparse=always", image.path, copy], check=True)
    with open(copy, "r+b") as f:
        f.seek(show("--map=/" + path)["map"][0]["extents"][0]["addr"] * 4096 + 50)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 1]))
    done = run_tool("dump.f2fs", "--json", "--verify=/" + path, copy, rc=4)
    assert json.loads(done.stdout)["verify"][0]["is_intact"] is False and b"VERITY_DIGEST" in done.stderr


@pytest.mark.parametrize("image", ["features"], indirect=True)
def test_quota(image, show):
    """The output of quotactl(2) while the volume was mounted."""
    expected = image.facts()["quotas"]
    got = {str(kind): {} for kind in range(3)}
    columns = ("space_hard_kib", "space_soft_kib", "space_bytes", "inodes_hard", "inodes_soft", "inodes", "space_grace",
               "inode_grace")
    for q in show("--quota")["quota"]:
        got[str(["user", "group", "project"].index(q["kind"]))][str(q["id"])] = [q[c] for c in columns]
    assert got == expected


@pytest.mark.parametrize("image", ["cut-fsynced", "cut-fsynced-features"], indirect=True)
def test_synced_nodes_are_reported(image, show, run_tool):
    assert show("--info")["pending_fsync_nodes"] > 0
    assert b"would replay" in run_tool("dump.f2fs", "--ls", image.path).stderr


@pytest.mark.parametrize("image", ["cut-with-orphans"], indirect=True)
def test_orphans(image, show, run_tool, tmp_path):
    """They are listed, and the contents of a file that has no name can be had."""
    orphans = show("--orphans")["orphans"]
    assert orphans and all(o["links"] == 0 for o in orphans)
    assert show("--info")["info"]["orphans"] == len(orphans)
    files = [o for o in orphans if o["mode"][0] == "-"]
    for o in files:
        run_tool("dump.f2fs", "-f", "-i", o["ino"], "-o", tmp_path / "out", image.path)
        contents = (tmp_path / "out" / ("ino-%d" % o["ino"])).read_bytes()
        assert len(contents) == o["size"]
        assert contents == run_tool("dump.f2fs", "--cat=%d" % o["ino"], image.path).stdout
    assert files


@pytest.mark.parametrize("image", ["encrypt"], indirect=True)
def test_encrypted_contents_are_refused(image, run_tool, tmp_path):
    entries = image.manifest()["entries"]
    path = next(p for p, e in entries.items() if e.get("error") == "ENOKEY" and e.get("size"))
    done = run_tool("dump.f2fs", "--cat=/" + path, image.path, rc=4)
    assert done.stdout == b"" and b"encrypt" in done.stderr
    folder = path.split("/")[0]
    done = run_tool("dump.f2fs", "--extract", tmp_path / "out", image.path, "/" + folder, rc=4)
    assert path.encode() in done.stderr


@pytest.mark.parametrize("image", ["plain", "features", "compress-lz4", "nothing-inline"], indirect=True)
def test_classic_copy_is_complete(image, run_tool, tmp_path):
    """-r keeps everything that the old program loses: sizes, holes, links, times, special files."""
    run_tool("dump.f2fs", "-r", "-f", "-P", "-o", tmp_path / "out", image.path, rc=0 if os.geteuid() == 0 else 4)
    entries, compared = image.manifest()["entries"], 0
    for path, e in entries.items():
        full = os.path.join(os.fsencode(tmp_path / "out"), os.fsencode(path))
        if "link" in e:
            first = os.path.join(os.fsencode(tmp_path / "out"), os.fsencode(e["link"]))
            assert os.path.lexists(full) == os.path.lexists(first), path
            if os.path.lexists(full):
                assert os.lstat(full).st_ino == os.lstat(first).st_ino
            continue
        if not os.path.lexists(full):
            assert e["kind"] in ("char", "block") and os.geteuid() != 0 or e.get("error"), path
            continue
        st = os.lstat(full)
        if e["kind"] == "file":
            assert st.st_size == e["size"], path
        if e["kind"] in ("file", "dir") and os.geteuid() == 0:
            assert (st.st_mode & 0o7777, st.st_uid, st.st_gid) == (e["mode"], e["uid"], e["gid"]), path
        if e["kind"] == "file" and "sha256" in e:
            assert sha256(full) == e["sha256"], path
            compared += 1
    assert compared > 10


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
