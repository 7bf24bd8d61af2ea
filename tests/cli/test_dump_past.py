# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs on old versions: --versions and @ADDR. Our own programs change the volumes."""
import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("F2FSKIT_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build")
MKFS, DUMP, EDIT = BUILD / "mkfs/mkfs.f2fs", BUILD / "dump/dump.f2fs", BUILD / "edit/f2fs"


def run(*arguments, status=0, data=None):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, input=data)
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done.stdout


def each_once(pairs):
    assert len({name for name, _ in pairs}) == len(pairs), "a member stands twice"
    return dict(pairs)


def shown(image, *options, status=0):
    return json.loads(run(DUMP, "--json", *options, image, status=status), object_pairs_hook=each_once)


@pytest.fixture
def image(tmp_path):
    """Three versions of /file: inline, small, and large ones."""
    path = tmp_path / "disk.img"
    run(MKFS, "-q", "-f", path, "64M")
    for i, contents in enumerate((b"one\n", b"two" * 2000, b"three" * 40000)):
        (tmp_path / "file").write_bytes(contents)
        run(EDIT, "-w", path, "put", tmp_path / "file", "/")
    path.chmod(0o400)
    return path


def test_versions(image):
    found = shown(image, "--versions=/file")["versions"][0]
    rows = found["versions"]
    assert [row["left"] for row in rows] == ["whole"] * len(rows)
    assert rows[-1]["is_current"] and not any(row["is_current"] for row in rows[:-1])
    contents = [run(DUMP, f"--cat=@{row['block_addr']}", image) for row in rows]
    assert contents[-1] == b"three" * 40000
    assert shown(image, f"--versions={found['ino']}")["versions"][0]["versions"] == rows
    text = run(DUMP, "--versions=/file", image).decode()
    assert "whole" in text and str(rows[0]["block_addr"]) in text and len(text.splitlines()) == 2 + len(rows)


def test_nodes_below_the_inode(image, tmp_path):
    assert shown(image, "--versions=/file")["versions"][0]["node_versions"] == []
    image.chmod(0o600)
    (tmp_path / "large").write_bytes(b"large" * 1_000_000)
    run(EDIT, "-w", image, "put", tmp_path / "large", "/")
    run(EDIT, "-w", image, "write", "/large", "4500000", "other")
    rows = shown(image, "--versions=/large")["versions"][0]["node_versions"]
    assert [row["is_current"] for row in rows] == [False, True] and rows[0]["nid"] == rows[1]["nid"]
    assert {(row["node_offset"], row["kind"], row["used"]) for row in rows} == {(1, "direct", rows[0]["used"])}
    assert rows[0]["file_block"] + rows[0]["used"] == -(-5_000_000 // 4096)
    assert f"{rows[0]['block_addr']}" in run(DUMP, "--versions=/large", image).decode().partition("Nodes below the inode:")[2]


def test_a_file_that_is_gone(image, tmp_path):
    image.chmod(0o600)
    ino = shown(image, "--versions=/file")["versions"][0]["ino"]
    run(EDIT, "-w", image, "rm", "/file")
    run(DUMP, "--versions=/file", image, status=2)
    rows = shown(image, f"--versions={ino}")["versions"][0]["versions"]
    assert not any(row["is_current"] for row in rows)
    assert run(DUMP, f"--cat=@{rows[-1]['block_addr']}", image) == b"three" * 40000


def test_wrong_operands(image):
    run(DUMP, "--cat=@1", image, status=4)
    run(DUMP, "--cat=@x", image, status=1)
    run(DUMP, "--cat=@99999999", image, status=2)
    run(DUMP, "--versions=99999999", image, status=2)
    assert shown(image, "--versions=1000", status=2)["versions"][0]["versions"] == []


def test_deleted_and_back(image, tmp_path):
    image.chmod(0o600)
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", tmp_path / "file", "/dir/", "--", "ln", "-s", "target", "/dir/link")
    run(EDIT, "-w", image, "chmod", "640", "/dir/file")
    run(EDIT, "-w", image, "rm", "-r", "/dir", "/file")
    image.chmod(0o400)
    before = image.read_bytes()
    rows = {row["path"]: row for row in shown(image, "--deleted")["deleted"]}
    assert set(rows) == {"/file", "/dir", "/dir/file", "/dir/link"}
    assert all(row["left"] == "whole" for row in rows.values())
    assert rows["/dir/file"]["type"] == "regular" and rows["/dir"]["type"] == "directory"
    text = run(DUMP, "--deleted", image).decode()
    assert "/dir/link" in text and "whole" in text

    out = tmp_path / "out"
    counts = shown(image, "--undelete=all", f"--to={out}")["undelete"][0]
    assert (counts["found"], counts["restored"], counts["not_restored"]) == (4, 4, 0)
    assert (out / "dir/file").read_bytes() == b"three" * 40000 and (out / "dir/file").stat().st_mode & 0o777 == 0o640
    assert os.readlink(out / "dir/link") == "target"
    assert int((out / "dir/file").stat().st_mtime) == rows["/dir/file"]["mtime"]
    # again: nothing is overwritten, a second file of the path gets another name
    (out / "dir/file").write_bytes(b"mine")
    run(DUMP, "--undelete=/dir/f*", f"--to={out}", image)
    assert (out / "dir/file").read_bytes() == b"mine"
    assert (out / f"dir/file.~{rows['/dir/file']['block_addr']}").read_bytes() == b"three" * 40000
    # by number and by block
    one = tmp_path / "one"
    run(DUMP, f"--undelete={rows['/file']['ino']}", f"--to={one}", image)
    assert [path.name for path in one.iterdir()] == ["file"]
    run(DUMP, f"--undelete=@{rows['/file']['block_addr']}", f"--to={one}", image)
    assert (one / f"inode-{rows['/file']['ino']}").read_bytes() == b"three" * 40000
    assert image.read_bytes() == before


def test_undelete_goes_nowhere_else(image, tmp_path):
    """A directory of the destination that is a symbolic link is not followed."""
    image.chmod(0o600)
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", tmp_path / "file", "/dir/")
    run(EDIT, "-w", image, "rm", "-r", "/dir")
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "dir").symlink_to(elsewhere)
    run(DUMP, "--undelete=/dir/*", f"--to={out}", image, status=4)
    assert not list(elsewhere.iterdir())
    run(DUMP, "--undelete=/nothing", f"--to={out}", image, status=2)
    run(DUMP, "--undelete=all", image, status=1)


def test_timeline(image):
    run_body = run(DUMP, "--timeline", image).decode().splitlines()
    rows = [line.split("|") for line in run_body]
    assert all(len(row) == 11 for row in rows)
    assert any(row[1] == "/file" for row in rows) and any("(old, checkpoint" in row[1] for row in rows)
    records = shown(image, "--timeline")["timeline"]
    assert len(records) == len(rows)
    csv = run(DUMP, "--timeline=csv", image).decode().splitlines()
    assert len(csv) == len(rows) + 1 and csv[0].startswith("state,ino,block")
    live = [record for record in records if record["path"] == "/file" and record["state"] == "live"]
    assert len(live) == 1 and live[0]["size"] == 200_000
    run(DUMP, "--timeline=xml", image, status=1)


def test_undelete_within_the_image(image, tmp_path, peer_check):
    """Back under their paths, all staged before the first change; what exists stays."""
    image.chmod(0o600)
    files = {f"file-{i}": bytes([i]) * (i * 30_001) + b"end" for i in range(12)}
    for name, contents in files.items():
        (tmp_path / name).write_bytes(contents)
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", *[tmp_path / name for name in files], "/dir/", "--",
        "ln", "-s", "target", "/dir/link", "--", "chmod", "640", "/dir/file-3")
    run(EDIT, "-w", image, "rm", "-r", "/dir")
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", tmp_path / "file-1", "/dir/file-2")
    run(EDIT, image, "undelete", "all", status=16)
    text = run(EDIT, "-w", image, "undelete", "/dir/*").decode()
    assert text.startswith("13 files are back, 0 are not")
    assert run(EDIT, image, "cat", "/dir/file-2") == files["file-1"]
    for name, contents in files.items():
        if name != "file-2":
            assert run(EDIT, image, "cat", f"/dir/{name}") == contents
    assert run(EDIT, image, "readlink", "/dir/link") == b"target\n"
    listed = run(EDIT, image, "ls", "-l", "/dir").decode()
    assert "file-2.~" in listed and "-rw-r----- " in listed
    run(EDIT, "-w", image, "undelete", "/nothing", status=2)
    peer_check(image)


def test_undelete_of_attributes_and_special_files(image, tmp_path, peer_check):
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", tmp_path / "file", "/dir/file", "--",
        "setfattr", "/dir/file", "user.color", "red", "--", "setfattr", "/dir/file", "user.long", "x" * 2000, "--",
        "mknod", "-m", "600", "/dir/null", "c", "1", "3", "--", "mknod", "/dir/pipe", "p")
    def look():
        """Without the numbers of inodes."""
        listed = [line.split()[1:] for line in run(EDIT, image, "ls", "-l", "/dir").decode().splitlines()]
        return listed, run(EDIT, image, "getfattr", "/dir/file")
    before = look()
    run(EDIT, "-w", image, "rm", "-r", "/dir")
    assert run(EDIT, "-w", image, "undelete", "/dir/*").decode().startswith("3 files are back, 0 are not")
    assert look() == before
    peer_check(image)


def test_directories_that_come_back_have_their_times(tmp_path):
    """Times survive, although making names changes them. Existing directories keep their attributes."""
    tree, image, out = tmp_path / "tree", tmp_path / "disk.img", tmp_path / "out"
    times = {"top": 1_000_000_000, "top/middle": 1_100_000_000, "top/middle/low": 1_200_000_000}
    (tree / "top/middle/low").mkdir(parents=True)
    (tree / "top/middle/low/file").write_bytes(b"text")
    for path, when in sorted(times.items(), reverse=True):
        (tree / path).chmod(0o711)
        os.utime(tree / path, (when, when))
    run(MKFS, "-q", "-f", "--root-dir", tree, image, "64M")
    run(EDIT, "-w", image, "rm", "-r", "/top")
    (out / "top").mkdir(parents=True)
    (out / "top").chmod(0o755)
    run(DUMP, "--undelete=*", f"--to={out}", image)
    run(EDIT, "-w", image, "undelete", "all")
    assert (out / "top/middle/low/file").read_bytes() == b"text" and run(EDIT, image, "cat", "/top/middle/low/file") == b"text"
    for path, when in times.items():
        assert shown(image, f"--inode=/{path}")["inode"][0]["i_mtime"] == when, path
        if path == "top":
            assert (out / path).stat().st_mode & 0o777 == 0o755 and (out / path).stat().st_mtime > when
        else:
            assert (out / path).stat().st_mode & 0o777 == 0o711 and int((out / path).stat().st_mtime) == when


def test_undelete_after_a_read_error(image, build_dir):
    """A bad sector may hide data: nothing is written without --accept-unread."""
    sizes = {row["block_addr"] for row in shown(image, "--versions=/file")["versions"][0]["versions"]}
    run(EDIT, "-w", image, "rm", "/file")
    before = image.read_bytes()
    bad = dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libbad_sector.so"), BAD_SECTOR=str(min(sizes) << 12),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    done = subprocess.run([EDIT, "-w", image, "undelete", "/file"], capture_output=True, env=bad)
    assert done.returncode not in (0, 16) and b"reads failed" in done.stderr and image.read_bytes() == before
    done = subprocess.run([EDIT, "-w", "--accept-unread", image, "undelete", "/file"], capture_output=True, env=bad)
    assert done.returncode == 0 and run(EDIT, image, "cat", "/file") == b"three" * 40000


def test_as_of(image, tmp_path):
    """Three states, each one checkpoint after the other: the first file is there in all."""
    versions = shown(image, "--versions=/file")["versions"][0]["versions"]
    texts = (b"one\n", b"two" * 2000, b"three" * 40000)
    for row, text in zip(versions, texts):
        assert run(DUMP, f"--as-of={row['cp_ver'] + 1}", "--cat=/file", image) == text
        inode, = shown(image, f"--as-of={row['cp_ver'] + 1}", "--inode=/file")["inode"]
        assert (inode["block_addr"], inode["i_size"]) == (row["block_addr"], len(text))
        assert shown(image, f"--inode=@{row['block_addr']}")["inode"][0]["block_addr"] == row["block_addr"]
    assert run(DUMP, "--as-of=-1", "--cat=/file", image) == texts[1]
    assert b"file" in run(DUMP, "--as-of=-2", "--tree", image) and b"file" not in run(DUMP, "--as-of=-3", "--tree", image)
    run(DUMP, "--as-of=-1", f"--extract={tmp_path / 'out'}", image)
    assert (tmp_path / "out/file").read_bytes() == texts[1]
    told = shown(image, "--as-of=-2", "--ls=/")
    assert told["as_of"]["version"] == versions[0]["cp_ver"] + 1 and told["as_of"]["blocks_overwritten"] == 0
    oldest = told["as_of"]["newest"] - 3
    for wrong in ("x", "-99999999999", "-4294967295", "-4", oldest - 1, 1, oldest + 4):
        run(DUMP, f"--as-of={wrong}", "--tree", image, status=1)
    done = subprocess.run([DUMP, "--as-of=-99", "--tree", image], capture_output=True)
    assert f"the oldest checkpoint that left something is {oldest} (-3)" in done.stderr.decode()
    for last in ("0", "-0"):
        assert run(DUMP, f"--as-of={last}", "--cat=/file", image) == texts[2]
    assert len(shown(image, "--as-of=-1", "--hashes")["hashes"]) == 1
    run(DUMP, "--as-of=-1", "--nat", image, status=1)
    run(DUMP, "--as-of=-1", image, status=1)
    for back, blocks in ((0, 49), (1, 2), (3, None)):
        found = shown(image, f"--as-of={versions[-1]['cp_ver'] + 1 - back}", "--fragmentation", "--stat")
        rows = {row["path"]: row["blocks"] for row in found["fragmentation"][0]["files"]}
        assert rows == ({"/file": blocks} if blocks else {})
        assert found["stat"]["inodes"]["regular"] == len(rows) and "segments" not in found["stat"]
        assert found["stat"]["fragmentation"]["files_with_blocks"] == len(rows)


def test_diff_with_the_past(image, tmp_path):
    """Compare a volume with its earlier state, and with a directory of that time."""
    image.chmod(0o600)
    (tmp_path / "dir").mkdir()
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "ln", "/file", "/dir/other", "--", "rm", "/file")
    assert run(EDIT, image, "diff", "-i", "mtime", "-a", "-1", image, status=1) == b"+ /dir\n+ /dir/other\n- /file\n"
    assert run(EDIT, image, "diff", "-i", "mtime", "--as-of=-2", image, status=1).splitlines()[0] == b"+ /dir"
    (tmp_path / "then").mkdir()
    (tmp_path / "then/file").write_bytes(b"two" * 2000)
    found = json.loads(run(EDIT, "--json", image, "diff", "-i", "mtime,owner,mode", "-a", "-2", tmp_path / "then"))
    assert found["differences"] == [] and found["compared"] == 2 and found["as_of"]["blocks_overwritten"] == 0
    assert run(EDIT, image, "diff", "-a", "0", image) == b""
    for wrong in ("x", "-99", "-99999999999", "-4294967295", "4294967295"):
        run(EDIT, image, "diff", "-a", wrong, image, status=2)
    run(EDIT, "-w", image, "touch", "/new", "--", "diff", "-a", "-1", image, status=2)     # with changes that wait


def test_leftovers_and_carve(image, tmp_path):
    """A script among the free blocks comes out by its looks; ranges can be read as bytes."""
    image.chmod(0o600)
    script = b"#!/bin/sh\n" + b"echo here\n" * 2000
    plain = b"Plain words of some length.\n" * 600
    (tmp_path / "script").write_bytes(script)
    (tmp_path / "plain").write_bytes(plain)
    run(EDIT, "-w", image, "put", tmp_path / "script", tmp_path / "plain", "/")
    run(EDIT, "-w", image, "rm", "/script", "/plain")
    image.chmod(0o400)
    before = image.read_bytes()
    rows = shown(image, "--leftovers")["leftovers"]
    assert {row["kind"] for row in rows} == {"free", "node"}
    text = run(DUMP, "--leftovers=free", image).decode()
    assert "\nnode " not in text and f"{next(row for row in rows if row['kind'] == 'free')['offset']}" in text
    free = b"".join(run(DUMP, f"--bytes={row['offset']}~{row['offset'] + row['length']}", image) for row in rows
                    if row["kind"] == "free")
    assert script in free and plain in free
    out = tmp_path / "out"
    found, = shown(image, "--carve", f"--to={out}")["carve"]
    assert (found["kind"], found["end"], found["size"]) == ("script", "guessed", len(script))
    assert [path.name for path in out.iterdir()] == [found["file"]] and (out / found["file"]).read_bytes() == script
    run(DUMP, "--carve=script", f"--to={out}", image, status=4)  # existing files stay
    assert shown(image, "--carve=png,elf")["carve"] == []
    assert shown(image, "--carve", "--carve-size=4K")["carve"][0]["size"] == 4096
    run(DUMP, "--carve=nothing", image, status=1)
    run(DUMP, "--leftovers=nothing", image, status=1)
    if subprocess.run([DUMP, "--magic", "--carve", image], capture_output=True).returncode == 0:
        kinds = {row["kind"]: row for row in shown(image, "--carve", "--magic")["carve"]}
        assert kinds["text/plain"]["size"] == len(plain)
    assert image.read_bytes() == before
    last = shown(image, "--map=/file")["map"][0]["extents"][-1]         # 5 * 40000 bytes: the last of 49 blocks has 3392
    place = (last["addr"] + last["count"] - 1) * 4096 + 200_000 % 4096
    image.chmod(0o600)
    with open(image, "r+b") as file:
        file.seek(place)
        file.write(script[:300])
    out = tmp_path / "slack"
    found, = [row for row in shown(image, "--carve", f"--to={out}")["carve"] if row["slack_of"]]
    ino = shown(image, "--versions=/file")["versions"][0]["ino"]
    assert (found["slack_of"], found["offset"], found["block_addr"], found["end"]) == (ino, place, place // 4096, "guessed")
    assert found["file"] == f"slack-{ino}-{place}.sh" and (out / found["file"]).read_bytes()[:300] == script[:300]
    assert f" {ino}  slack-{ino}-{place}.sh" in run(DUMP, "--carve", image).decode()


def test_hard_links_and_attributes_come_back(image, tmp_path, peer_check):
    """All names of a file, to the host and into the image; a file that was renamed gets no name twice."""
    image.chmod(0o600)
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "put", tmp_path / "file", "/dir/one", "--", "ln", "/dir/one", "/dir/two", "--", "ln",
        "/dir/one", "/three", "--", "setfattr", "/dir/one", "user.colour", "blue", "--",
        "put", tmp_path / "file", "/renamed", "--", "mv", "/renamed", "/dir/other")
    run(EDIT, "-w", image, "rm", "-r", "/dir", "/three")
    rows = {row["path"]: row for row in shown(image, "--deleted")["deleted"]}
    file, = [row for row in rows.values() if row["max_links"] == 3]
    assert {file["path"], *file["other_names"]} == {"/dir/one", "/dir/two", "/three"}
    assert rows["/dir/other"]["other_names"] == [] and rows["/dir/other"]["links"] == 1
    out = tmp_path / "out"
    run(DUMP, "--undelete=all", f"--to={out}", image)
    names = [out / name for name in ("dir/one", "dir/two", "three")]
    assert len({name.stat().st_ino for name in names}) == 1 and names[0].read_bytes() == b"three" * 40000
    assert os.getxattr(names[0], "user.colour") == b"blue"
    run(EDIT, "-w", image, "undelete", "all")
    links = {shown(image, f"--inode={name}")["inode"][0]["ino"] for name in ("/dir/one", "/dir/two", "/three")}
    assert run(EDIT, image, "cat", "/dir/two") == b"three" * 40000 == run(EDIT, image, "cat", "/three")
    assert len(links) == 1
    peer_check(image)


def test_differences(image, tmp_path):
    """Two versions: fields, attributes and the blocks that are not shared, with whether the contents differ, too."""
    image.chmod(0o600)
    data = bytearray(os.urandom(100_000))
    (tmp_path / "file").write_bytes(data)
    run(EDIT, "-w", image, "put", tmp_path / "file", "/other")
    run(EDIT, "-w", image, "write", "/other", "40960", "changed", "--", "setfattr", "/other", "user.a", "b", "--",
        "chmod", "600", "/other")
    rows = shown(image, "--versions=/other")["versions"][0]["versions"]
    first, second = rows[0]["block_addr"], rows[-1]["block_addr"]
    found = shown(image, f"--differences={first},{second}")["differences"][0]
    assert {"i_mode", "i_ctime_nsec"} <= {row["field"] for row in found["fields"]} and found["xattrs"] == ["user.a"]
    mode, = [row for row in found["fields"] if row["field"] == "i_mode"]
    assert (mode["first"] & 0o777, mode["second"] & 0o777) != (0o600, 0) and mode["second"] & 0o777 == 0o600
    assert [(row["file_block"], row["count"], row["contents"]) for row in found["ranges"]] == [(10, 1, "differ")]
    same = shown(image, f"--differences={second},{second}")["differences"][0]
    assert same["fields"] == same["xattrs"] == same["ranges"] == []
    for wrong in ("7", "x,y", f"{first},"):
        run(DUMP, f"--differences={wrong}", image, status=1)
    run(DUMP, f"--differences={first},1", image, status=4)


def test_former_names(image, tmp_path):
    """Removed hard links and names before renaming, in directories of blocks and in inodes, in use and gone; not names that
    are there still, nor those of a file that had the number before without saying so."""
    image.chmod(0o600)
    run(EDIT, "-w", image, "mkdir", "/dir", "--", "mkdir", "/gone", "--", "put", tmp_path / "file", "/gone/before", "--",
        "ln", "/file", "/dir/link", "--", "ln", "/file", "/stays")
    (tmp_path / "many").mkdir()
    for i in range(300):
        (tmp_path / "many" / f"a-name-that-fills-slots-{i}").touch()
    run(EDIT, "-w", image, "put", "-r", tmp_path / "many", "/")
    assert shown(image, "--former-names")["former_names"] == []
    run(EDIT, "-w", image, "mv", "/gone/before", "/now", "--", "rm", "/dir/link", "--", "mv",
        "/many/a-name-that-fills-slots-7", "/many/b", "--", "mv", "/many", "/moved")
    run(EDIT, "-w", image, "rmdir", "/gone")
    rows = {row["path"]: row for row in shown(image, "--former-names")["former_names"]}
    assert {path: row["now"] for path, row in rows.items() if path.startswith("/gone")} == {"/gone/before": "/now"}
    assert rows["/moved/a-name-that-fills-slots-7"]["now"] == "/moved/b"
    assert rows["/many"]["now"] == "/moved" and rows["/many"]["type"] == "directory"
    assert rows["/dir/link"]["now"] in ("/file", "/stays") and len(rows) == 4
    assert all(row["now_state"] == "sure" for row in rows.values())
    assert not any(row["is_unsure"] for row in rows.values())
    ino = rows["/moved/a-name-that-fills-slots-7"]["ino"]
    run(EDIT, "-w", image, "rm", "/moved/b")
    for i in range(9):      # the number is used again
        run(EDIT, "-w", image, "touch", f"/again-{i}")
    now = {row["ino"]: row for row in shown(image, "--former-names")["former_names"]}
    if ino in now:
        assert now[ino]["is_unsure"]
    text = run(DUMP, "--former-names", image).decode()
    assert "/gone/before" in text and "/stays" not in text.replace("  /stays\n", "")
