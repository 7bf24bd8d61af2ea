/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make new inodes compressed.
 */
#ifndef F2FSKIT_FILE_COMPRESS_MARK_H
#define F2FSKIT_FILE_COMPRESS_MARK_H

#include <f2fskit/compress.h>

#include "file/winode.h"

int compress_check(struct f2fs_volume *vol, const struct f2fs_compression *how);
/* The same with the defaults of level and cluster size filled in, as an inode stores them. */
struct f2fs_compression compress_exactly(const struct f2fs_compression *how);
/* Make an inode without contents compressed; how was checked. */
void compress_mark(struct winode *w, const struct f2fs_compression *how);
/* Decide about a new inode by its name and directory (may be NULL). */
void compress_new(struct winode *w, const uint8_t *parent, const char *name, size_t len);

#endif
