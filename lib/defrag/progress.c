/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Track the progress of a run: items, blocks, limits.
 */
#include "defrag/progress.h"
#include "defrag/run.h"

bool defrag_is_out_of_time(const struct defrag_run *r)
{
	return r->options->seconds && r->started &&
	       clock_now(r->vol->ctx) - r->started >= (int64_t)r->options->seconds * 1000000000;
}

bool defrag_is_at_limit(const struct defrag_run *r)
{
	return (r->options->blocks && defrag_blocks_left(r) == 0) || defrag_is_out_of_time(r);
}

uint64_t defrag_blocks_left(const struct defrag_run *r)
{
	const uint64_t moved = r->result->blocks_placed + r->result->blocks_cleared, most = r->options->blocks;

	return most == 0 ? UINT64_MAX : moved < most ? most - moved : 0;
}

void defrag_progress(struct defrag_run *r, const char *phase)
{
	const struct f2fs_progress progress = {
		.task = "defrag", .phase = phase, .unit = "blocks", .done = r->result->blocks_placed, .total = r->total
	};

	progress_report(r->vol->ctx, &progress);
}

struct defrag_item *defrag_next_item(struct defrag_run *r)
{
	for (; r->next < r->items.count; r->next++) {
		struct defrag_item *item = vec_at(&r->items, r->next);

		if (!item->is_done)
			return item;
	}
	return NULL;
}

void defrag_finish_item(struct defrag_run *r, struct defrag_item *item)
{
	item->is_done = true;
	item->step = r->step;
}
