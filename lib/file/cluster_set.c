/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose which files are compressed and how, and release saved blocks (FORMAT files 8.5, 8.6).
 */
#include <f2fskit/compress.h>
#include <string.h>

#include "base/comp.h"
#include "base/error.h"
#include "base/extension.h"
#include "file/change.h"
#include "file/cluster_saved.h"
#include "file/compress_mark.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"

const char *f2fs_compress_name(unsigned algorithm)
{
	return comp_name(algorithm);
}

int f2fs_compress_find(const char *name)
{
	for (unsigned i = 0; i < COMP_COUNT; i++)
		if (strcmp(comp_name(i), name) == 0)
			return (int)i;
	return -1;
}

static bool is_empty(const uint8_t *block)
{
	return inode_i_size(block) == 0 && inode_i_blocks(block) == 1u + (inode_i_xattr_nid(block) != 0);
}

/* May the way an inode is compressed be changed? */
static int check_target(struct f2fs_inode *inode, const struct winode *w)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	const uint8_t *block = winode_block(w);

	if (inode_type(inode) != MODE_REG && inode_type(inode) != MODE_DIR)
		return error_set(ctx, F2FS_ERR_INVALID, "only files and directories can be compressed");
	if (!inode_has_extra(block, extra_SIZE))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "inode %u has no room for compression attributes",
				 (unsigned)inode->ino);
	if (inode_type(inode) == MODE_REG && !is_empty(block))
		return error_set(ctx, F2FS_ERR_INVALID, "only an empty file can become compressed, or cease to be");
	return 0;
}

static int begin(struct change *c, struct f2fs_inode *inode, struct winode *w)
{
	int err = change_begin_on(c, inode);

	if (!err)
		err = inode_sync(inode);
	return err ? err : winode_get(inode->vol, inode->ino, w);
}

int f2fs_compress_set(struct f2fs_inode *inode, const struct f2fs_compression *how)
{
	struct change change;
	struct winode w;
	int err = begin(&change, inode, &w);

	if (!err && how)
		err = compress_check(inode->vol, how);
	if (!err)
		err = check_target(inode, &w);
	if (err)
		return change_end(&change, err);
	winode_stamp(&w, STAMP_CTIME);
	if (how) {
		compress_mark(&w, how);
		return 0;
	}
	inode_set_i_flags(winode_block(&w), inode_i_flags(winode_block(&w)) & ~FLAG_i_flags_compr);
	inode_set_i_inline(winode_block(&w),
			   inode_i_inline(winode_block(&w)) & (uint8_t)~FLAG_i_inline_compress_released);
	winode_touch(&w);
	return 0;
}

/* Go over all clusters whose node exists. */
static int convert_all(struct f2fs_inode *inode, struct winode *w, bool reserve, uint64_t *change)
{
	const uint32_t size = w->layout.cluster_blocks;
	uint64_t at = 0;

	for (;;) {
		struct map_run run;
		int err = inode_sync(inode);

		if (!err)
			err = map_find(inode, at, &run);
		if (err == F2FS_ERR_NOT_FOUND) {
			error_clear(inode->vol->ctx);
			return 0;
		}
		for (uint64_t i = 0; !err && run.slots && i < run.count; i += size)
			err = cluster_convert(w, at + i, reserve, change);
		if (err)
			return err;
		at += run.count;
	}
}

static int convert(struct f2fs_inode *inode, struct winode *w, bool reserve, uint64_t *blocks)
{
	uint64_t change = 0;
	uint8_t *block, *extra;
	bool released;
	int err;

	if (!w->layout.is_compressed)
		return error_set(inode->vol->ctx, F2FS_ERR_INVALID, "inode %u is not compressed", (unsigned)inode->ino);
	released = inode_has_inline(winode_block(w), FLAG_i_inline_compress_released);
	if (released != reserve)
		return error_set(inode->vol->ctx, F2FS_ERR_STATE, "the saved blocks of inode %u are %s",
				 (unsigned)inode->ino, reserve ? "reserved already" : "released already");
	block = winode_block(w);
	extra = block + INODE_ADDR_OFFSET;
	if (!reserve && extra_i_compr_blocks(extra) == 0)
		return error_set(inode->vol->ctx, F2FS_ERR_ACCESS, "compression of inode %u saves nothing",
				 (unsigned)inode->ino);
	err = convert_all(inode, w, reserve, &change);
	if (err)
		return err;
	inode_set_i_inline(block, reserve ? inode_i_inline(block) & (uint8_t)~FLAG_i_inline_compress_released
					  : inode_i_inline(block) | (uint8_t)FLAG_i_inline_compress_released);
	if (!reserve)
		extra_set_i_compr_blocks(extra, 0);
	winode_stamp(w, STAMP_CTIME);
	node_dirty(w->txn, w->node);
	if (blocks)
		*blocks = change;
	return 0;
}

static int change_blocks(struct f2fs_inode *inode, bool reserve, uint64_t *blocks)
{
	struct change change;
	struct winode w;
	int err = change_begin_on(&change, inode);

	if (!err)
		err = change_flush_file(&change, inode->ino); /* what waits is compressed first */
	if (!err)
		err = inode_sync(inode);
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (!err)
		err = convert(inode, &w, reserve, blocks);
	return change_end(&change, err);
}

int f2fs_compress_release(struct f2fs_inode *inode, uint64_t *blocks)
{
	return change_blocks(inode, false, blocks);
}

int f2fs_compress_reserve(struct f2fs_inode *inode, uint64_t *blocks)
{
	return change_blocks(inode, true, blocks);
}
