/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inodes and nodes as f2fs-tools print them.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_INODE_H
#define F2FSKIT_DUMP_CLASSIC_INODE_H

#include "dump/run.h"

/* The fields of an inode block; with only_name just name and size, if it has a name. Returns 1 when it was all fields.
 */
int classic_inode(struct dump *d, const uint8_t *block, int only_name);
/* What -i shows of a node; returns 0, or a negative error after a message. */
int classic_node(struct dump *d, f2fs_nid_t nid, int only_name);

#endif
