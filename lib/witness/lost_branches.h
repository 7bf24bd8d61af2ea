/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find lost direct nodes without a pointer, and their blocks of data.
 */
#ifndef F2FSKIT_WITNESS_LOST_BRANCHES_H
#define F2FSKIT_WITNESS_LOST_BRANCHES_H

#include "facts/run.h"

/* A block of data of a lost node. */
struct branch_block {
	f2fs_nid_t nid, ino; /* of the node */
	f2fs_blk_t node;     /* its block */
	f2fs_blk_t addr;
	uint32_t slot;
	uint8_t version; /* of the node */
};

/* List the blocks (struct branch_block) of lost direct nodes that nothing leads to, by node and slot. */
int lost_branches_find(struct checker *c, struct vec *out);
/*
 * After all votes: note these blocks in the book, and count them as in use. A search for nodes, which may follow,
 * builds the NAT again and does not know these nodes. Raises a finding for each node.
 */
int lost_branches(struct checker *c);
/* Find the end of the blocks (struct branch_block) of the same node as the one at index first. */
size_t lost_branch_end(const struct vec *blocks, size_t first);

#endif
