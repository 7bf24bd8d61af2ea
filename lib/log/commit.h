/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commit or roll back a transaction.
 */
#ifndef F2FSKIT_LOG_COMMIT_H
#define F2FSKIT_LOG_COMMIT_H

#include "volume/volume.h"

/* Commit: make all changes since the last commit permanent. On failure the transaction is only good for txn_drop(). */
int txn_commit(struct f2fs_volume *vol);
/* Drop the transaction, if there is one; the last error stays. A commit whose last step failed is taken back on the
 * device first. As long as that fails, too, it is unknown which checkpoint counts, and the volume is not written. */
void txn_roll_back(struct f2fs_volume *vol);
/* Further contents of a commit, besides those of the transaction. */
struct commit_form {
	uint32_t flags;	    /* further checkpoint flags; with large_nat_bitmap the bitmaps move, and must fit */
	uint32_t cleared;   /* flags that end with this commit */
	bool whole_sit;	    /* no segment is in the journal */
	bool has_room;	    /* the three numbers below take the place of the volume's */
	uint64_t user_blocks;
	uint32_t reserved_segments, overprovision_segments;
	int64_t free_change; /* free segments more, or less, than before the transaction */
};
/* The same with further contents. */
int txn_commit_as(struct f2fs_volume *vol, const struct commit_form *form);

#endif
