/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay an inode block of the chain: make the inode, set fields, attributes and inline data (FORMAT files 12.4, 12.5,
 * 12.7). Links, generation, parent, creation time and block pointers are not taken from it.
 */
#include <string.h>

#include "file/map_cut.h"
#include "file/quota_count.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "recover/chain_read.h"
#include "recover/replay.h"
#include "recover/replay_inode.h"
#include "volume/block_read.h"

/* The extra attributes that a new inode takes from its block in the chain. */
static void copy_extra(const struct f2fs_geometry *geo, const uint8_t *from, uint8_t *to)
{
	const uint8_t *old = inode_extra(from);
	uint8_t *extra = to + INODE_ADDR_OFFSET;

	if (!inode_has_inline(to, FLAG_i_inline_extra_attr))
		return;
	extra_set_i_extra_isize(extra, extra_i_extra_isize(old));
	if (geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) &&
	    inode_has_extra(from, extra_OFS_i_inline_xattr_size + 2))
		extra_set_i_inline_xattr_size(extra, extra_i_inline_xattr_size(old));
	if (geometry_has(geo, F2FS_FEAT_PROJECT_QUOTA) && inode_has_extra(from, extra_OFS_i_projid + 4))
		extra_set_i_projid(extra, extra_i_projid(old));
	if (geometry_has(geo, F2FS_FEAT_INODE_CRTIME) && inode_has_extra(from, extra_OFS_i_crtime_nsec + 4)) {
		extra_set_i_crtime(extra, extra_i_crtime(old));
		extra_set_i_crtime_nsec(extra, extra_i_crtime_nsec(old));
	}
}

int replay_create(struct replay *r, const struct chain_inode *inode)
{
	const f2fs_blk_t addr = chain_node_at(r->plan, inode->created_by)->addr;
	const uint8_t *from;
	struct winode w = { .txn = r->txn };
	uint8_t *block;
	int err;

	if (inode->is_taken)
		return volume_corrupt(r->vol, RULE_NAT_FREE, addr, inode->ino,
				      "the fsync chain creates an inode that exists");
	err = chain_read(&r->reader, addr, &from);
	if (!err)
		err = node_new_at(r->txn, inode->ino, &w.node);
	if (err)
		return err;
	block = winode_block(&w);
	memcpy(block, from, inode_OFS_i_ext_fofs);
	inode_set_i_size(block, 0);
	inode_set_i_blocks(block, 1);
	inode_set_i_links(block, 1);
	inode_set_i_xattr_nid(block, 0);
	inode_set_i_inline(block,
			   inode_i_inline(from) & (uint8_t)(FLAG_i_inline_inline_xattr | FLAG_i_inline_extra_attr));
	copy_extra(&r->vol->geo, from, block);
	winode_touch(&w);
	r->result.new_inodes++;
	return quota_charge(&w, 0, 1);
}

/* Does the project change, and where to? */
static bool new_project(const struct f2fs_geometry *geo, const uint8_t *from, const uint8_t *to, uint32_t *project)
{
	if (!geometry_has(geo, F2FS_FEAT_PROJECT_QUOTA) || !inode_has_extra(from, extra_OFS_i_projid + 4) ||
	    !inode_has_extra(to, extra_OFS_i_projid + 4))
		return false;
	*project = extra_i_projid(inode_extra(from));
	return *project != extra_i_projid(inode_extra(to));
}

/* Owner, group and project, with the usage that moves along. */
static int take_owner(struct replay_step *step)
{
	uint8_t *block = winode_block(&step->w);
	int64_t blocks = (int64_t)inode_i_blocks(block) - 1;
	uint32_t project = 0;
	bool moves = new_project(&step->w.txn->vol->geo, step->block, block, &project);
	int err;

	if (!moves && inode_i_uid(block) == inode_i_uid(step->block) && inode_i_gid(block) == inode_i_gid(step->block))
		return 0;
	err = quota_charge(&step->w, -blocks, -1);
	inode_set_i_uid(block, inode_i_uid(step->block));
	inode_set_i_gid(block, inode_i_gid(step->block));
	if (moves)
		extra_set_i_projid(block + INODE_ADDR_OFFSET, project);
	return err ? err : quota_charge(&step->w, blocks, 1);
}

int replay_fields(struct replay_step *step)
{
	const uint8_t keep = (uint8_t) ~(FLAG_i_inline_pin_file | FLAG_i_inline_data_exist);
	const uint8_t *from = step->block;
	uint8_t *block = winode_block(&step->w);
	int err = take_owner(step);

	if (err)
		return err;
	inode_set_i_mode(block, inode_i_mode(from));
	inode_set_i_size(block, inode_i_size(from));
	/* the three times are adjacent */
	memcpy(block + inode_OFS_i_atime, from + inode_OFS_i_atime, inode_OFS_i_generation - inode_OFS_i_atime);
	inode_set_i_advise(block, inode_i_advise(from));
	inode_set_i_flags(block, inode_i_flags(from));
	/* of files, the low half of this field counts failures of GC */
	inode_set_i_current_depth(block, (inode_i_current_depth(block) & 0xFFFF0000u) |
						 (inode_i_current_depth(from) & 0xFFFFu));
	inode_set_i_inline(block, (uint8_t)((inode_i_inline(block) & keep) | (inode_i_inline(from) & (uint8_t)~keep)));
	winode_touch(&step->w);
	return 0;
}

int replay_inline_xattrs(struct replay_step *step)
{
	uint8_t *block = winode_block(&step->w);
	const uint8_t flag = FLAG_i_inline_inline_xattr;

	inode_set_i_inline(block, (uint8_t)((inode_i_inline(block) & ~flag) | (inode_i_inline(step->block) & flag)));
	winode_touch(&step->w);
	if (inode_has_inline(step->block, flag))
		memcpy(block + step->w.layout.xattr_offset, step->block + step->w.layout.xattr_offset,
		       step->w.layout.xattr_size);
	return 0;
}

int replay_xattr_node(struct replay_step *step)
{
	struct winode *w = &step->w;
	uint8_t *block = winode_block(w);
	f2fs_nid_t old = inode_i_xattr_nid(block);
	struct node *node;
	int err = 0;

	if (old) {
		err = winode_free_node(w, old, XATTR_NODE_OFFSET);
		inode_set_i_xattr_nid(block, 0);
	}
	if (!err)
		err = node_new(w->txn, w->node->nid, XATTR_NODE_OFFSET, false, &node);
	if (err)
		return err;
	memcpy(node->block, step->block, node_bytes(&w->txn->vol->geo));
	inode_set_i_xattr_nid(block, node->nid);
	return winode_count(w, 1);
}

static void copy_payload(struct replay_step *step)
{
	struct winode *w = &step->w;
	uint8_t *block = winode_block(w);

	inode_set_i_inline(block,
			   inode_i_inline(block) | (uint8_t)(FLAG_i_inline_inline_data | FLAG_i_inline_data_exist));
	memcpy(block + w->layout.inline_offset, step->block + w->layout.inline_offset, w->layout.inline_size);
	winode_touch(w);
}

int replay_inline_data(struct replay_step *step, bool *done)
{
	struct winode *w = &step->w;
	uint8_t *block = winode_block(w);
	bool was = inode_has_inline(block, FLAG_i_inline_inline_data);
	bool is = step->is_inode && inode_has_inline(step->block, FLAG_i_inline_inline_data);
	int err = 0;

	*done = is;
	if (is) {
		if (!was)
			err = map_truncate(w, 0);
		if (!err)
			copy_payload(step);
	} else if (was) {
		memset(block + w->layout.inline_offset, 0, w->layout.inline_size);
		inode_set_i_inline(block, inode_i_inline(block) &
						  (uint8_t) ~(FLAG_i_inline_inline_data | FLAG_i_inline_data_exist));
		winode_touch(w);
	}
	return err;
}
