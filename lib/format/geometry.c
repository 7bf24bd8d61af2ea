/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers that follow from a superblock (FORMAT volume 1.2, 2.2).
 */
#include "format/geometry.h"

#include <string.h>

#include "base/checked.h"
#include "format/node.h"

/* A summary block is as large as a block, but 4 KiB with packed_ssa. */
static void set_summary_size(struct f2fs_geometry *geo)
{
	bool packed = geometry_has(geo, F2FS_FEAT_PACKED_SSA) && geo->block_size > 4096;

	geo->sum_size = packed ? 4096 : geo->block_size;
	geo->sums_per_block = geo->block_size / geo->sum_size;
	geo->journal_offset = geo->sum_size / 8 * 7;
	geo->journal_size = geo->sum_size - 5 - geo->journal_offset;
	geo->nat_journal_max = (geo->journal_size - 2) / natj_SIZE;
	geo->sit_journal_max = (geo->journal_size - 2) / sitj_SIZE;
}

void geometry_set_block_size(struct f2fs_geometry *geo, uint32_t block_bits, uint32_t feature)
{
	uint32_t bs = 1u << block_bits;

	geo->block_bits = block_bits;
	geo->block_size = bs;
	geo->feature = feature;
	geo->nat_per_block = bs / nat_SIZE;
	geo->sit_per_block = bs / sit_SIZE;
	geo->orphans_per_block = bs / 4 - 4;
	geo->addrs_per_inode = (inode_nids_offset(geo) - inode_SIZE) / 4;
	geo->addrs_per_block = node_bytes(geo) / 4;
	geo->nids_per_block = geo->addrs_per_block;
	geo->dentries_per_block = 8 * bs / ((dentry_SIZE + DENTRY_SLOT_BYTES) * 8 + 1);
	geo->dentry_bitmap_size = div_ceil32(geo->dentries_per_block, 8);
	geo->dentry_name_offset = bs - geo->dentries_per_block * DENTRY_SLOT_BYTES;
	geo->dentry_offset = geo->dentry_name_offset - geo->dentries_per_block * dentry_SIZE;
	set_summary_size(geo);
}

void geometry_derive(struct f2fs_geometry *geo)
{
	uint64_t nid_limit;

	geo->nat_blocks = geo->segment_count_nat / 2 * F2FS_SEGMENT_BLOCKS;
	geo->sit_blocks = geo->segment_count_sit / 2 * F2FS_SEGMENT_BLOCKS;
	geo->sit_blocks_used = div_ceil32(geo->segment_count_main, geo->sit_per_block);
	nid_limit = (uint64_t)geo->nat_blocks * geo->nat_per_block;
	geo->max_nid = nid_limit > UINT32_MAX ? UINT32_MAX : (uint32_t)nid_limit;
	geo->end_blkaddr = (uint64_t)geo->segment0_blkaddr + (uint64_t)geo->segment_count * F2FS_SEGMENT_BLOCKS;
	geo->nat_bits_blocks = div_ceil32(2 * (geo->nat_blocks / 8) + 8, geo->block_size);
}

void geometry_decode(struct f2fs_geometry *geo, const uint8_t *sb)
{
	memset(geo, 0, sizeof(*geo));
	geometry_set_block_size(geo, sb_log_blocksize(sb), sb_feature(sb));
	geo->sector_size = 1u << sb_log_sectorsize(sb);
	geo->segs_per_sec = sb_segs_per_sec(sb);
	geo->secs_per_zone = sb_secs_per_zone(sb);
	geo->block_count = sb_block_count(sb);
	geo->segment_count = sb_segment_count(sb);
	geo->section_count = sb_section_count(sb);
	geo->segment_count_ckpt = sb_segment_count_ckpt(sb);
	geo->segment_count_sit = sb_segment_count_sit(sb);
	geo->segment_count_nat = sb_segment_count_nat(sb);
	geo->segment_count_ssa = sb_segment_count_ssa(sb);
	geo->segment_count_main = sb_segment_count_main(sb);
	geo->segment0_blkaddr = sb_segment0_blkaddr(sb);
	geo->cp_blkaddr = sb_cp_blkaddr(sb);
	geo->sit_blkaddr = sb_sit_blkaddr(sb);
	geo->nat_blkaddr = sb_nat_blkaddr(sb);
	geo->ssa_blkaddr = sb_ssa_blkaddr(sb);
	geo->main_blkaddr = sb_main_blkaddr(sb);
	geo->cp_payload = sb_cp_payload(sb);
	geo->root_ino = sb_root_ino(sb);
	geometry_derive(geo);
}
