/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening an inode at a block address: its nodes come from the search, each block is judged before it is read.
 */
#include <string.h>

#include "forensics/past.h"

/* What stands behind an inode opened here. */
struct at {
	struct f2fs_volume *vol;
	struct f2fs_past *past; /* NULL: not needed yet */
	bool owns_past;
	bool has_time;
	unsigned flags; /* enum f2fs_at_flag */
	struct past_time time;
	struct f2fs_remains *counts; /* NULL: nobody counts */
};

static int lost(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_nid_t ino)
{
	return error_set(vol->ctx, F2FS_ERR_OVERWRITTEN, "node %u of inode %u, as it was then, is not left",
			 (unsigned)nid, (unsigned)ino);
}

/* Make the search if there is none yet, and find out where the inode stands in time. */
static int need_past(struct at *at, const struct f2fs_inode *inode)
{
	const struct f2fs_past_options options = { .ino = inode->ino };
	int err;

	if (!at->past) {
		err = past_open(at->vol, &options, &at->past);
		if (err)
			return err;
		at->owns_past = true;
	}
	err = past_need_fresh(at->past);
	if (err || at->has_time)
		return err;
	if (!past_time_of(at->past, inode->block, inode->addr, &at->time))
		at->time.is_succeeded = true; /* the search was cut short: as far as is known */
	at->has_time = true;
	return 0;
}

static void count_node(const struct at *at, const struct past_choice *choice)
{
	if (!at->counts)
		return;
	at->counts->nodes += choice->node != NULL;
	at->counts->nodes_lost += choice->node == NULL;
	at->counts->nodes_later += choice->is_later;
	at->counts->nodes_unsure += choice->is_unsure;
}

/* The inode in use: its nodes are where the NAT says. */
static int load_current(struct at *at, const struct f2fs_inode *inode, f2fs_nid_t nid, uint8_t *block, f2fs_blk_t *addr)
{
	int err = node_load(at->vol, nid, inode->ino, block, addr);

	if (at->counts) {
		at->counts->nodes += !err;
		at->counts->nodes_lost += err != 0;
	}
	return err;
}

static int load_node(void *user, const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t node_offset, uint8_t *block,
		     f2fs_blk_t *addr)
{
	struct at *at = user;
	struct past_choice choice;
	struct past_node found;
	int err = need_past(at, inode);

	if (err)
		return err;
	if (at->time.is_current)
		return load_current(at, inode, nid, block, addr);
	past_choose(at->past, &at->time, nid, node_offset, &choice);
	count_node(at, &choice);
	if (!choice.node)
		return lost(at->vol, nid, inode->ino);
	err = volume_read(at->vol, choice.node->addr, 0, block, at->vol->geo.block_size);
	if (err)
		return err;
	/* somebody else may write to the device */
	if (!past_is_node(at->past, block, choice.node->addr, &found) || found.nid != nid || found.ino != inode->ino ||
	    found.place != node_offset)
		return lost(at->vol, nid, inode->ino);
	if (addr)
		*addr = choice.node->addr;
	return 0;
}

static int judge_block(void *user, const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t ofs_in_node,
		       f2fs_blk_t addr)
{
	struct at *at = user;
	enum fate fate;
	int err;

	if (at->flags & F2FS_AT_OVERWRITTEN)
		return 0;
	err = need_past(at, inode);
	if (!err)
		err = fate_judge(at->past, &at->time, nid, ofs_in_node, addr, &fate);
	if (err || fate != FATE_OVERWRITTEN)
		return err;
	return error_set(at->vol->ctx, F2FS_ERR_OVERWRITTEN, "block %u, once of inode %u, has been written by others",
			 (unsigned)addr, (unsigned)inode->ino);
}

static void close_at(void *user)
{
	struct at *at = user;
	struct f2fs_context *ctx = at->vol->ctx;

	if (at->owns_past)
		f2fs_past_close(at->past);
	mem_free(ctx, at);
}

int past_open_inode(struct f2fs_volume *vol, struct f2fs_past *past, f2fs_blk_t addr, unsigned flags,
		    struct f2fs_inode **out)
{
	const struct inode_past ops = { .load = load_node, .judge = judge_block, .close = close_at };
	struct inode_past mine = ops;
	struct at *at;
	int err;

	at = mem_zalloc(vol->ctx, sizeof(*at));
	if (!at)
		return F2FS_ERR_NOMEM;
	at->vol = vol;
	at->past = past;
	at->flags = flags;
	mine.user = at;
	err = inode_open_past(vol, addr, &mine, out);
	if (err)
		mem_free(vol->ctx, at);
	return err;
}

struct f2fs_past *past_of(const struct f2fs_inode *inode, const struct past_time **time)
{
	struct at *at = inode->past.user;

	*time = &at->time;
	return at->past;
}

int past_judge(struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t ofs_in_node, f2fs_blk_t addr, enum fate *out)
{
	struct at *at = inode->past.user;
	int err = need_past(at, inode);

	return err ? err : fate_judge(at->past, &at->time, nid, ofs_in_node, addr, out);
}

void past_count_into(struct f2fs_inode *inode, struct f2fs_remains *counts)
{
	struct at *at = inode->past.user;

	at->counts = counts;
}

int f2fs_inode_open_at(struct f2fs_volume *vol, struct f2fs_past *past, f2fs_blk_t addr, unsigned flags,
		       struct f2fs_inode **out)
{
	struct f2fs_inode *inode;
	int err;

	error_clear(vol->ctx);
	if (flags & ~(unsigned)F2FS_AT_OVERWRITTEN)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "unknown flags: %x", flags);
	if (past && past->vol != vol)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "the search is of another volume");
	if (past && past_need_fresh(past) != 0)
		return F2FS_ERR_STATE;
	err = past_open_inode(vol, past, addr, flags, &inode);
	if (err)
		return err;
	if (past && past->options.ino && past->options.ino != inode->ino) {
		err = error_set(vol->ctx, F2FS_ERR_INVALID, "the search was for inode %u, block %u holds inode %u",
				(unsigned)past->options.ino, (unsigned)addr, (unsigned)inode->ino);
		f2fs_inode_close(inode);
		return err;
	}
	*out = inode;
	return 0;
}
