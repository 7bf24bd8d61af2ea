# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs_io without a volume: help, wrong usage, and the commands that work on any file."""
import os

import pytest


@pytest.fixture(autouse=True)
def built(build_dir):
    if not os.path.exists(os.path.join(build_dir, "mounted", "f2fs_io")):
        pytest.skip("built without programs for mounted volumes")


def test_help(run_tool):
    listed = run_tool("f2fs_io").stdout
    assert listed == run_tool("f2fs_io", "help").stdout and b"get_cblocks" in listed
    for words in (("help", "pinfile"), ("pinfile", "-h"), ("pinfile", "--help")):
        assert run_tool("f2fs_io", *words).stdout.startswith(b"Usage: f2fs_io pinfile get|set|unset FILE [SIZE]\n")
    assert run_tool("f2fs_io", "copy", "-h").stdout.startswith(b"Usage: f2fs_io copy [-dms] SOURCE TARGET\n")


@pytest.mark.parametrize("words,why", [
    ("nix", b"no command 'nix'"), ("help nix", b"no command 'nix'"), ("getflags", b"missing operands"),
    ("getflags a b", b"too many operands"), ("getflags /nonexistent", b"getflags /nonexistent: open failed: No such file"),
    ("shutdown 2 /proc", b"shutdown /proc: F2FS_IOC_SHUTDOWN failed: "), ("shutdown 5 /proc", b"'5' "), ("shutdown x /proc", b"'x' "),
    ("write 1025 0 1 zero buffered F", b"'1025' "), ("write 0 0 1 zero buffered F", b"'0' "), ("write 1 0 1 one buffered F", b"'one' "),
    ("write 1 0 1 zero fast F", b"'fast' "), ("write 1 0 1 zero buffered F 5", b"atomic writes alone"),
    ("write 1 99999999999 1 zero buffered F", b"too far away"), ("read 262145 0 1 buffered 0 E", b"'262145' "),
    ("read 1 -1 1 buffered 0 E", b"before the file"), ("read 1 0 1 buffered 4097 E", b"'4097' "), ("lseek up 0 E", b"'up' "),
    ("lseek set x E", b"'x' "), ("fallocate 2 0 1 E", b"'2' "), ("erase E", b"not a block device"), ("setflags encrypt E", b"'encrypt' "),
    ("pinfile turn E", b"'turn' "), ("pinfile get E 5", b"pinfile set alone"), ("copy -m -s E F", b"together"),
    ("gc_urgent sda run", b"needs SECONDS"), ("gc_urgent sda end 5", b"takes no SECONDS"), ("defrag_file 1 E", b"no LENGTH"),
    ("gc_urgent " + "x" * 400 + " start", b"not the name"),
])
def test_refusals(run_tool, tmp_path, words, why):
    (tmp_path / "E").touch()
    done = run_tool("f2fs_io", *[str(tmp_path / word) if word in ("E", "F") else word for word in words.split()], rc=1)
    assert why in done.stderr and done.stderr.startswith(b"f2fs_io: ") and not done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["E"]


def test_an_unknown_letter_has_the_peers_status(run_tool):
    assert b"'-q'" in run_tool("f2fs_io", "fallocate", "-q", "0", "0", "1", "x", rc=2).stderr


def test_contents_of_any_file(run_tool, tmp_path):
    file = tmp_path / "file"
    assert run_tool("f2fs_io", "write", "2", "1", "2", "inc_num", "buffered", file).stdout.startswith(b"Written 16384 bytes with pattern = inc_num,")
    chunk = bytes(8192)
    assert file.read_bytes() == chunk + chunk + b"\1\0\0\0" + chunk[4:]
    shown = run_tool("f2fs_io", "read", "1", "4", "9", "buffered", "18", file).stdout.splitlines()
    assert shown[0] == b"pread expected: 4096, readed: 0" and shown[1].startswith(b"Read 8192 bytes ")
    assert shown[2:] == [b"00004000 : 0100 0000 0000 0000 0000 0000 0000 0000", b"00004010 : 0000 "]
    for letters in ([], ["-m"], ["-s"]):
        run_tool("f2fs_io", "copy", *letters, file, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == file.read_bytes()
        (tmp_path / "copy").unlink()
    os.link(file, tmp_path / "other")
    contents = file.read_bytes()
    for letters in ([], ["-m"], ["-s"]):
        assert b"the source itself" in run_tool("f2fs_io", "copy", *letters, file, tmp_path / "other", rc=1).stderr
        assert file.read_bytes() == contents
    run_tool("f2fs_io", "ftruncate", "100", file)
    assert run_tool("f2fs_io", "read", "1", "0", "1", "mmap", "0", "2", file).stdout.startswith(b"Read 100 bytes ")
    assert run_tool("f2fs_io", "lseek", "end", "-1", file).stdout == b"returned offset=99\n"


def test_fibmap_refuses(run_tool, tmp_path):
    assert b"no file given" in run_tool("fibmap.f2fs", rc=1).stderr
    assert b"one file at a time" in run_tool("fibmap.f2fs", "a", "b", rc=1).stderr
    assert run_tool("fibmap.f2fs", tmp_path, rc=1).stderr.endswith(b": not a regular file\n")
    assert b"No such file" in run_tool("fibmap.f2fs", tmp_path / "gone", rc=1).stderr
