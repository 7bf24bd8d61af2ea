/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening an inode at a block address: its nodes come from the search, each block is judged before it is read.
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_past.h"
#include "file/verity_file.h"
#include "forensics/fate.h"
#include "forensics/inode_at.h"
#include "forensics/past.h"
#include "forensics/past_node.h"
#include "volume/beside.h"
#include "volume/block_read.h"
#include "volume/node_read.h"

/* Data of an inode opened here. */
struct at {
	struct f2fs_volume *vol;
	struct f2fs_past *past; /* NULL: not needed yet */
	bool owns_past;
	bool has_time;
	bool is_view; /* an inode of a view: count its findings */
	unsigned flags; /* enum f2fs_at_flag */
	struct past_time time;
	enum digest digest;
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
	if (at->is_view) {
		at->past->view.nodes_lost += choice->node == NULL;
		at->past->view.nodes_unsure += choice->is_unsure;
	}
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
	if (choice.node && beside_is_lost(at->vol, choice.node->addr))
		choice = (struct past_choice){ .node = NULL };
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
	enum digest digest = DIGEST_NONE;
	enum fate fate = FATE_UNKNOWN;
	int err;

	if (at->flags & F2FS_AT_OVERWRITTEN)
		return 0;
	err = need_past(at, inode);
	if (!err)
		err = fate_judge(at->past, &at->time, nid, ofs_in_node, addr, &fate);
	if (!err && fate == FATE_BLANK && !(at->flags & F2FS_AT_BLANK))
		err = past_digest(inode, &digest);
	if (err)
		return err;
	if (at->is_view) {
		at->past->view.blocks_overwritten += fate == FATE_OVERWRITTEN;
		at->past->view.blocks_unknown += fate == FATE_UNKNOWN;
		at->past->view.blocks_blank += fate == FATE_BLANK && digest != DIGEST_RIGHT;
	}
	if (fate == FATE_BLANK && !(at->flags & F2FS_AT_BLANK) && digest != DIGEST_RIGHT)
		return error_set(at->vol->ctx, F2FS_ERR_OVERWRITTEN,
				 "block %u, once of inode %u, is blank: probably discarded", (unsigned)addr,
				 (unsigned)inode->ino);
	if (fate != FATE_OVERWRITTEN)
		return 0;
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

	if (beside_is_lost(vol, addr))
		return error_set(vol->ctx, F2FS_ERR_OVERWRITTEN,
				 "block %u was written since the view was opened", (unsigned)addr);
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

#define FORMAT_VERSION 1u /* of nodes that formatting writes, whatever version its checkpoint has */

/* Was a root inode written by formatting: alone in its segment, in one moment, without the half of a checksum? */
static int ask_format(struct f2fs_past *past, const struct past_node *node, bool *is_made)
{
	const struct f2fs_geometry *geo = &past->vol->geo;
	const uint8_t *block;
	int err;

	*is_made = false;
	if (geometry_offset_of(geo, node->addr) != 0 || beside_is_lost(past->vol, node->addr))
		return 0;
	err = volume_peek(past->vol, node->addr, &block);
	if (err)
		return err;
	*is_made = footer_cp_ver(node_footer(geo, block)) == FORMAT_VERSION &&
		   inode_i_mtime(block) == inode_i_ctime(block) && inode_i_atime(block) == inode_i_ctime(block);
	return 0;
}

/*
 * Choose the version that the checkpoint had. When the checkpoint of formatting has the version that its root has, the
 * root looks as if it were written after it.
 */
static int choose_inode(struct f2fs_past *past, f2fs_nid_t ino, const struct past_node **out)
{
	size_t count;
	bool is_unsure, is_made = false;
	const struct past_node *nodes = past_find(past, ino, ino, &count);
	int err = 0;

	*out = past_before(past, nodes, count, &is_unsure);
	past->view.inodes_unsure += is_unsure;
	if (*out || ino != past->vol->geo.root_ino || past->as_of != FORMAT_VERSION)
		return 0;
	for (size_t i = 0; i < count && !is_made && !err && nodes[i].age + 1 == past->as_of_age; i++) {
		err = ask_format(past, &nodes[i], &is_made);
		*out = is_made ? &nodes[i] : NULL;
	}
	return err;
}

int past_open_as_of(struct f2fs_past *past, f2fs_nid_t ino, struct f2fs_inode **out)
{
	const struct past_node *node;
	struct at *at;
	int err = past_need_fresh(past);

	if (err)
		return err;
	err = choose_inode(past, ino, &node);
	if (err)
		return err;
	if (!node) {
		past->view.inodes_lost++;
		return error_set(past->vol->ctx, F2FS_ERR_OVERWRITTEN,
				 "inode %u, as it was at checkpoint %u, is not left", (unsigned)ino,
				 (unsigned)past->as_of);
	}
	err = past_open_inode(past->vol, past, node->addr, 0, out);
	if (err == F2FS_ERR_OVERWRITTEN)
		past->view.inodes_lost++;
	if (err)
		return err;
	at = (*out)->past.user;
	if (!past_time_of(past, (*out)->block, node->addr, &at->time))
		at->time.is_succeeded = true;
	/* its nodes may have been written later than itself, and those in use may be newer than the checkpoint */
	at->time.age = node->age < past->as_of_age ? node->age : past->as_of_age;
	at->time.is_current = at->time.is_last = false;
	at->has_time = at->is_view = true;
	return 0;
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

/* Verify the contents through a handle of their own: that one reads blank blocks as they are. */
static int verify(struct at *at, const struct f2fs_inode *inode)
{
	struct f2fs_inode *twin;
	struct at *its;
	int err = past_open_inode(at->vol, at->past, inode->addr, F2FS_AT_BLANK, &twin);

	if (err)
		return err;
	its = twin->past.user;
	its->time = at->time;
	its->has_time = true;
	err = verity_check(twin);
	f2fs_inode_close(twin);
	return err;
}

int past_digest(const struct f2fs_inode *inode, enum digest *out)
{
	struct at *at = inode->past.user;
	int err = at->digest == DIGEST_UNASKED ? need_past(at, inode) : 0;

	if (!err && at->digest == DIGEST_UNASKED) {
		at->digest = DIGEST_NONE;
		if (inode_type(inode) == MODE_REG && (inode_i_advise(inode->block) & FLAG_i_advise_verity)) {
			err = verify(at, inode);
			if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED) {
				at->digest = DIGEST_UNASKED;
				return err;
			}
			if (!err)
				at->digest = DIGEST_RIGHT;
			else if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_OVERWRITTEN)
				at->digest = DIGEST_WRONG;
			error_clear(at->vol->ctx);
			err = 0;
		}
	}
	*out = at->digest;
	return err;
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
	if (flags & ~(unsigned)(F2FS_AT_OVERWRITTEN | F2FS_AT_BLANK))
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
