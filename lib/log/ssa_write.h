/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the summaries of segments, and write those of segments that are no log.
 */
#ifndef F2FSKIT_LOG_SSA_WRITE_H
#define F2FSKIT_LOG_SSA_WRITE_H

#include "log/run.h"

/*
 * Point at the 512 summary entries of a segment, a log's too; valid until the next call that reads. Those of blocks
 * that a filler wrote come when it leaves the segment. NULL: the volume has no summaries.
 */
int summary_peek(struct txn *txn, f2fs_seg_t segno, const uint8_t **entries, bool *is_node);
/* The summary entries of a segment that is no log now. */
int summary_read(struct txn *txn, f2fs_seg_t segno, uint8_t *entries);
/* Write the summary of a segment that is no log any more, or never was: 512 entries, right for blocks in use. */
int summary_write(struct txn *txn, f2fs_seg_t segno, const uint8_t *entries, bool is_node);

#endif
