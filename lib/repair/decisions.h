/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide about each finding of a repair. The set of problems to repair is fixed before the repair starts. The caller's
 * callback is asked about the findings in that set. An answer holds for the whole repair, because later rounds meet the
 * same finding again. Two findings are the same if problem, node, place and value are, even if the block has moved.
 */
#ifndef F2FSKIT_REPAIR_DECISIONS_H
#define F2FSKIT_REPAIR_DECISIONS_H

#include "facts/run.h"

struct decisions {
	struct f2fs_context *ctx;
	const struct f2fs_check_options *options;
	bool is_barred[PROBLEM_LIMIT]; /* by number: the set leaves it */
	struct vec answers;	       /* struct answer, ascending */
	uint64_t told_later;	       /* problems that only a later round met */
	uint64_t severity[4];	       /* these, by enum f2fs_severity */
	bool is_stopped;
	bool is_rehearsal; /* nothing is decided: all that can be repaired is, in memory */
};

/* Returns 0, INVALID when a word chooses nothing. */
int decisions_init(struct decisions *d, struct f2fs_context *ctx, const struct f2fs_check_options *options);
void decisions_fini(struct decisions *d);
/* Decide about the findings of the first or a later check. Returns 0 or the callback's result. */
int decisions_take(struct decisions *d, struct checker *c, bool is_first);
/* Before they are taken: could one of the findings be a reason to write? beyond_superblocks: more than those. */
bool decisions_could_want(const struct decisions *d, const struct checker *c, bool beyond_superblocks);
/* Is one of the findings a reason for a round? */
bool decisions_want(const struct checker *c);

#endif
