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
/* Fail with NOT_DIR for an inode that is no directory. */
int dir_need(const struct f2fs_inode *inode);
/* Point at a dentry block through the cache; *out is NULL for a hole, *span the blocks that this, or the error, holds
 * for. */
int dir_peek_block(struct f2fs_inode *inode, uint64_t index, const uint8_t **out, uint64_t *span);
/* Fill the public entry; the name as presented. */
int dir_present(struct f2fs_inode *inode, uint64_t block, const struct dentry_ref *ref, struct f2fs_dirent *out);

#endif
