/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Greedy: the section with the fewest blocks in use. Of equal ones the kernel takes the first after its cursor, and
 * this policy the oldest.
 */
#include "gc/policy.h"

void policy_greedy(const struct gc_view *view, struct gc_candidate *list, size_t count)
{
	(void)view;
	for (size_t i = 0; i < count; i++)
		list[i].cost = list[i].valid;
}
