/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count what is left of an inode.
 */
#ifndef F2FSKIT_FORENSICS_REMAINS_H
#define F2FSKIT_FORENSICS_REMAINS_H

#include <f2fskit/forensics.h>

#include "file/object.h"

/* Count the remaining blocks of an inode; nodes are counted as they are loaded. newer: the next version, or NULL. */
int fate_count(struct f2fs_inode *inode, struct f2fs_inode *newer, struct f2fs_remains *out);

#endif
