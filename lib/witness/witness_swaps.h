/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on blocks that hold each other's contents.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_SWAPS_H
#define F2FSKIT_WITNESS_WITNESS_SWAPS_H

#include "facts/run.h"

/* Exchange two nodes, or a node and a block of a directory. Needs all nodes. */
int witness_swapped_nodes(struct checker *c);
/* Exchange a lost inode and the block of its own file that holds it. blocks: struct unclaimed, of lost inodes. */
int witness_swapped_own(struct checker *c, const struct nid_fact *fact, const struct vec *blocks);
/* Exchange blocks of two directories. Needs the findings on their entries. */
int witness_swapped_dirs(struct checker *c);
/* Did a vote exchange this block? A repair that writes one of both writes the other one, too. */
bool witness_is_exchanged(const struct checker *c, f2fs_blk_t addr);

#endif
