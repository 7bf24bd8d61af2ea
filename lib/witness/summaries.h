/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check the summaries of segments.
 */
#ifndef F2FSKIT_WITNESS_SUMMARIES_H
#define F2FSKIT_WITNESS_SUMMARIES_H

#include "facts/run.h"

/* Compare a segment's summary with its claims, by sums. Marks the segment SEG_SUMMARY when they differ. */
int summaries_check(struct checker *c, struct seg_fact *seg);
/* List the owners of marked segments and report the faults. */
int summaries_tell(struct checker *c);

#endif
