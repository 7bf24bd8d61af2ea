/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the valid blocks of a section.
 */
#ifndef F2FSKIT_GC_MOVER_H
#define F2FSKIT_GC_MOVER_H

#include "log/run.h"

struct live;
struct live_block;

/*
 * Move the valid blocks of a section, all confirmed, through buffer, which is as long as a segment. *could_read: false
 * when a block could not be read; then the blocks before it have moved, and the rest stays.
 */
int live_move(struct live *live, uint8_t *buffer, bool *could_read);
/* Point the slot of a data block to its new place; the old one is free from now on. */
int live_repoint(struct txn *txn, const struct live_block *b, f2fs_blk_t to);

#endif
