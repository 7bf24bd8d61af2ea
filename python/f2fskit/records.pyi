# SPDX-License-Identifier: LGPL-2.1-or-later
# Written by python/stubs.py.
import uuid

from . import enums
from .format import Record

__all__ = [
    "InodeFields",
    "Checkpoint",
    "ClusterHeader",
    "Dentry",
    "FscryptV1",
    "FscryptV2",
    "Inode",
    "InodeExtra",
    "NatEntry",
    "NatJournalEntry",
    "NodeFooter",
    "OrphanTail",
    "QuotaEntry",
    "QuotaHeader",
    "QuotaLeaf",
    "SbDevice",
    "SitEntry",
    "SitJournalEntry",
    "SummaryEntry",
    "SummaryFooter",
    "Superblock",
    "VerityDescriptor",
    "VerityXattr",
    "XattrEntry",
    "XattrHeader",
]

def class_name(structure: str) -> str: ...

class InodeFields:
    i_mode: int
    i_advise: enums.Advise
    i_inline: enums.InlineFlag
    i_uid: int
    i_gid: int
    i_links: int
    i_size: int
    i_blocks: int
    i_atime: int
    i_ctime: int
    i_mtime: int
    i_atime_nsec: int
    i_ctime_nsec: int
    i_mtime_nsec: int
    i_generation: int
    i_current_depth: int
    i_xattr_nid: int
    i_flags: enums.InodeFlag
    i_pino: int
    i_namelen: int
    i_name: str
    i_dir_level: int
    i_ext_fofs: int
    i_ext_blk: int
    i_ext_len: int
    i_extra_isize: int
    i_inline_xattr_size: int
    i_projid: int
    i_inode_checksum: int
    i_crtime: int
    i_crtime_nsec: int
    i_compr_blocks: int
    i_compress_algorithm: int
    i_log_cluster_size: int
    i_compress_flag: int
    i_addr: tuple[int, ...]
    i_nid: tuple[int, ...]

class Superblock(Record):
    magic: int
    major_ver: int
    minor_ver: int
    log_sectorsize: int
    log_sectors_per_block: int
    log_blocksize: int
    log_blocks_per_seg: int
    segs_per_sec: int
    secs_per_zone: int
    checksum_offset: int
    block_count: int
    section_count: int
    segment_count: int
    segment_count_ckpt: int
    segment_count_sit: int
    segment_count_nat: int
    segment_count_ssa: int
    segment_count_main: int
    segment0_blkaddr: int
    cp_blkaddr: int
    sit_blkaddr: int
    nat_blkaddr: int
    ssa_blkaddr: int
    main_blkaddr: int
    root_ino: int
    node_ino: int
    meta_ino: int
    uuid: uuid.UUID
    volume_name: str
    extension_count: int
    extension_list: tuple[str, ...]
    cp_payload: int
    version: str
    version_time: int
    init_version: str
    feature: enums.Feature
    encryption_level: int
    encrypt_pw_salt: bytes
    devs: bytes
    qf_ino: tuple[int, ...]
    hot_ext_count: int
    s_encoding: int
    s_encoding_flags: enums.EncodingFlag
    s_stop_reason: tuple[int, ...]
    s_errors: bytes
    reserved: bytes
    crc: int

class SbDevice(Record):
    path: str
    total_segments: int

class Checkpoint(Record):
    checkpoint_ver: int
    user_block_count: int
    valid_block_count: int
    rsvd_segment_count: int
    overprov_segment_count: int
    free_segment_count: int
    cur_node_segno: tuple[int, ...]
    cur_node_blkoff: tuple[int, ...]
    cur_data_segno: tuple[int, ...]
    cur_data_blkoff: tuple[int, ...]
    ckpt_flags: enums.CheckpointFlag
    cp_pack_total_block_count: int
    cp_pack_start_sum: int
    valid_node_count: int
    valid_inode_count: int
    next_free_nid: int
    sit_ver_bitmap_bytesize: int
    nat_ver_bitmap_bytesize: int
    checksum_offset: int
    elapsed_time: int
    alloc_type: tuple[int, ...]

class OrphanTail(Record):
    reserved: int
    blk_addr: int
    blk_count: int
    entry_count: int
    check_sum: int

class NatEntry(Record):
    version: int
    ino: int
    block_addr: int

class SitEntry(Record):
    vblocks: int
    valid_map: bytes
    mtime: int

class SummaryEntry(Record):
    nid: int
    version: int
    ofs_in_node: int

class SummaryFooter(Record):
    entry_type: int
    check_sum: int

class NatJournalEntry(Record):
    nid: int
    version: int
    ino: int
    block_addr: int

class SitJournalEntry(Record):
    segno: int
    vblocks: int
    valid_map: bytes
    mtime: int

class Inode(Record):
    i_mode: int
    i_advise: enums.Advise
    i_inline: enums.InlineFlag
    i_uid: int
    i_gid: int
    i_links: int
    i_size: int
    i_blocks: int
    i_atime: int
    i_ctime: int
    i_mtime: int
    i_atime_nsec: int
    i_ctime_nsec: int
    i_mtime_nsec: int
    i_generation: int
    i_current_depth: int
    i_xattr_nid: int
    i_flags: enums.InodeFlag
    i_pino: int
    i_namelen: int
    i_name: str
    i_dir_level: int
    i_ext_fofs: int
    i_ext_blk: int
    i_ext_len: int

class InodeExtra(Record):
    i_extra_isize: int
    i_inline_xattr_size: int
    i_projid: int
    i_inode_checksum: int
    i_crtime: int
    i_crtime_nsec: int
    i_compr_blocks: int
    i_compress_algorithm: int
    i_log_cluster_size: int
    i_compress_flag: int

class NodeFooter(Record):
    nid: int
    ino: int
    flag: int
    cp_ver: int
    next_blkaddr: int

class Dentry(Record):
    hash_code: int
    ino: int
    name_len: int
    file_type: int

class XattrHeader(Record):
    h_magic: int
    h_refcount: int
    h_reserved: bytes

class XattrEntry(Record):
    e_name_index: int
    e_name_len: int
    e_value_size: int

class ClusterHeader(Record):
    clen: int
    chksum: int
    reserved: bytes

class FscryptV1(Record):
    version: int
    contents_mode: int
    filenames_mode: int
    flags: int
    key_descriptor: bytes
    nonce: bytes

class FscryptV2(Record):
    version: int
    contents_mode: int
    filenames_mode: int
    flags: int
    log2_data_unit_size: int
    reserved: bytes
    key_identifier: bytes
    nonce: bytes

class VerityXattr(Record):
    version: int
    size: int
    pos: int

class VerityDescriptor(Record):
    version: int
    hash_algorithm: int
    log_blocksize: int
    salt_size: int
    sig_size: int
    data_size: int
    root_hash: bytes
    salt: bytes
    reserved: bytes

class QuotaHeader(Record):
    dqh_magic: int
    dqh_version: int
    dqi_bgrace: int
    dqi_igrace: int
    dqi_flags: int
    dqi_blocks: int
    dqi_free_blk: int
    dqi_free_entry: int

class QuotaLeaf(Record):
    dqdh_next_free: int
    dqdh_prev_free: int
    dqdh_entries: int
    dqdh_pad1: int
    dqdh_pad2: int

class QuotaEntry(Record):
    dqb_id: int
    dqb_pad: int
    dqb_ihardlimit: int
    dqb_isoftlimit: int
    dqb_curinodes: int
    dqb_bhardlimit: int
    dqb_bsoftlimit: int
    dqb_curspace: int
    dqb_btime: int
    dqb_itime: int
