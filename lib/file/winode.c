/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An inode in the running transaction: getting it, its counts and times.
 */
#include <string.h>

#include "base/bitmap.h"
#include "file/cluster_shown.h"
#include "file/quota_count.h"
#include "file/run.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "volume/block_read.h"
#include "volume/sit_read.h"

/* Is a node as the device has it an inode that can be changed? */
static int check_inode(struct f2fs_volume *vol, const struct node *node)
{
	enum rule rule = RULE_INODE_FOOTER;

	if (footer_ino(node_footer(&vol->geo, node->block)) == node->nid)
		rule = inode_check(&vol->geo, node->block, node->nid, vol->checksum_seed);
	return rule ? volume_corrupt(vol, rule, F2FS_NO_BLOCK, node->nid, "inode %u", (unsigned)node->nid) : 0;
}

/* A file whose clusters show something else than it says is read by them, but changed only after a repair. */
static int check_packing(struct f2fs_volume *vol, const struct node *node)
{
	uint8_t *copy;
	bool is_changed;
	int err;

	if (!packing_is_doubtful(&vol->geo, node->block))
		return 0;
	copy = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!copy)
		return F2FS_ERR_NOMEM;
	memcpy(copy, node->block, vol->geo.block_size);
	err = packing_correct(vol, copy, &is_changed);
	mem_free(vol->ctx, copy);
	if (!err && is_changed)
		err = volume_corrupt(vol, RULE_INODE_COMPRESS, F2FS_NO_BLOCK, node->nid,
				     "inode %u: its clusters show other numbers", (unsigned)node->nid);
	return err;
}

int winode_get(struct f2fs_volume *vol, f2fs_nid_t ino, struct winode *out)
{
	int err = node_get(vol->txn, ino, &out->node);

	out->txn = vol->txn;
	if (!err && !out->node->is_dirty)
		err = check_inode(vol, out->node);
	if (!err && !out->node->is_dirty)
		err = check_packing(vol, out->node);
	if (!err)
		inode_layout(&vol->geo, winode_block(out), &out->layout);
	return err;
}

int winode_node(struct winode *w, f2fs_nid_t nid, uint32_t node_offset, struct node **out)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint8_t *footer;
	int err;

	if (nid == w->node->nid)
		return volume_corrupt(vol, RULE_NODE_CHILD, F2FS_NO_BLOCK, nid, "an inode as its own child");
	err = node_get(w->txn, nid, out);
	if (err)
		return err;
	footer = node_footer(&vol->geo, (*out)->block);
	if (footer_ino(footer) != w->node->nid)
		return volume_corrupt(vol, RULE_NODE_INO, F2FS_NO_BLOCK, nid, "a node of inode %u, not of %u",
				      (unsigned)footer_ino(footer), (unsigned)w->node->nid);
	if (node_offset_of(footer) != node_offset)
		return volume_corrupt(vol, RULE_NODE_OFFSET, F2FS_NO_BLOCK, nid, "inode %u: the footer says %u, not %u",
				      (unsigned)w->node->nid, (unsigned)node_offset_of(footer), (unsigned)node_offset);
	return 0;
}

int winode_free_node(struct winode *w, f2fs_nid_t nid, uint32_t node_offset)
{
	struct node *node;
	int err = winode_node(w, nid, node_offset, &node);

	if (!err)
		err = node_free(w->txn, nid);
	return err ? err : winode_count(w, -1);
}

void winode_touch(struct winode *w)
{
	inode_layout(&w->txn->vol->geo, winode_block(w), &w->layout);
	node_dirty(w->txn, w->node);
}

int winode_count(struct winode *w, int64_t blocks)
{
	uint8_t *block = winode_block(w);

	inode_set_i_blocks(block, inode_i_blocks(block) + (uint64_t)blocks);
	node_dirty(w->txn, w->node);
	return quota_charge(w, blocks, 0);
}

void winode_stamp(struct winode *w, enum stamp which)
{
	const struct f2fs_volume *vol = w->txn->vol;
	uint8_t *block = winode_block(w);

	if (!vol->clock.is_set || (w->txn->file->rules && w->txn->file->rules->keeps_times))
		return;
	if (which == STAMP_MTIME) {
		inode_set_i_mtime(block, vol->clock.seconds);
		inode_set_i_mtime_nsec(block, vol->clock.nanoseconds);
	}
	inode_set_i_ctime(block, vol->clock.seconds);
	inode_set_i_ctime_nsec(block, vol->clock.nanoseconds);
	node_dirty(w->txn, w->node);
}

int block_is_old(struct txn *txn, f2fs_blk_t addr, bool *is_old)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	struct f2fs_segment_info entry;
	int err;

	*is_old = false;
	if (!geometry_is_main(geo, addr))
		return 0;
	/* look at the stored table: the transaction's table also marks blocks that an fsync keeps from reuse */
	err = sit_lookup(txn->vol, geometry_segment_of(geo, addr), &entry);
	if (!err)
		*is_old = msb_test(entry.valid_map, geometry_offset_of(geo, addr));
	return err;
}
