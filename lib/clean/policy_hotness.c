/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hotness: as cost-benefit, but the age of a section follows from how hot the placement finds its blocks (M2H: when
 * each of them was written), not from when something changed there.
 */
#include "clean/policy.h"

#include <f2fskit/volume.h>

void policy_hotness(const struct clean_view *view, struct clean_candidate *list, size_t count)
{
	uint64_t min = UINT64_MAX, max = 0;

	for (size_t i = 0; i < count; i++) {
		min = list[i].heat < min ? list[i].heat : min;
		max = list[i].heat > max ? list[i].heat : max;
	}
	for (size_t i = 0; i < count; i++) {
		struct clean_candidate *c = &list[i];
		const uint64_t used = (uint64_t)c->valid * 10000 / view->blocks, span = max - min;
		const uint64_t age = span ? 10000 - (c->heat - min) / (span / 10000 + 1) : 10000;

		c->cost = UINT32_MAX - (10000 - used) * age / (10000 + used);
	}
}
