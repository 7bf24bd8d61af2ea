/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who owns the blocks of some segments, one by one. The facts have a bit for a block and a sum for a segment; where
 * that is not enough, kept nodes are read again and the claims on marked segments are listed.
 */
#ifndef F2FSKIT_CHECK_CLAIMS_H
#define F2FSKIT_CHECK_CLAIMS_H

#include "check/checker.h"

struct claim {
	f2fs_blk_t addr;
	f2fs_nid_t nid; /* node whose pointer it is; is_node: the node that lies there */
	uint16_t slot;
	uint8_t version;
	uint8_t is_node;
};

/* What a block's summary says when the claim is right. */
static inline struct owner claim_owner(const struct claim *claim)
{
	return (struct owner){ .nid = claim->nid,
			       .ofs = claim->is_node ? 0 : claim->slot,
			       .version = claim->is_node ? 0 : claim->version };
}

/* Blocks of the segments that are listed at once: 64 MiB of claims. */
#define MAX_CLAIMS (4u << 20)

/*
 * List the claims on segments from *from on that have the flag, ascending by address, and move *from behind the last
 * segment that is listed: all its claims are. Initializes claims, also when it fails.
 */
int claims_collect(struct checker *c, uint32_t seg_flag, f2fs_seg_t *from, struct vec *claims);

#endif
