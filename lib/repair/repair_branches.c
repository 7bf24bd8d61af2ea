/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the data of lost nodes that have no place any more. Each node's blocks, in the order of its slots, become a
 * file. Nothing is copied: the new file points to the blocks. Their summaries name the lost node until the next round
 * writes them, so that an interrupted repair finds the blocks again.
 */
#include "repair/repair_branches.h"

#include <stdio.h>

#include <f2fskit/write.h>

#include "base/error.h"
#include "file/dir_find.h"
#include "file/inode_read.h"
#include "file/map_write.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "witness/lost_branches.h"
#include "witness/witness.h"

#define NAME_ROOM 48u
#define MOST_NAMES 1000u /* files of one node from earlier repairs */

/* Find a name for the blocks of a node that the directory does not have yet. */
static int choose_name(struct f2fs_inode *dir, const struct branch_block *one, char name[NAME_ROOM])
{
	struct f2fs_context *ctx = dir->vol->ctx;
	struct f2fs_dirent entry;
	int err = 0;

	for (unsigned i = 0; i < MOST_NAMES && !err; i++) {
		const int length = snprintf(name, NAME_ROOM, i ? "inode-%u-node-%u-%u" : "inode-%u-node-%u",
					    (unsigned)one->ino, (unsigned)one->nid, i + 1);

		err = dir_find(dir, name, (size_t)length, &entry);
	}
	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(ctx);
		return 0;
	}
	return err ? err
		   : error_set(ctx, F2FS_ERR_EXISTS, "lost+found has %u files of node %u", MOST_NAMES,
			       (unsigned)one->nid);
}

/* Let a new file point to the blocks [first, end). */
static int point_to(struct repair *r, struct winode *w, size_t first, size_t end)
{
	const uint8_t inside = FLAG_i_inline_inline_data | FLAG_i_inline_data_exist;
	int err = 0;

	inode_set_i_inline(winode_block(w), inode_i_inline(winode_block(w)) & (uint8_t)~inside);
	winode_touch(w);
	for (size_t i = first; i < end && !err; i++) {
		const struct branch_block *one = vec_at(&r->c->book->branches, i);
		struct slot_ref slot;

		err = slot_make(w, one->slot, &slot);
		if (err)
			break;
		put_le32(slot.raw, one->addr);
		node_dirty(r->txn, slot.node);
		inode_set_i_size(winode_block(w), ((uint64_t)one->slot + 1) << r->geo->block_bits);
		err = winode_count(w, 1);
	}
	return err;
}

static int make_file(struct repair *r, struct f2fs_inode *dir, size_t first, size_t end)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = MODE_REG | 0600, .flags = F2FS_NEW_EXACT };
	const struct branch_block *one = vec_at(&r->c->book->branches, first);
	struct f2fs_inode *made;
	char name[NAME_ROOM];
	struct winode w;
	int err = choose_name(dir, one, name);

	if (!err)
		err = f2fs_create(dir, name, strlen(name), &spec, &made);
	if (err)
		return err;
	r->is_changed = true;
	err = winode_get(r->vol, made->ino, &w);
	if (!err)
		err = point_to(r, &w, first, end);
	f2fs_inode_close(made);
	return err ? err : nodes_trim(r->txn);
}

int repair_branches(struct repair *r, f2fs_nid_t dir)
{
	const struct vec *blocks = &r->c->book->branches;
	struct f2fs_inode *inode;
	int err;

	if (blocks->count == 0)
		return 0;
	err = inode_open(r->vol, dir, &inode);
	if (err)
		return err;
	for (size_t i = 0, end; i < blocks->count && !err; i = end) {
		end = lost_branch_end(blocks, i);
		err = make_file(r, inode, i, end);
	}
	f2fs_inode_close(inode);
	return err;
}
