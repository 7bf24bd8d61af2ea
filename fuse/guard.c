/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flags "immutable" and "append only". The kernel leaves them to the program that serves a FUSE mount, and the
 * library, which acts as the superuser does, keeps them without asking.
 */

#include <linux/fs.h>

#include "fuse/guard.h"
#include "fuse/mount.h"

int guard_flags(const struct f2fs_stat *st, int only_adds)
{
	if (st->flags & FS_IMMUTABLE_FL)
		return MOUNT_NOT_PERMITTED;
	return st->flags & FS_APPEND_FL && !only_adds ? MOUNT_NOT_PERMITTED : 0;
}

int guard_inode(struct f2fs_inode *inode, int only_adds)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(inode, &st);

	return err ? err : guard_flags(&st, only_adds);
}

int guard_removal(struct f2fs_inode *dir, const struct known *held)
{
	int err = guard_inode(dir, 0);

	return err || !held ? err : guard_inode(held->inode, 0);
}
