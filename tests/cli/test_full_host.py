# SPDX-License-Identifier: LGPL-2.1-or-later
"""A disk of the host that is full, and files that may not become longer: these errors are reported exactly, and half of a
file does not stay as if it were the whole."""
import os
import resource
import subprocess

import pytest

MIB = 1 << 20


@pytest.fixture
def place(run_tool, tmp_path):
    (tmp_path / "tree").mkdir()
    for i in range(4):
        (tmp_path / "tree" / str(i)).write_bytes(os.urandom(MIB))
    run_tool("mkfs.f2fs", "-q", "--root-dir", "tree", "image", "64M", cwd=tmp_path)
    return tmp_path


WRITERS = {
    "mkfs": ("mkfs.f2fs", "-q", "--root-dir", "tree", "out", "64M"),
    "get": ("f2fs", "image", "get", "/0", "out"),
    "used": ("dump.f2fs", "--used-image=out", "image"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_limit_of_the_size_of_files(run_tool, place, name):
    """ulimit -f: a message, no SIGXFSZ, and no half of a file."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MIB // 2, MIB // 2))  # noqa: E731
    done = run_tool(*WRITERS[name], rc=None, cwd=place, preexec_fn=limit)
    assert 0 < done.returncode < 128, done
    assert b"File too large" in done.stderr and not (place / "out").exists(), done.stderr


def test_a_difference_that_cannot_be_printed_is_trouble(tool, run_tool, place):
    run_tool("mkfs.f2fs", "-q", "other", "64M", cwd=place)
    assert run_tool("f2fs", "image", "diff", "other", rc=1, cwd=place).stdout
    for words in ([], ["--json"]):
        with open("/dev/full", "wb") as to:
            done = subprocess.run([tool("f2fs"), *words, "image", "diff", "other"], stdout=to, stderr=subprocess.PIPE, cwd=place)
        assert done.returncode == 2 and b"standard output: No space left on device" in done.stderr, done


@pytest.mark.parametrize("words", [("mkfs.f2fs", "-q", "--root-dir", "tree", "out", "64M"),
                                   ("mkfs.f2fs", "-q", "--root-dir", "tree", "out", "auto"),
                                   ("sload.f2fs", "-f", "tree", "empty")], ids=" ".join)
def test_the_disk_is_full_and_not_the_volume(run_tool, place, full, words):
    run_tool("mkfs.f2fs", "-q", "empty", "64M", cwd=place)
    done = run_tool(*words, rc=None, cwd=place, **full(3 * MIB))
    assert done.returncode and b"No space left on device" in done.stderr, done
    assert b"needs" not in done.stderr and b"copying again" not in done.stderr, done.stderr
    assert not (place / "out").exists()


@pytest.mark.parametrize("threads", [1, 3])
def test_half_an_archive_is_not_left(run_tool, place, full, threads):
    """Also when the last write fails, which another thread makes."""
    run_tool("dump.f2fs", "--tar=whole", "image", cwd=place)
    size = (place / "whole").stat().st_size
    for name, old, room in (("new", None, MIB), ("old", b"old", MIB), ("last", None, size - 1)):
        path = place / name
        if old:
            path.write_bytes(old)
        done = run_tool("dump.f2fs", "--tar=" + name, "--threads=%d" % threads, "image", rc=None, cwd=place, **full(room))
        assert done.returncode and b"No space left on device" in done.stderr and path.exists() == bool(old), done
        assert (b"old: is not complete" in done.stderr) == bool(old), done.stderr
    done = run_tool("dump.f2fs", "--tar=image", "image", rc=None, cwd=place)
    assert done.returncode and b"not complete" not in done.stderr and (place / "image").stat().st_size == 64 * MIB


@pytest.mark.parametrize("option", ["--metadata-image=-", "--used-image=-"])
def test_an_image_goes_to_a_file(run_tool, place, option):
    done = run_tool("dump.f2fs", option, "image", rc=None, cwd=place)
    assert done.returncode and b"standard output" in done.stderr and not (place / "-").exists(), done


@pytest.mark.parametrize("room", [0, 4096])
@pytest.mark.parametrize("words", [("fsck.f2fs", "-y", "--undo", "undo", "image"),
                                   ("f2fs", "-w", "--undo", "undo", "image", "touch", "/x")], ids=lambda words: words[0])
def test_an_undo_file_of_nothing_goes(run_tool, place, full, words, room):
    run_tool("f2fs", "-w", "image", "set", "inode[3].i_links", "77", cwd=place)
    before = (place / "image").read_bytes()
    done = run_tool(*words, rc=None, cwd=place, **full(room))
    assert done.returncode and b"No space left on device" in done.stderr, done
    assert not (place / "undo").exists() and (place / "image").read_bytes() == before
    run_tool(*words, rc=None, cwd=place)
    assert (place / "undo").exists() and (place / "image").read_bytes() != before


def test_defragmentation_distinguishes_a_full_disk_from_a_full_volume(run_tool, f2fskit, place, full):
    run_tool("mkfs.f2fs", "-q", "pieces", "64M", cwd=place)
    with f2fskit.open(place / "pieces", "r+") as volume:
        for _ in range(24):
            for name in "abcdefgh":
                with volume.path("/" + name).open("ab") as file:
                    file.write(os.urandom(16 * 4096))
            volume.commit()
    before = run_tool("dump.f2fs", "--tar=-", "pieces", cwd=place).stdout
    done = run_tool("defrag.f2fs", "pieces", rc=None, cwd=place, **full(30 * MIB))
    assert done.returncode and b"No space left on device" in done.stderr, done
    assert b"too little room" not in done.stdout + done.stderr, done
    assert run_tool("dump.f2fs", "--tar=-", "pieces", cwd=place).stdout == before
    run_tool("fsck.f2fs", "--dry-run", "pieces", cwd=place)


@pytest.mark.parametrize("words", [("fsck.f2fs", "-y", "image"), ("f2fs", "-w", "image", "setfattr", "/0", "user.a", "v"),
                                   ("sload.f2fs", "--placement=death", "-f", "tree", "-t", "/more", "image")],
                         ids=["repair", "attribute", "streams"])
def test_changes_report_the_full_disk_and_leave_the_volume(run_tool, place, full, words):
    if words[0] == "fsck.f2fs":
        run_tool("f2fs", "-w", "image", "set", "inode[3].i_links", "77", cwd=place)
    if "--placement=death" in words:
        run_tool("mkfs.f2fs", "-f", "-q", "image", "256M", cwd=place)
    before = run_tool("dump.f2fs", "--tar=-", "image", cwd=place).stdout
    done = run_tool(*words, rc=None, cwd=place, **full(MIB))
    assert done.returncode and b"No space left on device" in done.stderr, done
    assert b"needs" not in done.stderr and b"volume has no room" not in done.stderr, done.stderr
    assert run_tool("dump.f2fs", "--tar=-", "image", cwd=place).stdout == before
    run_tool(*words, rc=None, cwd=place)
    run_tool("fsck.f2fs", "--dry-run", "image", cwd=place)
