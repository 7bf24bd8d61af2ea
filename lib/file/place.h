/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask a placement where blocks go, and do so.
 */
#ifndef F2FSKIT_FILE_PLACE_H
#define F2FSKIT_FILE_PLACE_H

#include "file/map_write.h"

struct placed_run {
	struct slot_ref slot; /* the first, those of the others follow it in its node */
	uint8_t log;	      /* that it went to */
	uint64_t file_block;
	uint32_t count;
	const uint8_t *data;
};
/* Write blocks, *got of them, to the stream that they belong to; 0: they go to the log. */
int place_append(struct winode *w, const struct placed_run *run, f2fs_blk_t *addr, uint32_t *got);
/* Report a written block to the placement. */
void place_written(struct winode *w, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr);
/* May whole blocks of this file wait? */
bool place_delays(const struct winode *w);
/* Where the block of a slot is, 0 for none. */
f2fs_blk_t place_block(const struct txn *txn, const uint8_t *raw);

#endif
