/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loading of compact images. Repairing checksums here, and not in the mutator, lets every kind of mutation get past
 * them. Inputs without the flag test the checksums themselves.
 */
#include "fuzz/compact.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/inode.h"
#include "format/structs.h"
#include "format/superblock.h"

#define MAX_BLOCKS (1u << 22)

int compact_open(struct compact *c, const uint8_t *data, size_t size)
{
	if (size < COMPACT_HEADER || memcmp(data, "F2CI", 4) != 0)
		return 0;
	c->data = data;
	c->size = size;
	c->flags = data[4];
	c->block_bits = data[5] == 14 ? 14 : 12;
	c->blocks = get_le32(data + 8);
	if (c->blocks > MAX_BLOCKS)
		c->blocks = MAX_BLOCKS;
	return 1;
}

int compact_next(const struct compact *c, size_t *at, struct compact_piece *out)
{
	const uint32_t block_size = 1u << c->block_bits;
	const uint8_t *head = c->data + *at;
	size_t left;

	if (c->size - *at < COMPACT_PIECE)
		return 0;
	left = c->size - *at - COMPACT_PIECE;
	out->block = get_le32(head);
	out->offset = get_le16(head + 4) & (block_size - 1);
	out->length = get_le16(head + 6);
	out->bytes = head + COMPACT_PIECE;
	if (out->length > left)
		out->length = (uint32_t)left;
	*at += COMPACT_PIECE + out->length;
	if (out->length > block_size - out->offset)
		out->length = block_size - out->offset;
	return 1;
}

struct repair {
	struct f2fs_device *dev;
	struct f2fs_geometry geo;
	uint32_t seed; /* of inode checksums */
	uint8_t *block;
};

static int read_block(struct repair *r, uint64_t addr)
{
	return f2fs_device_read(r->dev, addr << r->geo.block_bits, r->block, r->geo.block_size);
}

static int write_block(struct repair *r, uint64_t addr)
{
	return f2fs_device_write(r->dev, addr << r->geo.block_bits, r->block, r->geo.block_size);
}

/* Seal both superblocks, and take the geometry from the first one that is valid then; 0 if none is. */
static int repair_superblocks(struct repair *r)
{
	int found = 0;

	for (unsigned copy = 0; copy < 2; copy++) {
		uint8_t *sb = r->block + SB_OFFSET;

		if (read_block(r, copy) != 0)
			return 0;
		if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM) {
			sb_set_crc(sb, superblock_crc(sb));
			if (write_block(r, copy) != 0)
				return 0;
		}
		if (!found && superblock_check(sb) == RULE_NONE) {
			uint32_t bits = r->geo.block_bits;

			found = 1;
			geometry_decode(&r->geo, sb);
			r->seed = crc_f2fs(0xFFFFFFFF, sb_uuid(sb), 16);
			if (r->geo.block_bits != bits)
				return 0;
		}
	}
	return found;
}

/* Seal the block at addr if its checksum has a place; *total is the pack's size. */
static int seal_checkpoint(struct repair *r, uint64_t addr, uint64_t *version, uint32_t *total)
{
	if (read_block(r, addr) != 0)
		return 0;
	if (cp_checksum_offset(r->block) < cp_SIZE || cp_checksum_offset(r->block) > r->geo.block_size - 4)
		return 0;
	if (*total)
		cp_set_checkpoint_ver(r->block, *version);
	*version = cp_checkpoint_ver(r->block);
	*total = cp_cp_pack_total_block_count(r->block);
	put_le32(r->block + cp_checksum_offset(r->block), checkpoint_crc(r->block, r->geo.block_size));
	return write_block(r, addr) == 0;
}

static void repair_packs(struct repair *r)
{
	for (unsigned pack = 0; pack < 2; pack++) {
		uint64_t base = r->geo.cp_blkaddr + (uint64_t)pack * F2FS_SEGMENT_BLOCKS, version = 0;
		uint32_t total = 0;

		if (seal_checkpoint(r, base, &version, &total) && total > 2 && total <= F2FS_SEGMENT_BLOCKS)
			seal_checkpoint(r, base + total - 1, &version, &total);
	}
}

static void repair_inode(struct repair *r, uint32_t addr)
{
	const uint8_t *footer;

	if (!geometry_is_main(&r->geo, addr) || read_block(r, addr) != 0)
		return;
	footer = node_footer(&r->geo, r->block);
	if (footer_nid(footer) != footer_ino(footer) || footer_nid(footer) == 0 ||
	    !inode_has_checksum(&r->geo, r->block))
		return;
	extra_set_i_inode_checksum(r->block + INODE_ADDR_OFFSET, inode_checksum(&r->geo, r->block, r->seed));
	write_block(r, addr);
}

static void repair_checksums(const struct compact *c, struct f2fs_device *dev)
{
	struct repair r = { .dev = dev };
	struct compact_piece piece;
	size_t at = COMPACT_HEADER;
	uint32_t last = 0;

	r.block = malloc(1u << c->block_bits);
	if (!r.block)
		abort();
	geometry_set_block_size(&r.geo, c->block_bits, 0);
	if (repair_superblocks(&r)) {
		repair_packs(&r);
		while (compact_next(c, &at, &piece)) {
			if (piece.block != last)
				repair_inode(&r, piece.block);
			last = piece.block;
		}
	}
	free(r.block);
}

int compact_load(const struct compact *c, struct f2fs_device *dev)
{
	struct compact_piece piece;
	size_t at = COMPACT_HEADER;

	while (compact_next(c, &at, &piece)) {
		uint64_t offset = ((uint64_t)piece.block << c->block_bits) + piece.offset;
		int rc;

		if (piece.block >= c->blocks || piece.length == 0)
			continue;
		rc = f2fs_device_write(dev, offset, piece.bytes, piece.length);
		if (rc != 0)
			return rc;
	}
	if (c->flags & COMPACT_REPAIR)
		repair_checksums(c, dev);
	return 0;
}
