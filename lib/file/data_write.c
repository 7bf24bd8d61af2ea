/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing file contents: inside the inode while they fit, else as blocks; whole blocks go to the log at once, parts of
 * blocks wait as pages (FORMAT files 3.2, 4).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "file/write.h"

#define MAX_PAGES 4096u /* waiting blocks of all files before they are written */

static int check_writable(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx = inode->vol->ctx;

	if (inode_type(inode) == MODE_DIR)
		return error_set(ctx, F2FS_ERR_IS_DIR, "inode %u is a directory", (unsigned)inode->ino);
	if (inode_type(inode) != MODE_REG)
		return error_set(ctx, F2FS_ERR_INVALID, "inode %u is not a regular file", (unsigned)inode->ino);
	if (inode_is_encrypted(inode))
		return crypto_refuse(inode, "contents");
	if (inode_i_advise(inode->block) & FLAG_i_advise_verity)
		return error_set(ctx, F2FS_ERR_ACCESS, "inode %u has fs-verity enabled: it cannot be changed",
				 (unsigned)inode->ino);
	if (inode_is_alias(inode))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "changing device alias files is not supported");
	return 0;
}

static bool is_inline(const struct winode *w)
{
	return inode_has_inline(winode_block(w), FLAG_i_inline_inline_data);
}

/* Move inline contents into block 0. */
static int convert(struct winode *w)
{
	const uint32_t size = w->layout.inline_size;
	uint8_t *block = winode_block(w), *payload = block + w->layout.inline_offset, *page, *copy;
	bool exists = inode_has_inline(block, FLAG_i_inline_data_exist);
	int err = 0;

	copy = mem_alloc(w->txn->vol->ctx, size);
	if (!copy)
		return F2FS_ERR_NOMEM;
	memcpy(copy, payload, size);
	memset(payload, 0, size);
	inode_set_i_inline(block,
			   inode_i_inline(block) & (uint8_t) ~(FLAG_i_inline_inline_data | FLAG_i_inline_data_exist));
	winode_touch(w);
	if (exists) {
		err = page_get(w, 0, true, &page);
		if (!err)
			memcpy(page, copy, size);
	}
	mem_free(w->txn->vol->ctx, copy);
	return err;
}

static void write_inline(struct winode *w, uint64_t offset, const uint8_t *data, size_t length)
{
	uint8_t *block = winode_block(w);

	memcpy(block + w->layout.inline_offset + offset, data, length);
	inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_data_exist);
	node_dirty(w->txn, w->node);
}

static int write_blocks(struct winode *w, uint64_t offset, const uint8_t *data, size_t length)
{
	const uint32_t bits = w->txn->vol->geo.block_bits, bs = w->txn->vol->geo.block_size;
	const uint64_t size = inode_i_size(winode_block(w));

	while (length > 0) {
		uint64_t index = offset >> bits;
		size_t within = (size_t)(offset & (bs - 1)), n = bs - within < length ? bs - within : length;
		uint8_t *page;
		int err;

		if (within == 0 && length >= bs) {
			n = length >> bits << bits;
			if (n >> bits > F2FS_SEGMENT_BLOCKS)
				n = (size_t)F2FS_SEGMENT_BLOCKS << bits;
			err = data_append(w, index, data, (uint32_t)(n >> bits));
		} else if (within == 0 && index << bits >= size && !page_find(w->txn->vol, w->node->nid, index)) {
			/* the tail of a file that is written in one go; a later append takes it back as a page */
			memcpy(w->txn->scratch, data, n);
			memset(w->txn->scratch + n, 0, bs - n);
			err = data_append(w, index, w->txn->scratch, 1);
		} else {
			/* nothing of a block behind the end of the file needs to be kept */
			err = page_get(w, index, index << bits >= size, &page);
			if (!err)
				memcpy(page + within, data, n);
		}
		if (err)
			return err;
		offset += n;
		data += n;
		length -= n;
	}
	return 0;
}

/* The bytes between the old end of the file and a later one may hold rubbish: make them zeros. */
static int clear_tail(struct f2fs_inode *inode, struct winode *w, uint64_t size)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	const size_t within = (size_t)(size & (w->txn->vol->geo.block_size - 1));
	struct slot_ref slot;
	uint8_t *page;
	int err;

	if (within == 0)
		return 0;
	err = cluster_open(inode, w, size >> bits);
	if (err)
		return err;
	if (!page_find(w->txn->vol, w->node->nid, size >> bits)) {
		err = slot_make(w, size >> bits, &slot);
		if (err)
			return err;
		if (!geometry_is_main(&w->txn->vol->geo, get_le32(slot.raw)))
			return 0; /* a hole has no rubbish */
	}
	err = page_get(w, size >> bits, false, &page);
	if (!err)
		memset(page + within, 0, w->txn->vol->geo.block_size - within);
	return err;
}

static int begin_change(struct f2fs_inode *inode, struct winode *w)
{
	int err;

	error_clear(inode->vol->ctx);
	err = inode_sync(inode);
	if (!err)
		err = check_writable(inode);
	if (!err)
		err = txn_begin(inode->vol);
	if (!err)
		err = nodes_trim(inode->vol->txn);
	if (!err && inode->vol->txn->page_count > MAX_PAGES)
		err = pages_flush(inode->vol->txn);
	return err ? err : winode_get(inode->vol, inode->ino, w);
}

int f2fs_inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length)
{
	uint64_t end = offset + length, limit;
	struct winode w;
	int err = begin_change(inode, &w);

	if (err || length == 0)
		return err;
	if (inode_has_inline(winode_block(&w), FLAG_i_inline_compress_released))
		return error_set(inode->vol->ctx, F2FS_ERR_ACCESS,
				 "the saved blocks of inode %u are released: reserve them before it is written",
				 (unsigned)inode->ino);
	limit = node_max_file_blocks(&inode->vol->geo, w.layout.node_slots) << inode->vol->geo.block_bits;
	if (end < offset || end > limit)
		return error_set(inode->vol->ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
				 (unsigned long long)limit);
	if (is_inline(&w) && end > w.layout.inline_size)
		err = convert(&w);
	if (!err && is_inline(&w)) {
		write_inline(&w, offset, data, length);
	} else if (!err) {
		if (offset > inode_i_size(winode_block(&w)))
			err = clear_tail(inode, &w, inode_i_size(winode_block(&w)));
		if (!err && w.layout.is_compressed)
			err = clusters_write(inode, &w, offset, data, length);
		else if (!err)
			err = write_blocks(&w, offset, data, length);
		inode_set_i_ext_len(winode_block(&w), 0);
	}
	if (err)
		return err;
	if (end > inode_i_size(winode_block(&w)))
		inode_set_i_size(winode_block(&w), end);
	node_dirty(w.txn, w.node);
	return 0;
}

/* A file whose saved blocks were given back can only be cut between clusters. */
static int check_released(struct f2fs_inode *inode, const struct winode *w, uint64_t size)
{
	const uint64_t bytes = (uint64_t)w->layout.cluster_blocks << inode->vol->geo.block_bits;

	if (!w->layout.is_compressed || !inode_has_inline(winode_block(w), FLAG_i_inline_compress_released) ||
	    size % bytes == 0)
		return 0;
	return error_set(inode->vol->ctx, F2FS_ERR_INVALID,
			 "the saved blocks of inode %u are released: its size must be a multiple of %llu",
			 (unsigned)inode->ino, (unsigned long long)bytes);
}

int f2fs_inode_truncate(struct f2fs_inode *inode, uint64_t size)
{
	const uint32_t bits = inode->vol->geo.block_bits;
	struct winode w;
	uint64_t old;
	int err = begin_change(inode, &w);

	if (err)
		return err;
	if (size > node_max_file_blocks(&inode->vol->geo, w.layout.node_slots) << bits)
		return error_set(inode->vol->ctx, F2FS_ERR_TOO_BIG, "a file cannot have %llu bytes",
				 (unsigned long long)size);
	old = inode_i_size(winode_block(&w));
	err = check_released(inode, &w, size);
	if (err)
		return err;
	if (is_inline(&w) && size > w.layout.inline_size)
		err = convert(&w);
	if (!err && is_inline(&w)) {
		if (size < w.layout.inline_size)
			memset(winode_block(&w) + w.layout.inline_offset + size, 0,
			       (size_t)(w.layout.inline_size - size));
		if (size == 0)
			inode_set_i_inline(winode_block(&w),
					   inode_i_inline(winode_block(&w)) & (uint8_t)~FLAG_i_inline_data_exist);
	} else if (!err) {
		err = clear_tail(inode, &w, size < old ? size : old);
		if (!err && size < old && w.layout.is_compressed && (size >> bits) % w.layout.cluster_blocks != 0)
			err = cluster_open(inode, &w, size >> bits);
		if (!err && size < old)
			err = map_truncate(&w, (size + inode->vol->geo.block_size - 1) >> bits);
	}
	if (err)
		return err;
	inode_set_i_size(winode_block(&w), size);
	if (size == 0)
		inode_set_i_inline(winode_block(&w),
				   inode_i_inline(winode_block(&w)) & (uint8_t)~FLAG_i_inline_compress_released);
	inode_set_i_advise(winode_block(&w), inode_i_advise(winode_block(&w)) & (uint8_t)~FLAG_i_advise_keep_size);
	node_dirty(w.txn, w.node);
	return 0;
}

int f2fs_volume_commit(struct f2fs_volume *vol)
{
	error_clear(vol->ctx);
	return txn_commit(vol);
}

void f2fs_volume_discard(struct f2fs_volume *vol)
{
	error_clear(vol->ctx);
	txn_drop(vol);
}
