/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing file contents: inside the inode while they fit, else as blocks (FORMAT files 3.2, 4). New whole blocks go to
 * the log at once. Parts of blocks, and small writes over blocks that have contents, wait as pages.
 *
 * Writes of a volume that is written synchronously, and atomic ones, are durable when they return.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/change_rules.h"
#include "file/change_trim.h"
#include "file/cluster_write.h"
#include "file/crypto.h"
#include "file/data_append.h"
#include "file/fsync.h"
#include "file/inode_sync.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/pages_flush.h"
#include "file/place.h"
#include "file/run.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "log/space.h"
#include "log/streams.h"
#include "volume/block_read.h"

#define SMALL_BLOCKS 4u /* the longest write that waits: pages of databases are not larger */

static int check_writable(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx = inode->vol->ctx;

	if (inode_type(inode) == MODE_DIR)
		return error_set(ctx, F2FS_ERR_IS_DIR, "inode %u is a directory", (unsigned)inode->ino);
	if (inode_type(inode) != MODE_REG)
		return error_set(ctx, F2FS_ERR_WRONG_TYPE, "inode %u is not a regular file", (unsigned)inode->ino);
	if (inode_i_advise(inode->block) & FLAG_i_advise_verity)
		return error_set(ctx, F2FS_ERR_ACCESS, "inode %u has fs-verity enabled: it cannot be changed",
				 (unsigned)inode->ino);
	if (inode_is_alias(inode))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "changing device alias files is not supported");
	return crypto_check_contents(inode);
}

int data_convert(struct winode *w)
{
	const uint32_t size = w->layout.inline_size;
	uint8_t *block = winode_block(w), *payload = block + w->layout.inline_offset, *page, *copy;
	bool exists = inode_has_inline(block, FLAG_i_inline_data_exist);
	int err = 0;

	if (!winode_is_inline(w))
		return 0;
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

/* How long may a block wait? */
static int level_of(struct winode *w, uint64_t file_block, struct slot_ref *slot, unsigned *level)
{
	const struct f2fs_placement *p = placement_of(w->txn->vol);
	int err = slot_find(w, file_block, slot);

	if (err)
		return err;
	*level = p->delay(p->user, w->node->nid, file_block, slot->node ? place_block(w->txn, slot->raw) : 0);
	*level = *level > F2FS_DELAY_MAX ? F2FS_DELAY_MAX : *level;
	return 0;
}

/* Write whole blocks of a file whose placement lets some of them wait; all_wait: without it, too. */
static int write_some_later(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count, bool all_wait)
{
	struct txn *txn = w->txn;
	struct f2fs_stream_stat *stat = &txn->vol->streams->stat;
	const uint32_t bits = txn->vol->geo.block_bits;
	uint32_t first = 0; /* of those that do not wait */
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const bool waits = page_find(txn->vol, w->node->nid, file_block + i) != NULL;
		struct slot_ref slot;
		unsigned level;
		uint8_t *page;

		err = level_of(w, file_block + i, &slot, &level);
		if (err || (level == 0 && !waits && !all_wait))
			continue;
		if (first < i)
			err = data_append(w, file_block + first, data + ((size_t)first << bits), i - first);
		if (!err)
			err = page_put(w, file_block + i, &slot, data + ((size_t)i << bits), &page);
		if (err)
			break;
		page_delay(txn, page, level);
		stat->saved += waits;
		stat->held += !waits && level > 0;
		first = i + 1;
	}
	if (!err && first < count)
		err = data_append(w, file_block + first, data + ((size_t)first << bits), count - first);
	return err;
}

/*
 * Is a write of that many whole blocks one that waits? A small one over blocks that have contents or wait already.
 * *slot is that of the first one if it had to be found.
 */
static int waits(struct winode *w, uint64_t file_block, uint32_t count, struct slot_ref *slot, bool *out)
{
	struct f2fs_volume *vol = w->txn->vol;
	int err = 0;

	*out = false;
	if (count > SMALL_BLOCKS || vol->write.at_once || inode_has_inline(winode_block(w), FLAG_i_inline_pin_file))
		return 0;
	*out = page_find(vol, w->node->nid, file_block) != NULL;
	if (!*out && space_lets_wait(w->txn)) {
		err = slot_find(w, file_block, slot);
		*out = !err && slot->node && geometry_is_main(&vol->geo, get_le32(slot->raw));
	}
	return err;
}

/* Write whole blocks: to a log, or to memory first. */
static int write_whole(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	struct slot_ref slot = { 0 };
	bool later;
	int err = waits(w, file_block, count, &slot, &later);

	if (!err && place_delays(w))
		return write_some_later(w, file_block, data, count, later);
	if (!err && !later)
		return data_append(w, file_block, data, count);
	for (uint32_t i = 0; i < count && !err; i++) {
		uint8_t *page;

		err = page_put(w, file_block + i, i == 0 ? &slot : NULL, data + ((size_t)i << bits), &page);
	}
	return err;
}

/* Write a part of a block: to memory, or at once when there is little room. */
static int write_part(struct winode *w, uint64_t file_block, size_t within, const uint8_t *data, size_t length)
{
	struct f2fs_volume *vol = w->txn->vol;
	/* no byte of a block past the end of the file needs to be kept */
	const bool is_fresh = file_block << vol->geo.block_bits >= inode_i_size(winode_block(w));
	uint8_t *block = w->txn->scratch;
	const bool waits = page_find(vol, w->node->nid, file_block) || space_lets_wait(w->txn);
	int err = 0;

	/* the last block of a file that is written at once; a later append reads it back as a page */
	if (is_fresh && within == 0 && !page_find(vol, w->node->nid, file_block))
		memset(block, 0, vol->geo.block_size);
	else if (waits)
		err = page_get(w, file_block, is_fresh, &block);
	else
		err = page_read(w, file_block, is_fresh, block);
	if (err)
		return err;
	memcpy(block + within, data, length);
	return block == w->txn->scratch ? data_append(w, file_block, block, 1) : 0;
}

static int write_blocks(struct winode *w, uint64_t offset, const uint8_t *data, size_t length)
{
	const uint32_t bits = w->txn->vol->geo.block_bits, bs = w->txn->vol->geo.block_size;

	while (length > 0) {
		uint64_t index = offset >> bits;
		size_t within = (size_t)(offset & (bs - 1)), n = bs - within < length ? bs - within : length;
		int err;

		if (within == 0 && length >= bs) {
			n = length >> bits << bits;
			if (n >> bits > F2FS_SEGMENT_BLOCKS)
				n = (size_t)F2FS_SEGMENT_BLOCKS << bits;
			err = write_whole(w, index, data, (uint32_t)(n >> bits));
		} else {
			err = write_part(w, index, within, data, n);
		}
		if (err)
			return err;
		offset += n;
		data += n;
		length -= n;
	}
	return 0;
}

/* Blocks of a pinned file that the last checkpoint has stay where they are. */
static int need_movable(struct winode *w, uint64_t from, uint64_t to)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t end = (to + geo->block_size - 1) >> geo->block_bits;
	struct slot_ref run;

	if (!inode_has_inline(winode_block(w), FLAG_i_inline_pin_file) ||
	    winode_in_place(w) != F2FS_IN_PLACE_NEVER)
		return 0;
	for (uint64_t at = from >> geo->block_bits; at < end; at += run.count) {
		int err = slot_find(w, at, &run);

		for (uint32_t i = 0; !err && run.node && i < run.count && at + i < end; i++) {
			bool stays = false;

			err = block_is_old(w->txn, get_le32(run.raw + (size_t)i * 4), &stays);
			if (stays)
				err = error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED,
						"inode %u is pinned: its blocks can only be written in place",
						(unsigned)w->node->nid);
		}
		if (err)
			return err;
	}
	return 0;
}

int data_clear_tail(struct f2fs_inode *inode, struct winode *w, uint64_t size)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint64_t index = size >> vol->geo.block_bits;
	const size_t within = (size_t)(size & (vol->geo.block_size - 1)), n = vol->geo.block_size - within;
	struct slot_ref slot;
	uint8_t *page;
	int err;

	if (within == 0)
		return 0;
	err = cluster_open(inode, w, index);
	if (err)
		return err;
	if (!page_find(vol, w->node->nid, index)) {
		err = slot_find(w, index, &slot);
		if (err || !slot.node || !geometry_is_main(&vol->geo, get_le32(slot.raw)))
			return err; /* a hole has no rubbish */
		err = volume_read(vol, get_le32(slot.raw), 0, w->txn->scratch, vol->geo.block_size);
		if (!err)
			err = crypto_open_blocks_of(w, index, w->txn->scratch, 1);
		if (err || is_zero(w->txn->scratch + within, n))
			return err;
		err = need_movable(w, size, size + 1);
		if (err)
			return err;
	}
	err = page_get(w, index, false, &page);
	if (!err)
		memset(page + within, 0, n);
	return err;
}

int data_begin(struct change *c, struct f2fs_inode *inode, struct winode *w)
{
	int err = change_begin_on(c, inode);

	if (!err)
		err = inode_sync(inode);
	if (!err)
		err = check_writable(inode);
	return err ? err : winode_get(inode->vol, inode->ino, w);
}

int data_need_reserved(const struct winode *w)
{
	if (!inode_has_inline(winode_block(w), FLAG_i_inline_compress_released) || change_releases(w->txn))
		return 0;
	return error_set(w->txn->vol->ctx, F2FS_ERR_ACCESS,
			 "the saved blocks of inode %u are released: reserve them before it is written",
			 (unsigned)w->node->nid);
}

int data_need_no_hole(const struct winode *w, uint64_t offset)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t size = inode_i_size(winode_block(w)), last = geo->block_size - 1;

	if (!w->layout.is_compressed || !geometry_has(geo, F2FS_FEAT_RO) || offset <= ((size + last) & ~last))
		return 0;
	return error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED,
			 "inode %u is compressed, and kernels misread holes of such files on volumes with the feature "
			 "ro: write zeros from byte %llu on",
			 (unsigned)w->node->nid, (unsigned long long)size);
}

uint64_t data_max_size(const struct winode *w)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;

	return node_max_file_blocks(geo, w->layout.node_slots) << geo->block_bits;
}

static int write_file(struct f2fs_inode *inode, struct winode *w, uint64_t offset, const void *data, size_t length)
{
	uint64_t end = offset + length;
	int err;

	if (length == 0)
		return 0;
	err = data_need_reserved(w);
	if (!err)
		err = data_need_no_hole(w, offset);
	if (err)
		return err;
	if (end < offset || end > data_max_size(w))
		return error_set(w->txn->vol->ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
				 (unsigned long long)data_max_size(w));
	if (winode_is_inline(w) && end <= w->layout.inline_size) {
		write_inline(w, offset, data, length);
	} else {
		err = map_need_space(w, offset, end);
		if (!err)
			err = need_movable(w, offset, end);
		if (!err)
			err = data_convert(w);
		if (!err && offset > inode_i_size(winode_block(w)))
			err = data_clear_tail(inode, w, inode_i_size(winode_block(w)));
		if (!err && w->layout.is_compressed)
			err = clusters_write(inode, w, offset, data, length);
		else if (!err)
			err = write_blocks(w, offset, data, length);
		if (!err)
			err = pages_flush_pinned(w);
		if (err)
			return err;
		inode_set_i_ext_len(winode_block(w), 0);
	}
	if (end > inode_i_size(winode_block(w)))
		inode_set_i_size(winode_block(w), end);
	winode_stamp(w, STAMP_MTIME);
	node_dirty(w->txn, w->node);
	return 0;
}

static int write_once(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length)
{
	struct change change;
	struct winode w;
	int err = data_begin(&change, inode, &w);

	if (!err)
		err = write_file(inode, &w, offset, data, length);
	return change_end(&change, err);
}

/* f2fs_inode_write() without the effects of the volume's mode of writing. */
static int inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length)
{
	/* long writes are done in pieces of this size, with a possible commit in between */
	const size_t step = (size_t)SPACE_STEP_BLOCKS << inode->vol->geo.block_bits;
	const uint8_t *from = data, *const start = data;
	int err = 0;

	if (!inode->vol->write.commit_when_full || length > UINT64_MAX - offset)
		return write_once(inode, offset, data, length);
	do {
		const size_t n = length < step ? length : step;

		err = write_once(inode, offset, from, n);
		offset += n;
		from += n;
		length -= n;
	} while (!err && length > 0);
	if (err && from - start > (ptrdiff_t)step) /* pieces before the last one were written */
		f2fs_volume_fail(inode->vol);
	return err;
}

/* Make sure that all parts fit, as one that does not would stop the change half-way. */
static int need_space_for_parts(struct winode *w, const struct f2fs_write_part *parts, size_t count, bool is_exact)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t end = parts[i].offset + parts[i].length;
		uint64_t blocks = 0;
		int err = 0;

		if (parts[i].length > 0 && !(winode_is_inline(w) && end <= w->layout.inline_size))
			err = map_count_space(w, parts[i].offset, end, is_exact, &blocks);
		if (err)
			return err;
		all += blocks;
	}
	return space_need(w->txn, all);
}

/* Write several parts as one change, none of it in place as long as the transaction's elsewhere names the inode. */
static int data_write_parts(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count)
{
	struct change change;
	struct winode w;
	int err = data_begin(&change, inode, &w);

	if (err)
		return change_end(&change, err);
	err = need_space_for_parts(&w, parts, count, false);
	if (err == F2FS_ERR_NOSPC) {
		error_clear(inode->vol->ctx);
		err = need_space_for_parts(&w, parts, count, true);
	}
	if (err)
		return change_end(&change, err);
	/* the old contents stay on the device until the new ones are complete */
	w.txn->file->elsewhere = inode->ino;
	for (size_t i = 0; i < count && !err; i++) {
		err = winode_breathe(&w);
		if (!err)
			err = inode_sync(inode);
		if (!err)
			err = write_file(inode, &w, parts[i].offset, parts[i].data, parts[i].length);
	}
	return change_end(&change, err);
}

int f2fs_inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length)
{
	int err = inode_write(inode, offset, data, length);

	if (err || inode->vol->sync_mode == F2FS_SYNC_NONE)
		return err;
	return inode_fsync(inode, inode->vol->sync_mode == F2FS_SYNC_DATA ? F2FS_FSYNC_DATA : 0);
}

/* Check all pieces before the first one is written. */
static int check_parts(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;
	int err = inode_sync(inode);
	uint64_t limit;

	if (err)
		return err;
	limit = node_max_file_blocks(geo, inode->layout.node_slots) << geo->block_bits;
	for (size_t i = 0; i < count; i++)
		if (parts[i].length > 0 && (parts[i].length > limit || parts[i].offset > limit - parts[i].length))
			return error_set(inode->vol->ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
					 (unsigned long long)limit);
	return 0;
}

int f2fs_inode_write_atomic(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count)
{
	struct f2fs_volume *vol = inode->vol;
	int err;

	error_clear(vol->ctx);
	err = check_parts(inode, parts, count);
	if (err)
		return err;
	if (inode_has_inline(inode->block, FLAG_i_inline_pin_file))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "pinned files are written in place, not atomically");
	/* all parts are one change: no commit happens between them, even if the options allow commits */
	err = data_write_parts(inode, parts, count);
	if (!err)
		err = inode_fsync(inode, 0);
	if (vol->txn)
		vol->txn->file->elsewhere = 0;
	return err;
}
