/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make free space contiguous: the emptiest sections are cleared into the holes of the fullest, as long as these have
 * room. Nodes are left where they are.
 */
#include <stdlib.h>

#include "base/bitmap.h"
#include "defrag/clear.h"
#include "defrag/progress.h"
#include "defrag/run.h"
#include "defrag/space.h"
#include "log/segments.h"
#include "log/space.h"

enum {
	AT_ONCE = 64,	/* sections */
	ZONED_LEAST = 3 /* that clearing leaves to the logs of nodes */
};

struct part {
	uint32_t section, valid;
};

static int emptiest_first(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->valid != b->valid)
		return a->valid < b->valid ? -1 : 1;
	return (a->section < b->section) - (a->section > b->section); /* of equal ones the last */
}

static int find_parts(struct defrag_run *r, struct vec *list, uint64_t *holes)
{
	*holes = 0;
	for (uint32_t i = 0; i < r->vol->geo.section_count; i++) {
		struct part *p;

		if (r->states[i] != SECTION_OTHER || r->kinds[i] || r->valid[i] == 0 ||
		    r->valid[i] >= r->section_room)
			continue;
		p = vec_push(list, 1);
		if (!p)
			return F2FS_ERR_NOMEM;
		*p = (struct part){ i, r->valid[i] };
		*holes += defrag_section_blocks(r) - r->valid[i];
	}
	vec_sort(list, emptiest_first);
	return 0;
}

/* How many of the emptiest fit into the holes of the others? */
static size_t count_fitting(const struct defrag_run *r, const struct vec *list, uint64_t holes)
{
	uint64_t used = 0;
	size_t n = 0;

	for (; n < list->count && n < AT_ONCE; n++) {
		const struct part *p = vec_at(list, n);

		holes -= defrag_section_blocks(r) - p->valid;
		used += p->valid;
		if (used > holes)
			break;
	}
	return n;
}

/* Return half of the free sections, for moved data. The others are for nodes. */
static uint32_t spare_sections(const struct defrag_run *r, const struct space_view *view)
{
	return r->is_zoned && view->free_sections > ZONED_LEAST ? (view->free_sections - ZONED_LEAST + 1) / 2 : 0;
}

/* How many of the emptiest fit into free sections, and win more of them than they take? */
static size_t count_winning(const struct defrag_run *r, const struct vec *list, uint32_t sections)
{
	uint64_t used = 0;
	size_t n = 0;

	for (; n < list->count && n < AT_ONCE; n++) {
		const struct part *p = vec_at(list, n);

		if (used + p->valid > (uint64_t)sections * r->section_room)
			break;
		used += p->valid;
	}
	return n > (used + r->section_room - 1) / r->section_room ? n : 0;
}

static int clear_parts(struct defrag_run *r, const struct vec *list, size_t count, uint32_t spare, uint32_t *cleared)
{
	const uint32_t sps = r->vol->geo.segs_per_sec;
	bool fits = true, is_empty;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct part *p = vec_at(list, i);

		err = segments_bar(r->vol->txn, p->section * sps, (p->section + 1) * sps);
	}
	if (!err)
		err = defrag_open_sink(r, spare);
	for (size_t i = 0; i < count && fits && !err && !r->is_stopped && !defrag_is_at_limit(r); i++) {
		err = defrag_clear(r, ((const struct part *)vec_at(list, i))->section, &is_empty, &fits);
		*cleared += !err && is_empty;
		defrag_progress(r, "clearing");
	}
	return err;
}

static uint32_t count_free(const struct defrag_run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->vol->geo.section_count; i++)
		n += (r->kinds[i] & SECTION_IS_FREE) != 0;
	return n;
}

/* One commit's worth; *goes_on: there may be more. */
static int step(struct defrag_run *r, bool *goes_on)
{
	struct space_view view = { 0 };
	struct vec list;
	uint32_t cleared = 0;
	uint64_t holes = 0;
	size_t count = 0;
	int err = defrag_begin(r, &view);

	vec_init(&list, r->vol->ctx, sizeof(struct part));
	if (!err)
		err = defrag_look(r);
	if (!err)
		err = find_parts(r, &list, &holes);
	if (!err) {
		const uint32_t free_sections = count_free(r), spare = spare_sections(r, &view);

		count = r->is_zoned ? count_winning(r, &list, spare) : count_fitting(r, &list, holes);
		if (r->options->free_goal && free_sections >= r->options->free_goal) {
			r->result->end = F2FS_DEFRAG_LIMIT;
			count = 0;
		} else if (r->options->free_goal && count > r->options->free_goal - free_sections) {
			count = r->options->free_goal - free_sections;
		}
		defrag_limit_nodes(r, &view, spare);
		err = clear_parts(r, &list, count, spare, &cleared);
	}
	vec_fini(&list);
	*goes_on = cleared > 0;
	return defrag_end(r, err);
}

int defrag_space(struct defrag_run *r)
{
	bool goes_on = true;
	int err = 0;

	r->sweeps = false;
	while (goes_on && !err && !r->is_stopped) {
		err = step(r, &goes_on);
		if (!err && defrag_is_at_limit(r)) {
			r->result->end = F2FS_DEFRAG_LIMIT;
			break;
		}
	}
	return err;
}
