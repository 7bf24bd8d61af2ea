# SPDX-License-Identifier: LGPL-2.1-or-later
"""Optional libraries: those of a build work, and use of a missing one is refused with the name of the library.

The same tests run on every build. .ci/features runs them on builds that lack one library, or all.
"""
import os
import re
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "cases"))
import cases  # noqa: E402

LIBRARIES = {"libarchive", "libblkid", "libutf8proc", "libcrypto", "libdeflate", "liblz4", "libzstd"}
ALGORITHMS = {"lzo": 0, "lz4": 1, "zstd": 2, "lzo-rle": 3}


@pytest.fixture
def parts(run_tool):
    """The two lists that --version prints: libraries at hand, and missing ones."""
    text = run_tool("f2fs", "--version").stdout.decode()
    lists = {}
    for line in text.splitlines()[1:]:
        word, _, rest = line.partition(" ")
        lists[word] = set(re.sub(r" \([^)]*\)", "", rest).split(", "))
    assert set(lists) <= {"with", "without"}
    return lists.get("with", set()), lists.get("without", set())


@pytest.fixture
def volume(tmp_path):
    def load(name):
        path = tmp_path / (name + ".img")
        cases.load_seed(path, name)
        return path
    return load


def test_version_is_what_was_built(parts, build_dir):
    there, missing = parts
    assert (there | missing) == LIBRARIES | {"libedit"} and not there & missing
    with open(os.path.join(build_dir, "f2fskit_config.h"), encoding="utf-8") as f:
        built = set(re.findall(r"#define HAVE_(\w+) 1", f.read()))
    assert {"liblz4" in there, "LZ4" in built} != {True, False}
    assert {"libarchive" in there, "ARCHIVE" in built} != {True, False}


@pytest.mark.parametrize("name", ["dump.f2fs", "mkfs.f2fs", "fsck.f2fs", "sload.f2fs", "resize.f2fs", "defrag.f2fs", "inject.f2fs",
                                  "f2fslabel", "tune.f2fs"])
def test_every_program_says_it(run_tool, name):
    lines = run_tool(name, "--version").stdout.decode().splitlines()
    named = set(re.findall(r"lib\w+", " ".join(lines[1:])))
    assert lines[0].startswith(name + " ") and LIBRARIES <= named


@pytest.mark.parametrize("algorithm, library", [("lz4", "liblz4"), ("zstd", "libzstd")])
def test_compressed_files(run_tool, parts, volume, tmp_path, algorithm, library):
    """A file is written whole or not at all: never with holes in place of clusters."""
    image, out = volume("compressed"), tmp_path / "out"
    out.mkdir()
    whole = library in parts[0]
    done = run_tool("f2fs", image, "get", "-r", "/", out, rc=None)
    messages = done.stderr.decode()
    name = "file-%d-2" % ALGORITHMS[algorithm]
    assert (out / "file-0-2").read_bytes().endswith(b"0123456789abcdef")  # LZO needs no library
    if whole:
        assert (out / name).read_bytes() and library not in messages
        return
    assert done.returncode == 4 and not (out / name).exists()
    assert re.search(r"/%s: contents: cannot read inode \d+, which is compressed with %s: %s is not built in" % (
        name, algorithm, library), messages)
    assert "lost" not in messages
    tar = run_tool("dump.f2fs", "--tar=%s" % (tmp_path / "all.tar"), image, rc=None)
    assert tar.returncode and library in tar.stderr.decode()
    again = run_tool("fsck.f2fs", "-n", "--content", image)
    assert b"not all contents are checked: cannot read inode" in again.stderr


def test_casefolded_names(run_tool, parts, volume):
    image = volume("casefold")
    assert run_tool("f2fs", image, "cat", "/folded/lower").returncode == 0
    done = run_tool("f2fs", image, "cat", "/folded/LOWER", rc=None)
    if "libutf8proc" in parts[0]:
        assert done.returncode == 0
        return
    assert done.returncode and "libutf8proc is not built in" in done.stderr.decode()
    assert "no such" not in done.stderr.decode().lower()


def test_compressing(run_tool, parts, tmp_path):
    image = tmp_path / "new.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression", image, "64M")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").write_text("again and again\n" * 5000)
    done = run_tool("sload.f2fs", "-c", "-a", "lz4", "-f", tmp_path / "tree", image, rc=None)
    assert (done.returncode == 0) == ("liblz4" in parts[0])
    if done.returncode:
        assert b"cannot compress with lz4: liblz4 is not built in" in done.stderr


def test_tar(run_tool, parts, volume, tmp_path):
    image = volume("plain")
    run_tool("dump.f2fs", "--tar=%s" % (tmp_path / "a.tar"), image)
    packed = run_tool("dump.f2fs", "--tar=%s" % (tmp_path / "a.tar.gz"), image, rc=None)
    new = tmp_path / "new.img"
    filled = run_tool("mkfs.f2fs", "-q", "--root-dir", tmp_path / "a.tar", new, "64M", rc=None)
    for done in (packed, filled):
        assert (done.returncode == 0) == ("libarchive" in parts[0])
        if done.returncode:
            assert b"libarchive is not built in" in done.stderr


def test_keys(run_tool, parts, volume, tmp_path):
    key = tmp_path / "key"
    key.write_bytes(bytes(range(64)))
    done = run_tool("dump.f2fs", "--key=%s" % key, "--ls=/", volume("encrypted"), rc=None)
    assert b"libcrypto is not built in" not in done.stderr if "libcrypto" in parts[0] else b"libcrypto is not built in" in done.stderr
