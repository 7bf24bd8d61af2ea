/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the owner of each block in some segments. The facts have one bit for a block and one sum for a segment. Where
 * that is not enough, the kept nodes are read again and the claims on marked segments are listed.
 */
#ifndef F2FSKIT_FACTS_CLAIMS_H
#define F2FSKIT_FACTS_CLAIMS_H

#include "facts/run.h"

struct claim {
	f2fs_blk_t addr;
	f2fs_nid_t nid; /* node that has the pointer; is_node: the node in the block */
	uint16_t slot;
	uint8_t version;
	uint8_t is_node;
};

/* Return the owner that a block's summary names if the claim is right. */
static inline struct owner claim_owner(const struct claim *claim)
{
	return (struct owner){ .nid = claim->nid,
			       .ofs = claim->is_node ? 0 : claim->slot,
			       .version = claim->is_node ? 0 : claim->version };
}

/* Blocks of the segments that are listed at once: 64 MiB of claims. */
#define MAX_CLAIMS (4u << 20)

/*
 * List the claims on segments from *from on that have the flag, ascending by address. Moves *from past the last listed
 * segment, all claims of which are in the list. Initializes claims, also when it fails.
 */
int claims_collect(struct checker *c, uint32_t seg_flag, f2fs_seg_t *from, struct vec *claims);

#endif
