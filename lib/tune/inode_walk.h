/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Visit the inodes of a volume as blocks, before something changes that all of them share.
 */
#ifndef F2FSKIT_TUNE_INODE_WALK_H
#define F2FSKIT_TUNE_INODE_WALK_H

#include "volume/volume.h"

struct inode_walk {
	struct f2fs_volume *vol;
	const char *task; /* for progress */
	uint8_t *block;	  /* of geometry.block_size bytes, the caller's: the inode read last */
};

/*
 * May something that all inodes share be changed now? Fails with STATE (uncommitted changes, a volume that waits for
 * recovery), READ_ONLY.
 */
int inode_walk_ready(struct f2fs_volume *vol);
/*
 * Visit each inode in use, in the order of inode numbers; user is visit's. Stops at the first that returns other than
 * 0, and returns that. Fails with CANCELED, CORRUPT, IO.
 */
int inode_walk_each(struct inode_walk *walk, int (*visit)(void *user, const struct f2fs_nat_info *nat), void *user);
/*
 * Read an inode's block as it is. Checks only that it is there: CORRUPT for an address outside of the main area, and
 * for another node's block.
 */
int inode_walk_read(struct inode_walk *walk, const struct f2fs_nat_info *nat);

#endif
