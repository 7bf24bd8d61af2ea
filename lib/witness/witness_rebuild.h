/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build nodes again whose blocks hold something else.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_REBUILD_H
#define F2FSKIT_WITNESS_WITNESS_REBUILD_H

#include "facts/run.h"

/* Note the nodes that are in the blocks of other nodes: a search finds them (node id -> 1). */
int rebuild_note_misplaced(const struct checker *c, struct map32 *misplaced);
/*
 * Do the NAT, the SIT and the summary agree that a node is in its block, although the block does not hold it, nor that
 * of another node? A block that cannot be read counts only if the loss of unreadable blocks is accepted.
 */
int rebuild_is_due(struct checker *c, const struct map32 *misplaced, const struct nid_fact *fact, bool *out);
/* Write the footer of a node of this offset into a block that is built again. */
void rebuild_footer(const struct checker *c, const struct nid_fact *fact, uint32_t offset, bool is_of_directory,
		    uint8_t *block);

/*
 * Put the blocks (struct unclaimed) that name slots of a node into its slots. Returns the slot after the last one, 0:
 * there is none.
 */
uint32_t rebuild_slots(const struct vec *blocks, f2fs_nid_t nid, uint8_t *slots, uint32_t count);
/* Put the heads of compressed clusters in front of their blocks. */
void rebuild_heads(uint8_t *slots, uint32_t count, uint32_t cluster_blocks);

/* Build direct and indirect nodes again. loose: struct loose_node, the nodes that no pointer leads to, sorted. */
int witness_rebuild(struct checker *c, const struct vec *loose);

#endif
