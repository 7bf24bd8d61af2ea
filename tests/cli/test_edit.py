# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs: commands on the files of an image. Whatever was changed is held against f2fs-tools' checker where it is there."""
import json
import os
import pty
import re
import select
import stat
import subprocess
import time

import pytest

FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, path, "100M")
    return path


@pytest.fixture
def edit(run_tool, image):
    """edit("ls", "/"): the output of a command, with changes allowed."""
    def run(*words, rc=0, **kwargs):
        return run_tool("f2fs", "-w", image, *words, rc=rc, **kwargs)
    return run


def shape(run_tool, image):
    return run_tool("f2fs", image, "find").stdout


def test_put_get_cat(peer_check, run_tool, edit, image, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(os.urandom(3 << 20))
    os.truncate(big, 5 << 20)
    os.chmod(big, 0o640)
    os.utime(big, ns=(1, 1600000000123456789))
    edit("mkdir", "-p", "/a/b", "--", "put", big, "/a/b/", "--", "put", big, "/a/second")
    for name in ("/a/b/big", "/a/second"):
        assert run_tool("f2fs", image, "cat", name).stdout == big.read_bytes()
    run_tool("f2fs", image, "get", "/a/second", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == big.read_bytes()
    st = json.loads(run_tool("f2fs", "--json", image, "stat", "/a/b/big").stdout)
    assert st["permissions"] == 0o640 and st["size"] == 5 << 20
    assert (st["mtime"], st["mtime_nsec"]) == (1600000000, 123456789)
    assert st["blocks"] * 512 < 4 << 20, "the hole at the end was filled"
    edit("put", "-m", "755", "-", "/a/second")  # empty input: an empty file
    assert run_tool("f2fs", image, "cat", "/a/second").stdout == b""
    edit("cp", "/a/b/big", "/a/second", "--", "truncate", "/a/second", "1M", "--", "write", "/a/second", "-", "end")
    assert run_tool("f2fs", image, "cat", "/a/second").stdout == big.read_bytes()[:1 << 20] + b"end"
    peer_check(image)


def test_copies_of_what_is_not_yet_committed(run_tool, edit, image, tmp_path):
    """All ways out of the volume, and within it, know what only the running transaction has."""
    out, want = tmp_path / "out", bytes(99_000) + b"hello" + bytes(995)
    done = edit("mkdir", "/d", "--", "touch", "/d/g", "--", "truncate", "/d/g", "100000", "--", "write", "/d/g", "99000", "hello",
                "--", "get", "-r", "/d", out, "--", "get", "/d/g", tmp_path / "one", "--", "cp", "/d/g", "/copy",
                "--", "cp", "-r", "/d", "/tree", "--", "df", "--", "cat", "/d/g")
    assert (out / "g").read_bytes() == (tmp_path / "one").read_bytes() == want
    assert done.stdout.endswith(want)
    used = [line for line in done.stdout[:-len(want)].splitlines() if line.startswith((b"used_", b"free_"))]
    for name in ("/d/g", "/copy", "/tree/g"):
        assert run_tool("f2fs", image, "cat", name).stdout == want
    assert len(used) == 4 and set(used) <= set(run_tool("f2fs", image, "df").stdout.splitlines())


def test_names(peer_check, run_tool, edit, image):
    edit("mkdir", "/d", "/d/e", "--", "touch", "/d/f", "/d/e/g", "--", "ln", "/d/f", "/hard", "--", "ln", "-s", "d/f", "/soft",
         "--", "mknod", "/null", "c", "1", "3", "--", "mknod", "/pipe", "p")
    assert sorted(shape(run_tool, image).split()) == sorted(b"/ /pipe /null /soft /hard /d /d/e /d/e/g /d/f".split())
    assert run_tool("f2fs", image, "readlink", "/soft").stdout == b"d/f\n"
    st = json.loads(run_tool("f2fs", "--json", image, "stat", "/null").stdout)
    assert (st["mode"][0], st["rdev_major"], st["rdev_minor"]) == ("c", 1, 3)
    edit("mv", "/hard", "/d/e", "--", "mv", "/d/e", "/moved", "--", "rm", "/d/f")
    assert sorted(shape(run_tool, image).split()) == sorted(b"/ /pipe /null /soft /d /moved /moved/hard /moved/g".split())
    edit("rm", "-r", "/moved", "--", "rmdir", "/d", "--", "rm", "/pipe", "/null", "/soft", "--", "rm", "-f", "/nothing")
    assert shape(run_tool, image) == b"/\n"
    peer_check(image)


def test_a_long_and_deep_tree_is_removed(peer_check, run_tool, edit, image, tmp_path):
    script = tmp_path / "script"
    deep = "/".join("d%d" % i for i in range(60))
    script.write_text("mkdir -p /top/%s\ncd /top\n" % deep + "".join("touch f%d\n" % i for i in range(700)))
    run_tool("f2fs", "-w", "-f", script, image)
    assert shape(run_tool, image).count(b"\n") == 762
    edit("rm", "-r", "/top")
    assert shape(run_tool, image) == b"/\n"
    peer_check(image)


def test_attributes(peer_check, run_tool, edit, image):
    edit("touch", "-t", "1234567890.5", "/f", "--", "chown", "7:8", "/f", "--", "chmod", "4751", "/f", "--",
         "setfattr", "/f", "user.a", "text", "--", "setfattr", "/f", "user.b", "0x00ff", "--", "setfattr", "/f", "user.c", "0sAP8=",
         "--", "chattr", "+iA", "/f")
    st = json.loads(run_tool("f2fs", "--json", image, "stat", "/f").stdout)
    assert (st["permissions"], st["uid"], st["gid"]) == (0o4751, 7, 8)
    assert (st["mtime"], st["mtime_nsec"], st["atime"]) == (1234567890, 500000000, 1234567890)
    assert st["flags_names"] == ["immutable", "noatime"]
    for name, value in (("a", b"text"), ("b", b"\0\xff"), ("c", b"\0\xff")):
        assert run_tool("f2fs", image, "getfattr", "/f", "user." + name).stdout == value
    edit("setfattr", "-x", "/f", "user.b", "--", "chmod", "u-s,g=u,o+w", "/f", "--", "chown", ":9", "/f", "--", "chattr", "-i", "/f")
    st = json.loads(run_tool("f2fs", "--json", image, "stat", "/f").stdout)
    assert (st["permissions"], st["uid"], st["gid"]) == (0o773, 7, 9)
    assert b"user.b" not in run_tool("f2fs", image, "getfattr", "/f").stdout
    assert run_tool("f2fs", image, "lsattr").stdout == b"-------A-------N- f\n"
    peer_check(image)


DEFAULT_ACL = "".join(("02000000", "01000700ffffffff", "02000700e8030000", "04000500ffffffff", "10000700ffffffff",
                       "20000000ffffffff"))


def test_default_acls_decide_unless_a_mode_is_given(peer_check, run_tool, edit, image, tmp_path):
    edit("mkdir", "/guarded", "--", "setfattr", "/guarded", "system.posix_acl_default", "0x" + DEFAULT_ACL, "--",
         "mkdir", "/guarded/dir", "--", "mkdir", "-m", "700", "/guarded/private", "--", "touch", "/guarded/file",
         "/guarded/dir/file", "--", "mknod", "/guarded/pipe", "p", "--", "touch", "/file", "--", "mkdir", "/dir")
    modes = {"/guarded/dir": 0o770, "/guarded/private": 0o700, "/guarded/file": 0o660, "/guarded/dir/file": 0o660,
             "/guarded/pipe": 0o660, "/file": 0o644, "/dir": 0o755}
    for path, mode in modes.items():
        assert json.loads(run_tool("f2fs", "--json", image, "stat", path).stdout)["permissions"] == mode, path
        has_acl = b"posix_acl_access" in run_tool("f2fs", image, "getfattr", path).stdout
        assert has_acl == (path.startswith("/guarded/")), path
    # a tree that is copied in keeps its permissions
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/copy").write_text("x")
    os.chmod(tmp_path / "tree/copy", 0o667)
    run_tool("sload.f2fs", "-q", "-f", tmp_path / "tree", "--into=/guarded", image)
    assert json.loads(run_tool("f2fs", "--json", image, "stat", "/guarded/copy").stdout)["permissions"] == 0o667
    assert b"posix_acl" not in run_tool("f2fs", image, "getfattr", "/guarded/copy").stdout
    peer_check(image)


def test_pinned_files_have_contiguous_blocks(peer_check, run_tool, edit, image, tmp_path):
    firmware = tmp_path / "firmware"
    firmware.write_bytes(os.urandom(3_000_000))
    os.chmod(firmware, 0o644)
    edit("touch", "/fw", "--", "pin", "/fw", "--", "fallocate", "/fw", "0", "3M", "--", "put", "-m", "600", "/dev/null", "/other",
         "--", "fallocate", "-k", "/other", "0", "1M")
    st = json.loads(run_tool("f2fs", "--json", image, "stat", "/fw").stdout)
    assert "pin_file" in st["inline_names"] and (st["size"], st["blocks"]) == (3 << 20, 8 * (1024 + 1))
    mapped = json.loads(run_tool("dump.f2fs", "--json", "--map", "/fw", image).stdout)["map"][0]["extents"]
    assert [(e["file_block"], e["count"], e["kind"]) for e in mapped] == [(0, 1024, "data")]
    edit("pin", "-u", "/fw", "--", "fallocate", "-d", "/fw", "0", "4096", "--", "put", firmware, "/fw")
    assert run_tool("f2fs", image, "cat", "/fw").stdout == firmware.read_bytes()
    assert "pin_file" not in json.loads(run_tool("f2fs", "--json", image, "stat", "/fw").stdout)["inline_names"]
    edit("pin", "/", rc=None)
    peer_check(image)


def test_nothing_is_changed_without_asking(run_tool, image):
    before = image.read_bytes()
    for words in (["mkdir", "/x"], ["rm", "-f", "/x"], ["touch", "/"]):
        assert b"-w" in run_tool("f2fs", image, *words, rc=16).stderr
    run_tool("f2fs", image, "ls", "-l")
    run_tool("f2fs", "-w", image, "ls", "-l")
    assert image.read_bytes() == before


def test_a_failure_discards(peer_check, run_tool, edit, image):
    done = edit("mkdir", "/x", "--", "rm", "/nothing", "--", "mkdir", "/y", rc=2)
    assert b"nothing was changed" in done.stderr
    assert shape(run_tool, image) == b"/\n"
    run_tool("f2fs", "-w", "-k", image, "mkdir", "/x", "--", "rm", "/nothing", "--", "mkdir", "/y", rc=2)
    assert sorted(shape(run_tool, image).split()) == [b"/", b"/x", b"/y"]
    peer_check(image)


def test_full_volume(peer_check, run_tool, edit, image, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(b"x" * (120 << 20))
    done = run_tool("f2fs", "-w", "-k", image, "mkdir", "/x", "--", "put", big, "/", rc=1)
    assert b"full" in done.stderr and b"nothing was changed" in done.stderr
    assert shape(run_tool, image) == b"/\n"
    peer_check(image)


def test_freed_space_is_used_when_allowed(peer_check, run_tool, edit, image, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(os.urandom(1 << 20) * 46)
    edit("put", big, "/big")
    big.write_bytes(os.urandom(1 << 20) * 46)
    told = edit("put", big, "/big", rc=None)
    assert told.returncode and b"since the last commit" in told.stderr
    assert run_tool("f2fs", image, "cat", "/big").stdout != big.read_bytes()
    run_tool("f2fs", "-w", "--commit-when-full", image, "put", big, "/big")
    assert run_tool("f2fs", image, "cat", "/big").stdout == big.read_bytes()
    peer_check(image)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/big").write_bytes(os.urandom(1 << 20) * 46)
    told = run_tool("sload.f2fs", "-q", "--replace", "-f", tmp_path / "tree", image, rc=None)
    assert told.returncode
    assert run_tool("f2fs", image, "cat", "/big").stdout == big.read_bytes()
    run_tool("sload.f2fs", "-q", "--replace", "--commit-when-full", "-f", tmp_path / "tree", image)
    assert run_tool("f2fs", image, "cat", "/big").stdout == (tmp_path / "tree/big").read_bytes()
    peer_check(image)


def test_scripts_and_quoting(run_tool, image, tmp_path):
    script = tmp_path / "script"
    script.write_text("# names\nmkdir '/a b' \"/c\\\"d\"; mkdir /e\\ f /x\\xffy # more\n\n;;\ntouch '/a b/#no'\n")
    run_tool("f2fs", "-w", "-f", script, "-c", "commit; cd '/a b'; pwd; touch it; rm it", image)
    found = run_tool("f2fs", image, "find").stdout.splitlines()
    assert sorted(found) == sorted([b"/", b"/a b", b"/a b/#no", b'/c"d', b"/e f", b"/x\\xffy"])
    assert b"quote" in run_tool("f2fs", "-c", "ls 'x", image, rc=16).stderr


def test_standard_input(tool, image):
    done = subprocess.run([tool("f2fs"), "-w", str(image)], input=b"mkdir /a\ncd a\npwd\nmkdir b\ncommit\nmkdir c\nquit\nmkdir d\n",
                          capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"/a\n"), done.stderr
    done = subprocess.run([tool("f2fs"), str(image), "find", "-t", "d"], capture_output=True)
    assert sorted(done.stdout.split()) == [b"/", b"/a", b"/a/b", b"/a/c"]


def test_looking(run_tool, edit, image, tmp_path):
    (tmp_path / "data").write_bytes(b"d" * 100000)
    edit("mkdir", "/a", "/a/b", "--", "put", tmp_path / "data", "/a/b/", "--", "ln", "/a/b/data", "/a/again")
    listing = json.loads(run_tool("f2fs", "--json", image, "ls", "-a", "/a").stdout)
    assert sorted(row["name"] for row in listing["entries"]) == [".", "..", "again", "b"]
    assert b"    |   `-- data" in run_tool("f2fs", image, "tree").stdout
    rows = json.loads(run_tool("f2fs", "--json", image, "du").stdout)["entries"]
    sizes = {row["path"]: row["bytes"] for row in rows}
    assert 100000 < sizes["/a"] < 120000, "a file with two names counts once"
    assert run_tool("f2fs", image, "find", "-n", "d*t[!b]").stdout == b"/a/b/data\n"
    number = next(row["ino"] for row in listing["entries"] if row["name"] == "again")
    assert run_tool("f2fs", image, "cat", "<%d>" % number).stdout == b"d" * 100000
    info = json.loads(run_tool("f2fs", "--json", image, "info").stdout)
    assert set(info["feature_names"]) == set(FEATURES.split(","))
    df = json.loads(run_tool("f2fs", "--json", image, "df").stdout)
    assert df["used_bytes"] + df["free_bytes"] == df["size_bytes"]


def test_errors_have_names_and_numbers(run_tool, image, tmp_path):
    for words, rc, text in [(["nonsense"], 16, b"unknown command"), (["cat"], 16, b"missing"), (["cat", "/no"], 2, b"no such file"),
                            (["ls", "-z"], 16, b"-z"), (["cat", "/"], 2, b"directory"), (["readlink", "/"], 2, b"symbolic link")]:
        assert text in run_tool("f2fs", image, *words, rc=rc).stderr
    assert b"Commands" not in run_tool("f2fs", image, "help").stdout
    assert b"-r (or -R) removes" in run_tool("f2fs", image, "help", "rm").stdout
    for name in ("rm", "cat", "gc", "help"):
        told = run_tool("f2fs", image, name, "--help").stdout
        assert told == run_tool("f2fs", "help", name).stdout and told.startswith(name.encode())
        assert max(map(len, told.splitlines()[1:])) <= 80, told
    assert run_tool("f2fs", "-w", image, "mkdir", "/made", "--", "ls", "--help", "--", "ls", "/").stdout.endswith(b"made\n")
    zeros = tmp_path / "zeros"
    zeros.write_bytes(bytes(1 << 20))
    assert b"not an F2FS volume" in run_tool("f2fs", zeros, "ls", rc=1).stderr


def test_put_keeps_what_stat_shows(run_tool, edit, image, tmp_path):
    source = tmp_path / "s"
    source.write_bytes(b"abc")
    os.chmod(source, 0o4755)
    edit("put", source, "/s")
    run_tool("f2fs", image, "get", "/s", tmp_path / "t")
    assert (tmp_path / "t").read_bytes() == b"abc"
    assert stat.S_IMODE(os.stat(tmp_path / "t").st_mode) & 0o7000 == 0, "setuid does not leave the image"


def test_undo(run_tool, image, tmp_path):
    undo, before = tmp_path / "undo", image.read_bytes()
    run_tool("f2fs", "-w", "--undo", undo, image, "mkdir", "/x", "--", "commit", "--", "touch", "/x/y", "--", "set", "inode[3].i_links", "77")
    assert image.read_bytes() != before
    assert b"exists" in run_tool("f2fs", "-w", "--undo", undo, image, "touch", "/z", rc=1).stderr
    assert b"-w" in run_tool("f2fs", image, "restore", undo, rc=16).stderr
    run_tool("f2fs", "-w", image, "restore", undo)
    assert image.read_bytes() == before
    assert b"undo" in run_tool("f2fs", "-w", image, "restore", image, rc=1).stderr


def test_damage_does_not_hide_the_rest(run_tool, edit, image):
    edit("touch", "/one", "/two", "/three")
    number = json.loads(run_tool("f2fs", "--json", image, "stat", "/two").stdout)["ino"]
    edit("set", "-r", "inode[%d].i_generation" % number, "+=1")
    done = run_tool("f2fs", image, "ls", "-l", rc=4)
    assert b"one" in done.stdout and b"three" in done.stdout and b"INODE_CHECKSUM" in done.stderr
    assert sorted(run_tool("f2fs", image, "ls").stdout.split()) == [b"one", b"three", b"two"]


def test_changes_set_times(run_tool, edit, image):
    edit("mkdir", "/d", "--", "touch", "-t", "1000", "/d/f", "--", "touch", "-t", "1000", "/d")
    edit("write", "/d/f", "0", "text", env=dict(os.environ, SOURCE_DATE_EPOCH="2000"))
    edit("mv", "/d/f", "/g", env=dict(os.environ, SOURCE_DATE_EPOCH="3000"))
    times = {name: json.loads(run_tool("f2fs", "--json", image, "stat", name).stdout) for name in ("/d", "/g")}
    assert (times["/g"]["mtime"], times["/g"]["ctime"], times["/d"]["mtime"]) == (2000, 3000, 3000)


def picture(top):
    """All that stat and the attributes say of a tree on the host, links by the first name of their inode."""
    found, first = {}, {}
    for folder, folders, files in os.walk(top):
        for name in [""] + sorted(files) + sorted(n for n in folders if os.path.islink(os.path.join(folder, n))):
            path = os.path.join(folder, name).rstrip("/")
            st, key = os.lstat(path), os.path.relpath(path, top)
            content = os.readlink(path) if stat.S_ISLNK(st.st_mode) else open(path, "rb").read() if stat.S_ISREG(st.st_mode) else None
            attributes = {n: os.getxattr(path, n, follow_symlinks=False) for n in os.listxattr(path, follow_symlinks=False)
                          if n.startswith("user.")}
            found[key] = (oct(st.st_mode), st.st_mtime_ns, content, attributes, st.st_rdev,
                          first.setdefault(st.st_ino, key), st.st_blocks * 512 < st.st_size)
    return found


@pytest.fixture
def tree(tmp_path):
    top = tmp_path / "tree"
    (top / "sub" / "empty").mkdir(parents=True)
    (top / "file").write_bytes(b"contents")
    (top / "sub" / "big").write_bytes(os.urandom(300000))
    os.truncate(top / "sub" / "big", 4 << 20)
    os.link(top / "file", top / "sub" / "twin")
    os.link(top / "file", top / "third")
    (top / "link").symlink_to("sub/big")
    (top / "dangling").symlink_to("nowhere")
    os.mkfifo(top / "pipe")
    os.chmod(top / "file", 0o640)
    os.chmod(top / "sub", 0o1775)
    try:
        os.setxattr(top / "file", "user.a", b"1")
        os.setxattr(top / "sub", "user.b", b"2")
    except OSError:
        pass    # a host without them
    for number, path in enumerate(("sub/empty", "sub/big", "file", "sub", ".")):
        os.utime(top / path, ns=(number + 1, 1500000000987654321 + number))
    for link in ("link", "dangling"):
        os.utime(top / link, ns=(1, 1400000000000000001), follow_symlinks=False)
    os.utime(top / "pipe", ns=(1, 1300000000000000001))
    os.utime(top, ns=(1, 1500000000987654399))
    return top


def test_trees_in_and_out(peer_check, run_tool, edit, image, tree, tmp_path):
    """put -r, cp -r and get -r keep everything, whatever name the copy gets."""
    edit("mkdir", "/in", "--", "put", "-r", tree, "/in", "--", "put", "-r", tree, "/new", "--", "cp", "-r", "/in/tree", "/copy",
         "--", "cp", "-r", "/new", "/in", "--", "get", "-r", "/copy", tmp_path / "uncommitted")
    (tmp_path / "there").mkdir()
    run_tool("f2fs", image, "get", "-r", "/in/tree", tmp_path / "there", "--", "get", "-r", "/copy", tmp_path / "copy",
             "--", "get", "-r", "/", tmp_path / "all")
    expected = picture(tree)
    for name in ("there/tree", "copy", "all/new", "all/copy", "all/in/tree", "all/in/new", "uncommitted"):
        assert picture(tmp_path / name) == expected, name
    os.unlink(tree / "dangling")
    (tree / "file").write_bytes(b"other")
    edit("put", "-r", tree, "/new/..", "--", "put", "-r", tree, "/new", "--", "rm", "-r", "/in", "/copy")
    run_tool("f2fs", image, "get", "-r", "/new/tree", tmp_path / "again")
    assert picture(tmp_path / "again") == picture(tree)
    run_tool("f2fs", image, "get", "/tree/file", tmp_path / "plain")
    assert (tmp_path / "plain").read_bytes() == b"other"
    peer_check(image)


def test_trees_that_cannot_be_copied(run_tool, edit, image, tree):
    edit("put", "-r", tree, "/t", "--", "touch", "/f")
    before = shape(run_tool, image)
    for words, rc, text in [(["cp", "-r", "/t", "/t/sub"], 16, b"itself"), (["cp", "-r", "/", "/t"], 16, b"itself"),
                            (["cp", "/t", "/u"], 2, b"-r"), (["put", tree, "/u"], 2, b"-r"), (["cp", "-r", "/t", "/t"], 16, b"itself"),
                            (["cp", "-r", "/t", "/f"], 1, b"in the way"), (["put", "-r", tree / "no", "/u"], 2, b"No such"),
                            (["cp", "-r", "/no", "/u"], 2, b"no such file"), (["get", "-r", "/no"], 2, b"no such file"),
                            (["get", "/t"], 2, b"-r")]:
        assert text in edit(*words, rc=rc).stderr, words
    assert shape(run_tool, image) == before


def test_put_keeps_owners_when_asked(run_tool, edit, image, tree):
    if os.geteuid() != 0:
        pytest.skip("giving files away needs root")
    os.chown(tree / "file", 12, 34)
    edit("put", "-r", "-P", tree, "/with", "--", "put", "-r", tree, "/without", "--", "put", "-P", tree / "file", "/one",
         "--", "cp", "-r", "/with", "/copy")
    for name, owner in (("/with/file", (12, 34)), ("/without/file", (0, 0)), ("/one", (12, 34)), ("/copy/file", (12, 34))):
        st = json.loads(run_tool("f2fs", "--json", image, "stat", name).stdout)
        assert (st["uid"], st["gid"]) == owner


def test_ls_goes_down(run_tool, edit, image):
    edit("mkdir", "-p", "/a/b", "--", "touch", "/a/b/c", "/a/d")
    assert run_tool("f2fs", image, "ls", "-R", "/a").stdout in (b"/a:\nb\nd\n\n/a/b:\nc\n", b"/a:\nd\nb\n\n/a/b:\nc\n")
    documents = run_tool("f2fs", "--json", image, "ls", "-R").stdout.decode().strip()
    decoder, paths = json.JSONDecoder(), {}
    while documents:
        value, end = decoder.raw_decode(documents)
        paths[value["path"]] = sorted(row["name"] for row in value["entries"])
        documents = documents[end:].strip()
    assert paths == {"./": ["a"], "./a": ["b", "d"], "./a/b": ["c"]} or paths == {".": ["a"], "./a": ["b", "d"], "./a/b": ["c"]}


def test_patterns_in_texts(peer_check, run_tool, image, tmp_path):
    for name in ("one.h", "two.h", "three.c", "st*r.h"):
        (tmp_path / name).write_bytes(name.encode())
    host = str(tmp_path)
    script = ("mkdir /a /b /b/x /b/y; put %s/*.h /a; put %s/t*.c /a; touch /a/.hidden /b/x/1 /b/y/2 '/a/q?' ; cd /a\n" % (host, host) +
              "chmod 600 *.h; rm \"*.h\"\n")
    done = run_tool("f2fs", "-w", "-k", "-c", script, image, rc=2)
    assert b"*.h" in done.stderr, "a quoted pattern is a name"
    def names(text):
        return sorted(run_tool("f2fs", "-c", text, image).stdout.decode().split())
    assert names("cd /a; ls -d *") == ["one.h", "q?", "st*r.h", "three.c", "two.h"]
    assert names("ls -d /a/[ot]*.?") == ["/a/one.h", "/a/three.c", "/a/two.h"]
    assert names("ls -d /a/[!ot]*.?") == ["/a/st*r.h"]
    assert names("ls -d /a/st\\*r.h /a/q'?' /a/.h*") == ["/a/.hidden", "/a/q?", "/a/st*r.h"]
    assert names("ls -d /b/?/*") == ["/b/x/1", "/b/y/2"]
    assert names("ls -d /*/x") == ["/b/x"]
    assert names("ls -d /[b]//y/") == ["/b/y"]
    assert names("field sb.feature inode[3].i_links")[0], "places of fields are no patterns"
    assert b"/no*" in run_tool("f2fs", "-c", "ls /no*", image, rc=2).stderr, "what nothing matches stays"
    assert b"[open" in run_tool("f2fs", "-c", "ls [open", image, rc=2).stderr
    assert names("find -n '[a-t]*.h' /a") == ["/a/one.h", "/a/st*r.h", "/a/two.h"]
    assert names("find -n st\\\\*r.h /a") == ["/a/st*r.h"]
    run_tool("f2fs", "-w", "-c", "rm -r /b/* /a/*.h; rmdir /b", image)
    assert names("ls -d /* /a/*") == ["/a", "/a/q?", "/a/three.c"]
    peer_check(image)


class Terminal:
    """f2fs on a pseudo terminal."""

    def __init__(self, *command):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "vt100"
            os.execv(command[0], [str(word) for word in command])

    def type(self, text, *awaited):
        """Type something, and wait for the expected output. Return the output since."""
        start = len(self.seen)
        os.write(self.fd, text)
        end = time.monotonic() + 300
        while not all(word in self.seen[start:] for word in awaited):
            assert time.monotonic() < end, (text, self.seen[start:])
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        return self.seen[start:]

    def end(self):
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_shell_on_a_terminal(tool, run_tool, image):
    shell = Terminal(tool("f2fs"), "-w", image)
    shell.type(b"", b"f2fs:/> ")
    shell.type(b"mkdir /folder\n", b"f2fs:/*> ")
    shell.type(b"cat /nothing\n", b"no such file", b"f2fs:/*> ")
    shell.type(b"cd folder\n", b"f2fs:/folder*> ")
    shell.type(b"touch made; ls\n", b"made\r\n", b"f2fs:/folder*> ")
    shell.type(b"commit\n", b"f2fs:/folder> ")
    shell.type(b"quit\n")
    assert shell.end() == 2, "the first failure counts"
    assert run_tool("f2fs", image, "find").stdout.split() == [b"/", b"/folder", b"/folder/made"]


def test_lines_are_edited(tool, run_tool, image, tmp_path, build_dir):
    """The tabulator completes, and the cursor keys bring earlier lines back."""
    if "#define HAVE_LIBEDIT 1" not in open(os.path.join(build_dir, "f2fskit_config.h")).read():
        pytest.skip("built without libedit")
    (tmp_path / "hostfile").write_bytes(b"from the host")
    shell = Terminal(tool("f2fs"), "-w", image)
    shell.type(b"", b"f2fs:/> ")
    shell.type(b"mkd\t/long-name /other; touch /long-name/file\n", b"\n", b"f2fs:/*> ")
    shell.type(b"stat /lo\tfi\t\n", b"permissions", b"f2fs:/*> ")
    shell.type(b"cd /o\t\n", b"f2fs:/other*> ")
    shell.type(b"\x1b[A\x1b[A\x1b[A\x01\x0b" b"touch again\n", b"f2fs:/other*> ")
    shell.type(b"\x1b[A2\n", b"f2fs:/other*> ")
    shell.type(b"put " + str(tmp_path).encode() + b"/hostf\t /copy\n", b"f2fs:/other*> ")
    shell.type(b"quit\n")
    assert shell.end() == 0
    found = run_tool("f2fs", image, "find").stdout.split()
    assert sorted(found) == sorted(b"/ /copy /long-name /long-name/file /other /other/again /other/again2".split())
    assert run_tool("f2fs", image, "cat", "/copy").stdout == b"from the host"


def test_put_keeps_holes(edit, image, tmp_path, run_tool):
    """Data between two holes takes only its own blocks; holes are before, between and after."""
    block, source = 1 << 16, tmp_path / "sparse"
    with source.open("wb") as file:
        for at in (3, 9, 256):
            file.seek(at * block)
            file.write(b"abc")
        file.truncate(512 * block)
    if source.stat().st_blocks > 1000:
        pytest.skip("the host makes no holes")
    edit("put", source, "/file")
    told = json.loads(run_tool("dump.f2fs", "--json", "--inode=/file", image).stdout)["inode"][0]
    assert told["i_size"] == 512 * block and told["i_blocks"] <= source.stat().st_blocks // 8 + 8
    assert run_tool("f2fs", image, "cat", "/file").stdout == source.read_bytes()


def test_holes_written_over_contents_are_zeros(edit, image, tmp_path, run_tool):
    full, sparse = tmp_path / "full", tmp_path / "sparse"
    full.write_bytes(b"Z" * 200_000)
    with sparse.open("wb") as file:
        file.seek(100_000)
        file.write(b"abc")
        file.truncate(150_000)
    edit("put", full, "/file")
    with sparse.open("rb") as file:
        edit("write", "/file", "0", "-", stdin=file)
    assert run_tool("f2fs", image, "cat", "/file").stdout == sparse.read_bytes() + b"Z" * 50_000


def test_standard_input_begins_where_it_stands(edit, image, tmp_path, run_tool):
    """A file on the standard input that was read in part before: put takes the rest, holes too."""
    source = tmp_path / "source"
    with source.open("wb") as file:
        file.write(b"0123456789" * 1000)
        file.seek(300_000)
        file.write(b"behind the hole")
        file.truncate(400_000)
    data = source.read_bytes()
    for start in (0, 10, 5000, 200_000, 300_005, 350_000, 400_000, 500_000):
        with source.open("rb", buffering=0) as file:
            for words in (("put", "-", "/put"), ("touch", "/new", "--", "truncate", "/new", "0", "--", "write", "/new", "0", "-"),
                          ("put", source, "/over", "--", "write", "/over", "7", "-")):
                file.seek(start)
                edit(*words, stdin=file)
                assert file.tell() == max(start, len(data))
        assert run_tool("f2fs", image, "cat", "/put").stdout == data[start:]
        assert run_tool("f2fs", image, "cat", "/new").stdout == data[start:]
        assert run_tool("f2fs", image, "cat", "/over").stdout == (data[:7] + data[start:] + data[len(data[start:]) + 7:])


def test_get_keeps_the_time(run_tool, edit, image, tmp_path):
    """Time of modification and permissions of a file are there and back again, with -r and without, before 1970 too."""
    source, out = tmp_path / "source", tmp_path / "out"
    source.write_bytes(b"contents")
    source.chmod(0o640)
    for ns in (1_600_000_000_123_456_789, -1_500_000_001):
        os.utime(source, ns=(5, ns))
        edit("put", source, "/file")
        out.write_bytes(b"in the way")
        for words in (("/file", out), ("/file", tmp_path / "new"), ("-r", "/file", tmp_path / "again")):
            run_tool("f2fs", image, "get", *words)
            assert words[-1].read_bytes() == b"contents" and words[-1].stat().st_mtime_ns == ns
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
        (tmp_path / "new").unlink()
    run_tool("f2fs", image, "get", "/file", "/dev/null")
    assert run_tool("f2fs", image, "get", "/file", "-").stdout == b"contents"


def test_names_as_they_are_shown_are_taken_back(run_tool, edit, image, tool):
    """Any name that find shows leads to its file: in texts of commands as it is shown, in a shell with $'...'."""
    names = [b"a\\b", b"c\x01d", b"e\xffg", b"f g", b"x\\x41y", b"it's", b'"', b"#", b"\n", b"\x7f;", b"\xe2\x80\xae", b"\\", b"$x`", b"-n",
             b"\\\\"]
    subprocess.run([tool("f2fs"), "-w", image, "touch", *(b"/" + name for name in names)], check=True)
    shown = run_tool("f2fs", image, "find", "/").stdout.split(b"\n")[1:-1]
    assert len(shown) == len(names)
    for name in shown:
        line = b"stat " + re.sub(rb"[ \"'#;]", rb"\\\g<0>", name)
        assert b"path = " + name in run_tool("f2fs", "-c", line.decode(), image).stdout
        word = b"$'" + name.replace(b"'", b"\\'") + b"'"
        for command in (b"f2fs %s stat ", b"dump.f2fs %s --cat="):
            program, rest = command.split(b" ", 1)
            line = os.fsencode(tool(program.decode())) + b" " + rest % os.fsencode(image) + word
            done = subprocess.run(["bash", "-c", line], capture_output=True, stdin=subprocess.DEVNULL)
            assert done.returncode == 0 and (b"--cat" in line or name in done.stdout), (line, done)
