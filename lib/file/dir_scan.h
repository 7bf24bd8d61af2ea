/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks and entries of a directory, for those who go through them: dir_read.c in order, dir_find.c by hash.
 */
#ifndef F2FSKIT_FILE_DIR_SCAN_H
#define F2FSKIT_FILE_DIR_SCAN_H

#include "file/object.h"
#include "format/dentry.h"

static inline bool dir_is_inline(const struct f2fs_inode *inode)
{
	return inode_has_inline(inode->block, FLAG_i_inline_inline_dentry);
}

#endif
