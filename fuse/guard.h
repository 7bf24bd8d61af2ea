/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refuse changes that the flags of an inode forbid.
 */
#ifndef F2FSKIT_FUSE_GUARD_H
#define F2FSKIT_FUSE_GUARD_H

#include "fuse/mount.h"

/* Errors beside those of the library. */
enum mount_error {
	MOUNT_NOT_PERMITTED = -10000, /* EPERM */
	MOUNT_OVERFLOW = -10001,      /* EOVERFLOW */
	MOUNT_NO_VICTIM = -10002,     /* EAGAIN: there is no section to empty */
	MOUNT_TOO_MANY = -10003,      /* ENFILE: too many checkpoints are open */
	MOUNT_QUOTA = -10004	      /* EDQUOT */
};
/* Do an inode's flags permit a change that only adds (to a file's end, a name to a directory), or any other one? */
int guard_flags(const struct f2fs_stat *st, int only_adds);
int guard_inode(struct f2fs_inode *inode, int only_adds);
/* Do the flags of a directory, and of the inode that known_hold() has found, permit the removal of the name? */
int guard_removal(struct f2fs_inode *dir, const struct known *held);

#endif
