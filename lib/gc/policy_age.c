/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Age threshold (the kernel's ATGC): of the sections that have not changed for a week of mounted time, look at the
 * oldest fifth, and weigh age against blocks in use 60 to 40.
 *
 * "A week older" is measured from the newest candidate seen so far, not from now. Only on a volume that was mounted for
 * less than a week altogether the limit does not apply.
 */
#include <stdlib.h>

#include "gc/policy.h"

enum {
	AGE_SECONDS = 7 * 24 * 60 * 60,
	LOOK_PERCENT = 20, /* of the candidates, the oldest */
	LOOK_LEAST = 10,
	AGE_WEIGHT = 60,
	ACCURACY = 10000
};

static int by_age(const void *left, const void *right)
{
	const struct gc_candidate *a = left, *b = right;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return (a->section > b->section) - (a->section < b->section);
}

/* Mark those that are old enough with cost 0, the others with GC_NEVER. Returns their number, and the range. */
static size_t choose_old(struct gc_candidate *list, size_t count, uint64_t threshold, uint64_t *min, uint64_t *max)
{
	size_t chosen = 0;

	*min = UINT64_MAX;
	*max = 0;
	for (size_t i = 0; i < count; i++) {
		*min = list[i].mtime < *min ? list[i].mtime : *min;
		*max = list[i].mtime > *max ? list[i].mtime : *max;
		list[i].cost = *max - list[i].mtime < threshold ? GC_NEVER : 0;
		chosen += list[i].cost == 0;
	}
	return chosen;
}

void policy_age(const struct gc_view *view, struct gc_candidate *list, size_t count)
{
	uint64_t min, max, total, accuracy;
	size_t chosen = choose_old(list, count, AGE_SECONDS, &min, &max), look;

	if (chosen == 0 && view->now < AGE_SECONDS)
		chosen = choose_old(list, count, 0, &min, &max);
	look = chosen * LOOK_PERCENT / 100 > LOOK_LEAST ? chosen * LOOK_PERCENT / 100 : LOOK_LEAST;
	qsort(list, count, sizeof(*list), by_age);
	max++;
	total = max - min;
	accuracy = UINT64_MAX / total / 100;
	accuracy = accuracy < ACCURACY ? accuracy : ACCURACY;
	for (size_t i = 0; i < count; i++) {
		struct gc_candidate *c = &list[i];

		if (c->cost == GC_NEVER)
			continue;
		if (look == 0) {
			c->cost = GC_NEVER;
			continue;
		}
		look--;
		c->cost = UINT32_MAX - (accuracy * (max - c->mtime) / total * AGE_WEIGHT +
					accuracy * (view->blocks - c->valid) / view->blocks * (100 - AGE_WEIGHT));
	}
}
