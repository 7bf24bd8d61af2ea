/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove capabilities.
 */
#ifndef F2FSKIT_EDIT_XATTRS_H
#define F2FSKIT_EDIT_XATTRS_H

#include "edit/run.h"

/* Remove the capabilities of a file that gets another owner or other contents, as the kernel does. Failure is
 * reported. */
int edit_drop_capability(struct edit *e, struct f2fs_inode *inode, const char *what);

#endif
