/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Free inodes.
 */
#ifndef F2FSKIT_FILE_INODE_FREE_H
#define F2FSKIT_FILE_INODE_FREE_H

#include "file/winode.h"

int inode_free(struct winode *w);

#endif
