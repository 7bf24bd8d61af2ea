/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the size of a file: cut its contents, or let it grow by a hole.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/change_rules.h"
#include "file/cluster_write.h"
#include "file/map_cut.h"
#include "file/pages_flush.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "log/space.h"
#include "log/streams.h"

static void truncate_inline(struct winode *w, uint64_t size)
{
	uint8_t *block = winode_block(w);

	if (size < w->layout.inline_size)
		memset(block + w->layout.inline_offset + size, 0, (size_t)(w->layout.inline_size - size));
	if (size == 0)
		inode_set_i_inline(block, inode_i_inline(block) & (uint8_t)~FLAG_i_inline_data_exist);
}

/* A file whose saved blocks were released can only be cut between clusters, unless it is being made. */
static int check_released(const struct winode *w, uint64_t size)
{
	const uint64_t bytes = (uint64_t)w->layout.cluster_blocks << w->txn->vol->geo.block_bits;

	if (!w->layout.is_compressed || !inode_has_inline(winode_block(w), FLAG_i_inline_compress_released) ||
	    size % bytes == 0 || change_releases(w->txn))
		return 0;
	return error_set(w->txn->vol->ctx, F2FS_ERR_INVALID,
			 "the saved blocks of inode %u are released: its size must be a multiple of %llu",
			 (unsigned)w->node->nid, (unsigned long long)bytes);
}

static int truncate_blocks(struct f2fs_inode *inode, struct winode *w, uint64_t size)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t old = inode_i_size(winode_block(w));
	int err = data_clear_tail(inode, w, size < old ? size : old);

	if (err || size > old)
		return err;
	if (w->layout.is_compressed && (size >> geo->block_bits) % w->layout.cluster_blocks != 0)
		err = cluster_open(inode, w, size >> geo->block_bits);
	/* blocks reserved past the end go, too */
	inode_set_i_advise(winode_block(w), inode_i_advise(winode_block(w)) & (uint8_t)~FLAG_i_advise_keep_size);
	return err ? err : map_truncate(w, (size + geo->block_size - 1) >> geo->block_bits);
}

/* Before anything is changed: is there room for contents that leave the inode? */
static int truncate_need_space(const struct winode *w, uint64_t size)
{
	const int leaves = winode_is_inline(w) && size > w->layout.inline_size &&
			   inode_has_inline(winode_block(w), FLAG_i_inline_data_exist);

	return leaves ? space_need(w->txn, 1) : 0;
}

static int truncate_file(struct f2fs_inode *inode, struct winode *w, uint64_t size)
{
	int err = check_released(w, size);

	if (!err)
		err = data_need_no_hole(w, size);
	if (err)
		return err;
	if (size > data_max_size(w))
		return error_set(w->txn->vol->ctx, F2FS_ERR_TOO_BIG, "a file cannot have %llu bytes",
				 (unsigned long long)size);
	err = truncate_need_space(w, size);
	if (err)
		return err;
	if (winode_is_inline(w) && size <= w->layout.inline_size) {
		truncate_inline(w, size);
	} else {
		err = data_convert(w);
		if (!err)
			err = truncate_blocks(inode, w, size);
		if (!err)
			err = pages_flush_pinned(w);
		if (err)
			return err;
	}
	inode_set_i_size(winode_block(w), size);
	if (size == 0)
		inode_set_i_inline(winode_block(w),
				   inode_i_inline(winode_block(w)) & (uint8_t)~FLAG_i_inline_compress_released);
	winode_stamp(w, STAMP_MTIME);
	node_dirty(w->txn, w->node);
	return 0;
}

int f2fs_inode_truncate(struct f2fs_inode *inode, uint64_t size)
{
	struct change change;
	struct winode w;
	int err = data_begin(&change, inode, &w);

	if (!err)
		err = truncate_file(inode, &w, size);
	return change_end(&change, err);
}
