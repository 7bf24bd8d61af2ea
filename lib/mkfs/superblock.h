/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clear and write the superblock of a new volume.
 */
#ifndef F2FSKIT_MKFS_SUPERBLOCK_H
#define F2FSKIT_MKFS_SUPERBLOCK_H

#include "mkfs/run.h"

/* Fill the superblock; after the tree, whose inode numbers it names. */
int mkfs_fill_superblock(struct mkfs *m);
/* Clear both superblocks of any block size, of all devices that are written. */
int mkfs_clear_superblocks(struct mkfs *m);
int mkfs_write_superblocks(struct mkfs *m);

#endif
