/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making holes in a file, cutting it, and whether it has room to grow (FORMAT files 1.5, 1.6).
 */
#include "base/error.h"
#include "file/change_trim.h"
#include "file/cluster_write.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "log/space.h"

#define NODE_WORK (64u << 10) /* what going through the slots of a node costs, in bytes of plain copying */

/* The slots of blocks [at, end) that one node or hole holds. */
static int find_run(struct winode *w, uint64_t at, uint64_t end, struct slot_ref *run)
{
	int err = slot_find(w, at, run);

	if (!err && run->count > end - at)
		run->count = (uint32_t)(end - at);
	return err;
}

/* Free the slots of a run. */
static int free_slots(struct winode *w, const struct slot_ref *run)
{
	int err = slots_need_own(w, run, run->count);

	for (uint32_t i = 0; i < run->count && !err; i++) {
		uint8_t *raw = run->raw + (size_t)i * 4;
		f2fs_blk_t addr = get_le32(raw);

		if (addr == F2FS_NULL_ADDR)
			continue;
		/* the head of a cluster whose saved blocks were given back is not counted */
		if (addr == F2FS_COMPRESS_ADDR && w->layout.is_compressed && !cluster_forget(w, raw)) {
			put_le32(raw, F2FS_NULL_ADDR);
			continue;
		}
		err = block_free(w->txn, addr);
		if (err)
			return err;
		put_le32(raw, F2FS_NULL_ADDR);
		node_dirty(w->txn, run->node);
		err = winode_count(w, -1);
	}
	return err;
}

/* Free the slots of a node, which are at words, from one on. */
static int free_from(struct winode *w, struct node *node, uint8_t *words, uint32_t from, uint32_t slots)
{
	const struct slot_ref run = { node, words + (size_t)from * 4, from, from < slots ? slots - from : 0 };

	return free_slots(w, &run);
}

/* Data blocks below one entry of a node that is height levels high. */
static uint64_t span_of(const struct winode *w, unsigned height)
{
	uint64_t span = 1;

	for (unsigned l = 1; l < height; l++)
		span *= l == 1 ? w->layout.node_slots : w->txn->vol->geo.nids_per_block;
	return span;
}

/*
 * Cut the subtree below the node named at *raw, which is at place, to its first keep blocks; a node that keeps nothing
 * is freed. Recursion is bounded: height is at most 3, whatever the image says.
 */
/* NOLINTNEXTLINE(misc-no-recursion): one call per level of the tree */
static int cut_subtree(struct winode *w, struct node *parent, uint8_t *raw, uint32_t place, unsigned height,
		       uint64_t keep)
{
	f2fs_nid_t nid = get_le32(raw);
	const uint32_t n = w->txn->vol->geo.nids_per_block, step = height == 3 ? n + 1 : 1;
	uint64_t span = span_of(w, height);
	struct node *node;
	int err;

	if (nid == 0)
		return 0;
	err = progress_tick(w->txn->vol->ctx, "write", NODE_WORK);
	if (!err)
		err = winode_node(w, nid, place, &node);
	if (err)
		return err;
	if (height == 1) {
		const uint32_t slots = w->layout.node_slots;

		err = free_from(w, node, node->block, keep < slots ? (uint32_t)keep : slots, slots);
	} else {
		for (uint32_t i = (uint32_t)(keep / span); i < n && !err; i++) {
			uint64_t before = i * span;

			err = cut_subtree(w, node, node->block + (size_t)i * 4, place + 1 + i * step, height - 1,
					  keep > before ? keep - before : 0);
		}
	}
	if (err || keep > 0)
		return err;
	err = node_free(w->txn, nid);
	if (err)
		return err;
	put_le32(raw, 0);
	node_dirty(w->txn, parent);
	return winode_count(w, -1);
}

int map_punch(struct winode *w, uint64_t first, uint64_t end)
{
	struct slot_ref run;

	pages_forget_range(w->txn, w->node->nid, first, end - first);
	for (uint64_t at = first; at < end; at += run.count) {
		int err = progress_tick(w->txn->vol->ctx, "write", NODE_WORK);

		if (!err)
			err = find_run(w, at, end, &run);
		if (!err && run.node)
			err = free_slots(w, &run);
		if (err)
			return err;
	}
	inode_set_i_ext_len(winode_block(w), 0);
	node_dirty(w->txn, w->node);
	return 0;
}

/* Count the holes of a range of blocks, and nodes that they may need. */
static int count_holes(struct winode *w, uint64_t first, uint64_t end, uint64_t *blocks)
{
	struct slot_ref run;

	*blocks = 0;
	for (uint64_t at = first; at < end; at += run.count) {
		int err = winode_breathe(w);

		if (!err)
			err = progress_tick(w->txn->vol->ctx, "write", NODE_WORK);
		if (!err)
			err = find_run(w, at, end, &run);
		if (err)
			return err;
		if (!run.node)
			*blocks += run.count + run.count / w->layout.node_slots + 3;
		for (uint32_t i = 0; run.node && i < run.count; i++)
			*blocks += get_le32(run.raw + (size_t)i * 4) == F2FS_NULL_ADDR;
	}
	return 0;
}

int map_count_space(struct winode *w, uint64_t from, uint64_t to, bool is_exact, uint64_t *blocks)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t first = from >> geo->block_bits, end = (to + geo->block_size - 1) >> geo->block_bits;
	uint64_t nodes = (end - first) / w->layout.node_slots + 4;

	nodes += nodes / geo->nids_per_block;
	*blocks = end - first + nodes;
	if (winode_is_inline(w)) { /* it has contents where its slots will be, and they may take a block of their own */
		*blocks = end - first +
			  (first > 0 && inode_has_inline(winode_block(w), FLAG_i_inline_data_exist)) +
			  (end > w->layout.slots ? nodes : 0);
		return 0;
	}
	return is_exact ? count_holes(w, first, end, blocks) : 0;
}

int map_need_space(struct winode *w, uint64_t from, uint64_t to)
{
	uint64_t blocks;
	int err = map_count_space(w, from, to, false, &blocks);

	if (err || space_need(w->txn, blocks) == 0)
		return err;
	error_clear(w->txn->vol->ctx);
	err = map_count_space(w, from, to, true, &blocks);
	return err ? err : space_need(w->txn, blocks);
}

int map_truncate(struct winode *w, uint64_t first)
{
	static const uint8_t heights[INODE_NIDS] = { 1, 1, 2, 2, 3 };
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	uint64_t base = w->layout.slots;
	int err = 0;

	pages_forget(w->txn, w->node->nid, first);
	if (first < w->layout.slots)
		err = free_from(w, w->node, winode_block(w) + w->layout.slot_offset, (uint32_t)first, w->layout.slots);
	for (unsigned i = 0; i < INODE_NIDS && !err; i++) {
		uint64_t size = span_of(w, heights[i] + 1u);
		uint8_t *raw = inode_nid_w(geo, winode_block(w), i);

		if (first < base + size)
			err = cut_subtree(w, w->node, raw, node_offset_below_inode(geo, i), heights[i],
					  first > base ? first - base : 0);
		base += size;
	}
	inode_set_i_ext_len(winode_block(w), 0);
	node_dirty(w->txn, w->node);
	return err;
}
