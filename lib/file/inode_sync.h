/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Update a handle's copy of its inode from the running transaction.
 */
#ifndef F2FSKIT_FILE_INODE_SYNC_H
#define F2FSKIT_FILE_INODE_SYNC_H

#include "file/object.h"

/* Update the handle's copy from the running transaction. Fails with STATE for a dead handle. */
int inode_sync(struct f2fs_inode *inode);
/* Load the block of a handle as it is now. */
int inode_load(struct f2fs_inode *inode);
/* Free the attributes, or the cluster, that a handle keeps. */
void xattr_unload(struct f2fs_inode *inode);
void compress_unload(struct f2fs_inode *inode);

/* Record corruption of this inode. */
int inode_corrupt(struct f2fs_inode *inode, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
