/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the witnesses of an inode's division vote.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_LAYOUT_H
#define F2FSKIT_WITNESS_WITNESS_LAYOUT_H

#include "facts/run.h"

/*
 * Do an inode's fields describe its division wrongly? Leaves INODE_ODD where something contradicts them, and no better
 * division is known: then its slots may be none. Also examines all inodes that look like this.
 */
int witness_layout(struct checker *c, f2fs_nid_t ino);
int witness_layouts(struct checker *c);

#endif
