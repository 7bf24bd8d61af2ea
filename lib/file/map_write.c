/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing the node tree of a file (FORMAT files 1.5, 1.6).
 */
#include "base/error.h"
#include "file/map_write.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "volume/block_read.h"

static bool is_directory(const struct winode *w)
{
	return (inode_i_mode(winode_block(w)) & MODE_TYPE) == MODE_DIR;
}

/* Follow or make the node whose id is stored at *raw, a word of parent. */
static int child_node(struct winode *w, struct node *parent, uint8_t *raw, uint32_t node_offset, struct node **out)
{
	f2fs_nid_t nid = get_le32(raw);
	int err;

	if (nid != 0)
		return winode_node(w, nid, node_offset, out);
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
	raw = inode_nid_w(geo, node->block, path.index[0]);
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
