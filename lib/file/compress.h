/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read files that are compressed.
 */
#ifndef F2FSKIT_FILE_COMPRESS_H
#define F2FSKIT_FILE_COMPRESS_H

#include "file/object.h"

/* UNSUPPORTED: the file has compressed clusters that this build cannot read. */
int compress_need(struct f2fs_inode *inode);
/* Read a cluster; the data is valid until the next one is read. */
int compress_read(struct f2fs_inode *inode, uint64_t cluster, const uint8_t **data);
/* Is the cluster that starts with these slots stored compressed? */
static inline bool compress_is_cluster(const struct f2fs_inode *inode, uint32_t first_slot)
{
	return inode->layout.is_compressed && first_slot == F2FS_COMPRESS_ADDR;
}

#endif
