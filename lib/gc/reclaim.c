/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect garbage automatically: the file layer calls this between two changes when free sections run out. It cannot
 * include this layer, so a public call installs the function in the volume.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/sized.h"
#include "gc/gc.h"
#include "gc/run.h"
#include "gc/victims.h"

enum {
	TRY_AGAIN = 64, /* blocks freed after which GC that freed too little is worth another try */
	VAIN_RUNS = 8	/* limited runs in a row that win no section, as each moves but a part of one */
};

/* Keep why GC did not free enough, for the error of the change that finds no room. */
static void note_shortage(struct f2fs_volume *vol, const struct f2fs_gc_result *r, uint32_t goal)
{
	if (r->next_blocks > 0)
		snprintf(vol->gc.note, sizeof(vol->gc.note),
			 "GC frees nothing: section %u, the first victim, holds %u of %u blocks, moving it "
			 "writes %u blocks and %u nodes, %u sections are free",
			 (unsigned)r->next_section, (unsigned)r->next_blocks, (unsigned)gc_section_blocks(vol),
			 (unsigned)r->next_blocks, (unsigned)r->next_nodes, (unsigned)r->free_after);
	else
		snprintf(vol->gc.note, sizeof(vol->gc.note),
			 "GC emptied %u sections: %u are free, %u were wanted", (unsigned)r->sections,
			 (unsigned)r->free_after, (unsigned)goal);
}

/* Run within the limits that the host has set; again and again while the change that waits needs it, and it helps. */
static int run_limited(struct f2fs_volume *vol, const struct f2fs_gc_options *options, uint32_t least,
		       struct f2fs_gc_result *result)
{
	uint32_t best = 0;
	unsigned vain = 0;
	int err;

	do {
		err = gc_run(vol, options, result);
		vain = result->free_after > best ? 0 : vain + 1;
		best = result->free_after > best ? result->free_after : best;
	} while (!err && result->end == F2FS_GC_LIMIT && result->free_after < least && vain < VAIN_RUNS);
	return err;
}

static int reclaim(struct f2fs_volume *vol, uint32_t least, uint32_t goal)
{
	struct f2fs_gc_options options = *vol->gc.options;
	struct f2fs_gc_result result;
	int err;

	options.free_goal = goal;
	options.move_pinned = 0;
	options.used_limit = options.used_limit ? options.used_limit : 100;
	vol->gc.note[0] = '\0';
	err = run_limited(vol, &options, least, &result);
	if (!err && result.free_after < (result.end == F2FS_GC_LIMIT ? least : goal) &&
	    (options.cost || options.policy != F2FS_GC_GREEDY)) {
		/* others may put full sections first, which win nothing now */
		options.policy = F2FS_GC_GREEDY;
		options.cost = NULL;
		err = run_limited(vol, &options, least, &result);
	}
	if (err || result.free_after >= goal || result.end == F2FS_GC_LIMIT)
		return err;
	note_shortage(vol, &result, goal);
	vol->gc.retry_at = vol->gc.freed_ever + TRY_AGAIN;
	return 0;
}

int f2fs_volume_set_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options)
{
	struct f2fs_gc_options own, *copy = NULL;

	error_clear(vol->ctx);
	if (options) {
		int err = sized_take(vol->ctx, &own, sizeof(own), options);

		if (!err)
			err = gc_check_options(vol, &own);
		if (err)
			return err;
		if (own.dry_run)
			return error_set(vol->ctx, F2FS_ERR_INVALID, "GC that is a dry run makes no room");
		copy = mem_alloc(vol->ctx, sizeof(*copy));
		if (!copy)
			return F2FS_ERR_NOMEM;
		*copy = own;
	}
	mem_free(vol->ctx, vol->gc.options);
	vol->gc.options = copy;
	vol->ops.reclaim = copy ? reclaim : NULL;
	vol->gc.retry_at = 0;
	vol->gc.note[0] = '\0';
	return 0;
}
