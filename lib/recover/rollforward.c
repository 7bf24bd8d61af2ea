/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply the plan: keep the blocks it needs from being allocated, make the new inodes, replay every node that counts in
 * the order of the chain, and finally delete inodes without a name. The order is the kernel's, because later steps use
 * the results of earlier ones.
 */
#include "file/inode_read.h"
#include "file/pages_flush.h"
#include "file/winode.h"
#include "log/adopt.h"
#include "log/nodes.h"
#include "recover/chain_read.h"
#include "recover/recovery_plan.h"
#include "recover/replay.h"
#include "recover/replay_index.h"
#include "recover/replay_inode.h"
#include "recover/replay_name.h"
#include "recover/rollforward.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

#include <string.h>

#define MAX_PAGES 4096u /* blocks of directories that wait in memory between nodes */

/* Keep the blocks that a node of the chain points to, as far as they are in the main area. */
static int keep_data(struct replay *r, const struct chain_node *node, const uint8_t *block)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const bool is_inode = node->nid == node->ino;
	const uint8_t *at = block, *end = block + (size_t)geo->nids_per_block * 4;
	int err = 0;

	if (node->flag >> 3 == XATTR_NODE_OFFSET || (is_inode && inode_has_inline(block, FLAG_i_inline_inline_data)))
		return 0;
	if (is_inode) {
		struct inode_layout layout;

		inode_layout(geo, block, &layout);
		at = block + layout.slot_offset;
		end = at + (size_t)layout.slots * 4;
	}
	for (; at < end && !err; at += 4)
		if (geometry_is_main(geo, get_le32(at)))
			err = segment_keep(r->txn, get_le32(at));
	return err;
}

/* Keep the chain, the blocks it points to, and the block after it: a node written there would extend the chain. */
int replay_keep(struct replay *r)
{
	int err = 0;

	if (geometry_is_main(&r->vol->geo, r->plan->end_block))
		err = segment_keep(r->txn, r->plan->end_block);
	for (size_t i = 0; i < r->plan->nodes.count && !err; i++) {
		const struct chain_node *node = chain_node_at(r->plan, i);
		const uint8_t *block;

		err = segment_keep(r->txn, node->addr);
		if (err || !chain_counts(r->plan, i))
			continue;
		err = chain_read(&r->reader, node->addr, &block);
		if (!err)
			err = keep_data(r, node, block);
	}
	return err ? err : heads_pass_kept(r->txn);
}

/* Drop the entries of inodes that are left alone. */
static void drop_left(struct replay *r)
{
	for (size_t i = 0; i < r->plan->inodes.count; i++) {
		struct chain_inode *inode = chain_inode_at(r->plan, i);

		if (replay_leaves(r, inode->ino))
			inode->is_known = false;
	}
	r->at = 0;
}

static int create_all(struct replay *r)
{
	int err = 0;

	for (size_t i = 0; i < r->plan->inodes.count && !err; i++) {
		const struct chain_inode *inode = chain_inode_at(r->plan, i);

		r->at = inode->ino;
		if (inode->is_known && inode->is_new)
			err = replay_create(r, inode);
	}
	return err;
}

/* Only regular files are fsynced by way of the chain. */
static int check_step(struct replay *r, const struct replay_step *step)
{
	const uint8_t *live = winode_block(&step->w);

	if (footer_ino(node_footer(&r->vol->geo, live)) != step->w.node->nid)
		return volume_corrupt(r->vol, RULE_INODE_FOOTER, step->addr, step->w.node->nid,
				      "the fsync chain belongs to no inode");
	if ((inode_i_mode(live) & MODE_TYPE) != MODE_REG ||
	    (step->is_inode && (inode_i_mode(step->block) & MODE_TYPE) != MODE_REG) ||
	    inode_has_inline(live, FLAG_i_inline_inline_dentry))
		return volume_corrupt(r->vol, RULE_INODE_MODE, step->addr, step->w.node->nid,
				      "the fsync chain has an inode that is no regular file");
	return 0;
}

static int replay_data(struct replay *r, struct replay_step *step)
{
	bool done = false;
	int err = 0;

	if (step->is_inode)
		err = replay_inline_xattrs(step);
	else if (step->node_offset == XATTR_NODE_OFFSET)
		return replay_xattr_node(step);
	if (!err)
		err = replay_inline_data(step, &done);
	return err || done ? err : replay_indexes(r, step);
}

static int replay_node(struct replay *r, uint32_t i, const struct chain_inode *inode)
{
	const struct chain_node *node = chain_node_at(r->plan, i);
	struct replay_step step = { .addr = node->addr,
				    .node_offset = node->flag >> 3,
				    .is_inode = node->nid == node->ino };
	int err = winode_get(r->vol, inode->ino, &step.w);

	if (!err)
		err = chain_read(&r->reader, node->addr, &step.block);
	if (!err)
		err = check_step(r, &step);
	if (!err && step.is_inode)
		err = replay_fields(&step);
	if (!err && i == inode->last_dentry)
		err = replay_name(r, &step);
	if (!err)
		err = replay_data(r, &step);
	r->result.nodes++;
	return err;
}

/* Write waiting blocks when there are too many. Summaries go first, since logs may fill holes of the same segments. */
static int bound_memory(struct replay *r)
{
	int err = 0;

	if (r->txn->waiting_blocks <= MAX_PAGES && r->txn->node_count <= NODES_IN_MEMORY)
		return 0;
	err = adopted_store(r->txn);
	if (!err && r->txn->waiting_blocks > MAX_PAGES)
		err = pages_flush(r->txn);
	return err ? err : nodes_trim(r->txn);
}

/* Read each recovered inode again. A hostile chain, which makes unreadable inodes, fails here. */
static int check_inodes(struct replay *r)
{
	int err = 0;

	for (size_t i = 0; i < r->plan->inodes.count && !err; i++) {
		const struct chain_inode *plan = chain_inode_at(r->plan, i);
		struct f2fs_nat_info entry;
		struct f2fs_inode *inode;

		if (!plan->is_known)
			continue;
		r->at = plan->ino;
		r->result.inodes++;
		err = nat_get(r->vol, plan->ino, &entry);
		if (err || entry.block_addr == F2FS_NULL_ADDR) /* buried */
			continue;
		err = inode_open(r->vol, plan->ino, &inode);
		if (!err)
			f2fs_inode_close(inode);
	}
	return err;
}

int replay_plan(struct replay *r)
{
	int err;

	drop_left(r);
	err = create_all(r);
	for (size_t i = 0; i < r->plan->nodes.count && !err; i++) {
		const struct chain_inode *inode = chain_counts(r->plan, i);

		if (!inode)
			continue;
		r->at = inode->ino;
		err = replay_node(r, (uint32_t)i, inode);
		if (!err)
			err = bound_memory(r);
	}
	if (!err)
		err = replay_bury(r);
	if (!err)
		err = check_inodes(r);
	if (err)
		return err;
	r->at = 0;
	return adopted_store(r->txn);
}
