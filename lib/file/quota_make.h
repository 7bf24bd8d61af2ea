/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a new quota file.
 */
#ifndef F2FSKIT_FILE_QUOTA_MAKE_H
#define F2FSKIT_FILE_QUOTA_MAKE_H

#include "log/run.h"

struct quota_rescue;

/* Make a new quota file of a kind, with a new inode when that is gone, with the remaining limits and grace times, and
 * without usage. kept: NULL for none. */
int quota_make(struct txn *txn, unsigned kind, const struct quota_rescue *kept);
/* Make the first quota file of a kind, empty, and name its inode in the superblock in memory, also on failure. */
int quota_add(struct txn *txn, unsigned kind);

#endif
