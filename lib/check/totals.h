/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of the totals pass: summaries, zones.
 */
#ifndef F2FSKIT_CHECK_TOTALS_H
#define F2FSKIT_CHECK_TOTALS_H

#include "check/checker.h"

/* Compare a segment's summary with its claims, by sums. Marks the segment SEG_SUMMARY when they differ. */
int summaries_check(struct checker *c, struct seg_fact *seg);
/* List the owners of marked segments and report the faults. */
int summaries_tell(struct checker *c);
/* Compare the blocks in use, and the logs, with the write pointers of a zoned device. */
int zones_check(struct checker *c);
/* Finish zones in which something is in use that was never written. */
int zones_repair(struct checker *c);

#endif
