/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count blocks in use, and keep room for the commit and for GC.
 */
#ifndef F2FSKIT_LOG_SPACE_H
#define F2FSKIT_LOG_SPACE_H

#include "log/run.h"

/* Free sections that the commit may need, for nodes and blocks that wait and for logs to end in. */
uint32_t segment_commit_sections(const struct txn *txn);
/* Sections that data has to leave to the commit and to GC. */
uint32_t segment_kept_sections(const struct txn *txn);
/* Make sure that n more blocks fit, and count them. */
int space_take(struct txn *txn, uint64_t n);
/* Fail with NOSPC unless that many more blocks fit: asked before anything is changed. */
int space_need(const struct txn *txn, uint64_t blocks);
/*
 * May one more block wait? Only while there are free sections for all that waits, besides those that the commit needs;
 * with fewer each write finds its block, or fails, at once.
 */
bool space_lets_wait(const struct txn *txn);
void space_give(struct txn *txn, uint64_t n);
/* Is there so little room that a commit, which makes freed blocks usable, is due now, for no change to fail? */
int space_wants_commit(struct txn *txn, bool *wanted);
/* The space that can still be written. */
struct space_view {
	uint32_t free_sections;
	uint64_t data_holes, node_holes; /* blocks in partly used segments, without the logs' own, that these may fill;
					    none on zoned volumes */
};
int space_look(struct txn *txn, struct space_view *out);
/*
 * Are there so few free sections that the next change may find no room, though GC could make some? *goal: the
 * wanted number, 0: there are enough; *least: the number with which the change can continue. more: further sections
 * that the change needs.
 */
int space_wants_cleaning(struct txn *txn, uint32_t more, uint32_t *least, uint32_t *goal);
/* Blocks that sections are kept for: those that wait, and changed nodes; while those that waited are written, nodes. */
size_t space_to_come(const struct txn *txn);
/* Sections, the last perhaps in part, that the checkpoint reserves for GC. */
uint32_t space_reserved_sections(const struct txn *txn);
/*
 * How many of the sections that are reserved for GC are kept from data. When GC finds nothing to win, all
 * blocks are packed, and users may then write into the reserve.
 */
uint32_t space_kept_sections(const struct txn *txn, uint32_t reserved);
/* There was no room: say in the last error what GC did or could do; returns NOSPC. */
int space_explain(struct txn *txn);
#define SPACE_STEP_BLOCKS 256u /* that a change may write between two looks */
/* Free a data block: any slot value; special ones only give the count back. */
int block_free(struct txn *txn, f2fs_blk_t addr);

#endif
