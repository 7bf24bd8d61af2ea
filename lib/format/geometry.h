/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Layout arithmetic: the numbers that follow from a superblock, and the places of entries of NAT, SIT and SSA. Planning
 * a new layout is plan.h's job. Pure; needs a superblock that passed superblock_check().
 */
#ifndef F2FSKIT_FORMAT_GEOMETRY_H
#define F2FSKIT_FORMAT_GEOMETRY_H

#include <f2fskit/format.h>
#include <stdbool.h>

/* Set what depends on the block size and the packed_ssa feature only (FORMAT volume 1.2). */
void geometry_set_block_size(struct f2fs_geometry *geo, uint32_t block_bits, uint32_t feature);
/* Derive every number from a superblock's raw bytes. */
void geometry_decode(struct f2fs_geometry *geo, const uint8_t *sb);
/* Set the numbers that follow from area sizes, once those and the block size are set. */
void geometry_derive(struct f2fs_geometry *geo);

static inline bool geometry_has(const struct f2fs_geometry *geo, uint32_t feature)
{
	return (geo->feature & feature) != 0;
}

/* Is this the address of a block of the main area? */
static inline bool geometry_is_main(const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	return addr >= geo->main_blkaddr && addr < geo->end_blkaddr;
}

static inline bool geometry_is_nid(const struct f2fs_geometry *geo, f2fs_nid_t nid)
{
	return nid >= geo->root_ino && nid < geo->max_nid;
}

static inline f2fs_seg_t geometry_segment_of(const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	return (addr - geo->main_blkaddr) / F2FS_SEGMENT_BLOCKS;
}

/* Place of a block of the main area within its segment. */
static inline uint32_t geometry_offset_of(const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	return (addr - geo->main_blkaddr) % F2FS_SEGMENT_BLOCKS;
}

static inline f2fs_blk_t geometry_segment_start(const struct f2fs_geometry *geo, f2fs_seg_t segno)
{
	return geo->main_blkaddr + segno * F2FS_SEGMENT_BLOCKS;
}

/* Address of copy 0 or 1 of NAT block k: copies alternate per segment (FORMAT volume 5.2). */
static inline f2fs_blk_t geometry_nat_block(const struct f2fs_geometry *geo, uint32_t k, unsigned copy)
{
	return geo->nat_blkaddr + (k >> 9) * 1024 + (k & 511) + (copy ? 512 : 0);
}

/* Address of copy 0 or 1 of SIT block k: copies follow each other (FORMAT volume 6.3). */
static inline f2fs_blk_t geometry_sit_block(const struct f2fs_geometry *geo, uint32_t k, unsigned copy)
{
	return geo->sit_blkaddr + k + (copy ? geo->sit_blocks : 0);
}

/* Address of the SSA block of a segment, and the summary's byte offset in it (FORMAT volume 1.7). */
static inline f2fs_blk_t geometry_ssa_block(const struct f2fs_geometry *geo, f2fs_seg_t segno, uint32_t *offset)
{
	*offset = segno % geo->sums_per_block * geo->sum_size;
	return geo->ssa_blkaddr + segno / geo->sums_per_block;
}

#endif
