/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The superblock of a new volume, and when it is on the device: cleared before anything else changes, written when all
 * the rest is durable (FORMAT volume 2).
 */
#include <string.h>

#include "device/device.h"
#include "format/superblock.h"
#include "task/mkfs.h"

/* The version of f2fs-tools whose format this is. */
#define TOOLS_MAJOR 1
#define TOOLS_MINOR 16
#define ENCODING_UTF8 1

static uint32_t log2_of(uint32_t power_of_two)
{
	uint32_t bits = 0;

	while (power_of_two >>= 1)
		bits++;
	return bits;
}

static void fill_sizes(uint8_t *sb, const struct f2fs_geometry *geo)
{
	uint32_t sector_bits = log2_of(geo->sector_size);

	sb_set_log_sectorsize(sb, sector_bits);
	sb_set_log_sectors_per_block(sb, geo->block_bits - sector_bits);
	sb_set_log_blocksize(sb, geo->block_bits);
	sb_set_log_blocks_per_seg(sb, log2_of(F2FS_SEGMENT_BLOCKS));
	sb_set_segs_per_sec(sb, geo->segs_per_sec);
	sb_set_secs_per_zone(sb, geo->secs_per_zone);
	sb_set_block_count(sb, geo->block_count);
	sb_set_section_count(sb, geo->section_count);
	sb_set_cp_payload(sb, geo->cp_payload);
}

static void fill_areas(uint8_t *sb, const struct f2fs_geometry *geo)
{
	sb_set_segment_count(sb, geo->segment_count);
	sb_set_segment_count_ckpt(sb, geo->segment_count_ckpt);
	sb_set_segment_count_sit(sb, geo->segment_count_sit);
	sb_set_segment_count_nat(sb, geo->segment_count_nat);
	sb_set_segment_count_ssa(sb, geo->segment_count_ssa);
	sb_set_segment_count_main(sb, geo->segment_count_main);
	sb_set_segment0_blkaddr(sb, geo->segment0_blkaddr);
	sb_set_cp_blkaddr(sb, geo->cp_blkaddr);
	sb_set_sit_blkaddr(sb, geo->sit_blkaddr);
	sb_set_nat_blkaddr(sb, geo->nat_blkaddr);
	sb_set_ssa_blkaddr(sb, geo->ssa_blkaddr);
	sb_set_main_blkaddr(sb, geo->main_blkaddr);
}

int mkfs_fill_superblock(struct mkfs *m)
{
	uint8_t *sb = m->sb;
	int rc;

	memset(sb, 0, sizeof(m->sb));
	sb_set_magic(sb, F2FS_MAGIC);
	sb_set_major_ver(sb, TOOLS_MAJOR);
	sb_set_minor_ver(sb, TOOLS_MINOR);
	fill_sizes(sb, m->geo);
	fill_areas(sb, m->geo);
	sb_set_root_ino(sb, ROOT_INO);
	sb_set_node_ino(sb, NODE_INO);
	sb_set_meta_ino(sb, META_INO);
	memcpy(sb_uuid_w(sb), m->result.uuid, sizeof(m->result.uuid));
	for (unsigned i = 0; i < 3; i++)
		sb_set_qf_ino(sb, i, m->result.quota_ino[i]);
	rc = mkfs_fill_names(m);
	if (rc)
		return rc;
	sb_set_feature(sb, m->geo->feature);
	if (geometry_has(m->geo, F2FS_FEATURE_CASEFOLD)) {
		sb_set_s_encoding(sb, ENCODING_UTF8);
		sb_set_s_encoding_flags(sb, m->options->encoding_flags);
	}
	if (geometry_has(m->geo, F2FS_FEATURE_SB_CHECKSUM)) {
		sb_set_checksum_offset(sb, sb_OFS_crc);
		sb_set_crc(sb, superblock_crc(sb));
	}
	return 0;
}

/* Where copies can be: 1024 bytes into block 0 and into block 1 of 4 or 16 KiB. */
int mkfs_clear_superblocks(struct mkfs *m)
{
	const uint64_t reach = 2 * 16384;

	for (unsigned i = 0; i < m->device_count; i++) {
		uint64_t size = m->layout->devices[i].size;
		int rc;

		if (m->devices[i].alias || (i > 0 && m->layout->devices[i].zone_type))
			continue;
		rc = device_zero(m->devices[i].device, 0, size < reach ? size : reach);
		if (!rc)
			rc = device_flush(m->devices[i].device);
		if (rc)
			return rc;
	}
	return 0;
}

int mkfs_write_superblocks(struct mkfs *m)
{
	uint8_t *block = mem_zalloc(m->ctx, m->geo->block_size);
	int rc = 0;

	if (!block)
		return F2FS_ERR_NOMEM;
	memcpy(block + SB_OFFSET, m->sb, sizeof(m->sb));
	for (unsigned copy = 2; !rc && copy-- > 0;) {
		rc = device_write(m->whole, mkfs_byte(m, copy), block, m->geo->block_size);
		if (!rc)
			rc = device_flush(m->whole);
	}
	mem_free(m->ctx, block);
	return rc;
}
