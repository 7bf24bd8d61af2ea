/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bind handles to the inodes that they were opened for.
 */
#ifndef F2FSKIT_FILE_INODE_LIFE_H
#define F2FSKIT_FILE_INODE_LIFE_H

#include "file/object.h"

/* Bind a handle that was loaded to its inode as it is now, and list it with the volume's handles. */
int inode_bind(struct f2fs_inode *inode);
/* Is the inode gone that a handle was opened for, whatever has its number now? */
bool inode_is_dead(const struct f2fs_inode *inode);
/* Fail with STATE then. */
int inode_need_live(const struct f2fs_inode *inode);
/* The handle's block was loaded again: fail with STATE, for good, when it is another inode's. */
int inode_check_life(struct f2fs_inode *inode);
/* What an inode is known by while no handle of it is open. */
struct inode_identity {
	uint64_t born, rollbacks;
	uint32_t life;
};
void inode_identify(const struct f2fs_inode *inode, struct inode_identity *out);
/* Is an inode that was opened by the same number the same inode? */
bool inode_is_the_same(const struct f2fs_inode *inode, const struct inode_identity *as);

#endif
