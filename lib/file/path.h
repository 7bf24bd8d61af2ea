/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the path of an inode.
 */
#ifndef F2FSKIT_FILE_PATH_H
#define F2FSKIT_FILE_PATH_H

#include "file/object.h"

/* f2fs_inode_path() without forgetting the last error. */
int inode_path(struct f2fs_inode *inode, char *buffer, size_t size);

#endif
