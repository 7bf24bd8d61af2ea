/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing and cutting the node tree of a file (FORMAT files 1.5, 1.6).
 */
#include "file/write.h"

#define NODE_WORK (64u << 10) /* what going through the slots of a node costs, in bytes of plain copying */

static bool is_directory(const struct winode *w)
{
	return (inode_i_mode(winode_block(w)) & MODE_TYPE) == MODE_DIR;
}

/* Follow or make the node whose id is stored at *raw, a word of parent. */
static int child_node(struct winode *w, struct node *parent, uint8_t *raw, uint32_t node_offset, struct node **out)
{
	f2fs_nid_t nid = get_le32(raw);
	int err;

	if (nid != 0) {
		if (nid == w->node->nid)
			return volume_corrupt(w->txn->vol, RULE_NODE_CHILD, F2FS_NO_BLOCK, nid,
					      "an inode as its own child");
		err = node_get(w->txn, nid, out);
		if (!err && footer_ino(node_footer(&w->txn->vol->geo, (*out)->block)) != w->node->nid)
			err = volume_corrupt(w->txn->vol, RULE_NODE_INO, F2FS_NO_BLOCK, nid, "node of another file");
		return err;
	}
	err = node_new(w->txn, w->node->nid, node_offset, is_directory(w), out);
	if (err)
		return err;
	put_le32(raw, (*out)->nid);
	node_dirty(w->txn, parent);
	return winode_count(w, 1);
}

/* The slot of a file block; nodes on the way are made, or the hole is measured. */
static int find_slot(struct winode *w, uint64_t file_block, bool make, struct slot_ref *out)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	struct node *node = w->node;
	struct node_path path;
	uint8_t *raw;

	if (!node_path_of(geo, w->layout.slots, w->layout.node_slots, file_block, &path) ||
	    file_block >= node_max_file_blocks(geo, w->layout.node_slots))
		return error_set(w->txn->vol->ctx, F2FS_ERR_TOO_BIG, "file block %llu is beyond the largest file",
				 (unsigned long long)file_block);
	out->ofs_in_node = path.index[path.depth];
	if (path.depth == 0) {
		out->node = node;
		out->raw = node->block + w->layout.slot_offset + (size_t)path.index[0] * 4;
		out->count = w->layout.slots - path.index[0];
		return 0;
	}
	raw = node->block + geo->block_size - footer_SIZE - 20 + (size_t)path.index[0] * 4;
	for (unsigned level = 1; level <= path.depth; level++) {
		struct node *child;
		int err;

		if (!make && get_le32(raw) == 0) {
			uint64_t rest = node_path_rest(geo, w->layout.node_slots, &path, level);

			out->node = NULL;
			out->raw = NULL;
			out->count = rest < UINT32_MAX ? (uint32_t)rest : UINT32_MAX;
			return 0;
		}
		err = child_node(w, node, raw, path.node_offset[level], &child);
		if (err)
			return err;
		node = child;
		raw = node->block + (size_t)path.index[level] * 4;
	}
	out->node = node;
	out->raw = raw;
	out->count = w->layout.node_slots - path.index[path.depth];
	return 0;
}

int slot_make(struct winode *w, uint64_t file_block, struct slot_ref *out)
{
	return find_slot(w, file_block, true, out);
}

int slot_find(struct winode *w, uint64_t file_block, struct slot_ref *out)
{
	return find_slot(w, file_block, false, out);
}

/* Free slots [from, to) at words. */
static int free_slots(struct winode *w, struct node *node, uint8_t *words, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		f2fs_blk_t addr = get_le32(words + (size_t)i * 4);
		int err;

		if (addr == F2FS_NULL_ADDR)
			continue;
		/* the head of a cluster whose saved blocks were given back is not counted */
		if (addr == F2FS_COMPRESS_ADDR && w->layout.is_compressed &&
		    !cluster_forget(w, words + (size_t)i * 4)) {
			put_le32(words + (size_t)i * 4, F2FS_NULL_ADDR);
			continue;
		}
		err = block_free(w->txn, addr);
		if (err)
			return err;
		put_le32(words + (size_t)i * 4, F2FS_NULL_ADDR);
		node_dirty(w->txn, node);
		err = winode_count(w, -1);
		if (err)
			return err;
	}
	return 0;
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
 * Cut the subtree of the node named at *raw so that only its first keep blocks stay; a node that keeps nothing is
 * freed. Calls itself at most twice: height is 3 at the top and no number of the image.
 */
/* NOLINTNEXTLINE(misc-no-recursion): one call per level of the tree */
static int cut_subtree(struct winode *w, struct node *parent, uint8_t *raw, unsigned height, uint64_t keep)
{
	f2fs_nid_t nid = get_le32(raw);
	uint64_t span = span_of(w, height);
	struct node *node;
	int err;

	if (nid == 0)
		return 0;
	err = progress_tick(w->txn->vol->ctx, "write", NODE_WORK);
	if (!err)
		err = node_get(w->txn, nid, &node);
	if (err)
		return err;
	if (height == 1) {
		err = free_slots(w, node, node->block,
				 keep < w->layout.node_slots ? (uint32_t)keep : w->layout.node_slots,
				 w->layout.node_slots);
	} else {
		for (uint32_t i = (uint32_t)(keep / span); i < w->txn->vol->geo.nids_per_block && !err; i++) {
			uint64_t before = i * span;

			err = cut_subtree(w, node, node->block + (size_t)i * 4, height - 1,
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

int map_truncate(struct winode *w, uint64_t first)
{
	static const uint8_t heights[5] = { 1, 1, 2, 2, 3 };
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	uint64_t base = w->layout.slots;
	int err = 0;

	pages_forget(w->txn, w->node->nid, first);
	if (first < w->layout.slots)
		err = free_slots(w, w->node, winode_block(w) + w->layout.slot_offset, (uint32_t)first, w->layout.slots);
	for (unsigned i = 0; i < 5 && !err; i++) {
		uint64_t size = span_of(w, heights[i] + 1u);
		uint8_t *raw = winode_block(w) + geo->block_size - footer_SIZE - 20 + (size_t)i * 4;

		if (first < base + size)
			err = cut_subtree(w, w->node, raw, heights[i], first > base ? first - base : 0);
		base += size;
	}
	inode_set_i_ext_len(winode_block(w), 0);
	node_dirty(w->txn, w->node);
	return err;
}

/* The slots of blocks [at, end) that one node or hole holds. */
static int find_run(struct winode *w, uint64_t at, uint64_t end, struct slot_ref *run)
{
	int err = slot_find(w, at, run);

	if (!err && run->count > end - at)
		run->count = (uint32_t)(end - at);
	return err;
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
			err = free_slots(w, run.node, run.raw, 0, run.count);
		if (err)
			return err;
	}
	inode_set_i_ext_len(winode_block(w), 0);
	node_dirty(w->txn, w->node);
	return 0;
}

int map_need_space(struct winode *w, uint64_t from, uint64_t to)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t first = from >> geo->block_bits, end = (to + geo->block_size - 1) >> geo->block_bits;
	uint64_t missing = 0, nodes = (end - first) / w->layout.node_slots + 4;
	struct slot_ref run;

	nodes += nodes / geo->nids_per_block;
	if (space_need(w->txn, end - first + nodes) == 0)
		return 0;
	error_clear(w->txn->vol->ctx);
	nodes = 0;
	for (uint64_t at = first; at < end; at += run.count) {
		int err = winode_breathe(w);

		if (!err)
			err = progress_tick(w->txn->vol->ctx, "write", NODE_WORK);
		if (!err)
			err = find_run(w, at, end, &run);
		if (err)
			return err;
		if (!run.node) {
			missing += run.count;
			nodes += run.count / w->layout.node_slots + 3;
		}
		for (uint32_t i = 0; run.node && i < run.count; i++)
			missing += get_le32(run.raw + (size_t)i * 4) == F2FS_NULL_ADDR;
	}
	return space_need(w->txn, missing + nodes);
}
