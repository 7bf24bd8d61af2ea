# SPDX-License-Identifier: LGPL-2.1-or-later
"""One damage, one finding: each case breaks one invariant and lists all that a check must then find, no more. Where the
damage has consequences (a pointer that is lost leaves its block unowned) these are derived, and listed too."""
import json
import os
import struct

import pytest

import damage

FEATURES = "extra_attr,flexible_inline_xattr,inode_crtime,quota,project_quota,lost_found,encrypt,verity,casefold,compression"
CASES = {}


def case(*expected):
    """A damage by a function; its name is the name of the case."""
    def add(function):
        CASES[function.__name__] = (function, set(expected))
        return function
    return add


# superblock and checkpoint

@case("SB_COPY")
def sb_magic(d):
    d.write(1024, bytes(4))


@case("SB_COPY")
def sb_second_copy(d):
    d.set("superblock", "section_count", d.bs + 1024, 0)


@case("SB_DIFFER")
def sb_copies_differ(d):
    d.set("superblock", "version", d.bs + 1024, b"other")


@case("SB_STOPPED")
def sb_stop_reason(d):
    for at in (1024, d.bs + 1024):
        d.set("superblock", "s_stop_reason", at, 3, index=4)


@case("SB_ERRORS")
def sb_errors(d):
    for at in (1024, d.bs + 1024):
        d.set("superblock", "s_errors", at, b"\x04")


@case("SB_NONE")
def sb_both(d):
    for at in (1024, d.bs + 1024):
        d.set("superblock", "section_count", at, 0)


@case("CP_PACK")
def cp_other_pack(d):
    other = (d.geo.cp_blkaddr + (2 - d.pack) * damage.SEGMENT) * d.bs
    d.write(other + 16, b"\xff")


@case("CP_UNFINISHED")
def cp_other_pack_unfinished(d):
    other = (d.geo.cp_blkaddr + (2 - d.pack) * damage.SEGMENT) * d.bs
    total = d.get("checkpoint", "cp_pack_total_block_count", other)
    d.write(other + (total - 1) * d.bs, bytes(16))


@case("CP_NONE")
def cp_both(d):
    for pack in (0, 1):
        d.write((d.geo.cp_blkaddr + pack * damage.SEGMENT) * d.bs + 16, b"\xff")


@case("CP_CONTENT")
def cp_content(d):
    """The older pack, of an empty volume, is used."""
    d.checkpoint(user_block_count=0)


@case("CP_ERROR_FLAG")
def cp_error_flag(d):
    d.checkpoint(ckpt_flags=int(d.cp.ckpt_flags) | 0x8)


@case("CP_FSCK_FLAG")
def cp_fsck_flag(d):
    d.checkpoint(ckpt_flags=int(d.cp.ckpt_flags) | 0x10)


@case("CP_QUOTA_FLAG")
def cp_quota_flag(d):
    d.checkpoint(ckpt_flags=int(d.cp.ckpt_flags) | 0x800)


@case("CP_VALID_BLOCKS")
def cp_valid_blocks(d):
    d.checkpoint(valid_block_count=d.cp.valid_block_count + 7)


@case("CP_VALID_NODES")
def cp_valid_nodes(d):
    d.checkpoint(valid_node_count=d.cp.valid_node_count - 1)


@case("CP_VALID_INODES")
def cp_valid_inodes(d):
    d.checkpoint(valid_inode_count=d.cp.valid_inode_count + 1)


@case("CP_FREE_SEGMENTS")
def cp_free_segments(d):
    d.checkpoint(free_segment_count=d.cp.free_segment_count + 1)


@case("LOG_NOT_FREE")
def log_not_free(d):
    d.checkpoint(cur_node_blkoff=(1, d.cp.cur_node_blkoff[1] - 1), alloc_type=(4, 1))


@case("LOG_TAIL")
def log_tail(d):
    """The log goes back to a free block, behind which others are in use."""
    used = d.raw.sit(d.cp.cur_node_segno[0])[2:66]
    free = next(i for i in range(512) if not d.raw.bit(used, i))
    assert free < d.cp.cur_node_blkoff[0]
    d.checkpoint(cur_node_blkoff=(0, free))


@case("LOG_TYPE")
def log_type(d):
    entry = d.sit_entry(d.cp.cur_node_segno[1])
    d.set("sit_entry", "vblocks", entry, d.get("sit_entry", "vblocks", entry) & 0x3ff | 5 << 10)


# NAT and SIT

@case("NAT_RESERVED")
def nat_reserved(d):
    d.set("nat_entry", "block_addr", d.nat_entry(1), 0)


@case("NAT_ADDRESS", "DENTRY_DEAD", "SIT_EXTRA", "CP_VALID_BLOCKS", "CP_VALID_NODES", "CP_VALID_INODES", "QUOTA_INODES")
def nat_address(d):
    d.set("nat_entry", "block_addr", d.nat_entry(d.ino("/inline-dir/f1")), 77)


@case("NAT_INO")
def nat_ino(d):
    d.set("nat_entry", "ino", d.nat_entry(d.ino("/inline-dir/f1")), 0x7fffffff)


@case("NODE_INO")
def nat_ino_of_another(d):
    d.set("nat_entry", "ino", d.nat_entry(d.ino("/inline-dir/f1")), d.ino("/inline-dir/f2"))


@case("NAT_BITS")
def nat_bits(d):
    d.write(d.pack_block(512 - 1) + 8, b"\x01")


@case("SIT_COUNT")
def sit_count(d):
    entry = d.sit_entry(d.closed_segment(node=False))
    d.set("sit_entry", "vblocks", entry, d.get("sit_entry", "vblocks", entry) - 1)


@case("SIT_TYPE")
def sit_type(d):
    entry = d.sit_entry(d.closed_segment(node=False))
    d.set("sit_entry", "vblocks", entry, d.get("sit_entry", "vblocks", entry) & 0x3ff | 9 << 10)


@case("SIT_CLASS")
def sit_class(d):
    entry = d.sit_entry(d.closed_segment(node=False))
    d.set("sit_entry", "vblocks", entry, d.get("sit_entry", "vblocks", entry) & 0x3ff | 4 << 10)


@case("SIT_MISSING", "SIT_COUNT")
def sit_block_is_free(d):
    entry = d.sit_entry(d.closed_segment(node=False))
    d.write(entry + 2, b"\x7f")


@case("SIT_EXTRA", "SIT_COUNT")
def sit_block_is_lost(d):
    entry = d.sit_entry(d.cp.cur_data_segno[1])
    d.write(entry + 2 + 63, b"\x01")
    d.checkpoint(alloc_type=(1, 1))


@case("SSA_ENTRY")
def ssa_entry(d):
    d.set("summary_entry", "ofs_in_node", d.ssa(d.closed_segment(node=False)) + 7 * 5, 600)


@case("SSA_TYPE")
def ssa_type(d):
    d.write(d.ssa(d.closed_segment(node=False)) + d.bs - 5, b"\x01")


# nodes

@case("NODE_NID", "DENTRY_DEAD", "SIT_EXTRA", "CP_VALID_BLOCKS", "CP_VALID_NODES", "CP_VALID_INODES", "QUOTA_INODES")
def node_nid(d):
    d.set("node_footer", "nid", d.footer(d.ino("/inline-dir/f1")), 5)


@case("NODE_OFFSET")
def inode_offset(d):
    at = d.footer(d.ino("/inline-dir/f1"))
    d.set("node_footer", "flag", at, d.get("node_footer", "flag", at) | 1 << 3)


@case("NODE_OFFSET", "BLOCK_COUNT", "SIT_EXTRA", "CP_VALID_BLOCKS", "CP_VALID_NODES", "QUOTA_SPACE", "CP_FREE_SEGMENTS")
def node_offset(d):
    at = d.footer(d.u32(d.i_nid("/big", 0)))
    d.set("node_footer", "flag", at, d.get("node_footer", "flag", at) & 7 | 2 << 3)


@case("NODE_COLD")
def node_cold(d):
    at = d.footer(d.ino("/inline-dir/f1"))
    d.set("node_footer", "flag", at, d.get("node_footer", "flag", at) & ~1)


@case("NODE_LOST", "BLOCK_COUNT", "SIT_EXTRA", "CP_VALID_BLOCKS", "CP_VALID_NODES", "QUOTA_SPACE", "CP_FREE_SEGMENTS")
def node_lost(d):
    d.u32(d.i_nid("/big", 0), 0)


@case("NODE_TWICE")
def node_twice(d):
    d.u32(d.i_nid("/big", 2), d.u32(d.i_nid("/big", 1)))


@case("NODE_CHILD_RANGE")
def node_child_range(d):
    d.u32(d.i_nid("/big", 4), 0x70000000)


@case("NODE_CHILD_RANGE")
def node_child_self(d):
    d.u32(d.i_nid("/big", 4), d.ino("/big"))


@case("NODE_CHILD_FREE")
def node_child_free(d):
    d.u32(d.i_nid("/big", 4), 5000)


@case("NODE_CHILD_OWNER")
def node_child_is_inode(d):
    d.u32(d.i_nid("/big", 4), d.ino("/small"))


@case("NODE_TWICE")
def node_child_of_another(d):
    d.u32(d.i_nid("/medium", 0), d.u32(d.i_nid("/big", 0)))


# fields of inodes

@case("INODE_XATTR_NID")
def inode_xattr_nid(d):
    d.set("inode", "i_xattr_nid", d.inode("/small"), 0x7fffffff)


@case("INODE_EXTRA")
def inode_extra(d):
    d.set("inode_extra", "i_extra_isize", d.inode("/medium") + 360, 35)


@case("INODE_INLINE_XATTR")
def inode_inline_xattr(d):
    d.set("inode_extra", "i_inline_xattr_size", d.inode("/small") + 360, 5000)


@case("INODE_INLINE_DATA")
def inode_inline_data(d):
    d.set("inode", "i_size", d.inode("/inline-dir/f1"), 3500)


@case("INODE_INLINE_DENTRY")
def inode_inline_dentry(d):
    at = d.inode("/medium")
    d.set("inode", "i_inline", at, d.get("inode", "i_inline", at) | 4)


@case("INODE_EXTENT")
def inode_extent(d):
    at = d.inode("/medium")
    for name, value in (("i_ext_blk", 1), ("i_ext_len", 5)):
        d.set("inode", name, at, value)


@case("EXTENT_WRONG")
def inode_extent_wrong(d):
    at = d.inode("/medium")
    for name, value in (("i_ext_fofs", 1), ("i_ext_blk", d.u32(d.slot("/medium", 0))), ("i_ext_len", 2)):
        d.set("inode", name, at, value)


@case("INODE_MODE")
def inode_mode(d):
    """The entries still tell the type."""
    d.set("inode", "i_mode", d.inode("/second"), 0o644)


@case("INODE_MODE")
def inode_mode_of_directory(d):
    d.set("inode", "i_mode", d.inode("/inline-dir"), 0o755)


@case("INODE_MODE")
def inode_mode_of_symlink(d):
    d.set("inode", "i_mode", d.inode("/link"), 0o777)


@case("SB_FEATURES", "QUOTA_TREE")
def inode_features(d):
    for at in (1024, d.bs + 1024):
        d.set("superblock", "feature", at, d.get("superblock", "feature", at) & ~0x8)


@case("INODE_ROOT", "LINKS_DIR")
def inode_root(d):
    d.set("inode", "i_links", d.node(3), 0)


@case("FEATURE_FLAG")
def casefold_flag_on_file(d):
    d.set("inode", "i_flags", d.inode("/medium"), 0x40000000)


@case("DIR_DEPTH_RANGE")
def dir_depth_range(d):
    d.set("inode", "i_current_depth", d.inode("/many"), 64)


@case("INODE_SIZE")
def inode_size(d):
    d.set("inode", "i_size", d.inode("/medium"), 1 << 50)


@case("INODE_TIME")
def inode_time(d):
    d.set("inode", "i_mtime_nsec", d.inode("/medium"), 1000000000)


@case("INODE_NAMELEN")
def inode_namelen(d):
    d.set("inode", "i_namelen", d.inode("/medium"), 256)


@case("INODE_GC_FAILURES")
def inode_gc_failures(d):
    d.set("inode", "i_current_depth", d.inode("/medium"), 2)


@case("INODE_COMPRESS")
def inode_compress(d):
    at = d.inode("/inline-dir/f1")
    d.set("inode", "i_flags", at, 4)
    d.set("inode_extra", "i_log_cluster_size", at + 360, 20)
    d.set("inode", "i_inline", at, d.get("inode", "i_inline", at) & ~0xa)
    d.write(at + 400, bytes(3452))
    d.set("inode_extra", "i_compress_algorithm", at + 360, 1)


@case("BLOCK_COUNT", "INODE_BLOCKS")
def inode_blocks_zero(d):
    d.set("inode", "i_blocks", d.inode("/medium"), 0)


@case("BLOCK_COUNT")
def inode_blocks(d):
    at = d.inode("/medium")
    d.set("inode", "i_blocks", at, d.get("inode", "i_blocks", at) + 3)


@case("SYMLINK_SIZE")
def symlink_size(d):
    d.set("inode", "i_size", d.inode("/link"), 0)


# maps

@case("ADDRESS", "BLOCK_COUNT", "SIT_EXTRA", "CP_VALID_BLOCKS", "QUOTA_SPACE")
def address(d):
    d.u32(d.slot("/medium", 2), 5)


@case("BLOCK_SHARED", "SSA_ENTRY", "SIT_EXTRA")
def block_shared(d):
    d.u32(d.slot("/medium", 2), d.u32(d.slot("/medium", 3)))


@case("INLINE_WORD")
def inline_word(d):
    d.u32(d.slot("/inline-dir/f1"), 9)


@case("INLINE_NODES")
def inline_nodes(d):
    d.u32(d.i_nid("/inline-dir/f1", 0), d.ino("/inline-dir/f1"))


@case("DATA_EXIST")
def data_exist(d):
    at = d.inode("/inline-dir/f1")
    d.set("inode", "i_inline", at, d.get("inode", "i_inline", at) & ~8)


@case("SPECIAL_NODES")
def special_nodes(d):
    d.u32(d.i_nid("/pipe", 0), 9)


# directories

@case("DENTRY_NAME", "FILE_LOST")
def dentry_name(d):
    _, _, entry = d.dentry("/inline-dir", "f1")
    d.set("dentry", "name_len", entry, 300)


@case("DENTRY_INO", "FILE_LOST")
def dentry_ino(d):
    d.set("dentry", "ino", d.dentry("/inline-dir", "f1")[2], 0x7fffffff)


@case("DENTRY_DEAD", "FILE_LOST")
def dentry_dead(d):
    d.set("dentry", "ino", d.dentry("/inline-dir", "f1")[2], 5000)


@case("DENTRY_RESERVED", "FILE_LOST")
def dentry_reserved(d):
    d.set("dentry", "ino", d.dentry("/inline-dir", "f1")[2], 4)


@case("DENTRY_TYPE")
def dentry_type(d):
    d.set("dentry", "file_type", d.dentry("/inline-dir", "f1")[2], 2)


@case("DENTRY_HASH")
def dentry_hash(d):
    d.set("dentry", "hash_code", d.dentry("/inline-dir", "f1")[2], 1)


@case("DENTRY_CHARS")
def dentry_chars(d):
    place = d.dentry("/many", "a-rather-long-name-for-an-entry-0007")
    d.write(d.name_of(*place) + 3, b"/")


@case("DOT_WRONG")
def dot_wrong(d):
    start, _, entry = d.dentry("/many", ".")
    d.set("dentry", "ino", entry, 3)


@case("DOTDOT_WRONG")
def dotdot_wrong(d):
    d.set("dentry", "ino", d.dentry("/many", "..")[2], d.ino("/many"))


@case("DOT_MISSING", "DENTRY_BITMAP")
def dot_missing(d):
    d.set("dentry", "name_len", d.dentry("/many", ".")[2], 0)


@case("DIR_DEPTH")
def dir_depth(d):
    d.set("inode", "i_current_depth", d.inode("/many"), 1)


@case("DIR_SIZE")
def dir_size(d):
    d.set("inode", "i_size", d.inode("/many"), d.bs)


@case("DENTRY_BITMAP")
def dentry_bitmap(d):
    start, _, _ = d.dentry("/many", ".")
    bitmap = d.read(start, 27)
    free = next(i for i in range(213, -1, -1) if not bitmap[i // 8] >> i % 8 & 1)
    d.write(start + free // 8, bytes([bitmap[free // 8] | 1 << free % 8]))
    d.set("dentry", "name_len", start + 30 + 11 * free, 0)


@case("DIR_TWICE", "DIR_LOST", "LINKS_DIR")
def dir_twice(d):
    """The entry of one directory names another one."""
    d.set("dentry", "ino", d.dentry("/", "many")[2], d.ino("/inline-dir"))


# links

@case("DIR_LOOP", "DIR_PINO", "DOTDOT_WRONG")
def dir_loop(d):
    """A directory has its own ancestor as its child."""
    deep, deepest = d.ino("/deep"), d.ino("/deep/deeper/deepest")
    below, above = d.dentry("/deep/deeper", "deepest")[2], d.dentry("/", "deep")[2]
    d.set("dentry", "ino", below, deep)
    d.set("dentry", "ino", above, deepest)


def remove(d, directory, name):
    start, slot, entry = d.dentry(directory, name)
    slots = (len(name) + 7) // 8
    bitmap = bytearray(d.read(start, 27))
    for i in range(slot, slot + slots):
        bitmap[i // 8] &= ~(1 << i % 8)
    d.write(start, bytes(bitmap))


@case("FILE_LOST")
def file_lost(d):
    remove(d, "/inline-dir", "f1")


@case("DIR_LOST", "LINKS_DIR")
def dir_lost(d):
    remove(d, "/", "deep")


@case("LINKS_FILE")
def one_name_is_gone(d):
    remove(d, "/", "second")


@case("DENTRY_TWICE", "FILE_LOST", "LINKS_FILE")
def dentry_twice(d):
    """A second entry gets the name, hash and inode of the first."""
    one, two = (d.dentry("/inline-dir", name) for name in ("f1", "f2"))
    d.write(two[2], d.read(one[2], 11))
    names = one[2] - 11 * one[1] + 11 * d.slots_of("/inline-dir")
    d.write(names + 8 * two[1], b"f1")


@case("DENTRY_PLACE")
def dentry_place(d):
    """The directory's second level comes in another order: swap two blocks of different buckets."""
    with d.f2fskit.open(d.path) as vol:
        extents = [e for e in vol.lookup("/many").extents() if e.addr]
    blocks = {e.file_block + i: e.addr + i for e in extents for i in range(e.count)}
    assert 2 in blocks and 4 in blocks
    at = d.slot("/many")
    assert d.u32(at + 8) == blocks[2]
    one, two = d.read(blocks[2] * d.bs, d.bs), d.read(blocks[4] * d.bs, d.bs)
    d.write(blocks[2] * d.bs, two)
    d.write(blocks[4] * d.bs, one)


@case("DOT_EXTRA", "FILE_LOST")
def dot_extra(d):
    place = d.dentry("/many", "a-rather-long-name-for-an-entry-0007")
    d.set("dentry", "name_len", place[2], 1)
    d.set("dentry", "hash_code", place[2], 0)
    d.write(d.name_of(*place), b".")
    bitmap = bytearray(d.read(place[0], 27))
    for i in range(place[1] + 1, place[1] + 5):
        bitmap[i // 8] &= ~(1 << i % 8)
    d.write(place[0], bytes(bitmap))


@case("LINKS_FILE")
def links_file(d):
    d.set("inode", "i_links", d.inode("/medium"), 7)


@case("LINKS_DIR")
def links_dir(d):
    d.set("inode", "i_links", d.inode("/many"), 3)


@case("DIR_PINO")
def dir_pino(d):
    d.set("inode", "i_pino", d.inode("/many"), d.ino("/deep"))


# features

@case("XATTR_ENTRY")
def xattr_entry(d):
    d.set("xattr_entry", "e_value_size", d.inode("/small") + 3852 + 24, 9999)


@case("XATTR_MAGIC")
def xattr_magic(d):
    d.set("xattr_header", "h_magic", d.inode("/small") + 3852, 7)


@case("XATTR_INDEX")
def xattr_index(d):
    d.set("xattr_entry", "e_name_index", d.inode("/small") + 3852 + 24, 99)


@case("XATTR_TAIL")
def xattr_tail(d):
    d.write(d.inode("/small") + 3852 + 196, b"\x01")


@case("NODE_NID", "XATTR_UNREADABLE", "BLOCK_COUNT", "SIT_EXTRA", "CP_VALID_BLOCKS", "CP_VALID_NODES", "QUOTA_SPACE")
def xattr_node(d):
    nid = d.get("inode", "i_xattr_nid", d.inode("/attributes"))
    d.set("node_footer", "nid", d.footer(nid), 5)


@case("ENCRYPT_CONTEXT")
def encrypt_context(d):
    at = d.inode("/medium")
    d.set("inode", "i_advise", at, d.get("inode", "i_advise", at) | 4)


@case("VERITY")
def verity(d):
    at = d.inode("/medium")
    d.set("inode", "i_advise", at, d.get("inode", "i_advise", at) | 0x40)


@case("LOST_FOUND", "DIR_LOST", "LINKS_DIR", "DENTRY_DEAD")
def lost_found(d):
    start, slot, entry = d.dentry("/", "lost+found")
    d.set("dentry", "ino", entry, 5000)


# quota

@case("QUOTA_INODE")
def quota_inode(d):
    d.set("inode", "i_links", d.node(4), 2)


@case("QUOTA_TREE")
def quota_tree(d):
    block = d.u32(d.node(4) + 360 + d.get("inode_extra", "i_extra_isize", d.node(4) + 360))
    d.u32(block * d.bs + 1024, 99)


@case("QUOTA_SPACE")
def quota_space(d):
    block = d.u32(d.node(4) + 360 + d.get("inode_extra", "i_extra_isize", d.node(4) + 360) + 4)
    entry = block * d.bs + 1024 + 16
    d.set("quota_entry", "dqb_curspace", entry, 7)


@pytest.fixture(scope="session")
def base(run_tool, tmp_path_factory):
    """A volume with a file of every kind."""
    top = tmp_path_factory.mktemp("damage")
    source = top / "source"
    for name in ("inline-dir", "many", "deep/deeper/deepest"):
        (source / name).mkdir(parents=True)
    (source / "small").write_bytes(b"hello\n")
    (source / "medium").write_bytes(os.urandom(30000))
    (source / "attributes").write_bytes(b"x")
    (source / "big").write_bytes(os.urandom(9000000))
    for i in range(300):
        (source / "many" / ("a-rather-long-name-for-an-entry-%04d" % i)).write_bytes(b"%d" % i)
    for i in range(3):
        (source / "inline-dir" / ("f%d" % i)).write_bytes(b"x")
    os.link(source / "medium", source / "second")
    os.symlink("small", source / "link")
    os.mkfifo(source / "pipe")
    try:
        os.setxattr(source / "small", "user.note", b"v" * 20)
        os.setxattr(source / "attributes", "user.large", b"v" * 2000)
    except OSError:
        pytest.skip("the host's file system has no attributes for users")
    image = top / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "-C", "utf8", "--root-dir", source, image, "128M")
    return image


def test_device_alias(run_tool, tmp_path, f2fskit):
    images = [tmp_path / "one.img", tmp_path / "two.img"]
    for path, size in zip(images, (128, 64)):
        with open(path, "wb") as f:
            f.truncate(size << 20)
    run_tool("mkfs.f2fs", "-q", "-f", "-c", "%s@alias" % images[1], images[0])
    run_tool("fsck.f2fs", images[0], "--device", images[1])
    with f2fskit.open(images[0], devices=[images[1]]) as volume:
        inode = volume.nat[volume.lookup("/alias").number].block_addr * 4096
    length = f2fskit.structs["inode"].fields["i_ext_len"].offset
    with open(images[0], "r+b") as f:
        f.seek(inode + length)
        f.write(struct.pack("<I", 100))
    report = json.loads(run_tool("fsck.f2fs", "--json", images[0], "--device", images[1], rc=4).stdout)
    assert {"ALIAS_EXTENT", "SIT_EXTRA"} <= {p["name"] for p in report["problems"]}


@pytest.fixture
def broken(base, tmp_path, f2fskit):
    path = tmp_path / "disk.img"
    os.system("cp --sparse=always %s %s" % (base, path))
    return damage.Damage(path, f2fskit)


def test_every_problem_has_a_case(run_tool):
    """Each number of the table is named by a test, here or on volumes of the kernel in the unit tests."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = ""
    for name in ("cli/test_fsck_damage.py", "kernel/test_check.py", "unit/check/test_damage.c", "unit/check/test_zones.c"):
        with open(os.path.join(tests, name)) as f:
            text += f.read()
    names = {p["name"] for p in json.loads(run_tool("fsck.f2fs", "--explain=all", "--json").stdout)}
    assert not {name for name in names if '"%s"' % name not in text and "P_%s" % name not in text}


def check(run_tool, path):
    done = run_tool("fsck.f2fs", "--json", path, rc=None)
    report = json.loads(done.stdout)
    assert done.returncode == (4 if report["state"] != "clean" else 0)
    return report


@pytest.mark.parametrize("name", CASES)
def test_damage(run_tool, broken, name):
    function, expected = CASES[name]
    function(broken)
    report = check(run_tool, broken.path)
    assert {p["name"] for p in report["problems"]} == expected, [p["message"] for p in report["problems"]]
