# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that make, copy, probe and check images: genimage, buildroot, partclone, util-linux."""
import subprocess

import pytest

CONFIG = 'image test.f2fs { f2fs { label = "gen" extraargs = "-O extra_attr,inode_checksum" } size = 64M }\n'


@pytest.fixture
def tree(tmp_path):
    top = tmp_path / "tree"
    (top / "dir").mkdir(parents=True)
    (top / "dir" / "file").write_bytes(b"contents\n" * 5000)
    (top / "small").write_bytes(b"small")
    return top


def same(run_tool, image, tree, out):
    run_tool("dump.f2fs", "-q", "--extract", out, image)
    return subprocess.run(["diff", "-r", tree, out]).returncode == 0


def test_genimage(call, need, run_tool, tmp_path, tree):
    genimage = need("genimage")
    (tmp_path / "genimage.cfg").write_text(CONFIG)
    for name in ("in", "tmp"):
        (tmp_path / name).mkdir()
    call(genimage, "--config", tmp_path / "genimage.cfg", "--rootpath", tree, "--inputpath", tmp_path / "in",
         "--outputpath", tmp_path / "out", "--tmppath", tmp_path / "tmp")
    image = tmp_path / "out" / "test.f2fs"
    assert call("f2fslabel", "-q", image).stdout == "gen\n"
    call("fsck.f2fs", "-f", image)
    assert same(run_tool, image, tree, tmp_path / "back")


def test_buildroot(call, run_tool, image, tmp_path, tree):
    """make stops at any status but 0."""
    call("mkfs.f2fs", "-f", "-l", "root fs", "-e", "exe,so", "-t", "1", "-O", "extra_attr", image)
    call("sload.f2fs", "-f", tree, image)
    call("fsck.f2fs", "-f", image)
    assert same(run_tool, image, tree, tmp_path / "back")


def test_partclone(call, need, run_tool, image, tmp_path, tree):
    """Saved by the blocks in use, restored to another file: the same volume."""
    partclone, restore = need("partclone.f2fs"), need("partclone.restore")
    call("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,quota", "--root-dir", tree, image)
    saved, back, log = tmp_path / "saved", tmp_path / "back.img", tmp_path / "log"
    call(partclone, "-c", "-s", image, "-o", saved, "-L", log)
    with open(back, "wb") as f:
        f.truncate(image.stat().st_size)
    call(restore, "-s", saved, "-O", back, "-L", log, "--restore_raw_file")
    call("fsck.f2fs", "-f", back)
    assert same(run_tool, back, tree, tmp_path / "out")


def test_util_linux(call, need, run_tool, image):
    """mkfs -t, fsck -t with its options, blkid, and wipefs, after which nothing is found."""
    call(need("mkfs"), "-t", "f2fs", "-l", "util", image)
    for options in ((), ("-a",), ("-p",), ("-f",), ("-y",), ("-n",)):
        call(need("fsck"), "-t", "f2fs", image, *options)
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "+=3")
    call(need("fsck"), "-t", "f2fs", image, "-n", rc=4)
    call(need("fsck"), "-t", "f2fs", image, "-y", rc=1)
    text = call(need("blkid"), "-p", "-o", "export", image).stdout
    assert "TYPE=f2fs" in text and "LABEL=util" in text
    call(need("wipefs"), "-a", image)
    call(need("blkid"), "-p", image, rc=2)
    call("mkfs.f2fs", image)


def test_lsblk(call, need, image, loop):
    call("mkfs.f2fs", "-q", "-l", "listed", image)
    device = loop(image)
    text = call(need("lsblk"), "-n", "-o", "FSTYPE,LABEL", device).stdout.split()
    if text:  # from udev's records, where it runs
        assert text == ["f2fs", "listed"]
    assert call(need("blkid"), "-p", "-s", "LABEL", "-o", "value", device).stdout == "listed\n"
