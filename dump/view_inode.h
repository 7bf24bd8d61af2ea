/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print inodes, node footers and paths of inodes as members of a record.
 */
#ifndef F2FSKIT_DUMP_VIEW_INODE_H
#define F2FSKIT_DUMP_VIEW_INODE_H

#include "dump/run.h"

/* What an inode's block says, and a node's footer, as members of the open record. */
void dump_inode_block(struct dump *d, const uint8_t *block);
void dump_footer(struct dump *d, const uint8_t *block);
/* A path that leads to an inode as member "path" of the open record, null when there is none. */
void dump_path(struct dump *d, struct f2fs_inode *inode);

#endif
