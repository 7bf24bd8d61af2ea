/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List lost inodes.
 */
#ifndef F2FSKIT_WITNESS_LOST_INODES_H
#define F2FSKIT_WITNESS_LOST_INODES_H

#include "witness/inode_builder.h"

/* List the inodes that entries name in vain, each once, by node id. */
int lost_list_named(struct builder *b);
/* Add the other lost inodes. No directory names unlinked files and those of quotas, which stay lost. */
int lost_list_nameless(struct builder *b);
/* Find a listed inode; NULL: it is not lost. */
struct lost_inode *lost_find(const struct builder *b, f2fs_nid_t nid);
/* Is the inode unlinked, and deleted by the next mount? */
bool lost_is_orphan(const struct checker *c, f2fs_nid_t ino);

#endif
