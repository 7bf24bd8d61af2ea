/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes as f2fs-tools print them.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_XATTR_H
#define F2FSKIT_DUMP_CLASSIC_XATTR_H

#include "dump/run.h"

/* The extended attributes of an inode. */
void classic_xattrs(struct dump *d, f2fs_nid_t ino);

#endif
