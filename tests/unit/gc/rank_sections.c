/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranks a table of sections by a cleaning policy: reads "policy now min_mtime max_mtime segments blocks", then lines
 * "section valid mtime"; prints "section cost" in the order in which they are cleaned.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gc/policies.h"
#include "gc/policy.h"

int main(void)
{
	static struct gc_candidate list[10000];
	struct gc_view view = { 0 };
	unsigned policy;
	size_t count = 0, n;

	if (scanf("%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32, &policy, &view.now, &view.min_mtime,
		  &view.max_mtime, &view.segments, &view.blocks) != 6)
		return EXIT_FAILURE;
	while (count < sizeof(list) / sizeof(list[0]) &&
	       scanf("%" SCNu32 " %" SCNu32 " %" SCNu64, &list[count].section, &list[count].valid,
		     &list[count].mtime) == 3)
		count++;
	n = gc_policy_sort(gc_policy_get(policy), &view, list, count);
	for (size_t i = 0; i < n; i++)
		printf("%" PRIu32 " %" PRIu64 "\n", list[i].section, list[i].cost);
	return EXIT_SUCCESS;
}
