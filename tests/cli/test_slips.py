# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slips of the hand: an empty variable, swapped operands, a link onto itself, a directory that is not there, a full log."""
import subprocess

import pytest

MIB = 1 << 20


@pytest.fixture
def disk(run_tool, tmp_path):
    (tmp_path / "tree" / "etc").mkdir(parents=True)
    (tmp_path / "tree" / "etc" / "fstab").write_bytes(b"/dev/x\n")
    run_tool("mkfs.f2fs", "-q", "--root-dir", "tree", "disk.img", "64M", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [
    ("chmod", "-R", "0", ""), ("chown", "-R", "7", ""), ("ls", ""), ("mv", "/etc", ""), ("cp", "/etc/fstab", ""), ("rm", "-r", ""),
    ("put", "tree/etc/fstab", ""), ("mkdir", ""), ("mkdir", "-p", ""), ("ln", "/etc/fstab", ""), ("get", ""), ("find", ""),
    ("setfattr", "", "user.a", "b"), ("touch", ""), ("stat", ""), ("chattr", "+i", ""), ("cd", ""), ("undelete", "all", "")], ids=" ".join)
def test_an_empty_name_is_no_directory(disk, run_tool, words):
    before = (disk / "disk.img").read_bytes()
    done = run_tool("f2fs", "-w", "disk.img", *words, rc=None, cwd=disk)
    assert done.returncode and b"is empty" in done.stderr, done
    assert (disk / "disk.img").read_bytes() == before


@pytest.mark.parametrize("words", [("put", "tree/etc/fstab", "/nodir/"), ("cp", "/etc/fstab", "/nodir/"),
                                   ("mv", "/etc/fstab", "/nodir/"), ("ln", "/etc/fstab", "/nodir/"),
                                   ("put", "tree/etc/fstab", "/etc/fstab/")], ids=" ".join)
def test_a_slash_names_a_directory(disk, run_tool, words):
    done = run_tool("f2fs", "-w", "disk.img", *words, rc=None, cwd=disk)
    assert done.returncode and (b"no such" in done.stderr or b"not a directory" in done.stderr), done
    assert run_tool("f2fs", "disk.img", "find", cwd=disk).stdout.split() == [b"/", b"/etc", b"/etc/fstab"]


def test_a_new_directory_may_have_a_slash(disk, run_tool):
    run_tool("f2fs", "-w", "disk.img", "cp", "-r", "/etc", "/a/", "--", "mv", "/a", "/b/", "--", "put", "-r", "tree", "/c/",
             "--", "mkdir", "/d/", "--", "put", "tree/etc/fstab", "/d/", cwd=disk)
    assert {b"/b/fstab", b"/c/etc/fstab", b"/d/fstab"} < set(run_tool("f2fs", "disk.img", "find", cwd=disk).stdout.split())


@pytest.mark.parametrize("target,link", [("fstab", "/etc/fstab"), ("/etc/fstab", "/etc/fstab"), ("../etc/./fstab", "/etc/fstab"),
                                         ("fstab", "/etc"), ("etc/fstab", "/etc/fstab/../../etc/fstab")])
def test_a_link_onto_itself(disk, run_tool, target, link):
    run_tool("f2fs", "-w", "disk.img", "ln", "-sf", target, link, rc=None, cwd=disk)
    assert run_tool("f2fs", "disk.img", "cat", "/etc/fstab", cwd=disk).stdout == b"/dev/x\n"


@pytest.mark.parametrize("link", ["/etc/l", "/etc/abs", "/sub", "/etc/chain"])
def test_a_copy_through_a_link_onto_itself(disk, run_tool, link):
    run_tool("f2fs", "-w", "disk.img", "ln", "-s", "fstab", "/etc/l", "--", "ln", "-s", "/etc/fstab", "/etc/abs", "--",
             "mkdir", "/sub", "--", "ln", "-s", "../etc/fstab", "/sub/fstab", "--", "ln", "-s", "l", "/etc/chain", cwd=disk)
    before = (disk / "disk.img").read_bytes()
    done = run_tool("f2fs", "-w", "disk.img", "cp", "/etc/fstab", link, rc=None, cwd=disk)
    assert done.returncode and b"is the same file" in done.stderr
    assert (disk / "disk.img").read_bytes() == before


def test_a_link_is_made_anew(disk, run_tool):
    run_tool("f2fs", "-w", "disk.img", "ln", "-s", "a", "/etc/l", "--", "ln", "-sf", "fstab", "/etc/l", cwd=disk)
    assert run_tool("f2fs", "disk.img", "cat", "/etc/l", cwd=disk).stdout == b"/dev/x\n"


@pytest.mark.parametrize("contents", [b"important", b"\x7fELF" + bytes(9000), bytes(100_000) + b"x"], ids=["text", "program", "late"])
def test_a_file_that_is_no_image(tmp_path, run_tool, contents):
    path = tmp_path / "precious"
    path.write_bytes(contents)
    done = run_tool("mkfs.f2fs", "-q", path, "64M", rc=1)
    assert b"file with contents" in done.stderr and path.read_bytes() == contents
    assert b"-f will be needed" in run_tool("mkfs.f2fs", "--dry-run", path, "64M").stderr
    run_tool("mkfs.f2fs", "-q", "-f", path, "64M")
    run_tool("fsck.f2fs", "-n", path)


@pytest.mark.parametrize("contents", [b"", bytes(5000), bytes(2 * MIB)], ids=len)
def test_zeros_are_no_contents(tmp_path, run_tool, contents):
    (tmp_path / "empty").write_bytes(contents)
    run_tool("mkfs.f2fs", "-q", tmp_path / "empty", "64M")
    assert (tmp_path / "empty").stat().st_size == 64 * MIB


def run_full(tool, cwd, name, *words):
    with open("/dev/full", "wb") as to:
        return subprocess.run([tool(name), *words], stdout=to, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=cwd)


@pytest.mark.parametrize("words,done", [
    (("sload.f2fs", "-f", "tree", "--into=/more", "disk.img"), b"the copy is made"),
    (("sload.f2fs", "--json", "-f", "tree", "--into=/more", "disk.img"), b"the copy is made"),
    (("mkfs.f2fs", "new.img", "64M"), b"the volume is made"), (("mkfs.f2fs", "--json", "new.img", "64M"), b"the volume is made"),
    (("resize.f2fs", "disk.img", "128M"), b"the volume has its new size"), (("defrag.f2fs", "disk.img"), b"all files are moved"),
    (("f2fs", "-w", "disk.img", "mkdir", "/x", "--", "ls"), None)], ids=lambda value: value and " ".join(map(str, value[:2])))
def test_what_is_done_though_nobody_can_be_told(disk, run_tool, tool, words, done):
    """A status of failure, since the report is lost; the message says that the work is not."""
    result = run_full(tool, disk, *words)
    assert result.returncode and b"standard output: No space left on device" in result.stderr, result
    image = "new.img" if words[0] == "mkfs.f2fs" else "disk.img"
    run_tool("fsck.f2fs", "-n", image, cwd=disk)
    if done:
        assert done in result.stderr, result
        paths = run_tool("f2fs", image, "find", cwd=disk).stdout.split()
        assert words[0] != "sload.f2fs" or b"/more/etc/fstab" in paths
    else:
        made = b"/x" in run_tool("f2fs", image, "find", cwd=disk).stdout.split()
        assert made == (b"are committed" in result.stderr), result


def test_messages_name_what_is_meant(disk, run_tool):
    run_tool("sload.f2fs", "-f", "tree", "--into=/C/", "disk.img", cwd=disk)
    done = run_tool("sload.f2fs", "-f", "tree", "--into=/C/", "--existing=refuse", "disk.img", rc=4, cwd=disk)
    assert b"/C/etc/fstab: " in done.stderr, done
    assert b": /nope: no such file" in run_tool("defrag.f2fs", "disk.img", "/nope", rc=1, cwd=disk).stderr


@pytest.mark.parametrize("program, words", [
    *(("f2fs", words) for words in ("put nosuch /", "put -r nosuch /", "put file/x /", "cat /pipe", "cat /dir", "get /pipe", "cp /pipe /x", "readlink /file",
                                    "readlink /dir", "pin /dir", "pin /pipe", "truncate /pipe 0", "truncate /dir 0", "write /pipe 0 x",
                                    "fallocate /pipe 0 9", "seal /pipe")),
    *(("dump.f2fs", words) for words in ("--cat=/pipe", "--cat=/dir", "--versions=9999", "--json --versions=9999", "--history=9999"))])
def test_what_is_not_there_or_of_another_kind(disk, run_tool, program, words):
    (disk / "file").write_bytes(b"")
    run_tool("f2fs", "-w", "disk.img", "touch", "/file", "--", "mkdir", "/dir", "--", "mknod", "/pipe", "p", cwd=disk)
    words = ["-w", "disk.img", *words.split()] if program == "f2fs" else [*words.split(), "disk.img"]
    run_tool(program, *words, rc=2, cwd=disk)
