# SPDX-License-Identifier: LGPL-2.1-or-later
"""fstests: the helpers of its F2FS tests, and the requests to the tools of those tests that do more than mount."""
import json
import re
import shutil
import subprocess

import pytest

# Checked before a test runs: inject.f2fs --AREA VALUE -h must name the member, followed by a colon.
REQUIRED = [("node", "i_links"), ("dent", "d_hash"), ("node", "addr"), ("node", "i_xattr_nid"), ("node", "i_nid"), ("node", "i_inline"),
            ("node", "i_inline_xattr_size"), ("sb", "magic"), ("cp", "ckpt_flags"), ("nat", "block_addr"), ("sit", "vblocks"), ("ssa", "nid")]
FILES = [("touch", "/foo"), ("mkdir", "/foo"), ("mknod", "/foo", "c", "9", "0"), ("mknod", "/foo", "b", "8", "0"), ("mknod", "/foo", "p"),
         ("ln", "-s", "/empty", "/foo")]


@pytest.fixture
def volume(call, image):
    def make(*options):
        call("mkfs.f2fs", "-f", *options, image)
        return image
    return make


def inode_of(run_tool, image, path):
    return int(re.search(rb'"ino": ?(\d+)', run_tool("f2fs", "--json", image, "stat", path).stdout)[1])


def field_of(run_tool, image, address):
    return json.loads(run_tool("f2fs", "-q", "--json", image, "field", address).stdout)["value"]


@pytest.mark.parametrize("area, member", REQUIRED)
def test_members_are_listed(call, area, member):
    value = "0" if area in ("sb", "cp", "nat", "sit") else ""
    text = call("inject.f2fs", "--" + area, value, "-h").stdout
    assert re.search(r"(^|\W)%s:" % re.escape(member), text)


@pytest.mark.parametrize("linked", [False, True], ids=["once", "linked"])
@pytest.mark.parametrize("make", FILES, ids=lambda words: "-".join(words[:1] + words[2:3]))
def test_009_links(call, run_tool, volume, make, linked):
    """A wrong count of links is found by --dry-run, repaired by -y, and gone then."""
    image = volume()
    run_tool("f2fs", "-w", image, *make)
    if linked and make[0] != "mkdir":
        run_tool("f2fs", "-w", image, "ln", "/foo", "/bar")
    ino = inode_of(run_tool, image, "/foo")
    call("inject.f2fs", "--node", "--mb", "i_links", "--nid", ino, "--val", "1" if make[0] == "mkdir" else "0", image)
    call("fsck.f2fs", "--dry-run", image, rc=4)
    call("fsck.f2fs", "-y", image, rc=1)
    call("fsck.f2fs", "--dry-run", image)


@pytest.mark.parametrize("nolinear, state", [("1", "disable"), ("0", "enable")])
def test_012_linear_lookup(call, run_tool, volume, nolinear, state):
    image = volume("-O", "casefold", "-C", "utf8")
    assert "linear_lookup [enable]" in call("fsck.f2fs", image).stdout
    run_tool("f2fs", "-w", image, "mkdir", "/dir", "--", "touch", "/dir/file")
    call("fsck.f2fs", "--nolinear-lookup=" + nolinear, image)
    assert re.search(r"^Info: Casefold: linear_lookup \[%s\]$" % state, call("fsck.f2fs", image).stdout, re.M)
    ino = inode_of(run_tool, image, "/dir/file")
    call("inject.f2fs", "--dent", "--mb", "d_hash", "--nid", ino, "--val", "0x9a2ea068", image)


def test_linear_lookup_without_casefold(call, volume):
    """Nothing to choose, and no failure; the line is there all the same."""
    image = volume()
    before = image.read_bytes()
    for value in ("0", "1"):
        call("fsck.f2fs", "--nolinear-lookup=" + value, image)
    assert image.read_bytes() == before
    assert "linear_lookup [enable]" in call("fsck.f2fs", image).stdout


def test_014_trimmed(call, volume):
    lines = [line for line in call("dump.f2fs", volume()).stdout.splitlines() if "checkpoint state" in line]
    assert len(lines) == 1 and "trimmed" in lines[0]


def test_019_020_022_node_members(call, run_tool, volume):
    """Addresses of a node, the node of attributes, a node of an inode: replaced as asked for."""
    image = volume()
    run_tool("f2fs", "-w", image, "touch", "/file", "--", "truncate", "/file", "3918528000", "--", "touch", "/other")
    run_tool("f2fs", "-w", image, "write", "/file", "3918527990", "hello")
    ino, other = (inode_of(run_tool, image, path) for path in ("/file", "/other"))
    nid = next(filter(None, (field_of(run_tool, image, "inode[%d].i_nid[%d]" % (ino, i)) for i in range(5))))
    for words, field, value in ((("addr", "--nid", nid, "--idx", "937"), "node[%d].addr[937]" % nid, 4),
                                (("i_xattr_nid", "--nid", other), "inode[%d].i_xattr_nid" % other, other),
                                (("i_nid", "--nid", ino, "--idx", "0"), "inode[%d].i_nid[0]" % ino, other)):
        call("inject.f2fs", "--node", "--mb", *words, "--val", value, image)
        assert field_of(run_tool, image, field) == value
    call("fsck.f2fs", "--dry-run", image, rc=4)


def test_023_inline_xattr_size(call, run_tool, volume):
    """The member is there whatever the inode's flags say of extra attributes."""
    image = volume("-O", "extra_attr,flexible_inline_xattr")
    run_tool("f2fs", "-w", image, "touch", "/testfile")
    ino = inode_of(run_tool, image, "/testfile")
    for member, value in (("i_inline", "0x1"), ("i_inline_xattr_size", "2048")):
        text = call("inject.f2fs", "--node", "--mb", member, "--nid", ino, "--val", value, image).stdout
        assert "unknown or unsupported member" not in text
    assert field_of(run_tool, image, "inode[%d].extra.i_inline_xattr_size" % ino) == 2048


def test_formats(call, volume, image):
    """The forms in which fstests format: sizes in sectors, features repeated, encodings."""
    call("mkfs.f2fs", "-f", image, str((64 << 20) // 512))
    assert "total FS sectors = 131072" in call("dump.f2fs", image).stdout
    for options in (("-O", "extra_attr,compression"), ("-O", "encrypt", "-O", "verity"), ("-C", "utf8:strict"), ("-O", "ro"), ("-O", "encrypt")):
        call("mkfs.f2fs", "-f", *options, image)
        call("fsck.f2fs", "--dry-run", image)


def encryption_of(text):
    """As common/encrypt reads -i: the nonce, the last 32 digits of the first line of digits after the context's name, and
    the name."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,"
    behind = re.split(r"\be_name:c\b.*\n", text)[1]
    nonce = re.search(r"^(?:nonce:.*|[0-9A-Fa-f]+)$", behind, re.M)[0][-32:]
    coded = re.search(r"^i_name\s+\[([A-Za-z0-9+,]+)\]", text, re.M)[1]
    bits = sum(digits.index(c) << 6 * i for i, c in enumerate(coded))
    return bytes.fromhex(nonce), bits.to_bytes(len(coded) * 6 // 8 + 1, "little")[:len(coded) * 6 // 8]


@pytest.mark.parametrize("words", ["v1,pad-32", "v2,pad-32", "v2,pad-4"])
def test_encryption(call, run_tool, volume, f2fskit, tmp_path, words):
    """Nonces and names as stored come out of dump.f2fs -i, and it ends there: no question, no file, status 0."""
    image, key, data = volume("-O", "encrypt,extra_attr,verity"), tmp_path / "key", tmp_path / "data"
    key.write_bytes(bytes(range(64)))
    data.write_bytes(b"contents" * 1000)
    names = ["n", "name of some length", "x" * 255]
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/d", "--", "encrypt", "-c", words, "/d", "--", "mkdir", "/d/sub", "--",
             "ln", "-s", "target", "/d/link", *(word for name in names for word in ("--", "put", data, "/d/" + name)))
    peer = shutil.which("dump.f2fs", path="/usr/sbin:/sbin")
    with f2fskit.open(image) as opened:
        found = [(entry.ino, bytes(entry.raw_name)) for _, entry in opened.scan("/d") if entry.ino > 4]
        contexts = {ino: opened.inode(ino).xattrs.internal for ino, _ in found}
    assert len(found) == 5 and max(len(name) for _, name in found) == 255
    for ino, name in found:
        text = call("dump.f2fs", "-i", ino, image, cwd=tmp_path).stdout
        assert encryption_of(text) == (contexts[ino]["encryption.c"][-16:], name)
        assert "\nFile is encrypted\n" in text and "[Y/N]" not in text
        if peer:
            theirs = subprocess.run([peer, "-i", str(ino), image], stdout=subprocess.PIPE, text=True, cwd=tmp_path).stdout
            for part in (r"^i_name\s.*$", r"^xattr: (?:.|\n)*File is encrypted$"):
                ours, other = (re.search(part, each, re.M)[0] for each in (text, theirs))
                assert re.sub(r"\n+", "\n", ours) == re.sub(r"\n+", "\n", other)
    ino = max(found, key=lambda each: len(each[1]))[0]
    assert "<encrypted>\n" in call("dump.f2fs", "-f", "-i", ino, image, cwd=tmp_path).stdout
    assert not (tmp_path / "lost_found").exists()
    call("dump.f2fs", "--key", key, "-f", "-i", ino, image, cwd=tmp_path)
    assert (tmp_path / "lost_found" / ("x" * 255)).read_bytes() == data.read_bytes()


def test_names_of_attributes(call, run_tool, volume, tmp_path):
    """As stored: after the prefix, and whole after that."""
    image, data = volume("-O", "extra_attr,verity"), tmp_path / "data"
    data.write_bytes(b"contents" * 1000)
    run_tool("f2fs", "-w", image, "put", data, "/file", "--", "setfattr", "/file", "user.a.b", "blue", "--", "seal", "/file")
    text = call("dump.f2fs", "-N", "-i", inode_of(run_tool, image, "/file"), image).stdout
    found = set(re.findall(r"^xattr: e_name_index:(\d+) e_name:(\S+) e_name_len:(\d+) ", text, re.M))
    assert found == {("1", "a.b", "3"), ("11", "v", "1")}
    peer = shutil.which("dump.f2fs", path="/usr/sbin:/sbin")
    if peer:
        theirs = subprocess.run([peer, "-i", str(inode_of(run_tool, image, "/file")), image], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True, cwd=tmp_path).stdout
        assert set(re.findall(r"^xattr: .*\n.*$", theirs, re.M)) == set(re.findall(r"^xattr: .*\n.*$", text, re.M))
