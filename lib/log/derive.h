/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build a transaction on the facts that a check found about a volume: they replace SIT, counters and logs.
 */
#ifndef F2FSKIT_LOG_DERIVE_H
#define F2FSKIT_LOG_DERIVE_H

#include "log/run.h"

/* Facts of a repair about a volume, which replace SIT, counters and logs. */
/* Blocks that must not change until the commit, besides those in use by the truth. */
struct txn_keep {
	void *user;
	/* Called before anything is allocated: segment_keep() the blocks. */
	int (*keep)(void *user, struct txn *txn);
};
struct txn_truth {
	void *user;
	/* Fill the map (64 zero bytes, MSB-first) of a segment's blocks in use; *type has the SIT's value. */
	void (*segment)(void *user, f2fs_seg_t segno, uint8_t *map, uint8_t *type);
	uint64_t valid_blocks; /* reserved ones included */
	uint32_t valid_nodes, valid_inodes;
	bool nat_is_whole;	 /* the caller sets the NAT entries of all nodes in use, the others are free */
	const uint8_t *nat_maps; /* full and empty NAT blocks as the NAT will be without this transaction; or NULL */
	const struct txn_keep *keep; /* or NULL */
};
/* Fill a new transaction with it. */
int derive_fill(struct txn *txn, const struct txn_truth *truth);

#endif
