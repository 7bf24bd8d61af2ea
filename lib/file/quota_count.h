/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the usage of owners, groups and projects.
 */
#ifndef F2FSKIT_FILE_QUOTA_COUNT_H
#define F2FSKIT_FILE_QUOTA_COUNT_H

#include "file/winode.h"
#include "format/quota.h"

struct f2fs_quota_grace;

/* Count a change of an inode's blocks, or of the number of inodes, for its owner, group and project. */
int quota_charge(struct winode *w, int64_t blocks, int64_t inodes);
/* Change the usage of an id by bytes and inodes. */
int quota_adjust(struct txn *txn, unsigned kind, uint32_t id, int64_t space, int64_t inodes);
/* The ids that an inode counts for, by kind. */
void quota_owners(const uint8_t *inode, uint32_t ids[QUOTA_KINDS]);
/* Is this inode one of the quota files? */
bool quota_is_file(const struct f2fs_volume *vol, f2fs_nid_t ino);
int quota_limit(struct txn *txn, unsigned kind, unsigned which, const struct f2fs_quota *quota, int64_t now);
/* Set the times of grace of a kind with the commit. */
int quota_period(struct txn *txn, unsigned kind, const struct f2fs_quota_grace *grace);
/* Is usage counted now, so that quota files can be changed? */
bool quota_is_kept(const struct f2fs_volume *vol);
void quota_drop(struct txn *txn);

#endif
