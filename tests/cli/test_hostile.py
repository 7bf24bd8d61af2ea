# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an image may not do to those who look at it: output without end, names that a terminal obeys, much out of little.
Bounds of work are held in tests/unit/verbs/test_bounds.c; here the programs are run."""
import io
import os
import pty
import re
import select
import signal
import subprocess
import tarfile
import time

import pytest

MIB = 1 << 20


@pytest.fixture
def endless(run_tool, tmp_path):
    """A directory of 2^34 blocks, most of which hang on a node that is not there."""
    image = tmp_path / "endless.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "mkdir", "/dir", "--", "touch", "/file")
    run_tool("f2fs", "-w", image, "set", "inode[4].i_inline", "0", "inode[4].i_size", "0x3ffffffff000",
             *(word for i in range(5) for word in ("inode[4].i_nid[%d]" % i, "0xfffffff0")))
    return image


@pytest.mark.parametrize("words", [
    ("dump.f2fs", "--tree"), ("dump.f2fs", "--ls=/dir"), ("dump.f2fs", "--tar=-"), ("dump.f2fs", "--extract=out"),
    ("dump.f2fs", "--fragmentation"), ("dump.f2fs", "--map=/dir"), ("dump.f2fs", "-M"), ("f2fs", "ls /dir"), ("f2fs", "ls -R /"),
    ("f2fs", "find /"), ("f2fs", "du /"), ("f2fs", "tree"), ("f2fs", "get -r /dir out"), ("f2fs", "cp -r /dir /copy"),
    ("f2fs", "rm -r /dir"),
], ids=lambda words: " ".join(words))
def test_a_size_is_no_work(run_tool, endless, tmp_path, words):
    name, what = words
    args = ("-w", endless, *what.split()) if name == "f2fs" else (what, endless)
    done = run_tool(name, *args, rc=None, timeout=300, cwd=tmp_path)
    assert len(done.stdout) < 65536 and done.stderr.count(b"\n") < 16, done.stderr[-1000:]


def test_damage_is_no_entry(run_tool, endless):
    """The directory is shown once, although damage in it is reported."""
    assert sorted(run_tool("f2fs", endless, "find", "/", rc=None).stdout.split()) == [b"/", b"/dir", b"/file"]
    assert [line.split()[1] for line in run_tool("f2fs", endless, "du", "/", rc=None).stdout.splitlines()] == [b"/dir", b"/"]


def test_a_hole_is_no_line(run_tool, tmp_path):
    """-M writes a zero for each block of a hole, but not 2^28 of them for a volume of 2^14 blocks."""
    image = tmp_path / "hole.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "touch", "/f", "--", "truncate", "/f", "1T", "--", "write", "/f", "0", "x")
    assert len(run_tool("dump.f2fs", "-M", image, timeout=300).stdout) < 2 * 16384 + 200


def test_a_signal_ends_a_listing(tool, run_tool, tmp_path):
    """SIGTERM while f2fs reads directories: it stops at the next entry."""
    image, script = tmp_path / "many.img", tmp_path / "script"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    script.write_text("touch /f\n" + "".join("ln /f /f%05d\n" % i for i in range(20000)))
    run_tool("f2fs", "-w", "-f", script, image)
    shell = subprocess.Popen([tool("f2fs"), str(image), "ls", "-l"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert shell.stdout.read(100), "it did not begin"  # and then it waits, since nobody reads on
    shell.send_signal(signal.SIGTERM)
    out, err = shell.communicate(timeout=300)
    assert shell.returncode and len(out) < 20000 * 40 and b"stopped" in err, (shell.returncode, len(out), err)


NASTY = b"/a\x1b[31m\x07\xc2\x9b2J\xe2\x80\xae\nf2fs: fine"
SHOWN = rb"/a\x1b[31m\x07\xc2\x9b2J\xe2\x80\xae\x0af2fs: fine"


def is_clean(text):
    return not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", text)


def test_messages_are_text(run_tool, tmp_path):
    """Names that a terminal would obey are escaped in every message, once."""
    image = tmp_path / "nasty.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "mkdir", os.fsdecode(NASTY), "--", "touch", r"/back\slash")
    for name in (NASTY + b"/no", rb"/back\slash/no"):
        done = run_tool("f2fs", image, "stat", os.fsdecode(name), rc=None)
        assert done.returncode and is_clean(done.stderr) and done.stderr.count(b"\n") == 1, done.stderr
    assert rb"/back\slash/no: " in done.stderr
    run_tool("f2fs", "-w", image, "set", "inode[4].i_inline", "0", "inode[4].i_size", "0x4000", "inode[4].i_addr[0]", "3")
    for args in (("f2fs", image, "ls", os.fsdecode(NASTY)), ("f2fs", image, "find"), ("dump.f2fs", "--tree", image),
                 ("dump.f2fs", "--ls=/", image), ("dump.f2fs", "--tar=/dev/null", image), ("fsck.f2fs", "-n", image)):
        done = run_tool(*args, rc=None)
        assert is_clean(done.stderr) and is_clean(done.stdout), (args, done.stdout, done.stderr)
    assert SHOWN in run_tool("f2fs", image, "ls", os.fsdecode(NASTY), rc=None).stderr


def test_the_prompt_is_text(tool, run_tool, tmp_path):
    image = tmp_path / "nasty.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "mkdir", "/a\x1b[31mb")
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(tool("f2fs"), ["f2fs", str(image)])
    seen = b""
    os.write(fd, b"cd a*\nquit\n")
    until = time.monotonic() + 300
    while time.monotonic() < until and select.select([fd], [], [], 300)[0]:
        try:
            seen += os.read(fd, 4096)
        except OSError:
            break
    os.waitpid(pid, 0)
    assert rb"f2fs:/a\x1b[31mb$" in seen and b"\x1b[31m" not in seen, seen


def on_a_terminal(*words):
    """Return a program's output on a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(words[0], words)
    seen = b""
    while select.select([fd], [], [], 300)[0]:
        try:
            seen += os.read(fd, 4096)
        except OSError:
            break
    os.waitpid(pid, 0)
    return seen.replace(b"\r\n", b"\n")


def test_a_terminal_gets_text_and_a_pipe_the_bytes(tool, run_tool, tmp_path):
    image, odd = tmp_path / "nasty.img", b"/a\x1b[31m\xc2\x9b2J"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "touch", os.fsdecode(odd), "--", "ln", "-s", os.fsdecode(odd), "/link")
    calls = [(tool("f2fs"), str(image), "readlink", "/link")]
    calls += [(tool("dump.f2fs"), "--hashes=" + form, str(image)) for form in ("sha256", "hashdeep", "nsrl")]
    for call in calls:
        seen = on_a_terminal(*call)
        assert rb"a\x1b[31m\xc2\x9b2J" in seen and is_clean(seen.replace(b"\r\n", b"\n").replace(b"\r", b"")), (call, seen)
        assert odd[1:] in subprocess.run(call, capture_output=True).stdout, call


def test_a_file_is_copied_once(run_tool, tmp_path):
    """200 names of a file of 8 MiB whose i_links says 1."""
    image, script = tmp_path / "names.img", tmp_path / "script"
    big = tmp_path / "big"
    big.write_bytes(os.urandom(8 * MIB))
    run_tool("mkfs.f2fs", "-q", image, "64M")
    script.write_text("put %s /big\nmkdir /d\n" % big + "".join("ln /big /d/%d\n" % i for i in range(200)))
    run_tool("f2fs", "-w", "-f", script, image)
    run_tool("f2fs", "-w", image, "set", "inode[4].i_links", "1")
    tar = run_tool("dump.f2fs", "--tar=-", image).stdout
    assert len(tar) < 9 * MIB
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        assert sum(member.islnk() for member in archive) == 200
    run_tool("dump.f2fs", "--extract=%s" % (tmp_path / "out"), image)
    assert (tmp_path / "out/big").stat().st_nlink == 201
    assert int(run_tool("f2fs", image, "du", "-s", "/").stdout.split()[0]) < 9 * 1024
    run_tool("f2fs", "-w", image, "cp", "-r", "/d", "/copy")
    assert int(run_tool("f2fs", image, "du", "-s", "/copy").stdout.split()[0]) < 9 * 1024


def test_writers_need_the_segments_to_be_what_the_checkpoint_counts(run_tool, tmp_path):
    """Entries of the journal that are not counted: segments that look free hold every node. The kernel mounts no such
    volume, and writes into those segments overwrite files."""
    image = tmp_path / "sums.img"
    (tmp_path / "file").write_bytes(os.urandom(300000))
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "put", tmp_path / "file", "/file")
    run_tool("f2fs", "-w", image, "set", "sit_journal.count", "0")
    before = image.read_bytes()
    for words in (["f2fs", "-w", image, "trim"], ["f2fs", "-w", image, "put", tmp_path / "file", "/other"],
                  ["f2fs", "-w", image, "rm", "/file"],
                  ["defrag.f2fs", image], ["resize.f2fs", "-s", "-t", "100000", image],
                  ["sload.f2fs", "-f", tmp_path, "-t", "/sub", image]):
        done = run_tool(*words, rc=None)
        assert done.returncode != 0 and b"SIT_SUM" in done.stderr + done.stdout, words
        assert image.read_bytes() == before
    run_tool("fsck.f2fs", "-y", image, rc=1)
    run_tool("f2fs", "-w", image, "put", tmp_path / "file", "/other")
    for name in ("/file", "/other"):
        assert run_tool("f2fs", image, "cat", name).stdout == (tmp_path / "file").read_bytes()


def test_no_name_is_put_into_another(run_tool, tmp_path):
    """A slot in the middle of a name is marked as free. Readers show the name all the same, and writers leave it."""
    image, name = tmp_path / "slots.img", "/a-name-of-several-slots-0123456789"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "touch", name)
    run_tool("f2fs", "-w", image, "set", "dentry[3][4].used", "0")
    run_tool("f2fs", "-w", image, "touch", "/short")
    names = sorted(run_tool("f2fs", image, "find", "/").stdout.decode().split())
    assert names == ["/", name, "/short"]
    assert run_tool("fsck.f2fs", "-n", image, rc=4).stdout.count(b"DENTRY_SLOTS") >= 1
    run_tool("fsck.f2fs", "-y", image, rc=1)
    assert sorted(run_tool("f2fs", image, "find", "/").stdout.decode().split()) == names
