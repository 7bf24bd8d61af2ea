/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of quota. The library counts usage and lets everything pass. Nobody changes limits while the volume is
 * mounted, so those that exist are read once, and usage is only looked up for owners who have some.
 */
#ifndef F2FSKIT_FUSE_QUOTA_GUARD_H
#define F2FSKIT_FUSE_QUOTA_GUARD_H

#include "fuse/mount.h"

/* What the owners of an inode may still use; UINT64_MAX: there is no limit. */
struct quota_room {
	uint64_t bytes, inodes;
};

/* Read which owners have limits. An error of the library. */
int quota_guard_open(struct mount *m);
void quota_guard_close(struct mount *m);
/*
 * Find out how much the user, group and project of an inode may still use, of whose numbers only these count. Limits do
 * not stop the superuser. An error of the library.
 */
int quota_guard_room(struct mount *m, uid_t caller, const struct f2fs_stat *owner, struct quota_room *out);
/* May the caller fill the holes of a range of a file? 0, MOUNT_QUOTA, or an error of the library. */
int quota_guard_range(struct mount *m, uid_t caller, struct f2fs_inode *inode, uint64_t offset, uint64_t length);
/* The same in two steps: count the blocks of a range that the file does not have yet. May the caller fill that many? */
int quota_guard_holes(struct mount *m, struct f2fs_inode *inode, uint64_t offset, uint64_t length, uint64_t *holes);
int quota_guard_blocks(struct mount *m, uid_t caller, struct f2fs_inode *inode, uint64_t holes);

#endif
