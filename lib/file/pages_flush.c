/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing the blocks of files that wait: in the order of the file, whole clusters of a compressed one together.
 */
#include <stdlib.h>

#include "file/cluster_write.h"
#include "file/data_append.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/pages_flush.h"
#include "file/run.h"
#include "file/winode.h"

static int compare_indices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sort the file's waiting blocks: all, or those that are due. Each of the others has waited one more round. */
static int sort_blocks(struct txn *txn, struct file_pages *file, bool all, struct vec *order)
{
	uint64_t value;
	uint32_t key;

	vec_init(order, file->blocks.ctx, sizeof(uint32_t));
	if (vec_reserve(order, file->blocks.count) != 0)
		return F2FS_ERR_NOMEM;
	for (size_t at = 0; map32_each(&file->blocks, &at, &key, &value);) {
		uint8_t *rounds = (uint8_t *)(uintptr_t)value + txn->vol->geo.block_size;

		if (all || *rounds == 0)
			*(uint32_t *)vec_push(order, 1) = key; /* reserved */
		else
			--*rounds;
	}
	vec_sort(order, compare_indices);
	return 0;
}

/* Does a whole cluster within the file start here? */
static bool is_whole_cluster(const struct winode *w, const uint32_t *indices, size_t count)
{
	const uint32_t n = w->layout.cluster_blocks;
	const uint64_t end =
		(inode_i_size(winode_block(w)) + w->txn->vol->geo.block_size - 1) >> w->txn->vol->geo.block_bits;

	return w->layout.is_compressed && count >= n && indices[0] % n == 0 && indices[n - 1] == indices[0] + n - 1 &&
	       indices[n - 1] < end;
}

/* Go from the slot of block *at, whose count is 0 when there is none, to that of a later block. */
static int next_slot(struct winode *w, uint32_t index, struct slot_ref *slot, uint32_t *at)
{
	const uint32_t step = index - *at;
	int err = 0;

	if (step < slot->count) {
		slot->raw += (size_t)step * 4;
		slot->ofs_in_node += step;
		slot->count -= step;
	} else {
		err = slot_make(w, index, slot);
	}
	*at = index;
	return err;
}

/* Write some of a file's waiting blocks. One walk down the node tree is enough for all blocks of a direct node. */
static int flush_blocks(struct txn *txn, const struct file_pages *file, const struct vec *order)
{
	struct slot_ref slot = { .count = 0 };
	struct winode w;
	uint32_t slot_at = 0;
	int err = winode_get(txn->vol, file->ino, &w);

	txn->is_flushing = true;
	for (size_t i = 0; !err && i < order->count;) {
		const uint32_t *indices = vec_at(order, i);
		bool stored = false;

		if (is_whole_cluster(&w, indices, order->count - i)) {
			err = cluster_flush(&w, indices[0], &stored);
			slot.count = 0;
		}
		if (!err && !stored)
			err = next_slot(&w, indices[0], &slot, &slot_at);
		if (!err && !stored)
			err = data_append_run(&w, &slot, indices[0], page_find(txn->vol, file->ino, indices[0]), 1);
		i += stored ? w.layout.cluster_blocks : 1;
	}
	txn->is_flushing = false;
	return err;
}

/* Write one file's waiting blocks. */
static int flush_file(struct txn *txn, struct file_pages *file)
{
	struct vec order;
	int err;

	if (file->blocks.count == 0)
		return 0;
	err = sort_blocks(txn, file, true, &order);
	if (!err)
		err = flush_blocks(txn, file, &order);
	vec_fini(&order);
	return err;
}

int pages_flush_file(struct txn *txn, f2fs_nid_t ino)
{
	struct file_pages *file = file_pages_find(txn, ino);
	int err = file ? flush_file(txn, file) : 0;

	if (!err)
		pages_forget(txn, ino, 0);
	return err;
}

int pages_flush_pinned(struct winode *w)
{
	if (!inode_has_inline(winode_block(w), FLAG_i_inline_pin_file))
		return 0;
	return pages_flush_file(w->txn, w->node->nid);
}

/* Write, and forget, those of a file's blocks that are due. */
static int flush_due(struct txn *txn, struct file_pages *file)
{
	struct vec order;
	int err = sort_blocks(txn, file, false, &order);

	if (!err && order.count > 0)
		err = flush_blocks(txn, file, &order);
	for (size_t i = 0; !err && i < order.count; i++)
		pages_forget_range(txn, file->ino, *(uint32_t *)vec_at(&order, i), 1);
	vec_fini(&order);
	return err;
}

static int end_round(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;
	int err = 0;

	for (size_t at = 0; !err && map32_each(&txn->file->pages, &at, &ino, &value);)
		err = flush_due(txn, (struct file_pages *)(uintptr_t)value);
	return err;
}

int pages_end_rounds(struct txn *txn, size_t most)
{
	int err = 0;

	if (!txn->file->has_delayed)
		return pages_flush(txn);
	for (unsigned i = 0; i <= F2FS_DELAY_MAX && !err && txn->waiting_blocks > most / 2; i++)
		err = end_round(txn);
	return err;
}

int pages_flush(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;

	for (size_t at = 0; map32_each(&txn->file->pages, &at, &ino, &value);) {
		int err = flush_file(txn, (struct file_pages *)(uintptr_t)value);

		if (err)
			return err;
	}
	pages_forget_all(txn);
	return 0;
}
