/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the extents and fragments of one file. The slots are visited once, in the order of the file.
 */
#include "base/error.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "fragments/file.h"
#include "fragments/fragments.h"

#include <string.h>

/* State that the next slot is compared with. */
struct count {
	const struct f2fs_inode *inode;
	const struct fragment_units *units;
	struct f2fs_file_fragments *out;
	uint64_t ideal_requests;
	uint64_t window;     /* of the reader's requests, the last one that was met, plus 1 */
	uint64_t length;     /* of the current fragment */
	uint64_t small;	     /* blocks in small fragments so far */
	uint32_t last;	     /* the last stored block */
	uint32_t extent;     /* the slot before, if an extent may continue: a block or NEW_ADDR; else NULL_ADDR */
	uint64_t cluster_end; /* file block after the current compressed cluster */
};

static void end_fragment(struct count *c)
{
	if (c->length < c->units->small)
		c->small += c->length;
	c->length = 0;
}

/* A stored block, to be read. */
static void count_stored(struct count *c, uint64_t file_block, uint32_t addr)
{
	const uint64_t window = file_block / c->units->read + 1;
	const bool follows = c->length > 0 && addr == c->last + 1;

	c->ideal_requests += window != c->window;
	c->out->requests += window != c->window || !follows;
	c->out->blocks++;
	if (!follows) {
		end_fragment(c);
		c->out->fragments++;
	}
	c->length++;
	c->window = window;
	c->last = addr;
}

static void count_slot(struct count *c, uint64_t file_block, uint32_t slot)
{
	const struct inode_layout *layout = &c->inode->layout;

	if (slot == F2FS_COMPRESS_ADDR && layout->is_compressed && file_block >= c->cluster_end) {
		c->cluster_end = file_block + layout->cluster_blocks;
		c->extent = F2FS_NULL_ADDR;
		return;
	}
	if (slot == F2FS_NULL_ADDR || slot == F2FS_COMPRESS_ADDR ||
	    (slot == F2FS_NEW_ADDR && file_block < c->cluster_end)) {
		c->extent = F2FS_NULL_ADDR;
		return;
	}
	if (file_block == c->cluster_end)
		c->extent = F2FS_NULL_ADDR;
	if (slot == F2FS_NEW_ADDR) {
		c->out->extents += c->extent != F2FS_NEW_ADDR;
		c->extent = slot;
		return;
	}
	c->out->extents += c->extent == F2FS_NULL_ADDR || c->extent == F2FS_NEW_ADDR || slot != c->extent + 1;
	c->extent = slot;
	count_stored(c, file_block, slot);
}

static int count_slots(struct count *c, struct f2fs_inode *inode)
{
	struct map_run run = { 0 };

	for (uint64_t at = 0;; at += run.count) {
		int err = map_find(inode, at, &run);

		if (err == F2FS_ERR_NOT_FOUND)
			break;
		if (err && err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO)
			return err;
		if (err)
			c->out->error = err;
		if (!run.slots)
			c->extent = F2FS_NULL_ADDR;
		for (uint64_t i = 0; run.slots && i < run.count; i++)
			count_slot(c, at + i, get_le32(run.slots + i * 4));
	}
	error_clear(inode->vol->ctx);
	return 0;
}

/* An alias of a device is one run without slots. */
static void count_alias(struct count *c, const uint8_t *raw)
{
	const uint64_t blocks = inode_i_ext_len(raw), read = c->units->read;

	c->out->blocks = blocks;
	c->out->extents = c->out->fragments = blocks > 0;
	c->out->requests = c->ideal_requests = (blocks + read - 1) / read;
}

static uint8_t type_of(unsigned mode)
{
	return mode == MODE_DIR ? F2FS_TYPE_DIRECTORY : mode == MODE_LNK ? F2FS_TYPE_SYMLINK : F2FS_TYPE_REGULAR;
}

int fragments_count(struct f2fs_inode *inode, const struct fragment_units *units, struct f2fs_file_fragments *out,
		    uint64_t *ideal_requests)
{
	struct count c = { .inode = inode, .units = units, .out = out };
	const uint8_t *raw;
	int err = inode_sync(inode);

	memset(out, 0, sizeof(*out));
	*ideal_requests = 0;
	if (err)
		return err;
	raw = inode->block;
	out->ino = inode->ino;
	out->type = type_of(inode_type(inode));
	out->size = inode_i_size(raw);
	out->is_compressed = inode->layout.is_compressed;
	out->is_pinned = inode_is_alias(inode) || inode_has_inline(raw, FLAG_i_inline_pin_file);
	out->is_inline = inode_has_inline(raw, FLAG_i_inline_inline_data) ||
			 (out->type == F2FS_TYPE_DIRECTORY && inode_has_inline(raw, FLAG_i_inline_inline_dentry));
	if (out->is_inline) {
		out->extents = out->size > 0;
		return 0;
	}
	if (inode_is_alias(inode))
		count_alias(&c, raw);
	else
		err = count_slots(&c, inode);
	if (c.length > 0)
		end_fragment(&c);
	out->ideal = out->blocks > 0;
	out->small_blocks = out->fragments > 1 ? c.small : 0;
	*ideal_requests = c.ideal_requests;
	return err;
}
