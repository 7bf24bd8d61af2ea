/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count how fragmented files are, and how many blocks a read-ahead by addresses would have ready when files are read in
 * order.
 */
#ifndef F2FSKIT_LAB_READ_BACK_H
#define F2FSKIT_LAB_READ_BACK_H

#include <f2fskit/f2fskit.h>

struct lab_read_back {
	uint64_t files, pieces, blocks; /* with blocks; runs of addresses; their blocks */
	uint64_t following, hits;	/* blocks after the first of their file, and those that were read ahead */
};

/*
 * Add a file. The read-ahead is the one of the mobile study: a block that follows the one before it in its file makes
 * it read the next addresses, 4 blocks after a miss, twice as many each time that all were of use, at most 32
 * (128 KiB). An error code, which the context explains.
 */
int lab_read_back_add(struct lab_read_back *r, struct f2fs_inode *inode);

#endif
