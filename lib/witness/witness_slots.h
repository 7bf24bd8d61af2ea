/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find and amend slots of nodes.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_SLOTS_H
#define F2FSKIT_WITNESS_WITNESS_SLOTS_H

#include "facts/run.h"

/* A slot of an inode or a direct node, as the node's block has it. */
struct slot_view {
	struct nid_fact fact; /* of the node */
	uint32_t slot;
	uint32_t byte;	  /* in the block */
	f2fs_blk_t value; /* its value */
	bool is_there;	  /* the block can be read and has this many slots */
};
/* Find the slot of a kept node. */
int witness_find_slot(struct checker *c, f2fs_nid_t nid, uint32_t slot, struct slot_view *out);
/* Amend the slot to another address, as DATA_POINTER. */
int witness_amend_slot(struct checker *c, const struct slot_view *slot, f2fs_blk_t value, unsigned witnesses);

#endif
