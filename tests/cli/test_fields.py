# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs field and set: single fields of any structure, found and changed by their names, on volumes in any state."""
import json
import struct
import subprocess

import pytest

from volumes import BLOCK, crc

SB = 1024
FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,sb_checksum,quota"


@pytest.fixture(scope="module")
def original(run_tool, tmp_path_factory):
    """A volume with a directory of blocks, an inline one, attributes in both places, a node tree."""
    top = tmp_path_factory.mktemp("fields")
    image, big, names = top / "disk.img", top / "big", top / "names"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "-l", "label", image, "64M")
    big.write_bytes(b"0123456789abcdef" * 4096 * 100)
    names.write_text("mkdir /many /few\ntouch /few/one\n" + "".join("touch /many/name-%04d\n" % i for i in range(500)))
    run_tool("f2fs", "-w", "-f", names, image)
    run_tool("f2fs", "-w", image, "put", big, "/big", "--", "setfattr", "/big", "user.a", "x" * 100, "--", "setfattr", "/big",
             "user.b", "y" * 2000)
    return image


@pytest.fixture
def image(original, tmp_path):
    path = tmp_path / "disk.img"
    subprocess.run(["cp", "--sparse=always", original, path], check=True)
    return path


@pytest.fixture
def get(run_tool, image):
    def get(address):
        return json.loads(run_tool("f2fs", "-q", "--json", image, "field", address).stdout)["value"]
    return get


@pytest.fixture
def put(run_tool, image):
    def put(address, value, *options, rc=0):
        return run_tool("f2fs", "-w", image, "set", *options, address, str(value), rc=rc)
    return put


def number_of(run_tool, image, path):
    return json.loads(run_tool("f2fs", "--json", image, "stat", path).stdout)["ino"]


def test_superblock_and_checkpoint_at_their_places(image, get):
    raw = image.read_bytes()
    assert get("sb.magic") == struct.unpack_from("<I", raw, SB)[0] == 0xF2F52010
    assert get("sb[1].main_blkaddr") == get("sb[2].main_blkaddr") == struct.unpack_from("<I", raw, SB + 92)[0]
    assert get("sb.volume_name") == "label"
    assert get("superblock.extension_list[0]") == raw[SB + 1152:SB + 1160].rstrip(b"\0").decode()
    cp = get("sb.cp_blkaddr")
    versions = [struct.unpack_from("<Q", raw, (cp + 512 * i) * BLOCK)[0] for i in (0, 1)]
    assert [get("cp[1].checkpoint_ver"), get("cp[2].checkpoint_ver")] == versions
    assert get("cp.checkpoint_ver") == get("cp_foot[0].checkpoint_ver") == max(versions)
    assert get("block[%d].u64[0]" % cp) == versions[0]


def test_tables_say_what_the_dump_says(run_tool, image, get):
    def dump(option):
        return json.loads(run_tool("dump.f2fs", "--json", option, image).stdout)
    big = number_of(run_tool, image, "/big")
    nat = {row["nid"]: row for row in dump("--nat")["nat"]}
    for nid in (3, big, number_of(run_tool, image, "/few/one")):
        assert get("nat[%d].block_addr" % nid) == nat[nid]["block_addr"]
        assert get("inode[%d].footer.ino" % nid) == nid
    for row in dump("--sit")["sit"][:6]:
        assert get("sit[%d].valid_blocks" % row["segno"]) == row["valid_blocks"]
    assert get("inode[%d].i_addr[3]" % big) == get("inode[%d].i_addr[2]" % big) + 1
    child = get("inode[%d].i_nid[0]" % big)
    assert get("node[%d].footer.ino" % child) == big and get("node[%d].footer.node_offset" % child) == 1
    assert get("node_at[%d].addr[0]" % nat[child]["block_addr"]) == get("node[%d].addr[0]" % child) > 0
    assert get("file[%d].u8[%d]" % (big, 16 * 4096 * 50 + 3)) == ord("3")
    assert get("file[%d].u32[%d]" % (big, 4 * 4096 * 50 + 1)) == struct.unpack("<I", b"4567")[0]


def test_entries_and_attributes(run_tool, image, get):
    many, few = number_of(run_tool, image, "/many"), number_of(run_tool, image, "/few")
    for directory, name in ((many, "name-0377"), (few, "one"), (few, "."), (3, "many")):
        path = {many: "/many/", few: "/few/", 3: "/"}[directory] + name
        assert get('dentry[%d]["%s"].ino' % (directory, name)) == number_of(run_tool, image, path)
        assert get('dentry[%d]["%s"].name' % (directory, name)) == name
        assert get('dentry[%d]["%s"].used' % (directory, name)) == 1
    assert get("dentry[%d][1].name" % few) == ".."
    big = number_of(run_tool, image, "/big")
    assert get("xattr[%d].h_magic" % big) == 0xF2F52011
    sizes = {get("xattr[%d][%d].e_value_size" % (big, i)) for i in range(2)}
    assert sizes == {100, 2000} and get('xattr[%d]["b"].e_value_size' % big) == 2000


@pytest.mark.parametrize("address, value, shown", [
    ("sb[2].root_ino", "0x10", 16), ("sb.volume_name", "grün", "grün"), ("sb.s_stop_reason[3]", "7", 7),
    ("sb[1].uuid", "01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"),
    ("sb.devs[1].total_segments", "5", 5), ("sb.devs[1].path", "/dev/x", "/dev/x"), ("sb.extension_list[1]", "abc", "abc"),
    ("sb[1].feature", "^=ro|0x40000", None), ("cp[1].elapsed_time", "12", 12), ("cp.alloc_type[2]", "1", 1),
    ("nat[3].version", "+=1", None), ("nat[3,1].ino", "017", 15), ("nat[3,2].ino", "99", 99), ("sit[2].type", "+=1", None),
    ("sit[2,1].valid_map[9]", "255", 255), ("sit[2,2].valid_map", "hex:ff00ff", None), ("ssa[5][511].nid", "77", 77),
    ("ssa[5].entry_type", "1", 1), ("inode[3].i_size", "-=1", None), ("inode[3].i_atime", "-5", -5),
    ("inode[3].i_nid[4]", "12", 12), ("inode[3].i_crtime_nsec", "1", 1), ("inode[3].footer.node_offset", "3", 3),
    ("dentry[3][2].hash", "1", 1), ("dentry[3][2].used", "0", 0), ("dentry[3][2].name_len", "200", 200),
    ("nat_journal.count", "9999", 9999), ("sit_journal[0].segno", "9", 9), ("block[300].u16[2047]", "65535", 65535),
])
def test_set_changes_that_field_alone(image, get, put, address, value, shown):
    before, old = image.read_bytes(), get(address)
    put(address, value)
    new, after = get(address), image.read_bytes()
    assert new != old and (shown is None or new == shown)
    pieces = [i for i in range(0, len(before), 512) if before[i:i + 512] != after[i:i + 512]]
    assert len(pieces) <= (4 if address.startswith("cp") else 3), "the field, and the checksum of its structure"


def test_checksums(run_tool, image, get, put):
    cp, flags = get("sb.cp_blkaddr"), get("cp.ckpt_flags")
    put("cp.ckpt_flags", "|=fsck")
    put("inode[3].i_links", 9)
    put("sb.version_time", 1)
    assert get("cp.ckpt_flags") == flags | 0x10
    raw = image.read_bytes()
    pack = 0 if get("cp[1].checkpoint_ver") > get("cp[2].checkpoint_ver") else 1
    block = raw[(cp + 512 * pack) * BLOCK:(cp + 512 * pack + 1) * BLOCK]
    assert crc(block[:4092]) == struct.unpack_from("<I", block, 4092)[0]
    assert crc(raw[SB:SB + 3068]) == struct.unpack_from("<I", raw, SB + 3068)[0]
    assert not run_tool("f2fs", image, "stat", "/").stderr, "nothing is wrong with the checksums"
    put("inode[3].i_links", 8, "-r")
    assert b"INODE_CHECKSUM" in run_tool("f2fs", image, "stat", "/", rc=4).stderr
    put("inode[3].i_links", 8)
    run_tool("f2fs", image, "stat", "/")
    put("cp.valid_node_count", 1, "-r")
    assert b"pack" in run_tool("f2fs", image, "info").stderr, "the other pack is used"


def test_volumes_that_do_not_open(run_tool, image, get, put):
    for copy in (1, 2):
        put("sb[%d].magic" % copy, 0)
    run_tool("f2fs", image, "info", rc=1)
    assert b"superblock" in run_tool("f2fs", image, "field", "nat[3].ino", rc=1).stderr
    for copy in (1, 2):
        put("sb[%d].magic" % copy, "0xF2F52010", "-f")
    for pack in (1, 2):
        put("cp[%d].checkpoint_ver" % pack, "+=1", "-r")
    assert b"checkpoint" in run_tool("f2fs", image, "field", "inode[3].i_links", rc=1).stderr
    assert get("nat[4,1].block_addr") in range(1 << 32) and get("ssa[0].entry_type") in (0, 1)
    for pack in (1, 2):
        put("cp[%d].checkpoint_ver" % pack, "-=1")
    assert get("inode[3].footer.nid") == 3


def test_refusals(run_tool, image, put):
    before = image.read_bytes()
    for address, value, text in [("inode[3].i_links", "many", b"not a value"), ("inode[3].nothing", "1", b"no field"),
                                 ("nonsense[3].x", "1", b"no structure"), ("inode[3.i_links", "1", b"not an address"),
                                 ("inode[3].i_mode", "65536", b"does not fit"), ("inode[3].i_nid[5]", "1", b"5 elements"),
                                 ("inode[3].i_nid", "1", b"[INDEX]"), ("nat[99999999].ino", "1", b"not below"),
                                 ("inode[9999].i_links", "1", b"free"), ('dentry[3]["no"].ino', "1", b"no such entry"),
                                 ("sb[3].magic", "1", b"not below"), ("sb[1].uuid", "12", b"not a value"), ("sb", "1", b"dot"),
                                 ("sit[2].valid_map[64]", "1", b"64 elements"), ("inode[3].i_links.x", "1", b"no parts")]:
        done = put(address, value, rc=2 if text in (b"free", b"no such entry") else 1)
        assert text in done.stderr, (address, done.stderr)
    put("inode[3].i_links", "5", "-n")
    assert b"-w" in run_tool("f2fs", image, "set", "sb.magic", "1", rc=16).stderr
    assert image.read_bytes() == before
