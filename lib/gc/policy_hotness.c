/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hotness: as cost-benefit, but the age of a section follows from how hot the placement finds its blocks (M2H: when
 * each of them was written), not from when something changed there.
 *
 * A placement that says nothing of that leaves the time of the last change. There the age counts by its root, and what
 * becomes free for each block that has to be moved: by the age itself, sections that hardly change are collected
 * though they are nearly full, by none, hot ones that are about to become empty by themselves.
 */
#include "gc/policy.h"

#include <f2fskit/volume.h>

#define ONE 10000u
#define LEAST_USED 10 /* of ONE: an all but empty section comes first whatever its age, but for the youngest */

/* The root, rounded down, of a number below 2^32. */
static uint32_t root(uint64_t n)
{
	uint32_t r = 0;

	for (uint32_t bit = 1u << 15; bit > 0; bit >>= 1)
		if ((uint64_t)(r + bit) * (r + bit) <= n)
			r += bit;
	return r;
}

/* The root of part / whole, times 2^15. */
static uint32_t root_of_share(uint64_t part, uint64_t whole)
{
	while (whole >> 32) {
		part >>= 1;
		whole >>= 1;
	}
	return root((part << 30) / whole);
}

static uint64_t won_by_age(uint64_t used, uint32_t age)
{
	return (ONE - used) * ONE * age / (used + LEAST_USED);
}

void policy_hotness(const struct gc_view *view, struct gc_candidate *list, size_t count)
{
	uint64_t min = UINT64_MAX, max = 0;

	for (size_t i = 0; i < count; i++) {
		min = list[i].heat < min ? list[i].heat : min;
		max = list[i].heat > max ? list[i].heat : max;
	}
	for (size_t i = 0; i < count; i++) {
		struct gc_candidate *c = &list[i];
		const uint64_t used = (uint64_t)c->valid * ONE / view->blocks, span = max - min;
		const uint64_t age = span ? ONE - (c->heat - min) / (span / ONE + 1) : ONE;

		if (view->has_heat)
			c->cost = UINT32_MAX - (ONE - used) * age / (ONE + used);
		else
			c->cost = UINT64_MAX / 2 - won_by_age(used, span ? root_of_share(max - c->heat, span) : 1);
	}
}
