/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print extended attributes as a table.
 */
#ifndef F2FSKIT_DUMP_VIEW_XATTR_H
#define F2FSKIT_DUMP_VIEW_XATTR_H

#include "dump/run.h"

/* Extended attributes as a table. */
int dump_xattrs(struct dump *d, struct f2fs_inode *inode);

#endif
