# SPDX-License-Identifier: LGPL-2.1-or-later
"""mkfs.f2fs finds errors in its source and keys before it overwrites anything, and never copies its own target."""
import os
import re
import subprocess

import pytest

BAD = {
    "no directory": ["--root-dir", "nope"],
    "no archive": ["--root-dir", "noise"],
    "no manifest": ["--manifest", "nope"],
    "damaged manifest": ["--manifest", "noise"],
    "damaged owners": ["--root-dir", "tree", "--fs-config", "noise"],
    "itself": ["--root-dir", "old.img"],
    "itself, larger": ["--root-dir", "old.img", "old.img", "200M"],
    "no key": ["--root-dir", "tree", "--encrypt=d", "--key", "nope"],
    "short key": ["--root-dir", "tree", "--encrypt=d", "--key", "noise"],
    "no key in the directory": ["--root-dir", "tree", "--encrypt=d", "--key", "empty"],
}


def test_a_link_to_nothing_is_called_one(run_tool, tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    told = run_tool("mkfs.f2fs", "-q", "--root-dir=link", "new.img", "64M", rc=None, cwd=tmp_path).stderr
    assert b"link, a symbolic link to nowhere: No such file or directory" in told and not (tmp_path / "new.img").exists(), told


@pytest.fixture
def place(run_tool, tmp_path):
    run_tool("mkfs.f2fs", "-q", "-O", "encrypt,extra_attr", "old.img", "64M", cwd=tmp_path)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"contents\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "noise").write_bytes(b"nonsense: 12\n")
    return tmp_path


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("dry", [False, True])
def test_nothing_is_overwritten(run_tool, place, case, dry):
    before = (place / "old.img").read_bytes()
    words = BAD[case] if "old.img" in BAD[case][2:] else [*BAD[case], "old.img"]
    run_tool("mkfs.f2fs", "-q", "-f", "-O", "encrypt,extra_attr", *(["--dry-run"] if dry else []), *words, rc=1, cwd=place)
    assert (place / "old.img").read_bytes() == before


@pytest.mark.parametrize("features", ["extra_attr", "encrypt,extra_attr", "extra_attr,compression", "casefold", "ro"])
@pytest.mark.parametrize("block", ["4096", "16384"])
def test_rehearsal_knows_all_volumes(run_tool, place, features, block):
    run_tool("mkfs.f2fs", "-q", "-f", "-b", block, "-O", features, "--root-dir", "tree", "old.img", "256M", cwd=place)
    assert run_tool("dump.f2fs", "--cat", "/file", "old.img", cwd=place).stdout == b"contents\n"


@pytest.mark.parametrize("writer", ["mkfs.f2fs", "sload.f2fs"])
def test_a_tree_that_holds_its_own_image(run_tool, place, writer):
    """The image that is being written is left out and named; another image beside it is copied."""
    (place / "old.img").rename(place / "tree" / "own.img")
    run_tool("mkfs.f2fs", "-q", "tree/other.img", "64M", cwd=place)
    words = ["-f", "--root-dir", "tree", "tree/own.img", "200M"] if writer == "mkfs.f2fs" else ["-f", "tree", "tree/own.img"]
    if writer == "sload.f2fs":
        run_tool("mkfs.f2fs", "-q", "-f", "tree/own.img", "200M", cwd=place)
    done = run_tool(writer, "-q", *words, rc=None, cwd=place)
    assert done.returncode not in (0, 1) and b"own.img" in done.stderr and b"being written" in done.stderr
    shown = run_tool("dump.f2fs", "--tree=/", "tree/own.img", cwd=place).stdout
    assert b"other.img" in shown and b"file" in shown and b"own.img" not in shown


@pytest.mark.parametrize("source", ["tree", "t.tgz"])
def test_what_does_not_fit_overwrites_nothing(run_tool, place, source):
    """The size that is named is enough."""
    (place / "tree" / "large").write_bytes(os.urandom(80 << 20))
    subprocess.run(["tar", "czf", place / "t.tgz", "-C", place / "tree", "."], check=True)
    before = (place / "old.img").read_bytes()
    said = run_tool("mkfs.f2fs", "-q", "-f", "--root-dir", source, "old.img", rc=1, cwd=place).stderr.decode()
    assert "nothing was overwritten" in said and (place / "old.img").read_bytes() == before
    size = re.search(r"a new volume needs (\d+) MiB", said)[1]
    run_tool("mkfs.f2fs", "-q", "-f", "--root-dir", source, "old.img", size + "M", cwd=place)
    assert b"large" in run_tool("dump.f2fs", "--tree=/", "old.img", cwd=place).stdout


def test_what_could_not_be_filled_is_no_volume(run_tool, place):
    """A stream is read only once, so that it does not fit is found when the old volume is gone: that is said."""
    (place / "tree" / "large").write_bytes(os.urandom(80 << 20))
    subprocess.run(["tar", "cf", place / "t.tar", "-C", place / "tree", "."], check=True)
    with open(place / "t.tar", "rb") as stream:
        done = run_tool("mkfs.f2fs", "-q", "-f", "--root-dir", "-", "old.img", rc=1, cwd=place, stdin=stream)
    assert b"holds no volume now" in done.stderr
    assert b"not an F2FS" in run_tool("f2fs", "old.img", "ls", "/", rc=None, cwd=place).stderr


def test_a_file_that_grows_is_locked_from_the_look_at_it(tool, run_tool, tmp_path):
    """Another program that makes its volume there meanwhile would lose it without -f."""
    image, rules = tmp_path / "image", tmp_path / "rules"
    image.write_bytes(bytes(4096))
    (tmp_path / "tree").mkdir()
    os.mkfifo(rules)
    maker = subprocess.Popen([tool("mkfs.f2fs"), "-q", "--root-dir", tmp_path / "tree", "--fs-config", rules, image, "64M"])
    with open(rules, "w") as told:      # which the rehearsal reads, when the file has been looked at
        assert b"in use" in run_tool("mkfs.f2fs", "-q", image, "64M", rc=1).stderr
        assert image.stat().st_size == 4096
        rules.unlink()
        rules.write_text("/ 0 0 0755\n")
        told.write("/ 0 0 0755\n")
    assert maker.wait() == 0
    run_tool("fsck.f2fs", "-n", image)
