/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open inodes as they once were.
 */
#ifndef F2FSKIT_FILE_INODE_PAST_H
#define F2FSKIT_FILE_INODE_PAST_H

#include "file/object.h"

/*
 * Open the inode in the block at addr, as it is there; past is copied, and closed with the inode. NOT_FOUND when the
 * block holds no inode, CORRUPT when that breaks a rule. After a failure past is still the caller's.
 */
int inode_open_past(struct f2fs_volume *vol, f2fs_blk_t addr, const struct inode_past *past, struct f2fs_inode **out);
/* Fail with READ_ONLY for an inode as it once was, with STATE for a dead handle. */
int inode_need_current(const struct f2fs_inode *inode);
/* Load a node of an inode, of its own time. addr may be NULL. */
int inode_load_node(const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t node_offset, uint8_t *block,
		    f2fs_blk_t *addr);

#endif
