/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply a plan within the running transaction, node by node, by the kernel's rules (FORMAT files 12.4 to 12.8).
 */
#ifndef F2FSKIT_RECOVER_REPLAY_H
#define F2FSKIT_RECOVER_REPLAY_H

#include "file/winode.h"
#include "file/write.h"
#include "recover/chain_read.h"
#include "recover/run.h"

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

#endif
