# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs for those who know Unix and debugfs: options where they are used to, names that they know, messages that say it."""
import json
import os

import pytest


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,project_quota,quota,casefold,verity,inode_checksum", path, "64M")
    return path


@pytest.fixture
def edit(run_tool, image):
    def run(*words, rc=0, **kwargs):
        return run_tool("f2fs", "-w", image, *words, rc=rc, **kwargs)
    run.image = image
    return run


def test_options_anywhere(edit):
    edit("mkdir", "/d", "-p", "--", "touch", "/d/one", "/d/two", "/top")
    for words in (("find", "/", "-name", "t*"), ("find", "-n", "t*", "/"), ("find", "/", "--name", "t*"), ("find", "/", "-nt*")):
        assert sorted(edit(*words).stdout.split()) == [b"/d/two", b"/top"], words
    assert edit("find", "/", "-type", "d").stdout.split() == [b"/", b"/d"]
    assert edit("ls", "/d", "-la").stdout.count(b"\n") == 5
    edit("rm", "/d", "-rf")
    assert b"unknown option -x" in edit("ls", "-x", rc=16).stderr
    assert b"unknown option --lonely" in edit("ls", "--lonely", rc=16).stderr
    assert b"unknown option --l;" in edit("ls", "--l", rc=16).stderr
    assert edit("find", "/", "--type=d").stdout == edit("find", "/", "-t", "d").stdout
    assert b"--type needs a value" in edit("find", "/", "--type=", rc=16).stderr
    assert b"--dry-run takes no value" in edit("gc", "--dry-run=yes", rc=16).stderr
    assert b"an option needs a value" in edit("find", "/", "-name", rc=16).stderr


def test_operands_that_look_like_options(edit):
    edit("touch", "/f", "--", "write", "/f", "0", "-x", "--", "setfattr", "/f", "user.a", "-r", "--", "chmod", "u+x", "/f",
         "--", "chmod", "-x", "/f", "--", "chattr", "+dA", "/f", "--", "chattr", "-d", "/f")
    st = edit("stat", "/f").stdout
    assert b"permissions = 0644" in st and b"(noatime)" in st
    assert edit("cat", "/f").stdout == b"-x" and edit("getfattr", "/f", "user.a").stdout == b"-r"


def test_flags_and_projects(edit, peer_check, image):
    edit("mkdir", "/fold", "/p", "/p/q", "--", "touch", "/p/f", "/p/q/g", "--", "chattr", "+F", "/fold", "--", "touch", "/fold/Name",
         "--", "chattr", "-R", "-p", "77", "/p", "--", "project", "5", "/p/f", "--", "chattr", "+P", "/p/q", "-p", "8")
    assert edit("ls", "/fold/nAME").stdout == b"/fold/nAME\n"
    lines = {line.split()[2]: line.split()[:2] for line in edit("lsattr", "-p", "/p", "-d", "/p/f", "/p/q", "/p/q/g").stdout.splitlines()}
    assert [lines[name][0] for name in (b"/p", b"/p/f", b"/p/q", b"/p/q/g")] == [b"77", b"5", b"8", b"77"]
    assert b"P" in lines[b"/p/q"][1] and b"P" not in lines[b"/p"][1]
    assert b"not empty" in edit("chattr", "-F", "/fold", rc=1).stderr
    edit("touch", "/sealed", "--", "write", "/sealed", "0", "text", "--", "seal", "/sealed", "--", "touch", "/pinned", "--", "pin", "/pinned")
    flags = {line.split()[1]: line.split()[0] for line in edit("lsattr", "/").stdout.splitlines()}
    assert b"V" in flags[b"sealed"] and b"C" in flags[b"pinned"] and b"F" in flags[b"fold"]
    assert b"other flags" in edit("chattr", "+V", "/p", rc=16).stderr
    assert b"followed by files" in edit("chattr", "+i", rc=16).stderr
    peer_check(image)


def test_help_shows_options(run_tool, image, tool):
    listed = run_tool("f2fs", image, "help").stdout
    assert b"  find [-n PATTERN] [-t TYPE] [DIR]\n" in listed and b"  chmod [-R] MODE FILE...\n" in listed
    assert b"  touch [-c] [-t SECONDS] FILE...\n" in listed and b"  df\n" in listed
    assert b"usage: find [-n PATTERN] [-t TYPE] [DIR]" in run_tool("f2fs", image, "find", "a", "b", rc=16).stderr
    assert b"find [-n PATTERN] [-t TYPE] [DIR]" in run_tool("f2fs", "--help").stdout


def test_sessions(run_tool, image):
    done = run_tool("f2fs", image, input=b"pwd\nexit\nls\n")
    assert done.stdout == b"/\n"
    assert b"rdump: unknown command; here it is get -r" in run_tool("f2fs", image, "rdump", rc=16).stderr


def test_an_image_that_is_none(run_tool, tmp_path):
    """Without a command there is still something to be said."""
    zeros = tmp_path / "zeros"
    zeros.write_bytes(bytes(1 << 20))
    for args in ((zeros,), (tmp_path / "absent",), ("-c", "", zeros)):
        done = run_tool("f2fs", *args, rc=1)
        assert done.stderr.count(b"\n") == 1, done.stderr


def test_what_is_not_there(run_tool, image):
    for path, missing in (("/none", b"none"), ("/none/below", b"none")):
        done = run_tool("f2fs", image, "stat", path, rc=2)
        assert done.stderr == b'f2fs: %s: no such file or directory ("%s" in directory inode 3)\n' % (path.encode(), missing)
    assert b"no such file" in run_tool("dump.f2fs", "--ls=/none", image, rc=None).stderr


def test_habits_of_others(edit):
    edit("mkdir", "/d", "--", "touch", "/d/f", "/g", "--", "cp", "-a", "/d", "/e", "--", "ln", "-sf", "x", "/g", "--", "ln", "-f", "/d/f", "/h",
         "--", "ln", "-f", "/d/f", "/h", "--", "mv", "-f", "/h", "/d/f2")
    assert edit("readlink", "/g").stdout == b"x\n" and edit("ls", "-1", "/e").stdout == b"f\n"
    assert edit("du", "-sh", "/d").stdout.split()[1:] == [b"KiB", b"/d"]
    assert edit("ln", "-f", "/g", "/d", rc=0).stderr == b""
    edit("rm", "-R", "/e")


def test_inject_in_a_partition(run_tool, image, tmp_path):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(1 << 20) + image.read_bytes())
    run_tool("inject.f2fs", "--offset", "1M", "--node", "--nid", "3", "--mb", "i_links", "--val", "9", disk)
    assert run_tool("f2fs", "--offset", "1M", disk, "field", "inode[3].i_links").stdout == b"inode[3].i_links = 9\n"


def test_options_behind_patterns(run_tool, edit):
    """Names that a pattern became are freed once, wherever options stand."""
    edit("touch", "/a1", "/a2")
    done = edit("mkdir", "/d", "--", "ls", "/")
    assert done.stdout.split() and run_tool("f2fs", "-c", "ls a* -d a1 -1", edit.image).stdout.split() == [b"a1", b"a2", b"a1"]


def test_quotas(run_tool, peer_check, tmp_path):
    """Limits as setquota(8) takes them, shown as repquota(8) does; invalid values are refused, and change nothing."""
    image, plain = tmp_path / "disk.img", tmp_path / "plain.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,quota,project_quota", image, "64M")
    run_tool("mkfs.f2fs", "-q", plain, "64M")

    def rows(*args):
        return [line.split() for line in run_tool("f2fs", image, "quota", *args).stdout.decode().splitlines()[1:]]

    run_tool("f2fs", "-w", image, "touch", "/f", "--", "fallocate", "/f", "0", "8192", "--", "chown", "9:9", "/f", "--", "setquota", "9", "100", "1.5M", "7", "8", "--",
             "setquota", "-P", "3", "-", "1G", "0", "-")
    assert rows("-u", "9") == [["user", "9", "8", "100", "1536", "0", "1", "7", "8", "0"]]
    assert rows("-P", "3") == [["project", "3", "0", "0", str(1 << 20), "0", "0", "0", "0", "0"]]
    assert rows("12345") == [[kind, "12345"] + ["0"] * 8 for kind in ("user", "group", "project")]
    run_tool("f2fs", "-w", image, "setquota", "9", "1", "-", "-", "0")
    (row,) = rows("-u", "9")
    assert row[3:5] == ["1", "1536"] and int(row[5]) > 10**9 and row[7:9] == ["7", "0"]
    run_tool("f2fs", "-w", image, "setgrace", "7d", "90m", "--", "setgrace", "-P", "-", "5")
    assert rows("-t") == [["user", "604800", "5400"], ["group", "604800", "604800"], ["project", "604800", "5"]]
    peer_check(image)
    before = image.read_bytes()
    for words in (["8000w", "1"], ["1", "7x"], ["", "1"], ["m", "1"], ["-u", "-g", "1", "1"], ["1"], ["1" * 30, "1"]):
        assert b"setgrace" in run_tool("f2fs", "-w", image, "setgrace", *words, rc=16).stderr
    for words, rc in ((["-u", "-g", "9", "1", "1", "1", "1"], 16), (["9", "1", "1", "1"], 16), (["9", "x", "1", "1", "1"], 16),
                      (["4294967295", "1", "1", "1", "1"], 16), (["9", "16E", "1", "1", "1"], 16)):
        assert run_tool("f2fs", "-w", image, "setquota", *words, rc=rc).stderr
    assert b"-w allows it" in run_tool("f2fs", image, "setquota", "9", "1", "1", "1", "1", rc=16).stderr
    assert image.read_bytes() == before
    assert b"no user quota file" in run_tool("f2fs", "-w", plain, "setquota", "9", "1", "1", "1", "1", rc=2).stderr
    assert b"no such quota file" in run_tool("f2fs", plain, "quota", rc=2).stderr


@pytest.mark.parametrize("before", ["rm /f -- commit", "label new", "uuid random", "gc", "trim", "set inode[3].i_links 2"])
def test_what_became_true_is_not_denied(run_tool, tmp_path, before):
    """A run that fails after a commit, or after a command that needs none, does not claim that nothing was changed."""
    run_tool("mkfs.f2fs", "-q", "image", "64M", cwd=tmp_path)
    run_tool("f2fs", "-w", "image", "touch", "/f", "/g", cwd=tmp_path)
    words = ["touch", "/h", "--", *before.split(), "--", "rm", "/g", "--", "rm", "/none"]
    done = run_tool("f2fs", "-w", "image", *words, rc=None, cwd=tmp_path)
    assert done.returncode and b"nothing was changed since the last commit; earlier changes stay\n" in done.stderr
    done = run_tool("f2fs", "-w", "image", "rm", "/g", "--", "rm", "/none", rc=None, cwd=tmp_path)
    assert done.stderr.endswith(b"nothing was changed\n")


def test_an_unfinished_undo_file_is_reported(run_tool, build_dir, tmp_path):
    """The last read is one for the end of the file: a single failure makes no difference, a lasting one is reported."""
    run_tool("mkfs.f2fs", "-q", "base", "64M", cwd=tmp_path)
    run_tool("f2fs", "-w", "base", "set", "inode[3].i_links", "9", cwd=tmp_path)
    before = (tmp_path / "base").read_bytes()

    def run(words, how, n):
        for name, content in (("image", before), ("count", bytes(8))):
            (tmp_path / name).write_bytes(content)
        (tmp_path / "undo").unlink(missing_ok=True)
        env = dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libwrong_reads.so"), WRONG_FILES=str(tmp_path / "image"),
                   WRONG_HOW=how, WRONG_N=str(n), WRONG_COUNT=str(tmp_path / "count"),
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        done = run_tool(*words, rc=None, cwd=tmp_path, env=env)
        return done, int.from_bytes((tmp_path / "count").read_bytes(), "little")

    for words, good, bad in ((("f2fs", "-w", "--undo=undo", "image", "mkdir", "/x"), 0, 1),
                             (("fsck.f2fs", "-fy", "--undo=undo", "image"), 1, 9)):
        done, reads = run(words, "once", 1 << 40)
        assert done.returncode == good and reads, done
        done, _ = run(words, "once", reads)
        assert done.returncode == good, done
        run_tool("f2fs", "-w", "image", "restore", "undo", cwd=tmp_path)
        assert (tmp_path / "image").read_bytes() == before
        done, _ = run(words, "all", reads)
        assert done.returncode == bad and b"playing it back needs force" in done.stderr, done
        run_tool("f2fs", "-w", "image", "restore", "undo", rc=1, cwd=tmp_path)
        run_tool("f2fs", "-w", "image", "restore", "-f", "undo", cwd=tmp_path)
        assert (tmp_path / "image").read_bytes() == before


def test_quit_ends_a_command_line(edit):
    edit("touch", "/one", "--", "quit", "--", "touch", "/two")
    assert edit("ls", "/").stdout.split() == [b"one"]


def test_standard_input_needs_a_name(edit):
    for words in ((), ("/",)):
        assert b"needs a name" in edit("put", "-", *words, input=b"text", rc=16).stderr
    edit("put", "-", "/-", input=b"text")
    assert edit("cat", "/-").stdout == b"text"


def test_an_older_pack_is_not_written(edit, f2fskit):
    edit("touch", "/before")
    edit("touch", "/after")
    with f2fskit.open(edit.image) as volume:
        older = 3 - volume.checkpoint_pack
    before = edit.image.read_bytes()
    assert b"older than pack" in edit("--pack=%d" % older, "touch", "/x", rc=1).stderr
    assert edit.image.read_bytes() == before
    assert b"after" not in edit("--pack=%d" % older, "ls", "/").stdout
    edit("--pack=%d" % (3 - older), "touch", "/same")
    assert sorted(edit("ls", "/").stdout.split()) == [b"after", b"before", b"same"]
    edit("--pack=%d" % (3 - older), "--accept-unread", "touch", "/given-up")
    assert not f2fskit.check(edit.image).problems


def test_undelete_into_a_directory_that_is_not_there(edit):
    edit("put", "-", "/file", input=b"text")
    edit("rm", "/file")
    assert edit("undelete", "all", "/none", rc=2).stderr.startswith(b"f2fs: /none: no such file or directory")
    edit("undelete", "all", "/")
    assert edit("cat", "/file").stdout == b"text"


def test_names_of_attributes_are_as_long_as_linux_takes_them(run_tool, tmp_path):
    """A longer one, which other programs may have left, can be shown and removed."""
    run_tool("mkfs.f2fs", "-q", "image", "64M", cwd=tmp_path)
    fits, long = "user." + 250 * "n", "user." + 251 * "n"
    run_tool("f2fs", "-w", "image", "touch", "/f", "--", "setfattr", "/f", fits, "value", cwd=tmp_path)
    for name in (long, 256 * "n", "user." + 300 * "n"):
        assert b"at most 255 bytes" in run_tool("f2fs", "-w", "image", "setfattr", "/f", name, "v", rc=1, cwd=tmp_path).stderr
    ino = json.loads(run_tool("f2fs", "--json", "image", "stat", "/f", cwd=tmp_path).stdout)["ino"]
    run_tool("f2fs", "-w", "image", "setfattr", "-x", "/f", fits, "--", "setfattr", "/f", fits, 300 * "n", "--",
             "set", "xattr[%s][0].e_name_len" % ino, "251", cwd=tmp_path)
    assert long.encode() in run_tool("f2fs", "image", "getfattr", "/f", cwd=tmp_path).stdout
    assert run_tool("f2fs", "image", "getfattr", "/f", long, cwd=tmp_path).stdout.startswith(b"nnn")
    assert b"takes 256 bytes" in run_tool("fsck.f2fs", "-n", "image", rc=None, cwd=tmp_path).stdout
    run_tool("f2fs", "-w", "image", "setfattr", "-x", "/f", long, cwd=tmp_path)
    assert b"nnn" not in run_tool("f2fs", "image", "getfattr", "/f", cwd=tmp_path).stdout


def test_chown_and_new_contents_take_privileges_away(run_tool, tmp_path):
    """As under Linux, for root, too: setgid stays where the group may not execute the file, directories keep all."""
    capability = "0x0100000200040000000000000000000000000000"
    modes = {"/suid": "4755", "/sgid": "2755", "/lock": "2644", "/both": "6711", "/plain": "0644"}
    wanted = {"/suid": "755", "/sgid": "755", "/lock": "2644", "/both": "711", "/plain": "644", "/dir": "6755", "/pipe": "755"}
    run_tool("mkfs.f2fs", "-q", "image", "64M", cwd=tmp_path)
    (tmp_path / "text").write_bytes(b"text")
    (tmp_path / "none").write_bytes(b"")
    lines = ["mkdir /dir", "mknod /pipe p", "chmod 6755 /dir /pipe"]
    for name, mode in modes.items():
        lines += ["touch " + name, "chmod %s %s" % (mode, name)]
    lines += ["setfattr %s security.capability %s" % (name, capability) for name in (*modes, "/dir", "/pipe")]
    run_tool("f2fs", "-w", "-c", "\n".join(lines), "image", cwd=tmp_path)

    def has_capability(name):
        return b"security.capability" in run_tool("f2fs", "image", "getfattr", name, cwd=tmp_path).stdout

    before = (tmp_path / "image").read_bytes()
    for owner in ("7", "7:8", ":8", "0:0"):
        (tmp_path / "image").write_bytes(before)
        run_tool("f2fs", "-w", "image", "chown", owner, *wanted, cwd=tmp_path)
        for name, mode in wanted.items():
            stat = json.loads(run_tool("f2fs", "--json", "image", "stat", name, cwd=tmp_path).stdout)
            assert "%o" % stat["permissions"] == mode, (owner, name)
            assert has_capability(name) == (name == "/dir"), (owner, name)
    for words, stays in ((["put", "text", "/plain"], False), (["put", "none", "/plain"], False), (["write", "/plain", "0", "x"], False),
                         (["write", "/plain", "0", ""], True), (["truncate", "/plain", "9"], False), (["touch", "/plain"], True),
                         (["fallocate", "/plain", "0", "9"], False), (["cp", "/lock", "/plain"], False), (["chmod", "600", "/plain"], True)):
        (tmp_path / "image").write_bytes(before)
        run_tool("f2fs", "-w", "image", *words, cwd=tmp_path)
        assert has_capability("/plain") == stays, words
