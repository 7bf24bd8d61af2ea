/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose a segment whose blocks are about as old as the moved ones; pure functions.
 */
#ifndef F2FSKIT_GC_AGE_TARGET_H
#define F2FSKIT_GC_AGE_TARGET_H

#include <stddef.h>
#include <stdint.h>

#define AGE_TARGET_NONE SIZE_MAX

/* A segment with holes. */
struct age_segment {
	uint32_t segno;
	uint32_t used; /* blocks that are in use in the last checkpoint */
	uint64_t mtime;
};

struct age_targets {
	struct age_segment *list; /* of the caller: all of one type, by segno */
	size_t count;
	uint64_t min, max; /* out: mtimes */
};

/* Leave those that may be filled, the oldest first; now: the volume's clock. */
void age_targets_sort(struct age_targets *t, uint64_t now);
/* The place in the list of the one for blocks as old as source; AGE_TARGET_NONE: the list is empty. */
size_t age_target_choose(const struct age_targets *t, uint64_t source);

#endif
