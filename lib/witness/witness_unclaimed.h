/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find blocks that are in use without a pointer, and the slots that their summaries name.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_UNCLAIMED_H
#define F2FSKIT_WITNESS_WITNESS_UNCLAIMED_H

#include "facts/run.h"

/* A block of data that the SIT has in use and no pointer leads to. Its summary names the slot of a node. */
struct unclaimed {
	f2fs_nid_t nid;
	uint32_t slot;
	f2fs_blk_t addr;
	uint8_t version;
	bool is_of_pack; /* the summary is in the checkpoint pack */
	bool is_counted; /* the SIT's count of its segment agrees with its map */
};

/* Take one. wants() decides which of them are kept. */
typedef int (*unclaimed_wants)(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted);

/* Collect those that wants() takes into out (struct unclaimed), sorted by node, slot and address. */
int witness_unclaimed(struct checker *c, unclaimed_wants wants, void *user, struct vec *out);
/* Find the first of the blocks that name a node; count: none. */
size_t unclaimed_first(const struct vec *blocks, f2fs_nid_t nid);
/* Find the end of the blocks that name the same slot as the one at index first. */
size_t unclaimed_end(const struct vec *blocks, size_t first);

#endif
