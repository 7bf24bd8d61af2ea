/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure how fragmented a file is, for --stat and --fragmentation.
 */
#ifndef F2FSKIT_DUMP_VIEW_FRAGMENTATION_H
#define F2FSKIT_DUMP_VIEW_FRAGMENTATION_H

#include "dump/run.h"

struct scatter {
	uint64_t blocks;  /* stored */
	uint64_t extents; /* runs of consecutive blocks */
	f2fs_blk_t next;  /* block that would continue the last run */
};

/* Go through the blocks of an inode. Returns an enum f2fs_error. */
int dump_measure(struct f2fs_inode *inode, struct scatter *s);
/* The columns blocks, extents and fragmentation_percent of the open record. */
void dump_put_scatter(struct dump *d, const struct scatter *s);

#endif
