/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the copies of an inode in the node segments.
 */
#ifndef F2FSKIT_DUMP_HISTORY_H
#define F2FSKIT_DUMP_HISTORY_H

#include "dump/run.h"

/* Visit every block of the node segments that is, or was, a copy of this inode, in the order of the device. */
int dump_each_copy(struct dump *d, f2fs_nid_t ino, int (*visit)(void *user, f2fs_blk_t addr, const uint8_t *block),
		   void *user);

#endif
