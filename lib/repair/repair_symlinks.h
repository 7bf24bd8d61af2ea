/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair sizes and targets of symlinks.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_SYMLINKS_H
#define F2FSKIT_REPAIR_REPAIR_SYMLINKS_H

#include "repair/repair.h"

/* Mend size and target of a symlink that has its target in its inode's block. */
void symlink_mend_inside(const struct repair *r, const struct inode_fact *inode, uint8_t *block);
/* Mend the size of a symlink that has its target in a block of its own. */
void symlink_mend_size(const struct repair *r, const struct inode_fact *inode, uint8_t *block);
/* A step of a round (repair.h): mend targets in blocks of their own. */
int repair_symlinks(struct repair *r);

#endif
