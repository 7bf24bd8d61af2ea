# SPDX-License-Identifier: LGPL-2.1-or-later
"""inject.f2fs: the options of f2fs-tools, held against what f2fs field reads afterwards."""
import json
import os

import pytest

FEATURES = "extra_attr,inode_checksum,inode_crtime"


@pytest.fixture(scope="module")
def original(run_tool, tmp_path_factory):
    image = tmp_path_factory.mktemp("inject") / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "48M")
    run_tool("f2fs", "-w", image, "mkdir", "/dir", "--", "touch", "/dir/fi\"le")
    return image


@pytest.fixture
def image(original, tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(original.read_bytes())
    return path


@pytest.mark.parametrize("options, value, address", [
    ("--sb 2 --mb magic", 7, "sb[2].magic"), ("--sb 0 --mb s_stop_reason --idx 3", 5, "sb.s_stop_reason[3]"),
    ("--cp 1 --mb checkpoint_ver", 99, "cp[1].checkpoint_ver"), ("--cp 0 --mb alloc_type --idx 2", 1, "cp.alloc_type[2]"),
    ("--cp 2 --mb crc", 1, "cp[2].u32[1023]"), ("--nat 0 --nid 4 --mb block_addr", 77, "nat[4].block_addr"),
    ("--nat 2 --nid 4 --mb version", 9, "nat[4,2].version"), ("--sit 0 --blk MAIN+513 --mb vblocks", 8, "sit[1].vblocks"),
    ("--sit 0 --blk MAIN --mb valid_map --idx 9", 255, "sit[0].valid_map[9]"), ("--ssa --blk MAIN+700 --mb nid", 6, "ssa[1][188].nid"),
    ("--ssa --blk MAIN --mb entry_type", 1, "ssa[0].entry_type"), ("--node --nid 5 --mb i_links", 44, "inode[5].i_links"),
    ("--node --nid 5 --mb cp_ver", 8, "inode[5].footer.cp_ver"), ("--node --nid 5 --mb i_ext.blk_addr", 8, "inode[5].i_ext_blk"),
    ("--node --nid 5 --mb i_nid --idx 4", 8, "inode[5].i_nid[4]"), ("--node --nid 5 --mb i_inode_checksum", 8, "inode[5].i_inode_checksum"),
    ("--dent --nid 5 --mb d_hash", 8, 'dentry[4]["fi\\"le"].hash'), ("--dent --nid 4 --mb d_ino", 9999, 'dentry[3]["dir"].ino'),
    ("--dent --nid 4 --dots 2 --mb d_ftype", 3, 'dentry[4][".."].file_type'), ("--dent --nid 4 --mb d_bitmap", 0, "dentry[3][2].used"),
])
def test_fields(run_tool, image, options, value, address):
    def field(name):
        return json.loads(run_tool("f2fs", "-q", "--json", image, "field", name).stdout)["value"]
    start = field("sb.main_blkaddr")
    words = [str(eval(word.replace("MAIN", str(start)))) if word.startswith("MAIN") else word for word in options.split()]
    run_tool("inject.f2fs", *words, "--val", value, "--dry-run", image)
    old = run_tool("f2fs", image, "field", address).stdout.partition(b" = ")[2]
    assert field(address) != value
    said = run_tool("inject.f2fs", *words, "--val", hex(value), image).stdout
    first, second = said.split(b"\n", 1)
    assert first.startswith(b"Info: inject ") and first.endswith(b": " + hex(value).encode())
    assert second == b"Info: old value = " + old
    assert field(address) == value
    if "d_hash" in options:
        assert first.startswith(b'Info: inject dentry[4]["fi\\"le"].hash: ')       # the name as people read it


def test_texts_and_refusals(run_tool, image):
    run_tool("inject.f2fs", "--sb", "1", "--mb", "devs.path", "--idx", "1", "--str", "/dev/x", image)
    run_tool("inject.f2fs", "--dent", "--nid", "4", "--mb", "filename", "--str", "DIR", image)
    assert run_tool("f2fs", image, "ls").stdout == b"DIR\n"
    before = image.read_bytes()
    for words, text in [("--mb magic --val 1", b"--sb"), ("--node --mb i_links --val 1", b"--nid"), ("--sit 0 --mb mtime --val 1", b"--blk"),
                        ("--sb 3 --mb magic --val 1", b"--sb"), ("--sb 1 --mb nothing --val 1", b"no field"), ("--sb 1 --mb magic", b"--val"),
                        ("--dent --nid 4 --mb nothing --val 1", b"nothing"),
                        ("--sb 0 --cp 0 --mb crc --val 1", b"--cp: '0' goes with none of the others"),
                        ("--sb 0 --node --nid 3 --mb i_links --val 1", b"--node goes with none of the others"),
                        ("--sb 0 --mb magic --val 1 --str x", b"--str: 'x' is one value too many"), ("--node --nid 999 --mb i_links --val 1", b"free")]:
        assert text in run_tool("inject.f2fs", *words.split(), image, rc=1).stderr
    assert image.read_bytes() == before
    assert b"d_bitmap" in run_tool("inject.f2fs", "--dent").stdout
    for words, member in ((["--sb", "-h"], b"\n  s_stop_reason: "), (["--cp", "--help"], b"\n  checkpoint_ver: "), (["--nat", "-h"], b"\n  block_addr: "),
                          (["--sit", "1", "-h"], b"\n  vblocks: ")):
        assert member in run_tool("inject.f2fs", *words).stdout


@pytest.mark.parametrize("what", ["random", "zeros", "ext4-like"])
def test_what_is_not_f2fs_is_left_alone(run_tool, f2fskit, tmp_path, what):
    """Another file system, or a disk with partitions, is somebody else's."""
    image = tmp_path / "other.img"
    contents = {"random": os.urandom(8 << 20), "zeros": bytes(8 << 20),
                "ext4-like": bytes(1080) + b"\x53\xef" + bytes((8 << 20) - 1082)}[what]
    image.write_bytes(contents)
    for command in (["inject.f2fs", "--sb", "1", "--mb", "magic", "--val", "1", image],
                    ["f2fs", "-w", image, "set", "sb[0].magic", "0xf2f52010"],
                    ["f2fs", "-w", image, "set", "file[5000].u8[0]", "1"]):
        assert b"neither superblock is one of F2FS" in run_tool(*command, rc=None).stderr
    with f2fskit.fields(image, "r+") as fields, pytest.raises(f2fskit.NotF2fsError):
        fields["sb[0].magic"] = 1
    assert image.read_bytes() == contents
    run_tool("f2fs", "-w", image, "set", "-f", "sb[0].magic", "0xf2f52010")
    assert image.read_bytes()[1024:1028] == bytes.fromhex("1020f5f2")


def test_superblocks_that_were_damaged_can_be_put_right(run_tool, f2fskit, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    with f2fskit.fields(image, "r+") as fields:      # one that was F2FS when it was opened
        fields["sb[1].magic"] = fields["sb[2].magic"] = 7
    assert b"neither superblock" in run_tool("f2fs", "-w", image, "set", "sb[0].magic", "0xf2f52010", rc=None).stderr
    with f2fskit.fields(image, "r+", force=True) as fields:
        fields["sb[1].magic"] = fields["sb[2].magic"] = 0xf2f52010
    assert f2fskit.check(image).found == 0
