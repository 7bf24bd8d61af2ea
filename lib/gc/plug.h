/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hole plugging: segments with holes for moved blocks, the fullest first, and whether that is cheaper than the log.
 */
#ifndef F2FSKIT_GC_PLUG_H
#define F2FSKIT_GC_PLUG_H

#include "gc/age_target.h"
#include "log/run.h"

struct gc_candidate;

/* May GC fill holes of this segment? All segments are loaded. */
bool plug_may_fill(const struct txn *txn, f2fs_seg_t segno);
/* Sort segments with holes, the fullest last; of equally full ones the last is the first on the device. */
void plug_sort(struct age_targets *t);

/* The sections to be won, and the costs of a request. */
struct plug_view {
	uint32_t blocks;       /* that a section can hold */
	uint32_t sections;     /* to be won */
	uint32_t request_cost; /* of a request besides its blocks, in blocks */
};
/* The cost of winning them through the log, of victims in their order; UINT64_MAX: these do not win so much. */
uint64_t plug_cost_by_log(const struct plug_view *view, const struct gc_candidate *list, size_t count);
/* The same by filling holes with so many runs of blocks that follow each other. */
uint64_t plug_cost_by_holes(const struct plug_view *view, const struct gc_candidate *list, size_t count,
			    uint64_t runs);
/*
 * Are holes cheaper for the transaction's volume, whose victims are not barred yet? Up to PLUG_SECTIONS sections count.
 * request_cost 0: the usual one.
 */
#define PLUG_SECTIONS 8u
int plug_is_cheaper(struct txn *txn, const struct plug_view *view, const struct gc_candidate *list, size_t count,
		    bool *is_cheaper);

#endif
