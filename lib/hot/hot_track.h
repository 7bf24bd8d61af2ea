/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Noticing that the pattern of writing has changed: in rounds of writes, count those whose distance has changed.
 */
#ifndef F2FSKIT_HOT_HOT_TRACK_H
#define F2FSKIT_HOT_HOT_TRACK_H

#include <stdbool.h>
#include <stdint.h>

struct hot_track {
	uint32_t round;	 /* writes of a round */
	uint32_t gap;	 /* a change of the distance by more counts */
	uint32_t share;	 /* percent of a round: with more changes the classes are found again */
	uint32_t tracked, changed;
	uint64_t rounds; /* that are over */
};

/* A write of a block whose distance was known: true at the end of a round that calls for new classes. */
static inline bool hot_track_write(struct hot_track *t, uint32_t before, uint32_t now)
{
	const uint32_t gap = before > now ? before - now : now - before;
	bool is_over, has_changed;

	t->changed += gap > t->gap;
	is_over = ++t->tracked >= t->round;
	has_changed = is_over && (uint64_t)t->changed * 100 > (uint64_t)t->share * t->tracked;
	if (is_over) {
		t->tracked = t->changed = 0;
		t->rounds++;
	}
	return has_changed;
}

#endif
