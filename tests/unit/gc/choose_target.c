/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses among segments with holes by age: reads "now source", then lines "segno used mtime" by segno; prints the one
 * for blocks as old as source, "none" when there is none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gc/age_target.h"

int main(void)
{
	static struct age_segment list[10000];
	struct age_targets targets = { .list = list };
	uint64_t now, source;
	size_t at;

	if (scanf("%" SCNu64 " %" SCNu64, &now, &source) != 2)
		return EXIT_FAILURE;
	while (targets.count < sizeof(list) / sizeof(list[0])) {
		struct age_segment *s = &list[targets.count];

		if (scanf("%" SCNu32 " %" SCNu32 " %" SCNu64, &s->segno, &s->used, &s->mtime) != 3)
			break;
		targets.count++;
	}
	age_targets_sort(&targets, now);
	at = age_target_choose(&targets, source);
	if (at == AGE_TARGET_NONE)
		puts("none");
	else
		printf("%" PRIu32 "\n", targets.list[at].segno);
	return EXIT_SUCCESS;
}
