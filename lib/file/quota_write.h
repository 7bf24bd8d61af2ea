/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill, check and store quota files.
 */
#ifndef F2FSKIT_FILE_QUOTA_WRITE_H
#define F2FSKIT_FILE_QUOTA_WRITE_H

#include "file/object.h"
#include "file/winode.h"

struct quota_rescue;

/* Fill a quota file that has no blocks. */
int quota_fill(struct winode *w, unsigned kind, const struct quota_rescue *kept);
/* Can the quota file of a kind be changed as the running transaction says? */
int quota_check_changed(struct f2fs_inode *inode, unsigned kind);
/* Load the future contents of a quota file when the running transaction has changes for it; *bytes, which the caller
 * frees, stays as it is when there are none. */
int quota_load_changed(struct f2fs_inode *inode, unsigned kind, uint8_t **bytes, uint64_t *size);
/* Store the counts in the quota files. */
int quota_store(struct txn *txn);

#endif
