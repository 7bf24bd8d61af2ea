/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read and verify files with fs-verity.
 */
#ifndef F2FSKIT_FILE_VERITY_FILE_H
#define F2FSKIT_FILE_VERITY_FILE_H

#include "file/object.h"

/* f2fs_verity_get() without forgetting the last error. */
int verity_get(struct f2fs_inode *inode, struct f2fs_verity *out);
/* f2fs_verity_verify() */
int verity_check(struct f2fs_inode *inode);

#endif
