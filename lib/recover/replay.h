/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply a plan within the running transaction, node by node, by the kernel's rules (FORMAT files 12.4 to 12.8).
 */
#ifndef F2FSKIT_RECOVER_REPLAY_H
#define F2FSKIT_RECOVER_REPLAY_H

#include "file/write.h"
#include "recover/chain.h"

struct replay {
	struct f2fs_volume *vol;
	struct txn *txn;
	struct f2fs_recovery *plan;
	const struct vec *left;	  /* f2fs_nid_t: inodes that nothing is done to; NULL: none */
	bool is_checked;	  /* a check has reported entries of the list of orphans that count for nothing */
	f2fs_nid_t at;		  /* the inode that something is being done to; 0: none */
	struct chain_reader reader;
	struct vec dead; /* f2fs_nid_t: inodes that lost their last name */
	struct f2fs_recover_result result;
};

/* Is this inode left alone? If not, it is the recovery's current inode from now on. */
static inline bool replay_leaves(struct replay *r, f2fs_nid_t ino)
{
	for (size_t i = 0; r->left && i < r->left->count; i++)
		if (*(const f2fs_nid_t *)vec_at(r->left, i) == ino)
			return true;
	r->at = ino;
	return false;
}

/* The target of one node of the chain. */
struct replay_step {
	struct winode w;
	const uint8_t *block; /* the node in the chain; valid until the next chain_read() */
	f2fs_blk_t addr;
	uint32_t node_offset;
	bool is_inode;
};

/* replay_inode.c */
/* Make the inode that a block of the chain brings along. */
int replay_create(struct replay *r, const struct chain_inode *inode);
int replay_fields(struct replay_step *step);
int replay_inline_xattrs(struct replay_step *step);
int replay_xattr_node(struct replay_step *step);
/* Replay inline data. *done: the node has nothing further to replay. */
int replay_inline_data(struct replay_step *step, bool *done);
/* replay_index.c */
int replay_indexes(struct replay *r, struct replay_step *step);
/* replay_name.c */
int replay_name(struct replay *r, struct replay_step *step);
/* Free the inodes that lost their last name, directories with all that is below them. */
int replay_bury(struct replay *r);
/* orphans.c */
int orphans_finish(struct replay *r);
/* rollforward.c */
/* Keep the blocks that the plan needs from being allocated, before anything else is done. */
int replay_keep(struct replay *r);
/* Apply all of the plan. */
int replay_plan(struct replay *r);

#endif
