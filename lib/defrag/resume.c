/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Continue an interrupted sweep. Items that are in one piece and in order, from the start of the main area on, count as
 * placed. Sections without data may be between them, because the sweep passed logs there. On a zoned volume the next
 * section may be any: an item that did not fit into one starts another.
 */
#include "base/bitmap.h"
#include "gc/live.h"
#include "defrag/clear.h"
#include "defrag/file.h"
#include "defrag/progress.h"
#include "defrag/resume.h"
#include "defrag/run.h"
#include "log/segments.h"
#include "log/space.h"

enum { GAP_BLOCKS = 16, GAP_SECTIONS = 16, LOOK_AHEAD = 64 };

/* End of the accepted items: a section, and the block in it after the last of them. */
struct end {
	uint32_t section, at;
	bool any;
	bool several;
	uint32_t *ends; /* of each section of a zoned volume: one past the last accepted block in it */
};

static bool is_gap(const struct defrag_run *r, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (r->valid[i] > 0 && !(r->kinds[i] & (SECTION_HAS_NODES | SECTION_HAS_LOG)) &&
		    r->states[i] != SECTION_LEFT)
			return false;
	return true;
}

static bool follows_in_zones(const struct defrag_run *r, const struct end *end, uint32_t section, uint32_t at)
{
	/* the first was taken wherever it was, so the next may be anywhere, too */
	if (!end->several || section == end->section)
		return at >= end->ends[section];
	if (end->ends[section] > 0) /* a smaller item was put into the rest of it */
		return at >= end->ends[section];
	/* by age another class begins with another section */
	return at == 0 && (end->at == 0 || r->options->order == F2FS_DEFRAG_AGE ||
			   r->blocks.count > r->section_room - end->at);
}

/* Does an item, whose blocks were collected, follow the accepted ones? */
static bool follows(const struct defrag_run *r, const struct end *end)
{
	const struct live_block *list = r->blocks.items;
	const uint32_t section = defrag_section_of(r, list[0].addr);
	const uint32_t at = (list[0].addr - r->vol->geo.main_blkaddr) % defrag_section_blocks(r);
	const uint32_t first = end->any ? end->section + (end->at > 0) : r->sweep;

	if (!defrag_is_whole(r))
		return false;
	if (r->is_zoned)
		return follows_in_zones(r, end, section, at);
	if (end->any && section == end->section) {
		/* by age another class begins with another segment */
		const bool begins = r->options->order == F2FS_DEFRAG_AGE && at % F2FS_SEGMENT_BLOCKS == 0;

		return at >= end->at && at - end->at <= (begins ? F2FS_SEGMENT_BLOCKS : GAP_BLOCKS);
	}
	return section >= first && section - first <= GAP_SECTIONS && at <= GAP_BLOCKS && is_gap(r, first, section);
}

/* Is the rest of the section after the end free? */
static int is_rest_free(struct defrag_run *r, const struct end *end, bool *is_free)
{
	const uint32_t first = end->section * r->vol->geo.segs_per_sec;

	*is_free = !(r->kinds[end->section] & SECTION_HAS_LOG);
	for (uint32_t at = end->at; at < defrag_section_blocks(r) && *is_free; at++) {
		struct segment *s;
		int err = segment_get(r->vol->txn, first + at / F2FS_SEGMENT_BLOCKS, &s);

		if (err)
			return err;
		*is_free = segment_next_hole(s, at % F2FS_SEGMENT_BLOCKS) == at % F2FS_SEGMENT_BLOCKS;
	}
	return 0;
}

/*
 * Find and collect an item that follows the accepted ones: the next, or one of those that were put before it to fill a
 * run. The first of all may be anywhere: the sweep begins there.
 */
static int find_follower(struct defrag_run *r, const struct end *end, struct defrag_item **found)
{
	const size_t most = end->any ? LOOK_AHEAD : 1;
	int err = 0;

	*found = NULL;
	for (size_t i = r->next, n = 0; i < r->items.count && n < most && !err; i++) {
		struct defrag_item *item = vec_at(&r->items, i);
		bool left;

		if (item->is_done)
			continue;
		err = defrag_collect(r, item, &left);
		if (err)
			break;
		if (left || r->blocks.count == 0) {
			item->is_done = true;
			continue;
		}
		if (follows(r, end)) {
			*found = item;
			break;
		}
		n++;
	}
	return err;
}

/*
 * Move the end past an item. A smaller item that fills another section is later in the order: the end stays before it.
 */
static void move_end(struct defrag_run *r, struct end *end)
{
	const struct live_block *blocks = r->blocks.items;
	const uint64_t last = blocks[r->blocks.count - 1].addr + 1 - r->vol->geo.main_blkaddr;
	const uint32_t per = defrag_section_blocks(r), section = (uint32_t)((last - 1) / per);
	const bool is_filling = r->is_zoned && end->any && section != end->section && end->ends[section] > 0;

	if (r->is_zoned)
		end->ends[section] = (uint32_t)((last - 1) % per) + 1;
	if (is_filling)
		return;
	end->several = end->any;
	end->any = true;
	end->section = r->is_zoned ? section : (uint32_t)(last / per);
	end->at = r->is_zoned ? end->ends[section] % r->section_room : (uint32_t)(last % per);
}

/* Accept the collected item: it stays. Other blocks in its sections are moved out when they are placed themselves. */
static void accept(struct defrag_run *r, struct defrag_item *item, struct end *end)
{
	const struct live_block *blocks = r->blocks.items;

	for (size_t i = 0; i < r->blocks.count; i++) {
		const uint32_t section = defrag_section_of(r, blocks[i].addr);

		if (r->states[section] == SECTION_OTHER)
			r->states[section] = SECTION_DONE;
	}
	item->is_done = true;
	defrag_keep(r);
	r->total -= r->blocks.count < r->total ? r->blocks.count : r->total;
	move_end(r, end);
}

static int accept_items(struct defrag_run *r, struct end *end)
{
	int err = 0;

	while (!err && !r->is_stopped && defrag_next_item(r)) {
		struct defrag_item *item;

		err = find_follower(r, end, &item);
		if (err || !item)
			break;
		defrag_progress(r, "looking");
		accept(r, item, end);
	}
	return err;
}

/* Continue placing where the last item ends, if the rest of the section is free. */
static int go_on(struct defrag_run *r, const struct end *end)
{
	const uint32_t sps = r->vol->geo.segs_per_sec;
	bool is_free = false;
	struct segment *s;
	int err = 0;

	if (r->is_zoned || !end->any || end->at == 0 || r->states[end->section] != SECTION_DONE)
		return 0;
	err = is_rest_free(r, end, &is_free);
	if (err || !is_free)
		return err;
	r->states[end->section] = SECTION_TARGET;
	r->segno = end->section * sps + end->at / F2FS_SEGMENT_BLOCKS;
	r->at = end->at % F2FS_SEGMENT_BLOCKS;
	r->run_end = (end->section + 1) * sps;
	err = segment_get(r->vol->txn, r->segno, &s);
	if (!err && r->at > 0)
		r->type = s->type;
	return err;
}

int defrag_resume(struct defrag_run *r)
{
	struct space_view view = { 0 };
	struct end end = { 0 };
	int err = defrag_begin(r, &view);

	end.ends = mem_calloc(r->vol->ctx, r->is_zoned ? r->vol->geo.section_count : 1, sizeof(*end.ends));
	if (!err && !end.ends)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = defrag_look(r);
	if (!err)
		err = accept_items(r, &end);
	if (!err) {
		r->sweep = end.any ? end.section : 0;
		err = go_on(r, &end);
	}
	mem_free(r->vol->ctx, end.ends);
	return defrag_end(r, err);
}
