/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the blocks of a file that a plan changes: compare the last node of each place in the chain with the tree of the
 * last checkpoint.
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "file/object.h"
#include "recover/plan_show.h"
#include "recover/run.h"
#include "volume/block_read.h"

struct range_walk {
	struct f2fs_recovery *plan;
	struct f2fs_inode *live; /* NULL: the inode is new */
	struct inode_layout layout;
	uint8_t *block;
	int (*visit)(void *user, const struct f2fs_file_extent *range);
	void *user;
	struct f2fs_file_extent run; /* count 0: none yet */
};

static int end_run(struct range_walk *walk)
{
	struct f2fs_file_extent run = walk->run;

	walk->run.count = 0;
	return run.count ? walk->visit(walk->user, &run) : 0;
}

/* Add a slot that differs to the run, or start a new one. */
static int add_slot(struct range_walk *walk, uint64_t file_block, f2fs_blk_t addr)
{
	int kind = addr == F2FS_NULL_ADDR  ? F2FS_EXTENT_HOLE
		   : addr == F2FS_NEW_ADDR ? F2FS_EXTENT_RESERVED
					   : F2FS_EXTENT_DATA;
	bool goes_on = walk->run.count > 0 && walk->run.kind == kind &&
		       walk->run.file_block + walk->run.count == file_block &&
		       (kind != F2FS_EXTENT_DATA || addr == walk->run.addr + walk->run.count);
	int err = goes_on ? 0 : end_run(walk);

	if (err)
		return err;
	if (!goes_on) {
		memset(&walk->run, 0, sizeof(walk->run));
		walk->run.kind = kind;
		walk->run.file_block = file_block;
		walk->run.addr = kind == F2FS_EXTENT_DATA ? addr : 0;
	}
	walk->run.count++;
	return 0;
}

/* Return the checkpoint's address of a file block. */
static f2fs_blk_t live_slot(struct range_walk *walk, uint64_t file_block)
{
	struct map_run run;

	if (!walk->live || inode_has_inline(walk->live->block, FLAG_i_inline_inline_data))
		return F2FS_NULL_ADDR;
	if (map_find(walk->live, file_block, &run) != 0 || !run.slots)
		return F2FS_NULL_ADDR;
	return get_le32(run.slots);
}

/* Compare one node of the chain. */
static int compare_node(struct range_walk *walk, const struct chain_node *node)
{
	const struct f2fs_geometry *geo = &walk->plan->vol->geo;
	const uint32_t offset = node->flag >> 3;
	const bool is_inode = node->nid == node->ino;
	const uint8_t *words = walk->block;
	uint32_t slots = walk->layout.node_slots;
	uint64_t first = node_first_block(geo, walk->layout.slots, walk->layout.node_slots, offset);
	int err = 0;

	if (is_inode && inode_has_inline(walk->block, FLAG_i_inline_inline_data)) {
		const struct f2fs_file_extent inside = { .count = 1, .kind = F2FS_EXTENT_INLINE };

		return walk->visit(walk->user, &inside);
	}
	if (is_inode != (offset == 0) || (offset && !node_offset_is_direct(geo, offset)))
		return 0;
	if (is_inode) {
		words += walk->layout.slot_offset;
		slots = walk->layout.slots;
	}
	for (uint32_t i = 0; i < slots && !err; i++) {
		f2fs_blk_t to = get_le32(words + (size_t)i * 4);

		if (to != F2FS_COMPRESS_ADDR && to != live_slot(walk, first + i))
			err = add_slot(walk, first + i, to);
	}
	return err ? err : end_run(walk);
}

static int read_node(struct range_walk *walk, const struct chain_node *node)
{
	struct f2fs_volume *vol = walk->plan->vol;

	return volume_read(vol, node->addr, 0, walk->block, vol->geo.block_size);
}

/* The division of i_addr: that of the live inode, else of the block that makes it. */
static int need_layout(struct range_walk *walk, const struct chain_inode *inode)
{
	struct f2fs_volume *vol = walk->plan->vol;
	int err;

	if (!inode->is_new) {
		err = inode_open(vol, inode->ino, &walk->live);
		if (!err)
			walk->layout = walk->live->layout;
		return err;
	}
	err = read_node(walk, chain_node_at(walk->plan, inode->created_by));
	if (!err)
		inode_layout(&vol->geo, walk->block, &walk->layout);
	return err;
}

static int walk_nodes(struct range_walk *walk, const struct chain_inode *inode, struct map32 *latest)
{
	const struct f2fs_recovery *plan = walk->plan;
	int err = 0;

	for (size_t i = 0; i <= inode->last && !err; i++) {
		const struct chain_node *node = chain_node_at(plan, i);

		if (node->ino == inode->ino && node->nid != UINT32_MAX)
			err = map32_set(latest, node->nid, i);
	}
	for (size_t i = 0; i <= inode->last && !err; i++) {
		const struct chain_node *node = chain_node_at(plan, i);
		uint64_t *last = node->ino == inode->ino ? map32_find(latest, node->nid) : NULL;

		if (!last || *last != i || node->flag >> 3 == XATTR_NODE_OFFSET)
			continue;
		err = read_node(walk, node);
		if (!err)
			err = compare_node(walk, node);
	}
	return err;
}

int f2fs_recovery_list_ranges(struct f2fs_recovery *plan, uint32_t index,
			      int (*visit)(void *user, const struct f2fs_file_extent *range), void *user)
{
	struct f2fs_volume *vol = plan->vol;
	struct range_walk walk = { .plan = plan, .visit = visit, .user = user };
	const struct chain_inode *inode;
	struct map32 latest;
	int err;

	error_clear(vol->ctx);
	inode = recovery_find_inode(plan, index);
	if (!inode)
		return F2FS_ERR_NOT_FOUND;
	walk.block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!walk.block)
		return F2FS_ERR_NOMEM;
	map32_init(&latest, vol->ctx);
	err = need_layout(&walk, inode);
	if (!err)
		err = walk_nodes(&walk, inode, &latest);
	map32_fini(&latest);
	f2fs_inode_close(walk.live);
	mem_free(vol->ctx, walk.block);
	return err;
}
