/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of usage that a transaction has collected: counted by quota_count.c, stored by quota_write.c.
 */
#ifndef F2FSKIT_FILE_QUOTA_CHANGES_H
#define F2FSKIT_FILE_QUOTA_CHANGES_H

#include "file/quota_rises.h"
#include "file/run.h"
#include "file/write.h"
#include "format/quota.h"

/* Change of one id's usage. */
struct quota_change {
	uint32_t id;
	unsigned limits; /* enum f2fs_quota_limit: these are set, too */
	int64_t space, inodes;
	struct quota_rises space_rises, inode_rises; /* of those two, if changes have a time */
	uint64_t space_soft, space_hard, inodes_soft, inodes_hard;
	int64_t now; /* when limits were set, seconds */
};

/* Times of grace of a whole file. */
struct quota_period {
	bool is_set;
	uint32_t space, inodes; /* seconds */
};

struct quota_changes {
	struct map32 index[QUOTA_KINDS]; /* id -> number in list */
	struct vec list[QUOTA_KINDS];	   /* struct quota_change */
	struct quota_period periods[QUOTA_KINDS];
};

/* Does a transaction change the file of a kind? */
static inline bool quota_changes_kind(const struct txn *txn, unsigned kind)
{
	const struct quota_changes *changes = txn && txn->file ? txn->file->quota : NULL;

	return changes && (changes->list[kind].count > 0 || changes->periods[kind].is_set);
}

#endif
