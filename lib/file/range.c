/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fallocate(2) on files of the volume, with the results that the kernel leaves: reserved blocks, holes, zeros, ranges
 * taken out and put in (FORMAT files 4). Moved blocks are copied: the summary of a block that the last checkpoint uses
 * cannot change its owner.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/crypto.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/pages.h"
#include "file/pages_flush.h"
#include "file/pin.h"
#include "file/range.h"
#include "file/range_blocks.h"
#include "file/range_move.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "log/pinned.h"
#include "log/space.h"

/* The range in bytes and in whole blocks. */
struct range {
	struct f2fs_inode *inode;
	uint64_t offset, end;
	uint64_t first, last; /* whole blocks inside: [first, last) */
	uint32_t head, tail;  /* bytes of the block before first from its "offset" on, and of block last */
	uint64_t head_block;  /* the block that head is in */
	uint32_t head_from;   /* where in it */
	uint64_t size;	      /* of the file */
	unsigned flags;
	bool is_pinned;
	bool is_stamped;      /* from here on the file is stamped, even if the call fails */
	struct pinned pinned; /* blocks for a pinned file */
};

static void divide(struct range *r, uint32_t bits)
{
	const uint64_t bs = (uint64_t)1 << bits;

	r->head_block = r->offset >> bits;
	r->head_from = (uint32_t)(r->offset & (bs - 1));
	r->first = (r->offset + bs - 1) >> bits;
	r->last = r->end >> bits;
	r->tail = (uint32_t)(r->end & (bs - 1));
	r->head = r->head_from ? (uint32_t)(bs - r->head_from) : 0;
	if (r->last < r->first) { /* within one block */
		r->head = (uint32_t)(r->end - r->offset);
		r->tail = 0;
		r->last = r->first;
	}
}

/* Zero bytes of one block. Like the kernel this gives a hole a block; past the end of the file it stays reserved. */
static int zero_part(struct winode *w, const struct range *r, uint64_t block, uint32_t from, uint32_t count)
{
	struct slot_ref slot;
	uint8_t *page;
	int err;

	if (count == 0)
		return 0;
	if (block << w->txn->vol->geo.block_bits >= r->size) {
		err = slot_make(w, block, &slot);
		return err ? err : slot_reserve(w, &slot);
	}
	err = page_get(w, block, false, &page);
	if (!err)
		memset(page + from, 0, count);
	return err;
}

static int zero_edges(struct winode *w, const struct range *r)
{
	int err = zero_part(w, r, r->head_block, r->head_from, r->head);

	return err ? err : zero_part(w, r, r->last, 0, r->tail);
}

static int punch_hole(struct winode *w, struct range *r)
{
	int err = data_convert(w);

	if (!err)
		err = zero_edges(w, r);
	return err ? err : range_punch(w, r->first, r->last);
}

/* The file grows to the end of the range, or is marked as having blocks past its end. */
static int grow(struct winode *w, const struct range *r)
{
	uint8_t *block = winode_block(w);
	int err = 0;

	if (r->end <= r->size)
		return 0;
	if (r->flags & F2FS_FALLOCATE_KEEP_SIZE) {
		inode_set_i_advise(block, inode_i_advise(block) | (uint8_t)FLAG_i_advise_keep_size);
	} else {
		err = data_clear_tail(r->inode, w, r->size);
		inode_set_i_size(winode_block(w), r->end);
	}
	node_dirty(w->txn, w->node);
	return err;
}

static int zero_range(struct winode *w, struct range *r)
{
	int err = data_convert(w);

	if (!err)
		err = grow(w, r);
	r->size = inode_i_size(winode_block(w)); /* blocks at the edges that are inside the file now are written */
	if (!err)
		err = zero_edges(w, r);
	return err ? err : range_reserve(w, r->first, r->last, true);
}

static int preallocate(struct winode *w, struct range *r)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	uint64_t first = r->offset >> bits, end = (r->end + ((uint64_t)1 << bits) - 1) >> bits;
	int err = data_convert(w);

	if (!err)
		err = grow(w, r);
	if (!err && r->is_pinned) {
		pin_align(w, &first, &end);
		return pin_preallocate(w, first, end, &r->pinned);
	}
	return err ? err : range_reserve(w, first, end, false);
}

static int collapse(struct winode *w, const struct range *r, uint8_t *buffer)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	const uint64_t blocks = (r->size + w->txn->vol->geo.block_size - 1) >> bits;
	const uint64_t size = r->size - (r->end - r->offset);
	int err = range_move(w, r->last, r->first, blocks - r->last, buffer);

	if (!err)
		err = map_truncate(w, (size + w->txn->vol->geo.block_size - 1) >> bits);
	inode_set_i_size(winode_block(w), size);
	return err;
}

/* Move from the end backwards, in pieces no longer than the distance. */
static int insert(struct winode *w, const struct range *r, uint8_t *buffer)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	const uint64_t distance = r->last - r->first;
	uint64_t at = (r->size + w->txn->vol->geo.block_size - 1) >> bits;
	int err = map_truncate(w, at); /* blocks reserved past the end of the file do not move */

	while (!err && at > r->first) {
		uint64_t n = at - r->first < distance ? at - r->first : distance;

		at -= n;
		err = range_move(w, at, at + distance, n, buffer);
	}
	inode_set_i_size(winode_block(w), r->size + (r->end - r->offset));
	return err;
}

static int shift(struct winode *w, struct range *r)
{
	const bool out = r->flags & F2FS_FALLOCATE_COLLAPSE_RANGE;
	struct f2fs_context *ctx = w->txn->vol->ctx;
	uint8_t *buffer = mem_alloc(ctx, (size_t)RANGE_COPY_BLOCKS << w->txn->vol->geo.block_bits);
	int err = buffer ? data_convert(w) : F2FS_ERR_NOMEM;

	if (!err)
		err = data_clear_tail(r->inode, w, r->size);
	if (!err)
		err = out ? collapse(w, r, buffer) : insert(w, r, buffer);
	mem_free(ctx, buffer);
	node_dirty(w->txn, w->node);
	return err;
}

/* What each operation needs; flags are compared without KEEP_SIZE. */
struct operation {
	unsigned flag;
	bool takes_blocks;
	int (*run)(struct winode *w, struct range *r);
};

static const struct operation operations[] = {
	{ 0, true, preallocate },
	{ F2FS_FALLOCATE_PUNCH_HOLE, false, punch_hole },
	{ F2FS_FALLOCATE_COLLAPSE_RANGE, false, shift },
	{ F2FS_FALLOCATE_ZERO_RANGE, true, zero_range },
	{ F2FS_FALLOCATE_INSERT_RANGE, false, shift },
};

static const struct operation *find_operation(struct f2fs_context *ctx, unsigned flags)
{
	const unsigned alone = F2FS_FALLOCATE_COLLAPSE_RANGE | F2FS_FALLOCATE_INSERT_RANGE;

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const struct operation *op = &operations[i];

		if (op->flag != (flags & ~(unsigned)F2FS_FALLOCATE_KEEP_SIZE))
			continue;
		if ((flags & F2FS_FALLOCATE_KEEP_SIZE) ? !(op->flag & alone) : op->flag != F2FS_FALLOCATE_PUNCH_HOLE)
			return op;
	}
	error_set(ctx, F2FS_ERR_INVALID, "flags %x do not go together", flags);
	return NULL;
}

static int check_shift(const struct winode *w, const struct range *r)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	const bool out = r->flags & F2FS_FALLOCATE_COLLAPSE_RANGE;

	if ((r->offset | r->end) & (w->txn->vol->geo.block_size - 1))
		return error_set(ctx, F2FS_ERR_INVALID, "the range is not made of whole blocks");
	if (out ? r->end >= r->size : r->offset >= r->size)
		return error_set(ctx, F2FS_ERR_INVALID, "the range does not end inside the file of %llu bytes",
				 (unsigned long long)r->size);
	if (!out && r->size + (r->end - r->offset) > data_max_size(w))
		return error_set(ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
				 (unsigned long long)data_max_size(w));
	/* each block is freed before its new place is written, so only nodes take additional room */
	return space_need(w->txn, (r->size >> w->txn->vol->geo.block_bits) / w->layout.node_slots + 8);
}

static int check_pinned(struct winode *w, struct range *r)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	uint64_t first = r->offset >> bits, end = (r->end + ((uint64_t)1 << bits) - 1) >> bits;

	pin_align(w, &first, &end);
	return pin_need_space(w, first, end, &r->pinned);
}

/* Check the arguments that the kernel refuses before it looks at the file's contents. */
static int check_arguments(struct winode *w, const struct operation *op, struct range *r)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	int err;

	if (r->end <= r->offset)
		return error_set(ctx, F2FS_ERR_INVALID, "a range has at least one byte");
	if (r->end > data_max_size(w))
		return error_set(ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
				 (unsigned long long)data_max_size(w));
	r->is_pinned = inode_has_inline(winode_block(w), FLAG_i_inline_pin_file);
	if (r->is_pinned && op->flag != 0)
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "inode %u is pinned: its blocks stay where they are",
				 (unsigned)w->node->nid);
	if (w->layout.is_compressed && op->flag != 0)
		return error_set(ctx, F2FS_ERR_UNSUPPORTED,
				 "ranges of compressed files are written or cut, nothing else");
	if (winode_is_encrypted(w) && (op->flag & (F2FS_FALLOCATE_COLLAPSE_RANGE | F2FS_FALLOCATE_INSERT_RANGE)))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "blocks of encrypted files cannot move within the file");
	err = data_need_no_hole(w, r->end);
	return err ? err : data_need_reserved(w);
}

static int check_contents(struct winode *w, const struct operation *op, struct range *r)
{
	if (r->is_pinned)
		return check_pinned(w, r);
	if (op->run == shift)
		return check_shift(w, r);
	return op->takes_blocks ? map_need_space(w, r->offset, r->end) : space_need(w->txn, 8);
}

static int run_operation(struct winode *w, const struct operation *op, struct range *r)
{
	int err;

	r->size = inode_i_size(winode_block(w));
	err = check_arguments(w, op, r);
	if (err)
		return err;
	r->is_stamped = true;
	err = check_contents(w, op, r);
	if (err)
		return err;
	if (op->run != punch_hole || r->offset < r->size) {
		divide(r, w->txn->vol->geo.block_bits);
		err = op->run(w, r);
		if (!err)
			err = pages_flush_pinned(w);
		inode_set_i_ext_len(winode_block(w), 0);
	}
	winode_stamp(w, STAMP_MTIME);
	return err;
}

/* GC may win sections for a pinned file. If not, the first error stays. */
static int win_sections(struct change *change, uint64_t wanted, bool *won)
{
	struct f2fs_error_detail detail = change->vol->ctx->error;
	int err = change_win_sections(change, wanted, won);

	if (!err && !*won)
		change->vol->ctx->error = detail;
	return err;
}

/* GC ends the transaction that w was of: get it in the one that runs now. False when there is none. */
static bool get_again(const struct f2fs_inode *inode, struct winode *w)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_error_detail detail = ctx->error;

	if (!inode->vol->txn)
		return false;
	if (winode_get(inode->vol, inode->ino, w) == 0)
		return true;
	ctx->error = detail;
	return false;
}

int f2fs_fallocate(struct f2fs_inode *inode, unsigned flags, uint64_t offset, uint64_t length)
{
	struct range r = { .inode = inode, .offset = offset, .end = offset + length, .flags = flags };
	const struct operation *op;
	struct change change;
	struct winode w;
	bool again = false, is_there = true;
	int err, end;

	do {
		r.pinned.wanted = 0;
		err = data_begin(&change, inode, &w);
		if (!err) {
			op = find_operation(inode->vol->ctx, flags);
			err = op ? run_operation(&w, op, &r) : F2FS_ERR_INVALID;
		}
		if (err != F2FS_ERR_NOSPC || !r.pinned.wanted || again)
			break;
		end = win_sections(&change, r.pinned.wanted, &again);
		err = end ? end : err;
		is_there = again || get_again(inode, &w);
	} while (again);
	end = pinned_end(&r.pinned);
	if (err && r.is_stamped && is_there)
		change_stamp(&change, &w);
	return change_end(&change, err ? err : end);
}
