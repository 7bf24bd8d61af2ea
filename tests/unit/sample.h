/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures of a small valid volume, byte for byte as the worked example of the format document has them (FORMAT
 * volume 11: 64 MiB, 4 KiB blocks), or the same with 16 KiB blocks. Tests start from here and break one thing.
 */
#ifndef F2FSKIT_TESTS_UNIT_SAMPLE_H
#define F2FSKIT_TESTS_UNIT_SAMPLE_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/inode.h"
#include "format/structs.h"
#include "format/superblock.h"

/* Largest block. */
#define SAMPLE_BLOCK 16384

/* One field to be set: index counts array elements. */
struct sample_edit {
	const char *field;
	uint32_t index;
	uint64_t value;
};

/* Set a field by its name in the table of a structure. */
static inline void sample_set(const char *structure, uint8_t *raw, const char *field, uint32_t index, uint64_t value)
{
	const struct f2fs_struct *type = f2fs_struct_find(structure);
	const struct f2fs_field *row = type ? f2fs_field_find(type, field) : NULL;

	assert(row && index < row->count);
	f2fs_field_set(row, raw, index, value);
}

static inline void sample_superblock(uint8_t *sb, uint32_t block_bits)
{
	static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
					  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };

	memset(sb, 0, sb_SIZE);
	sb_set_magic(sb, F2FS_MAGIC);
	sb_set_major_ver(sb, 1);
	sb_set_minor_ver(sb, 16);
	sb_set_log_sectorsize(sb, 9);
	sb_set_log_sectors_per_block(sb, block_bits - 9);
	sb_set_log_blocksize(sb, block_bits);
	sb_set_log_blocks_per_seg(sb, 9);
	sb_set_segs_per_sec(sb, 1);
	sb_set_secs_per_zone(sb, 1);
	sb_set_block_count(sb, 16384);
	sb_set_section_count(sb, 24);
	sb_set_segment_count(sb, 31);
	sb_set_segment_count_ckpt(sb, 2);
	sb_set_segment_count_sit(sb, 2);
	sb_set_segment_count_nat(sb, 2);
	sb_set_segment_count_ssa(sb, 1);
	sb_set_segment_count_main(sb, 24);
	sb_set_segment0_blkaddr(sb, 512);
	sb_set_cp_blkaddr(sb, 512);
	sb_set_sit_blkaddr(sb, 1536);
	sb_set_nat_blkaddr(sb, 2560);
	sb_set_ssa_blkaddr(sb, 3584);
	sb_set_main_blkaddr(sb, 4096);
	sb_set_root_ino(sb, 3);
	sb_set_node_ino(sb, 1);
	sb_set_meta_ino(sb, 2);
	memcpy(sb_uuid_w(sb), uuid, 16);
	sb_set_extension_count(sb, 36);
	sb_set_hot_ext_count(sb, 4);
}

static inline void sample_geometry(struct f2fs_geometry *geo, uint32_t block_bits, uint32_t feature)
{
	uint8_t sb[sb_SIZE];

	sample_superblock(sb, block_bits);
	sb_set_feature(sb, feature);
	geometry_decode(geo, sb);
}

/* Put the checksum where checksum_offset says. */
static inline void sample_seal_checkpoint(uint8_t *cp, uint32_t block_size)
{
	put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, block_size));
}

/* The checkpoint block of a freshly made volume; cp has SAMPLE_BLOCK bytes. */
static inline void sample_checkpoint(uint8_t *cp, uint32_t block_size)
{
	static const uint32_t node[3] = { 0, 1, 2 }, data[3] = { 3, 11, 5 };

	memset(cp, 0, SAMPLE_BLOCK);
	cp_set_checkpoint_ver(cp, 0x6b8b4567);
	cp_set_user_block_count(cp, 5120);
	cp_set_valid_block_count(cp, 2);
	cp_set_rsvd_segment_count(cp, 8);
	cp_set_overprov_segment_count(cp, 14);
	cp_set_free_segment_count(cp, 18);
	for (unsigned i = 0; i < 8; i++) {
		cp_set_cur_node_segno(cp, i, i < 3 ? node[i] : NULL_SEGNO);
		cp_set_cur_data_segno(cp, i, i < 3 ? data[i] : NULL_SEGNO);
	}
	cp_set_cur_node_blkoff(cp, 0, 1);
	cp_set_cur_data_blkoff(cp, 0, 1);
	cp_set_ckpt_flags(cp, 0x185); /* unmount, compacted_summary, nat_bits, trimmed */
	cp_set_cp_pack_total_block_count(cp, 6);
	cp_set_cp_pack_start_sum(cp, 1);
	cp_set_valid_node_count(cp, 1);
	cp_set_valid_inode_count(cp, 1);
	cp_set_next_free_nid(cp, 4);
	cp_set_sit_ver_bitmap_bytesize(cp, 64);
	cp_set_nat_ver_bitmap_bytesize(cp, 64);
	cp_set_checksum_offset(cp, block_size - 4);
	sample_seal_checkpoint(cp, block_size);
}

/* An empty regular file with extra attributes of 36 bytes if the features have them; block has SAMPLE_BLOCK bytes. */
static inline void sample_inode(const struct f2fs_geometry *geo, uint8_t *block, f2fs_nid_t ino)
{
	uint8_t *footer;

	memset(block, 0, SAMPLE_BLOCK);
	inode_set_i_mode(block, 0100644);
	inode_set_i_links(block, 1);
	inode_set_i_blocks(block, 1);
	if (geometry_has(geo, F2FS_FEAT_EXTRA_ATTR)) {
		inode_set_i_inline(block, FLAG_i_inline_extra_attr);
		extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, 36);
	}
	footer = node_footer_w(geo, block);
	footer_set_nid(footer, ino);
	footer_set_ino(footer, ino);
	footer_set_flag(footer, 1);
}

#endif
