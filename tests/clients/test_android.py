# SPDX-License-Identifier: LGPL-2.1-or-later
"""Android's image builder (mkf2fsuserimg.sh): mkfs and sload with its options, the size taken from a line of the log, and for
read-only images all of it again with that size. Statuses 0 and 1 of sload are success to it."""
import os
import re
import shutil
import subprocess

import pytest

MIB = 1 << 20
SPARE = 6  # MiB that the script adds to the size that it read
PEER = "/usr/sbin:/sbin:/usr/bin"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Some 9 MiB: three hundred small files, a few large ones, two directories."""
    top = tmp_path_factory.mktemp("android") / "tree"
    for name in ("app", "etc"):
        (top / name).mkdir(parents=True)
    for i in range(300):
        (top / "etc" / ("file-%03d" % i)).write_bytes(b"%d\n" % i * (1 + i * 7))
    for i in range(3):
        (top / "app" / ("large-%d" % i)).write_bytes(os.urandom(2 * MIB + i * 1000))
    return top


def largest(log):
    """The fifth word of the line, as awk has it."""
    line = [line for line in log.splitlines() if "Max image size" in line]
    assert len(line) == 1, log
    return int(line[0].split()[4])


class Builder:
    """The script's steps. `sparse`: a sparse image; there the file is made by mkfs."""

    def __init__(self, call, image, tree, mkfs=(), sload=(), sparse=False):
        self.call, self.image, self.tree, self.sparse = call, image, tree, sparse
        self.mkfs, self.sload = list(mkfs), list(sload)

    def build(self, size):
        if self.sparse:
            self.mkfs += ["-S", str(size)]
            if self.image.exists():
                self.image.unlink()
            self.image.touch()
        else:
            with open(self.image, "wb") as f:
                f.truncate(size)
        self.call("make_f2fs", "-g", "android", *self.mkfs, self.image)
        words = (["-S"] if self.sparse else []) + ["-f", str(self.tree), "-t", "/system", *self.sload]
        return largest(self.call("sload_f2fs", *words, self.image, rc=(0, 1)).stdout)


def theirs(image, tree, size, features):
    """The figure of f2fs-tools for the same."""
    tools = [shutil.which(name, path=PEER) for name in ("mkfs.f2fs", "sload.f2fs")]
    if not all(tools):
        pytest.skip("f2fs-tools are not installed")
    with open(image, "wb") as f:
        f.truncate(size)
    subprocess.run([tools[0], "-g", "android", *features, image], check=True, capture_output=True)
    done = subprocess.run([tools[1], "-f", str(tree), "-t", "/system", image], capture_output=True, text=True)
    return largest(done.stdout)


@pytest.mark.parametrize("size", [64, 200, 600])
@pytest.mark.parametrize("features", [("-O", "ro"), ("-O", "compression,extra_attr", "-O", "ro")], ids=["ro", "compressed"])
def test_read_only(call, run_tool, tmp_path, tree, size, features):
    """The first pass reports the space in use, and a volume of that size and six MiB holds it; the second is no larger."""
    builder = Builder(call, tmp_path / "system.img", tree, features, ("-T", "1700000000"))
    first = builder.build(size * MIB)
    second = builder.build((first + SPARE) * MIB)
    assert second <= first
    assert (tmp_path / "system.img").stat().st_size == (first + SPARE) * MIB
    call("fsck.f2fs", "-f", tmp_path / "system.img")
    text = call("fsck.f2fs", "-M", tmp_path / "system.img").stdout
    assert re.search(r"^/\S*app/large-2 \d+-\d+", text, re.M), text[:500]
    run_tool("dump.f2fs", "-q", "--extract", tmp_path / "out", tmp_path / "system.img")
    assert subprocess.run(["diff", "-r", tree, tmp_path / "out"]).returncode == 0


@pytest.mark.parametrize("size", [200, 600])
@pytest.mark.parametrize("features", [("-O", "ro"), ()], ids=["ro", "rw"])
def test_size_beside_theirs(call, tmp_path, tree, size, features):
    ours = Builder(call, tmp_path / "ours.img", tree, features).build(size * MIB)
    peer = theirs(tmp_path / "theirs.img", tree, size * MIB, features)
    assert ours <= peer + 1


def test_sparse(call, tmp_path, tree):
    """In a sparse image: -S is given twice in the second pass, the last one counts."""
    image = tmp_path / "product.img"
    builder = Builder(call, image, tree, ("-l", "product", "-O", "ro"), (), sparse=True)
    first = builder.build(300 * MIB)
    assert builder.build((first + SPARE) * MIB) <= first
    assert image.read_bytes()[:4] == b"\x3a\xff\x26\xed" and builder.mkfs.count("-S") == 2
    assert "app/large-0" in call("fsck.f2fs", "-S", "-M", image).stdout
    simg2img = shutil.which("simg2img")
    if simg2img:
        subprocess.run([simg2img, image, tmp_path / "raw.img"], check=True)
        assert (tmp_path / "raw.img").stat().st_size == (first + SPARE) * MIB
        call("fsck.f2fs", "-f", tmp_path / "raw.img")


def test_compression_options(call, tmp_path, tree):
    """The options after --sldc, and those of a volume with quota and casefolded names."""
    features = ("-l", "data", "-O", "project_quota,extra_attr", "-O", "casefold", "-C", "utf8", "-O", "compression,extra_attr")
    builder = Builder(call, tmp_path / "data.img", tree, features, ("-c", "-a", "lz4", "-L", "3", "-p", "/nowhere"))
    builder.build(200 * MIB)
    call("fsck.f2fs", "-f", tmp_path / "data.img")


def test_failures_are_no_success(call, tmp_path, tree, image):
    """The script takes 1 for success: what fails is never 1."""
    call("make_f2fs", "-g", "android", image, stderr=subprocess.DEVNULL)
    call("sload_f2fs", "-f", tmp_path / "nowhere", "-t", "/", image, rc=8)
    call("sload_f2fs", "-f", tree, "-t", "/", tmp_path / "no.img", rc=8)
    call("sload_f2fs", "-t", "/", tmp_path / "no.img", rc=8)
    call("sload_f2fs", "--nonsense", image, rc=16)
    with open(tmp_path / "zeros.img", "wb") as f:
        f.truncate(64 * MIB)
    call("sload_f2fs", "-f", tree, "-t", "/", tmp_path / "zeros.img", rc=8)
    (tmp_path / "much").mkdir()
    with open(tmp_path / "much" / "file", "wb") as f:
        f.write(os.urandom(1 * MIB) * 130)
    call("sload_f2fs", "-f", tmp_path / "much", "-t", "/", image, rc=8)


def test_format_data(call, tmp_path):
    """A recovery's "Format Data": mkfs, then sload without a source; any failure of either is one of the format."""
    image = tmp_path / "data.img"
    with open(image, "wb") as f:
        f.truncate(64 * MIB)
    call("make_f2fs", "-g", "android", image)
    before = image.read_bytes()
    assert "No source directory" in call("sload_f2fs", "-t", "/data", image).stdout
    for option in ("--into=/d", "--update", "--existing=skip", "--delete"):
        assert "-f DIRECTORY" in call("sload_f2fs", option, image, rc=16).stdout
    assert image.read_bytes() == before


def test_a_type_for_mkfs(call, tmp_path):
    """Virtual devices pass `-t f2fs` on, as to the mkfs of util-linux: here it says whether to discard. It is no."""
    for features in ((), ("-C", "utf8", "-O", "compression,extra_attr,project_quota,casefold")):
        image = tmp_path / "blank.img"
        with open(image, "wb") as f:
            f.truncate(64 * MIB)
        call("make_f2fs", "-t", "f2fs", image, *features, "-g", "android")
        call("fsck.f2fs", "-f", image)
        image.unlink()


def test_block_map(call, tmp_path):
    """Each line of the block map is a name and its blocks, for readers that split it at the first blank."""
    tree, image = tmp_path / "tree", tmp_path / "ro.img"
    (tree / "etc").mkdir(parents=True)
    (tree / "etc" / "empty").touch()
    (tree / "etc" / "full").write_bytes(os.urandom(50000))
    with open(image, "wb") as f:
        f.truncate(64 * MIB)
    call("make_f2fs", "-g", "android", "-O", "compression,extra_attr", "-O", "ro", image)
    call("sload_f2fs", "-f", tree, "-t", "/system", "-c", image)
    rows = dict(line.split(None, 1) for line in call("fsck.f2fs", "-M", image).stdout.splitlines())
    assert list(rows) == ["/etc/full"] and re.fullmatch(r"(\d+(-\d+)?\s*)+", rows["/etc/full"])
