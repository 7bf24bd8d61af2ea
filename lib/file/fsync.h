/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make one file durable.
 */
#ifndef F2FSKIT_FILE_FSYNC_H
#define F2FSKIT_FILE_FSYNC_H

#include "file/object.h"

int inode_fsync(struct f2fs_inode *inode, unsigned flags);

#endif
