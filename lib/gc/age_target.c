/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the target of a moved block as the kernel's ATGC does (FORMAT files 11.2): the holes of a segment whose blocks
 * are about as old. It looks at some segments on both sides of the source's age, and takes the fullest of them.
 *
 * Of equally full ones it means to take the nearest in age, but compares the source's mtime, a time, with the distance
 * of a segment's from the newest, a span. That is done here as it is there, so that the choice is the same.
 */
#include <stdlib.h>

#include "base/sorted.h"
#include "gc/age_target.h"

enum {
	AGE_SECONDS = 7 * 24 * 60 * 60,
	LOOK_PERCENT = 20, /* of the segments, on each side */
	LOOK_LEAST = 10
};

static int by_mtime(const void *left, const void *right)
{
	const struct age_segment *a = left, *b = right;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return (a->segno > b->segno) - (a->segno < b->segno);
}

/* "A week older" is measured from the newest segment seen so far, as for victims. */
static size_t sift(struct age_targets *t, uint64_t threshold)
{
	size_t n = 0;

	t->min = UINT64_MAX;
	t->max = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct age_segment s = t->list[i];

		t->min = s.mtime < t->min ? s.mtime : t->min;
		t->max = s.mtime > t->max ? s.mtime : t->max;
		if (t->max - s.mtime < threshold)
			continue;
		t->list[i] = t->list[n]; /* those that are too young stay after the others */
		t->list[n++] = s;
	}
	return n;
}

void age_targets_sort(struct age_targets *t, uint64_t now)
{
	size_t n = sift(t, AGE_SECONDS);

	if (n == 0 && now < AGE_SECONDS)
		n = t->count;
	t->count = n;
	if (n > 0)
		qsort(t->list, n, sizeof(*t->list), by_mtime);
}

/* The last segment that is not younger than the source, else the first one. */
static size_t find_middle(const struct age_targets *t, uint64_t source)
{
	const struct age_segment key = { .mtime = source, .segno = UINT32_MAX };

	return sorted_last(t->list, t->count, sizeof(key), by_mtime, &key);
}

struct best {
	size_t at;
	uint32_t used;
	uint64_t nearness;
};

static void look_at(const struct age_targets *t, size_t at, uint64_t source, struct best *best)
{
	const uint64_t end = t->max + 1, span = end - t->list[at].mtime;
	const uint64_t distance = source > span ? source - span : span - source; /* a time less a span: see above */
	const uint64_t nearness = end - distance;
	const uint32_t used = t->list[at].used;

	if (best->at != AGE_TARGET_NONE && (used < best->used || (used == best->used && nearness <= best->nearness)))
		return;
	*best = (struct best){ at, used, nearness };
}

size_t age_target_choose(const struct age_targets *t, uint64_t source)
{
	struct best best = { .at = AGE_TARGET_NONE };
	const size_t share = t->count * LOOK_PERCENT / 100, most = share > LOOK_LEAST ? share : LOOK_LEAST;
	const size_t middle = find_middle(t, source);

	for (size_t i = 0; i < most && i <= middle && t->count > 0; i++)
		look_at(t, middle - i, source, &best);
	for (size_t i = 0; i < most && middle + i < t->count; i++)
		look_at(t, middle + i, source, &best);
	return best.at;
}
