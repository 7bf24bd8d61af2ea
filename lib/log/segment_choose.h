/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the next segment of a log.
 */
#ifndef F2FSKIT_LOG_SEGMENT_CHOOSE_H
#define F2FSKIT_LOG_SEGMENT_CHOOSE_H

#include "log/run.h"

/* Find a segment for a head: appending into a free one, or filling holes of one in use. NOSPC when there is neither. */
int segment_choose(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, uint8_t *alloc_type);
/* The second of these alone. */
int segment_choose_holes(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found);
/* Do free sections run low? */
int segment_needs_holes(struct txn *txn, bool *needed);

#endif
