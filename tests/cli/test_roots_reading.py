# SPDX-License-Identifier: LGPL-2.1-or-later
"""Before a repair does the same to many inodes it tries other readings of the roots. One that explains the damage stops the
repair, until somebody decides."""
import hashlib

import pytest

COUNT = 12


def look(f2fskit, image, **options):
    with f2fskit.open(image, **options) as volume:
        return {"/d/%d" % i: hashlib.sha256(volume.path("/d/%d" % i).read_bytes()).hexdigest() for i in range(COUNT)}


@pytest.fixture(params=[COUNT])
def image(request, run_tool, f2fskit, tmp_path):
    """The newer checkpoint leads to inodes that are damaged, the older one to the same files in their former versions."""
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "64M")
    with f2fskit.open(path, "r+") as volume:
        volume.path("/d").mkdir()
        for i in range(COUNT):
            volume.path("/d/%d" % i).write_bytes(b"%d" % i * 9000)
    with f2fskit.open(path, "r+") as volume:
        inodes = [volume.lookup("/d/%d" % i) for i in range(COUNT)]
        numbers = [inode.number for inode in inodes]
        for inode in inodes:
            inode.set(mode=0o600)
    with f2fskit.fields(path, "r+") as fields:
        for ino in numbers[:request.param]:
            for slot in range(9):
                fields["inode[%d].i_addr[%d]" % (ino, slot)] = 7
    return path


def test_many_inodes_and_an_older_checkpoint(run_tool, f2fskit, image):
    raw = image.read_bytes()
    for option in ("-y", "-f", "-p1"):
        said = run_tool("fsck.f2fs", option, image, rc=4).stdout.decode()
        assert "ROOTS_READING" in said and "%d inodes have problem P401" % COUNT in said and "older checkpoint" in said
        assert image.read_bytes() == raw
    with f2fskit.open(image) as volume:
        newer = volume.checkpoint_pack
    wanted = {"/d/%d" % i: hashlib.sha256(b"%d" % i * 9000).hexdigest() for i in range(COUNT)}
    assert look(f2fskit, image, pack=3 - newer) == wanted
    run_tool("fsck.f2fs", "-y", "--except", "ROOTS_READING", image, rc=1)
    run_tool("fsck.f2fs", "-n", image)
    assert look(f2fskit, image) == wanted   # the summaries name the slots of all blocks


@pytest.mark.parametrize("image", [4], indirect=True)
def test_a_handful_is_repaired(run_tool, image):
    """Damage of four inodes is damage of four inodes."""
    said = run_tool("fsck.f2fs", "-y", image, rc=1).stdout.decode()
    assert "P401" in said and "ROOTS_READING" not in said
    run_tool("fsck.f2fs", "-n", image)


@pytest.mark.parametrize("feature,copies,text", [(0, (1, 2), "flexible_inline_xattr is turned over"),
                                                 (8, (1,), "the other superblock counts")])
def test_many_inodes_and_one_feature(run_tool, f2fskit, tmp_path, feature, copies, text):
    """Where most inodes say one thing and others another, no majority decides: the superblocks say it, or one of them does,
    which then is the one that is believed."""
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", *(("-O", "extra_attr") if feature else ()), path, "64M")
    with f2fskit.open(path, "r+") as volume:
        for name in ["d"] + ["d/%d" % i for i in range(COUNT)]:
            volume.path("/" + name).mkdir()
        for i in range(COUNT):
            volume.path("/d/%d/file" % i).write_bytes(b"%d" % i * 300)
        empty = [volume.root.create("empty%d" % i).number for i in range(4 * COUNT)]
        wanted = {p: volume.path(p).read_bytes() for p in ["/d/%d/file" % i for i in range(COUNT)]}
    with f2fskit.fields(path, "r+") as fields:
        for ino in empty:
            fields["inode[%d].i_inline" % ino] = "|=32"
            fields["inode[%d].extra.i_extra_isize" % ino] = 36
            fields["inode[%d].extra.i_inline_xattr_size" % ino] = 50
        for copy in copies:
            fields["sb[%d].feature" % copy] = 0x48
    raw = path.read_bytes()
    done = run_tool("fsck.f2fs", "-y", path, rc=4)
    said = (done.stdout + done.stderr).decode()
    assert text in said and "warning" not in said and path.read_bytes() == raw
    with f2fskit.fields(path, "r+") as fields:
        for copy in copies:
            fields["sb[%d].feature" % copy] = feature
    with f2fskit.open(path) as volume:
        assert {p: volume.path(p).read_bytes() for p in wanted} == wanted
