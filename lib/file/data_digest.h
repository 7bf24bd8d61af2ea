/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of a file's contents.
 */
#ifndef F2FSKIT_FILE_DATA_DIGEST_H
#define F2FSKIT_FILE_DATA_DIGEST_H

#include "file/object.h"

/* f2fs_inode_digest() without forgetting the last error. out has the size of this library's struct. */
int data_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out);

#endif
