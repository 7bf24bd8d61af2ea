/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cost-benefit: the share of a section that becomes free, times its age, for the reads and writes that cost it. All
 * numbers are whole, and rounded as the kernel rounds them.
 */
#include "gc/policy.h"

#include <f2fskit/volume.h>

void policy_cost_benefit(const struct gc_view *view, struct gc_candidate *list, size_t count)
{
	uint64_t min = view->min_mtime, max = view->max_mtime;

	for (size_t i = 0; i < count; i++) {
		struct gc_candidate *c = &list[i];
		const uint32_t used = c->valid / view->segments * 100 / F2FS_SEGMENT_BLOCKS; /* percent */
		uint32_t age = 0; /* 100: the oldest */

		min = c->mtime < min ? c->mtime : min;
		max = c->mtime > max ? c->mtime : max;
		if (max != min)
			age = 100 - (uint32_t)(100 * (c->mtime - min) / (max - min));
		c->cost = UINT32_MAX - 100 * (100 - used) * age / (100 + used);
	}
}
