/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose target sections: the next ones to place files into. A sweep takes sections in the order of their addresses and
 * clears them, so that the sections it has passed are in order, without gaps. Otherwise free sections are taken, and
 * the emptiest others are cleared only if these do not suffice. Sections of logs, of placed blocks and those left alone
 * are never touched. Dense sections of nodes are not worth it.
 */
#include <stdlib.h>

#include "defrag/clear.h"
#include "defrag/progress.h"
#include "defrag/run.h"
#include "defrag/window.h"
#include "defrag/zoned.h"
#include "log/filler.h"
#include "log/segments.h"
#include "log/space.h"

enum {
	WINDOW_BLOCKS = 65536, /* placed between two commits */
	WINDOW_LEAST = 8,      /* sections of a sweep's */
	CLEAR_MOST = 32,       /* sections that are cleared for a window that is no sweep's */
	KEPT_SECTIONS = 6,     /* that logs may need to end in */
	ZONED_KEPT = 5,        /* the same on a zoned volume, so that clearing can continue, */
	ZONED_LEAST = 3,       /* and the part that clearing leaves to the logs of nodes */
	ZONED_MOST = 95,       /* percent in use up to which a section of a zoned volume is cleared */
	DENSE_NODES = 60       /* percent in use from which a section of nodes is left where it is */
};

/* A section that may be cleared. */
struct candidate {
	uint32_t section, valid;
};

static bool is_candidate(const struct defrag_run *r, uint32_t section)
{
	if (r->states[section] != SECTION_OTHER || (r->kinds[section] & SECTION_HAS_LOG))
		return false;
	return !(r->kinds[section] & SECTION_HAS_NODES) ||
	       (uint64_t)r->valid[section] * 100 < (uint64_t)r->section_room * DENSE_NODES;
}

/* Free sections that are kept for logs, and for the nodes that a commit writes. */
static uint32_t kept_sections(const struct defrag_run *r, const struct space_view *view)
{
	const uint64_t left = r->items.count - r->next, most = left < 12000 ? left : 12000;
	const uint64_t holes = view->node_holes * 3 / 4;
	const uint64_t wanted = most > holes ? (most - holes) / r->section_room + 1 : 0;
	const uint32_t least = r->is_zoned ? ZONED_KEPT : KEPT_SECTIONS;
	const uint32_t half = view->free_sections > least ? (view->free_sections - least) / 2 : 0;

	return least + (wanted < half ? (uint32_t)wanted : half);
}

static uint32_t window_sections(const struct defrag_run *r)
{
	/* half of a budget clears the sections that the other half fills */
	const uint64_t left = defrag_blocks_left(r) / 2, blocks = left < WINDOW_BLOCKS ? left : WINDOW_BLOCKS;
	const uint32_t n = (uint32_t)(blocks / r->section_room) >> r->cautious;

	return n ? n : 1;
}

/* Make one section a target, clearing it when it is not free. It is barred. *fits: there was room. */
static int take(struct defrag_run *r, uint32_t section, bool *fits)
{
	bool cleared = true;
	int err = 0;

	*fits = true;
	if (!(r->kinds[section] & SECTION_IS_FREE))
		err = defrag_clear(r, section, &cleared, fits);
	if (!err && cleared && *fits && !r->is_zoned)
		r->states[section] = SECTION_TARGET;
	defrag_progress(r, "clearing");
	return err;
}

static int bar(struct defrag_run *r, uint32_t section)
{
	const uint32_t sps = r->vol->geo.segs_per_sec;

	return segments_bar(r->vol->txn, section * sps, (section + 1) * sps);
}

/* Limit the nodes once all sections to be cleared are barred, when that many free sections go to data. */
static int limit_nodes(struct defrag_run *r, uint32_t taken)
{
	struct space_view view = { 0 };
	int err = space_look(r->vol->txn, &view);

	defrag_limit_nodes(r, &view, taken);
	return err;
}

/* ---- a sweep ---- */

/* Sections that a window of a sweep has so far, and the room for their blocks. */
struct reach {
	uint32_t end, count, free_ones;
	uint64_t in_use, holes; /* blocks; holes outside of the window */
	uint64_t behind;	/* room where the sweep will never come */
	uint64_t left;		/* to be placed */
};

/* Blocks that can be moved out of the way. */
static uint64_t room_outside(const struct defrag_run *r, const struct reach *w, uint32_t free_sections)
{
	const uint32_t left = free_sections > w->free_ones ? free_sections - w->free_ones : 0;

	return w->holes + (uint64_t)left * defrag_section_blocks(r);
}

static uint64_t blocks_left(const struct defrag_run *r)
{
	return r->total > r->result->blocks_placed ? r->total - r->result->blocks_placed : 0;
}

/* Return the room past the sections that the items to place will fill: blocks moved there are not in the way again. */
static uint64_t room_behind(const struct defrag_run *r)
{
	uint64_t left = blocks_left(r), room = 0;

	for (uint32_t i = r->sweep; i < r->vol->geo.section_count; i++) {
		const uint32_t blocks = defrag_section_blocks(r);

		if (!is_candidate(r, i))
			continue;
		if (left == 0 && !(r->kinds[i] & SECTION_HAS_NODES))
			room += blocks - r->valid[i];
		left -= left < blocks ? left : blocks;
	}
	return room;
}

/*
 * Bar sections from the sweep on, as many as can be cleared. More than a few only as far as they stay out of the way.
 */
static int reach_out(struct defrag_run *r, struct reach *w, uint32_t free_sections)
{
	int err = 0;

	for (; w->end < r->vol->geo.section_count && w->count < window_sections(r) && !err; w->end++) {
		const bool is_free = (r->kinds[w->end] & SECTION_IS_FREE) != 0;
		struct reach next = *w;

		if (!is_candidate(r, w->end))
			continue;
		next.count++;
		next.free_ones += is_free;
		next.in_use += r->valid[w->end];
		if (!is_free && !(r->kinds[w->end] & SECTION_HAS_NODES)) {
			const uint64_t own = defrag_section_blocks(r) - r->valid[w->end];

			next.holes -= own < next.holes ? own : next.holes;
		}
		if (w->count > 0 && next.in_use > room_outside(r, &next, free_sections) * 9 / 10)
			break;
		if (w->count > 1 && (uint64_t)w->count * defrag_section_blocks(r) > w->left + defrag_section_blocks(r))
			break;
		if (w->count >= WINDOW_LEAST && next.in_use > w->behind * 9 / 10)
			break;
		*w = next;
		err = bar(r, w->end);
	}
	return err;
}

static int sweep(struct defrag_run *r, const struct space_view *view)
{
	const uint32_t kept = kept_sections(r, view);
	const uint32_t free_sections = view->free_sections > kept ? view->free_sections - kept : 0;
	struct reach w = { .end = r->sweep, .holes = view->data_holes, .behind = room_behind(r),
			   .left = blocks_left(r) };
	bool fits = true;
	int err = reach_out(r, &w, free_sections);

	if (!err)
		err = limit_nodes(r, free_sections > w.free_ones ? free_sections - w.free_ones : 0);
	if (!err)
		err = defrag_open_sink(r, free_sections > w.free_ones ? free_sections - w.free_ones : 0);
	for (; r->sweep < w.end && fits && !err && !r->is_stopped; r->sweep += fits && !err)
		if (is_candidate(r, r->sweep))
			err = take(r, r->sweep, &fits);
	return err;
}

/* ---- free sections, then the emptiest ---- */

static int emptiest_first(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->valid != b->valid)
		return a->valid < b->valid ? -1 : 1;
	return (a->section > b->section) - (a->section < b->section);
}

static int find_emptiest(struct defrag_run *r, struct vec *list)
{
	/* where only whole sections are room, emptying one that is nearly full wins nothing */
	const uint32_t most = r->is_zoned ? (uint32_t)((uint64_t)r->section_room * ZONED_MOST / 100) : r->section_room;

	for (uint32_t i = 0; i < r->vol->geo.section_count; i++) {
		struct candidate *c;

		if (!is_candidate(r, i) || (r->kinds[i] & SECTION_IS_FREE) || r->valid[i] >= most)
			continue;
		c = vec_push(list, 1);
		if (!c)
			return F2FS_ERR_NOMEM;
		*c = (struct candidate){ i, r->valid[i] };
	}
	vec_sort(list, emptiest_first);
	return 0;
}

static int clear_emptiest(struct defrag_run *r, uint32_t most, uint32_t free_sections)
{
	struct vec list;
	bool fits = true;
	int err;

	vec_init(&list, r->vol->ctx, sizeof(struct candidate));
	err = find_emptiest(r, &list);
	if (list.count > most)
		list.count = most;
	for (size_t i = 0; i < list.count && !err; i++)
		err = bar(r, ((struct candidate *)vec_at(&list, i))->section);
	if (!err)
		err = limit_nodes(r, free_sections);
	if (!err && list.count > 0)
		err = defrag_open_sink(r, free_sections);
	for (size_t i = 0; i < list.count && fits && !err && !r->is_stopped; i++)
		err = take(r, ((struct candidate *)vec_at(&list, i))->section, &fits);
	vec_fini(&list);
	return err;
}

uint32_t defrag_placing_sections(const struct defrag_run *r, const struct space_view *view)
{
	const uint32_t kept = kept_sections(r, view), most = window_sections(r);
	const uint32_t spare = view->free_sections > kept ? view->free_sections - kept : 0;

	return spare < most ? spare : most;
}

/* On a zoned volume logs take free sections by themselves: see that there are some. */
static int make_room(struct defrag_run *r, const struct space_view *view)
{
	const uint64_t needed = blocks_left(r) / r->section_room + 2;
	const uint32_t most = window_sections(r), kept = kept_sections(r, view);
	const uint32_t wanted = kept + (needed < most ? (uint32_t)needed : most);
	const uint32_t spare = view->free_sections > ZONED_LEAST ? (view->free_sections - ZONED_LEAST + 1) / 2 : 0;
	uint32_t missing = wanted > view->free_sections ? wanted - view->free_sections : 0;

	if (missing == 0 || view->free_sections >= kept + 2 * ZONED_LEAST)
		return 0;
	if (missing > (uint32_t)CLEAR_MOST >> r->cautious)
		missing = (uint32_t)CLEAR_MOST >> r->cautious;
	return clear_emptiest(r, missing, spare);
}

static int gather(struct defrag_run *r, const struct space_view *view)
{
	const uint32_t kept = kept_sections(r, view), most = window_sections(r);
	const uint64_t blocks = r->total > r->result->blocks_placed ? r->total - r->result->blocks_placed : 1;
	const uint64_t needed = blocks / defrag_section_blocks(r) + 2, wanted = needed < most ? needed : most;
	uint32_t free_sections = view->free_sections > kept ? view->free_sections - kept : 0, count = 0;
	int err = 0;

	for (uint32_t i = 0; i < r->vol->geo.section_count && count < wanted && count < free_sections && !err; i++) {
		if (!is_candidate(r, i) || !(r->kinds[i] & SECTION_IS_FREE))
			continue;
		err = bar(r, i);
		r->states[i] = SECTION_TARGET;
		count++;
	}
	free_sections -= count;
	if (err || count >= wanted || count >= CLEAR_MOST / 2)
		return err;
	if (wanted > (CLEAR_MOST >> r->cautious) + count)
		return clear_emptiest(r, CLEAR_MOST >> r->cautious, free_sections / 2);
	return clear_emptiest(r, (uint32_t)(wanted - count), free_sections / 2);
}

/* Extend the current run through target sections that follow it. */
static void extend_run(struct defrag_run *r)
{
	const uint32_t sps = r->vol->geo.segs_per_sec;

	while (r->segno < r->run_end && r->run_end < r->vol->geo.section_count * sps &&
	       r->states[r->run_end / sps] == SECTION_TARGET)
		r->run_end += sps;
}

int defrag_window(struct defrag_run *r)
{
	struct space_view view = { 0 };
	int err = defrag_begin(r, &view);

	if (!err)
		err = defrag_look(r);
	if (!err)
		err = r->sweeps ? sweep(r, &view) : r->is_zoned ? make_room(r, &view) : gather(r, &view);
	err = defrag_end(r, err);
	extend_run(r);
	return err;
}

/* ---- the current run ---- */

uint64_t defrag_room(const struct defrag_run *r)
{
	if (r->is_zoned)
		return zoned_room(r);
	return (uint64_t)(r->run_end - r->segno) * F2FS_SEGMENT_BLOCKS - r->at;
}

/* The first target section that the current run is not in; section_count: none. */
static uint32_t find_target(const struct defrag_run *r)
{
	const uint32_t sps = r->vol->geo.segs_per_sec, sections = r->vol->geo.section_count;
	const uint32_t first = r->segno / sps, end = r->segno < r->run_end ? (r->run_end + sps - 1) / sps : first;

	for (uint32_t i = 0; i < sections; i++)
		if (r->states[i] == SECTION_TARGET && (i < first || i >= end))
			return i;
	return sections;
}

bool defrag_has_more(const struct defrag_run *r)
{
	if (r->is_zoned)
		return r->sections_left > 0;
	return find_target(r) < r->vol->geo.section_count;
}

int defrag_next_run(struct defrag_run *r)
{
	const uint32_t sps = r->vol->geo.segs_per_sec, next = find_target(r);
	uint32_t end = next;
	int err;

	if (r->is_zoned)
		return zoned_next_run(r);
	err = filler_close(&r->filler);
	if (err)
		return err;
	if (r->segno < r->run_end)
		r->states[r->segno / sps] = SECTION_DONE;
	while (end < r->vol->geo.section_count && r->states[end] == SECTION_TARGET)
		end++;
	r->segno = next * sps;
	r->at = 0;
	r->run_end = end * sps;
	return 0;
}
