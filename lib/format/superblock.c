/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Superblock rules, in the order in which the kernel applies them (FORMAT volume 2.3), and a few that keep the
 * arithmetic of everything above safe.
 */
#include "format/superblock.h"

#include "base/checked.h"
#include "base/crc.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"

/* The version of f2fs-tools whose format this is. */
#define TOOLS_MAJOR 1
#define TOOLS_MINOR 16

const uint8_t *superblock_device(const uint8_t *sb, unsigned i)
{
	return sb_devs(sb) + (size_t)i * sbdev_SIZE;
}

unsigned superblock_device_count(const uint8_t *sb)
{
	unsigned n = 0;

	while (n < 8 && sbdev_path(superblock_device(sb, n))[0])
		n++;
	return n;
}

uint64_t superblock_device_range(const uint8_t *sb, unsigned i, uint64_t *start)
{
	uint64_t blocks = 0;

	*start = 0;
	for (unsigned k = 0; k <= i; k++) {
		*start += blocks;
		blocks = (uint64_t)sbdev_total_segments(superblock_device(sb, k)) * F2FS_SEGMENT_BLOCKS;
		if (k == 0)
			blocks += sb_segment0_blkaddr(sb);
	}
	return blocks;
}

uint32_t superblock_crc(const uint8_t *sb)
{
	return crc_f2fs(F2FS_MAGIC, sb, sb_OFS_crc);
}

static void fill_sizes(uint8_t *sb, const struct f2fs_geometry *geo)
{
	uint32_t sector_bits = 9;

	while (sector_bits < geo->block_bits && 1u << sector_bits < geo->sector_size)
		sector_bits++;
	sb_set_log_sectorsize(sb, sector_bits);
	sb_set_log_sectors_per_block(sb, geo->block_bits - sector_bits);
	sb_set_log_blocksize(sb, geo->block_bits);
	sb_set_log_blocks_per_seg(sb, 9); /* 512 */
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

void superblock_set_layout(uint8_t *sb, const struct f2fs_geometry *geo)
{
	fill_sizes(sb, geo);
	fill_areas(sb, geo);
}

void superblock_fill(uint8_t *sb, const struct f2fs_geometry *geo)
{
	sb_set_magic(sb, F2FS_MAGIC);
	sb_set_major_ver(sb, TOOLS_MAJOR);
	sb_set_minor_ver(sb, TOOLS_MINOR);
	superblock_set_layout(sb, geo);
	sb_set_root_ino(sb, ROOT_INO);
	sb_set_node_ino(sb, NODE_INO);
	sb_set_meta_ino(sb, META_INO);
	sb_set_feature(sb, geo->feature);
}

static enum rule check_sizes(const uint8_t *sb)
{
	uint32_t bits = sb_log_blocksize(sb), sector = sb_log_sectorsize(sb);

	if (bits != 12 && bits != 14)
		return RULE_SB_BLOCKSIZE;
	if (sb_log_blocks_per_seg(sb) != 9)
		return RULE_SB_SEGMENT_BLOCKS;
	if (sector < 9 || sector > bits || sector + (uint64_t)sb_log_sectors_per_block(sb) != bits)
		return RULE_SB_SECTORSIZE;
	return RULE_NONE;
}

static enum rule check_devices(const uint8_t *sb)
{
	unsigned n = superblock_device_count(sb);
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += sbdev_total_segments(superblock_device(sb, i));
	return n > 0 && sum != sb_segment_count(sb) ? RULE_SB_DEVICES : RULE_NONE;
}

static enum rule check_counts(const uint8_t *sb)
{
	uint32_t segments = sb_segment_count(sb), sections = sb_section_count(sb);
	uint32_t main_segments = sb_segment_count_main(sb), sps = sb_segs_per_sec(sb);
	enum rule rule;

	if (segments < 9 || segments > MAX_SEGMENTS)
		return RULE_SB_SEGMENT_COUNT;
	if (sections < 1 || sections > main_segments || sps < 1 || sps > segments)
		return RULE_SB_SECTION_COUNT;
	if ((uint64_t)sections * sps != main_segments)
		return RULE_SB_MAIN_SECTIONS;
	if (segments / sps < sections)
		return RULE_SB_SECTIONS_FIT;
	if (segments > sb_block_count(sb) >> 9)
		return RULE_SB_SEGMENTS_FIT;
	rule = check_devices(sb);
	if (rule)
		return rule;
	if (sb_secs_per_zone(sb) < 1 || sb_secs_per_zone(sb) > sections)
		return RULE_SB_ZONE;
	if (sb_extension_count(sb) > 64 || sb_extension_count(sb) + sb_hot_ext_count(sb) > 64)
		return RULE_SB_EXTENSIONS;
	if (sb_cp_payload(sb) >= F2FS_SEGMENT_BLOCKS - 8)
		return RULE_SB_PAYLOAD;
	return RULE_NONE;
}

static enum rule check_areas(const uint8_t *sb)
{
	uint64_t at = sb_segment0_blkaddr(sb), end;

	if (sb_node_ino(sb) != NODE_INO || sb_meta_ino(sb) != META_INO || sb_root_ino(sb) != ROOT_INO)
		return RULE_SB_RESERVED_INO;
	if (sb_cp_blkaddr(sb) != at)
		return RULE_SB_AREAS;
	at += (uint64_t)sb_segment_count_ckpt(sb) * F2FS_SEGMENT_BLOCKS;
	if (sb_sit_blkaddr(sb) != at)
		return RULE_SB_AREAS;
	at += (uint64_t)sb_segment_count_sit(sb) * F2FS_SEGMENT_BLOCKS;
	if (sb_nat_blkaddr(sb) != at)
		return RULE_SB_AREAS;
	at += (uint64_t)sb_segment_count_nat(sb) * F2FS_SEGMENT_BLOCKS;
	if (sb_ssa_blkaddr(sb) != at)
		return RULE_SB_AREAS;
	at += (uint64_t)sb_segment_count_ssa(sb) * F2FS_SEGMENT_BLOCKS;
	if (sb_main_blkaddr(sb) != at)
		return RULE_SB_AREAS;
	end = sb_segment0_blkaddr(sb) + (uint64_t)sb_segment_count(sb) * F2FS_SEGMENT_BLOCKS;
	if (at + (uint64_t)sb_segment_count_main(sb) * F2FS_SEGMENT_BLOCKS > end || end > UINT32_MAX)
		return RULE_SB_MAIN_END;
	if (sb_segment0_blkaddr(sb) < 2)
		return RULE_SB_SEGMENT0;
	return RULE_NONE;
}

/* The kernel takes these on trust; without them a lookup would leave its area. */
static enum rule check_area_sizes(const uint8_t *sb)
{
	struct f2fs_geometry geo;
	uint32_t ssa_blocks;

	geometry_decode(&geo, sb);
	if (geo.segment_count_ckpt < 2 || geo.segment_count_sit < 2 || geo.segment_count_nat < 2 ||
	    geo.sit_blocks < geo.sit_blocks_used)
		return RULE_SB_AREA_SIZES;
	ssa_blocks = div_ceil32(geo.segment_count_main, geo.sums_per_block);
	if (!geometry_has(&geo, F2FS_FEAT_RO) && (uint64_t)geo.segment_count_ssa * F2FS_SEGMENT_BLOCKS < ssa_blocks)
		return RULE_SB_AREA_SIZES;
	if (geometry_has(&geo, F2FS_FEAT_CASEFOLD) && sb_s_encoding(sb) != 1)
		return RULE_SB_ENCODING;
	return RULE_NONE;
}

enum rule superblock_check(const uint8_t *sb)
{
	enum rule rule;

	if (sb_magic(sb) != F2FS_MAGIC)
		return RULE_SB_MAGIC;
	if ((sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM) &&
	    (sb_checksum_offset(sb) != sb_OFS_crc || sb_crc(sb) != superblock_crc(sb)))
		return RULE_SB_CRC;
	rule = check_sizes(sb);
	if (!rule)
		rule = check_counts(sb);
	if (!rule)
		rule = check_areas(sb);
	if (!rule)
		rule = check_area_sizes(sb);
	return rule;
}
