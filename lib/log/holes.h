/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the segment whose holes a log fills next.
 */
#ifndef F2FSKIT_LOG_HOLES_H
#define F2FSKIT_LOG_HOLES_H

#include "log/run.h"

/* Find the segment whose holes a log fills next, of those that may be filled; all segments are loaded. */
int holes_choose(struct txn *txn, unsigned type, bool (*may_fill)(const struct txn *txn, f2fs_seg_t segno),
		 f2fs_seg_t *segno, bool *found);
void holes_end(struct txn *txn);

#endif
