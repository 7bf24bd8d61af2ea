/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adopt blocks that were written after the last checkpoint, so that they are part of the next one.
 */
#ifndef F2FSKIT_LOG_ADOPT_H
#define F2FSKIT_LOG_ADOPT_H

#include "log/run.h"

/* Keep a block from being allocated until the commit, whether it is in use or not. */
int segment_keep(struct txn *txn, f2fs_blk_t addr);
/* Move the appending logs past the kept blocks. */
int heads_pass_kept(struct txn *txn);
/* Make a kept block valid, as data of its owner; is_new: the slot held no block before. */
int block_adopt(struct txn *txn, f2fs_blk_t addr, struct owner owner, bool is_new);
/* Find the owner that the current summaries name for a block. */
int block_owner(struct txn *txn, f2fs_blk_t addr, struct f2fs_block_owner *out);
/* Write the summaries of adopted blocks; before anything is allocated, and before the commit. */
int adopted_store(struct txn *txn);
void adopted_end(struct txn *txn);

#endif
