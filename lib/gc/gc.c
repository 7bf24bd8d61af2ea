/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GC with a budget. One batch is one transaction: victims are barred, so that moved blocks do not go from one to
 * the next. They are examined, moved while there is room, and committed. The old blocks stay in use until that commit,
 * and only then the emptied sections are free. So room is counted before a section is begun.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "base/sized.h"
#include "gc/gc.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "gc/plug.h"
#include "gc/policies.h"
#include "gc/room.h"
#include "gc/run.h"
#include "gc/victims.h"
#include "file/change.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/zoned_logs.h"
#include "volume/heads_read.h"

enum {
	USED_LIMIT = 90, /* percent */
	STALLS = 4	 /* batches in a row that win nothing */
};

const char *f2fs_gc_end_name(unsigned end)
{
	static const char *const names[] = { "done", "limit", "no-room", "stopped" };

	return end < sizeof(names) / sizeof(names[0]) ? names[end] : "unknown";
}

int f2fs_gc_target_find(const char *name)
{
	static const char *const names[] = { [F2FS_GC_TO_LOG] = "log",
					     [F2FS_GC_TO_AGE] = "age",
					     [F2FS_GC_TO_HOLES] = "holes",
					     [F2FS_GC_TO_ADAPTIVE] = "adaptive" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static uint64_t blocks_moved(const struct run *r)
{
	return r->result->data_blocks + r->result->node_blocks;
}

static uint64_t bytes_written(const struct f2fs_volume *vol)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++)
		sum += vol->counters.bytes[i];
	return sum;
}

/* Nodes of the running batch are written by its commit: they count already. */
static bool has_written_enough(const struct run *r)
{
	const uint64_t waiting = r->vol->txn ? r->nodes << r->vol->geo.block_bits : 0;

	return r->options.bytes && !r->options.dry_run &&
	       bytes_written(r->vol) - r->bytes_before + waiting >= r->options.bytes;
}

static bool is_at_limit(const struct run *r)
{
	const struct f2fs_gc_options *o = &r->options;

	return has_written_enough(r) || (o->sections && r->result->sections >= o->sections) ||
	       (o->blocks && blocks_moved(r) >= o->blocks) ||
	       (o->seconds && r->started && clock_now(r->vol->ctx) - r->started >= (int64_t)o->seconds * 1000000000);
}

static void leave_unreadable(struct run *r, uint32_t section, const char *why)
{
	r->live.verdict = LIVE_UNREADABLE;
	r->live.at = r->live.nid = 0;
	r->live.why = why;
	gc_leave(r, section);
}

static void count_moved(struct run *r)
{
	const struct live *live = &r->live;
	const uint64_t nodes = live->blocks.count - live->data;

	r->data += live->data - live->pinned;
	r->pinned += live->pinned;
	r->nodes += live->owners + nodes;
	r->result->data_blocks += live->data;
	r->result->node_blocks += nodes;
}

static void report(struct run *r)
{
	const struct f2fs_progress progress = { .task = "gc",
						.phase = "moving",
						.unit = "sections",
						.done = r->result->sections,
						.total = r->options.sections };

	progress_report(r->vol->ctx, &progress);
}

/* Move one section, if its blocks are confirmed and there is room. *goes_on: whether the batch does. */
static int gc_section(struct run *r, uint32_t section, bool *goes_on)
{
	struct f2fs_gc_result *result = r->result;
	bool could_read = true;
	int err = live_find(&r->live, section);

	*goes_on = true;
	if (err)
		return err;
	if (r->live.verdict != LIVE_CONFIRMED) {
		gc_leave(r, section);
		return 0;
	}
	if (!r->options.dry_run && !room_fits(r)) {
		room_note(r, section);
		*goes_on = false;
		return 0;
	}
	if (!r->options.dry_run)
		err = live_move(&r->live, r->buffer, &could_read);
	if (err)
		return err;
	count_moved(r);
	result->sections += could_read;
	if (could_read && !r->options.dry_run) {
		r->vol->counters.gc_sections++;
		r->vol->counters.gc_blocks += r->live.blocks.count;
	}
	if (!could_read)
		leave_unreadable(r, section, "a block in use cannot be read");
	report(r);
	*goes_on = !r->is_stopped && !is_at_limit(r) && (r->options.dry_run || r->nodes < BATCH_NODES);
	return 0;
}

/* Where does this batch put its data? */
static int target_of_batch(struct run *r, unsigned *where)
{
	const struct f2fs_gc_options *o = &r->options;
	const uint32_t goal = o->free_goal > r->victims.free ? o->free_goal - r->victims.free : 1;
	const struct plug_view view = { r->victims.view.blocks, goal, o->request_cost };
	bool is_cheaper = false;
	int err = 0;

	*where = o->target;
	if (txn_is_zoned(r->vol->txn) && *where >= F2FS_GC_TO_HOLES)
		*where = F2FS_GC_TO_LOG;
	if (*where != F2FS_GC_TO_ADAPTIVE)
		return 0;
	err = plug_is_cheaper(r->vol->txn, &view, r->victims.list.items, r->victims.count, &is_cheaper);
	*where = is_cheaper ? F2FS_GC_TO_HOLES : F2FS_GC_TO_LOG;
	return err;
}

static int begin_batch(struct run *r, size_t *count)
{
	unsigned where = F2FS_GC_TO_LOG;
	int err = change_start(r->vol);

	if (err)
		return err;
	r->vol->txn->is_cleaning = true;
	err = target_of_batch(r, &where);
	r->plugs = where == F2FS_GC_TO_HOLES;
	r->live.keeps_age = gc_policy_of(&r->options)->keeps_age || where != F2FS_GC_TO_LOG;
	if (!err)
		err = room_plan(r, count);
	if (!err)
		err = gc_target_begin(&r->target, r->vol->txn, &r->options, where);
	r->live.target = &r->target.move;
	r->target.left = r->left; /* blocks just put there are not moved again */
	return err;
}

/* Move what one commit can take. */
static int gc_batch(struct run *r)
{
	const struct gc_candidate *list = r->victims.list.items;
	size_t count = room_plan_dry(r);
	bool goes_on = true;
	int err;

	r->data = r->pinned = r->nodes = 0;
	err = r->options.dry_run ? 0 : begin_batch(r, &count);
	for (size_t i = 0; i < count && goes_on && !err; i++)
		err = gc_section(r, list[i].section, &goes_on);
	if (r->options.dry_run)
		return err;
	if (!err)
		err = gc_target_end(&r->target);
	gc_target_drop(&r->target);
	if (!err && r->data + r->pinned + r->nodes > 0) {
		err = txn_commit(r->vol);
		r->result->commits += !err;
	}
	txn_roll_back(r->vol);
	return err;
}

/* Does the work continue? Else *end has the reason. */
static bool goes_on(struct run *r, uint32_t *end)
{
	const struct f2fs_gc_options *o = &r->options;

	*end = F2FS_GC_LIMIT;
	if (is_at_limit(r) || (o->free_goal && r->victims.free >= o->free_goal))
		return false;
	*end = F2FS_GC_DONE;
	if (r->victims.count == 0)
		return false;
	r->stalls = r->victims.free > r->best_free ? 0 : r->stalls + 1;
	r->best_free = r->victims.free > r->best_free ? r->victims.free : r->best_free;
	*end = F2FS_GC_NO_ROOM;
	return r->stalls <= STALLS;
}

/* Count the candidates. GC makes further ones, of the sections that its logs leave and of the nodes that it
 * rewrites; those join the count. */
static void count_candidates(const struct run *r)
{
	const uint32_t met = r->result->sections + (uint32_t)r->victims.count;

	if (met > r->result->candidates)
		r->result->candidates = met;
}

static int run_batches(struct run *r)
{
	struct f2fs_gc_result *result = r->result;
	bool is_first = true;

	for (;; is_first = false) {
		const uint64_t before = blocks_moved(r);
		const uint32_t left = result->unconfirmed + result->unreadable + result->pinned;
		int err = victims_find(r->vol, &r->options, r->left, &r->victims);

		if (err)
			return err;
		result->free_after = r->victims.free;
		if (is_first)
			result->free_before = r->victims.free;
		count_candidates(r);
		if (!goes_on(r, &result->end)) {
			victims_free(&r->victims);
			return 0;
		}
		err = gc_batch(r);
		if (!err && r->options.dry_run) {
			result->free_after = room_predict(r);
			result->end = is_at_limit(r) ? F2FS_GC_LIMIT : F2FS_GC_DONE;
		}
		victims_free(&r->victims);
		if (!err && r->is_stopped)
			err = error_set(r->vol->ctx, F2FS_ERR_CANCELED, "GC was stopped after %u sections",
					(unsigned)result->sections);
		if (err || r->options.dry_run)
			return err;
		result->end = F2FS_GC_NO_ROOM;
		if (blocks_moved(r) == before && result->unconfirmed + result->unreadable + result->pinned == left)
			return 0;
	}
}

int gc_check_options(struct f2fs_volume *vol, const struct f2fs_gc_options *options)
{
	if (!gc_policy_of(options))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no GC policy %u",
				 (unsigned)options->policy);
	if (options->target > F2FS_GC_TO_ADAPTIVE)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no GC target %u",
				 (unsigned)options->target);
	if (options->used_limit > 100)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a section cannot be used to %u percent",
				 (unsigned)options->used_limit);
	return 0;
}

static int prepare(struct run *r)
{
	struct f2fs_volume *vol = r->vol;
	int err = gc_check_options(vol, &r->options);

	if (err)
		return err;
	if (vol->gc.is_choosing)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a GC policy must not collect garbage");
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	if (volume_lacks_ssa(vol))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "a read-only volume has no summaries, so GC cannot work on it");
	r->options.used_limit = r->options.used_limit ? r->options.used_limit : USED_LIMIT;
	r->started = clock_now(vol->ctx);
	r->bytes_before = bytes_written(vol);
	r->left = mem_zalloc(vol->ctx, (vol->geo.section_count + 7) / 8);
	r->buffer = r->options.dry_run ? NULL
				       : mem_alloc(vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << vol->geo.block_bits);
	if (!r->left || (!r->buffer && !r->options.dry_run))
		return F2FS_ERR_NOMEM;
	err = live_init(&r->live, vol);
	r->live.moves_pinned = r->options.move_pinned && !geometry_has(&vol->geo, F2FS_FEAT_BLKZONED);
	return err;
}

int gc_run(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result)
{
	struct run r = { .vol = vol, .result = result };
	bool *before;
	int err;

	*result = (struct f2fs_gc_result){ 0 };
	if (options)
		r.options = *options;
	err = prepare(&r);
	before = progress_note(vol->ctx, &r.is_stopped);
	if (!err)
		err = run_batches(&r);
	progress_note(vol->ctx, before);
	if (err)
		result->end = F2FS_GC_STOPPED;
	live_fini(&r.live);
	mem_free(vol->ctx, r.left);
	mem_free(vol->ctx, r.buffer);
	return err;
}

int f2fs_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result)
{
	struct f2fs_gc_options own;
	struct f2fs_gc_result filled;
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(vol->ctx, result, sizeof(filled));
	if (err)
		return err;
	err = gc_run(vol, &own, &filled);
	sized_give(result, &filled, sizeof(filled));
	return err;
}
