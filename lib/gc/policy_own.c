/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A policy of the host's own: it says what each section costs.
 */
#include <f2fskit/gc.h>
#include <string.h>

#include "gc/policy.h"

_Static_assert(sizeof(double) == sizeof(uint64_t), "costs are ordered by the bits of IEEE doubles");

/* Whole numbers in the order of the doubles. */
static uint64_t in_order(double cost)
{
	const uint64_t sign = UINT64_C(1) << 63, infinity = UINT64_C(0x7ff) << 52;
	uint64_t bits;

	cost += 0.0; /* no negative zero */
	memcpy(&bits, &cost, sizeof(bits));
	if ((bits & infinity) == infinity && bits != (infinity | sign))
		return GC_NEVER;
	return bits & sign ? ~bits : bits | sign;
}

static void policy_own(const struct gc_view *view, struct gc_candidate *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct f2fs_gc_section section = { .section = list[i].section,
							 .valid = list[i].valid,
							 .blocks = view->blocks,
							 .mtime = list[i].mtime,
							 .heat = list[i].heat,
							 .now = view->now,
							 .min_mtime = view->min_mtime,
							 .max_mtime = view->max_mtime };

		list[i].cost = in_order(view->cost(view->user, &section));
	}
}

const struct gc_policy gc_policy_own = { policy_own, .keeps_age = false };
