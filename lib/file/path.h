/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the path of an inode, and bring paths into one form.
 */
#ifndef F2FSKIT_FILE_PATH_H
#define F2FSKIT_FILE_PATH_H

#include "file/object.h"

/* f2fs_inode_path() without forgetting the last error. */
int inode_path(struct f2fs_inode *inode, char *buffer, size_t size);

/* Return a path from the root that begins with a slash and ends without one, so the root is "". NULL without memory;
 * free it with mem_free(). */
char *path_base(struct f2fs_context *ctx, const char *path);

#endif
