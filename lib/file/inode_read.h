/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open inodes, and read their fields.
 */
#ifndef F2FSKIT_FILE_INODE_READ_H
#define F2FSKIT_FILE_INODE_READ_H

#include "file/object.h"

/* Open without clearing the last error. */
int inode_open(struct f2fs_volume *vol, f2fs_nid_t ino, struct f2fs_inode **out);
/* f2fs_inode_stat() without forgetting the last error. */
int inode_stat(struct f2fs_inode *inode, struct f2fs_stat *out);

#endif
