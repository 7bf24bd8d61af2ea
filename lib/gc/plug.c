/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hole plugging, as in Wilkes and others, "The HP AutoRAID hierarchical storage system" (SOSP 1995): valid blocks of a
 * victim go to holes of other segments, so each victim wins a whole section. It is cheaper than the log when segments
 * are full, and dearer when they are not, as each hole is a request of its own. Matthews and others, "Improving the
 * performance of log-structured file systems with adaptive methods" (SOSP 1997), choose by an estimate of both costs.
 *
 * The estimate is in blocks, for the sections that GC is to win. Each victim is read as a whole by one request. Through
 * the log it takes more victims than sections, and the valid blocks of each are written by one request. The papers' own
 * formulas were not at hand. Chosen here: the fullest segments get the blocks, and runs of holes there are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "gc/plug.h"
#include "gc/policy.h"
#include "log/segments.h"
#include "log/streams.h"

enum { REQUEST_COST = 2 };

bool plug_may_fill(const struct txn *txn, f2fs_seg_t segno)
{
	const struct segment *s = segment_loaded(txn, segno);

	return s->valid > 0 && s->valid < F2FS_SEGMENT_BLOCKS && !s->is_barred && !segment_is_current(txn, segno) &&
	       !stream_is_in(txn->vol, segno) && segment_next_hole(s, 0) < F2FS_SEGMENT_BLOCKS;
}

static int by_used(const void *left, const void *right)
{
	const struct age_segment *a = left, *b = right;

	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	return (a->segno < b->segno) - (a->segno > b->segno);
}

void plug_sort(struct age_targets *t)
{
	if (t->count > 0)
		qsort(t->list, t->count, sizeof(*t->list), by_used);
}

/* The cost of emptying a victim, without the requests that write. */
static uint64_t cost_to_empty(const struct plug_view *view, const struct gc_candidate *victim)
{
	return (uint64_t)view->blocks + view->request_cost + victim->valid;
}

uint64_t plug_cost_by_log(const struct plug_view *view, const struct gc_candidate *list, size_t count)
{
	uint64_t left = (uint64_t)view->sections * view->blocks, sum = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t won = view->blocks - list[i].valid;
		const uint64_t cost = cost_to_empty(view, &list[i]) + view->request_cost;

		if (won >= left) /* a part of the last one */
			return sum + (won ? cost * left / won : 0);
		sum += cost;
		left -= won;
	}
	return UINT64_MAX;
}

uint64_t plug_cost_by_holes(const struct plug_view *view, const struct gc_candidate *list, size_t count,
			    uint64_t runs)
{
	uint64_t sum = runs * view->request_cost;

	if (count < view->sections)
		return UINT64_MAX;
	for (size_t i = 0; i < view->sections; i++)
		sum += cost_to_empty(view, &list[i]);
	return sum;
}

/* Holes of segments that are equally full, and the runs of blocks that follow each other in these. */
struct fullness {
	uint32_t holes, runs;
};

static void add_segment(const struct segment *s, struct fullness *of)
{
	unsigned before = 1;

	for (unsigned i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		const unsigned used = msb_test(s->cur, i) || msb_test(s->ckpt, i);

		of->holes += !used;
		of->runs += before && !used;
		before = used;
	}
}

/* Take that many holes, of the fullest segments first, and count the runs. Return false if there are too few. */
static bool take_holes(const struct fullness *by_valid, uint64_t left, uint64_t *runs)
{
	*runs = 0;
	for (unsigned i = F2FS_SEGMENT_BLOCKS; i-- > 1 && left > 0;) {
		const uint64_t n = by_valid[i].holes, taken = n < left ? n : left;

		*runs += n ? (by_valid[i].runs * taken + n - 1) / n : 0;
		left -= taken;
	}
	return left == 0;
}

static bool is_victim(const struct gc_candidate *list, size_t count, uint32_t section)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].section == section)
			return true;
	return false;
}

int plug_is_cheaper(struct txn *txn, const struct plug_view *wanted, const struct gc_candidate *list, size_t count,
		    bool *is_cheaper)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	struct fullness by_valid[F2FS_SEGMENT_BLOCKS];
	struct plug_view view = *wanted;
	uint64_t valid = 0, runs;
	int err = segment_load_all(txn);

	*is_cheaper = false;
	view.request_cost = view.request_cost ? view.request_cost : REQUEST_COST;
	view.sections = view.sections < PLUG_SECTIONS ? view.sections : PLUG_SECTIONS;
	if (err || count < view.sections)
		return err;
	memset(by_valid, 0, sizeof(by_valid));
	for (uint32_t i = 0; i < view.sections; i++)
		valid += list[i].valid;
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++) {
		const struct segment *s = segment_loaded(txn, i);

		if (s->type < F2FS_HOT_NODE && plug_may_fill(txn, i) && !is_victim(list, view.sections, i / sps))
			add_segment(s, &by_valid[s->valid]);
	}
	if (take_holes(by_valid, valid, &runs))
		*is_cheaper = plug_cost_by_holes(&view, list, count, runs) <= plug_cost_by_log(&view, list, count);
	return 0;
}
