/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty sections. The blocks in use in a section are moved into the holes of others, which a sink fills one after the
 * other. Free sections are taken only when the sink may. Nodes are marked as changed, and go to their logs with the
 * commit.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "defrag/clear.h"
#include "defrag/file.h"
#include "defrag/list.h"
#include "defrag/run.h"
#include "defrag/zoned.h"
#include "file/change.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/filler.h"
#include "log/free_sections.h"
#include "log/segments.h"
#include "log/space.h"
#include "volume/block_read.h"

enum {
	NODES_MOST = 12000, /* that one commit writes: fewer than nodes_trim() lets stay in memory */
	NODE_ROOM_KEPT = 4, /* free sections for the ends of logs */
	ZONED_KEPT = 2	    /* when each of three logs begins one: all nodes of a commit may go to one of them */
};

int defrag_look(struct defrag_run *r)
{
	struct txn *txn = r->vol->txn;
	const uint32_t sps = r->vol->geo.segs_per_sec;
	int err = segment_load_all(txn);

	for (uint32_t i = 0; i < r->vol->geo.section_count && !err; i++) {
		bool is_free = true;

		r->valid[i] = 0;
		r->kinds[i] = 0;
		for (f2fs_seg_t k = i * sps; k < (i + 1) * sps && !err; k++) {
			struct segment *s;

			err = segment_get(txn, k, &s);
			if (err)
				break;
			r->valid[i] += s->valid;
			is_free = is_free && segment_is_free(s);
			if (segment_is_current(txn, k))
				r->kinds[i] |= SECTION_HAS_LOG;
			else if (s->valid > 0 && s->type >= F2FS_HOT_NODE)
				r->kinds[i] |= SECTION_HAS_NODES;
		}
		if (is_free && !(r->kinds[i] & SECTION_HAS_LOG))
			r->kinds[i] |= SECTION_IS_FREE;
	}
	return err;
}

void defrag_limit_nodes(struct defrag_run *r, const struct space_view *view, uint32_t taken)
{
	const uint32_t kept = taken + (r->is_zoned ? ZONED_KEPT : NODE_ROOM_KEPT);
	uint64_t room = view->node_holes * 3 / 4;

	if (view->free_sections > kept)
		room += (uint64_t)(view->free_sections - kept) * r->section_room;
	r->node_limit = room < NODES_MOST ? room : NODES_MOST;
}

int defrag_begin(struct defrag_run *r, struct space_view *view)
{
	const uint32_t sps = r->vol->geo.segs_per_sec;
	struct txn *txn;
	int err = change_start(r->vol);

	if (err)
		return err;
	txn = r->vol->txn;
	txn->is_cleaning = true;
	/* logs go to the end of the volume, out of the way */
	txn->free_cursor = r->sweeps ? r->vol->geo.segment_count_main / 2 : 0;
	for (uint32_t i = 0; i < r->vol->geo.section_count && !err; i++)
		if (r->states[i] == SECTION_TARGET)
			err = segments_bar(txn, i * sps, (i + 1) * sps);
	if (!err)
		err = space_look(txn, view);
	if (!err)
		err = filler_begin(&r->filler, txn);
	if (!err)
		err = filler_begin(&r->sink.filler, txn);
	r->filler.is_rehearsal = r->sink.filler.is_rehearsal = r->is_rehearsal;
	defrag_limit_nodes(r, view, 0);
	return err;
}

int defrag_end(struct defrag_run *r, int err)
{
	if (!err)
		err = filler_end(&r->filler);
	if (!err)
		err = filler_end(&r->sink.filler);
	if (!err && r->vol->txn && r->vol->txn->dirty_count > 0) {
		err = txn_commit(r->vol);
		r->result->commits += !err;
	}
	filler_drop(&r->filler);
	filler_drop(&r->sink.filler);
	txn_roll_back(r->vol);
	return err;
}

/* ---- the sink ---- */

struct hole_segment {
	f2fs_seg_t segno;
	uint32_t holes;
};

static int fullest_first(const void *left, const void *right)
{
	const struct hole_segment *a = left, *b = right;

	if (a->holes != b->holes)
		return a->holes < b->holes ? -1 : 1;
	return (a->segno > b->segno) - (a->segno < b->segno);
}

static int last_first(const void *left, const void *right)
{
	const struct hole_segment *a = left, *b = right;

	return (a->segno < b->segno) - (a->segno > b->segno);
}

static uint32_t count_holes(const struct segment *s)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < sizeof(s->cur); i++) {
		const uint8_t none = (uint8_t)~(s->cur[i] | s->ckpt[i]);

		n += bitmap_popcount(&none, 1);
	}
	return n;
}

int defrag_open_sink(struct defrag_run *r, uint32_t free_sections)
{
	struct txn *txn = r->vol->txn;
	int err = 0;

	r->sink.segments.count = 0;
	r->sink.next = 0;
	r->sink.free_sections = free_sections;
	r->sink.free_next = r->vol->geo.section_count;
	r->sink.section_at = r->sink.section_left = 0;
	r->sink.room = (uint64_t)free_sections * r->section_room;
	if (r->is_zoned) {
		err = zoned_begin_clearing(r);
		r->sink.room += err ? 0 : zoned_clearing_room(r);
		return err;
	}
	for (f2fs_seg_t i = 0; i < r->vol->geo.segment_count_main && !err; i++) {
		struct hole_segment *h;
		struct segment *s;
		uint32_t holes;

		err = segment_get(txn, i, &s);
		if (err || segment_is_free(s) || s->is_barred || s->type >= F2FS_HOT_NODE ||
		    segment_is_current(txn, i) ||
		    (r->states[i / r->vol->geo.segs_per_sec] != SECTION_OTHER &&
		     r->states[i / r->vol->geo.segs_per_sec] != SECTION_PINNED))
			continue;
		holes = count_holes(s);
		if (holes == 0)
			continue;
		h = vec_push(&r->sink.segments, 1);
		if (!h)
			return F2FS_ERR_NOMEM;
		*h = (struct hole_segment){ i, holes };
		r->sink.room += holes;
	}
	vec_sort(&r->sink.segments, r->sweeps ? last_first : fullest_first);
	return err;
}

/* Find the last free section that may still be taken, and is not taken by this. section_count: none. */
static int find_free(struct defrag_run *r, uint32_t *section)
{
	struct defrag_sink *sink = &r->sink;
	bool is_free = false;

	*section = r->vol->geo.section_count;
	while (sink->free_next > 0 && sink->free_sections > 0 && !is_free) {
		int err = segment_section_is_free(r->vol->txn, sink->free_next - 1, &is_free);

		if (err)
			return err;
		if (is_free)
			*section = sink->free_next - 1;
		else
			sink->free_next--;
	}
	return 0;
}

static int open_hole(struct defrag_run *r, const struct hole_segment *h)
{
	struct segment *s;
	int err = segment_get(r->vol->txn, h->segno, &s);

	r->sink.next++;
	return err ? err : filler_open(&r->sink.filler, h->segno, s->type, 0);
}

/*
 * Open the next segment to fill. A sweep takes the last one of all, free or with holes. The sweep gets there late or
 * never, and by then most of the blocks moved there have been placed. Otherwise free sections come after all holes.
 */
static int next_segment(struct defrag_run *r)
{
	struct defrag_sink *sink = &r->sink;
	const uint32_t sps = r->vol->geo.segs_per_sec;
	const struct hole_segment *h = sink->next < sink->segments.count ? vec_at(&sink->segments, sink->next) : NULL;
	uint32_t section;
	int err;

	if (sink->section_at < sink->section_left)
		return filler_open(&sink->filler, sink->section_at++, F2FS_COLD_DATA, 0);
	if (h && !r->sweeps)
		return open_hole(r, h);
	err = find_free(r, &section);
	if (err)
		return err;
	if (h && (section == r->vol->geo.section_count || h->segno / sps > section))
		return open_hole(r, h);
	if (section == r->vol->geo.section_count)
		return error_set(r->vol->ctx, F2FS_ERR_NOSPC, "nothing is left to move blocks to");
	sink->free_next = section;
	sink->free_sections--;
	sink->section_at = section * sps;
	sink->section_left = sink->section_at + sps;
	return filler_open(&sink->filler, sink->section_at++, F2FS_COLD_DATA, 0);
}

/* Read blocks that follow each other to the place from which the sink will write them: *to. *n: how many fit there. */
static int fetch(struct defrag_run *r, const struct live_block *b, uint32_t want, uint8_t **to, uint32_t *n)
{
	/* these blocks may wait in the sink itself: writing them out must not end the reservation */
	int err = r->vol->ops.running->write_out(r->vol, b->addr, want);

	if (!err)
		err = filler_reserve(&r->sink.filler, want, to, n);
	if (err || *n == 0 || r->is_rehearsal)
		return err;
	err = volume_read_twice(r->vol, b->addr, *n, *to);
	r->sink.could_read = err != F2FS_ERR_IO;
	return err;
}

/* Holes, and free sections that a filler takes. */
static int fill(struct defrag_run *r, const struct live_block *b, uint32_t want, f2fs_blk_t *to, uint32_t *got)
{
	uint8_t *data = NULL;
	uint32_t n = 0;
	int err = 0;

	for (*got = 0; *got == 0 && !err;) {
		if (!r->sink.filler.is_open)
			err = next_segment(r);
		if (!err)
			err = fetch(r, b, want, &data, &n);
		if (!err && n > 0)
			err = filler_put(&r->sink.filler, live_owner(b), n, data, to, got);
		if (!err && *got == 0)
			err = filler_close(&r->sink.filler);
	}
	return err;
}

static int put(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
	       uint32_t *got)
{
	struct defrag_run *r = user;
	int err = r->is_zoned ? zoned_clear(r, b, want, data, to, got) : fill(r, b, want, to, got);

	for (uint32_t i = 0; i < *got && !err; i++)
		defrag_count(r, b[i].addr, *to + i);
	r->sink.room -= *got < r->sink.room ? *got : r->sink.room;
	return err;
}

/* ---- a section ---- */

static void leave(struct defrag_run *r, uint32_t section)
{
	const struct live *live = &r->live;

	r->states[section] = live->verdict == LIVE_PINNED ? SECTION_PINNED : SECTION_LEFT;
	r->result->pinned += live->verdict == LIVE_PINNED;
	r->result->unconfirmed += live->verdict == LIVE_UNCONFIRMED;
	r->result->unreadable += live->verdict == LIVE_UNREADABLE;
	log_message(r->vol->ctx, live->verdict == LIVE_PINNED ? F2FS_LOG_INFO : F2FS_LOG_WARNING,
		    "section %u is left alone: block %u, of node %u: %s", (unsigned)section, (unsigned)live->at,
		    (unsigned)live->nid, live->why);
}

/* Files that lose their order are to be placed, too. */
static int add_files(struct defrag_run *r)
{
	const struct live_block *list = r->live.blocks.items;
	int err = 0;

	if (r->options->order == F2FS_DEFRAG_SPACE)
		return 0;
	for (size_t i = 0; i < r->live.blocks.count && !err; i++)
		if (!list[i].is_node && (i == 0 || list[i].ino != list[i - 1].ino))
			err = defrag_add(r, list[i].ino);
	return err;
}

int defrag_clear(struct defrag_run *r, uint32_t section, bool *cleared, bool *fits)
{
	const struct move_target target = {
		.put = put, .user = r, .is_rehearsal = r->is_rehearsal, .reads = !r->is_zoned
	};
	struct live *live = &r->live;
	const uint64_t dirty = r->vol->txn->dirty_count;
	bool could_read = true;
	int err = live_find(live, section);

	*cleared = false;
	*fits = true;
	if (err)
		return err;
	if (live->verdict != LIVE_CONFIRMED) {
		leave(r, section);
		return 0;
	}
	*fits = live->data <= r->sink.room &&
		dirty + live->owners + (live->blocks.count - live->data) <= r->node_limit;
	if (!*fits)
		return 0;
	live->target = &target;
	live->keeps_age = true;
	r->sink.could_read = true;
	err = add_files(r);
	if (!err)
		err = live_move(live, r->buffer, &could_read);
	live->target = NULL;
	if (err && r->sink.could_read)
		return err;
	if (err) {
		could_read = false;
		error_clear(r->vol->ctx);
	}
	r->result->blocks_cleared += live->data;
	r->result->nodes_cleared += live->blocks.count - live->data;
	*cleared = could_read;
	if (!could_read) {
		live->verdict = LIVE_UNREADABLE;
		live->at = live->nid = 0;
		live->why = "a block in use cannot be read";
		leave(r, section);
	}
	return 0;
}
