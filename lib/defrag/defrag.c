/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragment a volume: window after window of target sections is chosen, cleared and filled. Each step is one
 * transaction, so an interruption leaves the first steps complete. A block is placed once: a finished section is never
 * touched again, so the work ends.
 */
#include <f2fskit/mkfs.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "gc/live.h"
#include "defrag/clear.h"
#include "defrag/file.h"
#include "defrag/list.h"
#include "defrag/progress.h"
#include "defrag/resume.h"
#include "defrag/run.h"
#include "defrag/space.h"
#include "defrag/window.h"
#include "defrag/zoned.h"
#include "device/device.h"
#include "device/slice.h"
#include "file/change.h"
#include "file/write.h"
#include "format/superblock.h"
#include "fragments/aliases.h"
#include "log/space.h"
#include "log/txn.h"
#include "volume/heads_read.h"

enum {
	LOOK_AHEAD = 64, /* items that are tried when one does not fit into the rest of a run */
	STALLS = 2,	 /* rounds that place nothing, */
	CLEARINGS = 24,	 /* and of a zoned volume, where many may win one section, those that only clear */
	CAUTION_MOST = 5
};

const char *f2fs_defrag_end_name(unsigned end)
{
	static const char *const names[] = { "done", "limit", "no-room", "stopped" };

	return end < sizeof(names) / sizeof(names[0]) ? names[end] : "unknown";
}

/* ---- filling ---- */

static uint32_t count_nodes(const struct defrag_run *r)
{
	const struct live_block *list = r->blocks.items;
	uint32_t n = 1; /* the inode */

	for (size_t i = 0; i < r->blocks.count; i++)
		n += i == 0 || list[i].nid != list[i - 1].nid;
	return n;
}

/* Collect an item; false: there is nothing to be done about it. */
static int look_at(struct defrag_run *r, struct defrag_item *item, bool *is_wanted)
{
	bool left;
	int err = defrag_collect(r, item, &left);

	*is_wanted = !err && !left && r->blocks.count > 0;
	/* of an item that was begun the rest follows, in any case */
	if (*is_wanted && r->options->order == F2FS_DEFRAG_SCORE && !item->is_started && defrag_is_whole(r)) {
		*is_wanted = false;
		map32_remove(&r->known, item->ino); /* it stays where it is; when it has to go it is placed after all */
	}
	if (!err && !*is_wanted)
		defrag_finish_item(r, item);
	return err;
}

/* Blocks of an item that the current run takes. */
static uint64_t room_for(const struct defrag_run *r, const struct defrag_item *item)
{
	return defrag_room(r) - (item->is_pinned ? defrag_rest_of_section(r) : 0);
}

static bool goes_in(const struct defrag_run *r, const struct defrag_item *item)
{
	return r->blocks.count <= room_for(r, item) ||
	       (r->blocks.count > r->section_room && room_for(r, item) > 0);
}

/* Place the collected item, as far as the run has room. */
static int place(struct defrag_run *r, struct defrag_item *item)
{
	size_t moved = 0;
	int err = 0;

	if (item->is_pinned)
		err = defrag_next_section(r);
	else if (r->is_zoned && r->options->order == F2FS_DEFRAG_AGE && r->type != item->type && defrag_has_more(r))
		err = defrag_next_run(r);
	else if (r->options->order == F2FS_DEFRAG_AGE && r->type != item->type && r->at > 0 &&
	    defrag_room(r) - (F2FS_SEGMENT_BLOCKS - r->at) >= r->blocks.count)
		err = defrag_next_segment(r);
	r->type = item->type;
	if (!err)
		err = defrag_place(r, item->type, &moved);
	if (!err && item->is_pinned)
		err = defrag_next_section(r);
	if (err)
		return err;
	item->is_started = item->is_started || moved > 0;
	if (moved == r->blocks.count || defrag_room(r) > 0) { /* all, or the rest cannot be read */
		defrag_finish_item(r, item);
		r->result->files_placed += moved == r->blocks.count;
	}
	defrag_progress(r, "placing");
	return 0;
}

/* Find, among the next items, one that fits into the rest of the run, and collect it. NULL: none. */
static int find_smaller(struct defrag_run *r, struct defrag_item **found)
{
	const uint64_t room = defrag_room(r);
	int err = 0;

	*found = NULL;
	for (size_t i = r->next + 1, n = 0; i < r->items.count && n < LOOK_AHEAD && room > 0 && !err; i++, n++) {
		struct defrag_item *item = vec_at(&r->items, i);
		bool is_wanted;

		if (item->is_done)
			continue;
		err = look_at(r, item, &is_wanted);
		if (!err && is_wanted && r->blocks.count <= room && !item->is_pinned) {
			*found = item;
			break;
		}
	}
	return err;
}

/* Choose and collect the next item to place, at a place where it fits. NULL: the window is used up. */
static int choose(struct defrag_run *r, struct defrag_item **chosen)
{
	*chosen = NULL;
	for (;;) {
		struct defrag_item *item = defrag_next_item(r);
		bool is_wanted;
		int err;

		if (!item)
			return 0;
		err = look_at(r, item, &is_wanted);
		if (err)
			return err;
		if (!is_wanted)
			continue;
		if (goes_in(r, item)) {
			*chosen = item;
			return 0;
		}
		if (!defrag_has_more(r))
			return 0;
		err = find_smaller(r, chosen);
		if (err || *chosen)
			return err;
		err = defrag_next_run(r);
		if (err)
			return err;
	}
}

/* Fill target sections, with one commit. */
static int fill(struct defrag_run *r)
{
	struct space_view view = { 0 };
	struct defrag_item *item;
	int err = defrag_begin(r, &view);

	if (!err && r->is_zoned) {
		const uint32_t sections = defrag_placing_sections(r, &view);

		defrag_limit_nodes(r, &view, sections);
		err = zoned_begin_placing(r, sections);
	}
	while (!err && !r->is_stopped && !defrag_is_out_of_time(r)) {
		err = choose(r, &item);
		if (err || !item)
			break;
		if (r->vol->txn->dirty_count + count_nodes(r) > r->node_limit)
			break;
		err = place(r, item);
	}
	return defrag_end(r, err);
}

/* State of a run that a step changes, besides the volume. */
struct saved {
	struct f2fs_defrag_result result;
	uint8_t *states;
	uint32_t sweep, at;
	f2fs_seg_t segno, run_end;
	size_t next;
};

/* The step was dropped with its transaction: restore the state of the run from before it. */
static void restore(struct defrag_run *r, const struct saved *saved)
{
	*r->result = saved->result;
	memcpy(r->states, saved->states, r->vol->geo.section_count);
	r->sweep = saved->sweep;
	r->segno = saved->segno;
	r->at = saved->at;
	r->run_end = saved->run_end;
	r->next = saved->next;
	for (size_t i = 0; i < r->items.count; i++) {
		struct defrag_item *item = vec_at(&r->items, i);

		if (item->step == r->step)
			item->is_done = false;
	}
}

/* Do a step. When there is too little room for it, the next ones are smaller, until that does not help any more. */
static int guarded(struct defrag_run *r, int (*step)(struct defrag_run *r))
{
	struct saved saved = { *r->result, NULL, r->sweep, r->at, r->segno, r->run_end, r->next };
	int err;

	saved.states = mem_alloc(r->vol->ctx, r->vol->geo.section_count);
	if (!saved.states)
		return F2FS_ERR_NOMEM;
	memcpy(saved.states, r->states, r->vol->geo.section_count);
	r->step++;
	err = step(r);
	if (err)
		restore(r, &saved);
	mem_free(r->vol->ctx, saved.states);
	if (!error_is_full(r->vol->ctx, err))
		return err;
	log_message(r->vol->ctx, F2FS_LOG_INFO, "too little room: %s", r->vol->ctx->error.message);
	error_clear(r->vol->ctx);
	if (++r->cautious > CAUTION_MOST)
		r->result->end = F2FS_DEFRAG_NO_ROOM;
	return 0;
}

static uint32_t count_free(const struct defrag_run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->vol->geo.section_count; i++)
		n += (r->kinds[i] & SECTION_IS_FREE) != 0 && r->states[i] == SECTION_OTHER;
	return n;
}

/* Place all items. */
static int place_all(struct defrag_run *r)
{
	unsigned stalls = 0;
	int err = r->sweeps || (r->is_zoned && r->options->order != F2FS_DEFRAG_SCORE) ? defrag_resume(r) : 0;

	while (!err && !r->is_stopped && defrag_next_item(r)) {
		const uint64_t before = r->result->blocks_placed, cleared = r->result->blocks_cleared;
		const size_t done = r->next;

		if (defrag_is_at_limit(r)) {
			r->result->end = F2FS_DEFRAG_LIMIT;
			return 0;
		}
		if (r->is_zoned || !defrag_has_more(r))
			err = guarded(r, defrag_window);
		if (!err && r->options->free_goal && count_free(r) >= r->options->free_goal) {
			r->result->end = F2FS_DEFRAG_LIMIT;
			return 0;
		}
		if (!err && !r->is_stopped && r->result->end == F2FS_DEFRAG_DONE)
			err = guarded(r, fill);
		if (r->result->end == F2FS_DEFRAG_NO_ROOM)
			return err;
		if (r->result->blocks_placed > before || r->next > done) {
			stalls = 0;
			continue;
		}
		if (++stalls < (r->is_zoned && r->result->blocks_cleared > cleared ? CLEARINGS : STALLS))
			continue;
		if (r->is_zoned || (r->sweeps ? r->has_chosen : r->has_swept)) {
			r->result->end = F2FS_DEFRAG_NO_ROOM;
			return 0;
		}
		/* the sweep ended, or cannot clear the next section: choosing sections may find more room, or the
		 * reverse */
		r->has_swept = r->has_swept || r->sweeps;
		r->has_chosen = r->has_chosen || !r->sweeps;
		r->sweeps = !r->sweeps;
		stalls = 0;
	}
	return err;
}

/* ---- the frame ---- */

/* Sections of aliases of devices have no summaries. */
static int leave_alias(void *user, const struct alias *alias)
{
	struct defrag_run *r = user;

	for (uint64_t addr = alias->first; addr < alias->end; addr += F2FS_SEGMENT_BLOCKS)
		if (addr <= UINT32_MAX && geometry_is_main(&r->vol->geo, (f2fs_blk_t)addr))
			r->states[defrag_section_of(r, (f2fs_blk_t)addr)] = SECTION_LEFT;
	return 0;
}

static int check_options(const struct defrag_run *r)
{
	const struct f2fs_defrag_options *o = r->options;
	struct f2fs_context *ctx = r->vol->ctx;

	if (o->order > F2FS_DEFRAG_SPACE)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no order %u", (unsigned)o->order);
	if ((o->order == F2FS_DEFRAG_LIST) != (o->list_count > 0))
		return error_set(ctx, F2FS_ERR_INVALID, "a list is for the order of a list, which needs one");
	if (r->vol->txn)
		return error_set(ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	if (volume_lacks_ssa(r->vol))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED,
				 "a read-only volume has no summaries, so its blocks cannot be moved");
	return 0;
}

static int prepare(struct defrag_run *r)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	int err = check_options(r);

	if (err)
		return err;
	r->sweeps = !r->is_zoned && r->options->order != F2FS_DEFRAG_SCORE && r->options->order != F2FS_DEFRAG_SPACE;
	r->section_room = r->is_zoned ? zoned_section_blocks(r->vol) : defrag_section_blocks(r);
	r->started = clock_now(r->vol->ctx);
	r->states = mem_zalloc(r->vol->ctx, geo->section_count);
	r->kinds = mem_zalloc(r->vol->ctx, geo->section_count);
	r->valid = mem_calloc(r->vol->ctx, geo->section_count, sizeof(*r->valid));
	r->moves = mem_zalloc(r->vol->ctx, (size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS / 4);
	r->buffer = mem_alloc(r->vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << geo->block_bits);
	if (!r->states || !r->kinds || !r->valid || !r->moves || !r->buffer)
		return F2FS_ERR_NOMEM;
	err = live_init(&r->live, r->vol);
	r->live.moves_pinned = r->options->move_pinned && !r->is_zoned;
	if (!err)
		err = change_start(r->vol); /* is it one that can be written? */
	if (!err)
		txn_drop(r->vol);
	return err ? err : aliases_each(r->vol, leave_alias, r);
}

static void finish(struct defrag_run *r)
{
	struct f2fs_context *ctx = r->vol->ctx;

	live_fini(&r->live);
	vec_fini(&r->items);
	vec_fini(&r->blocks);
	vec_fini(&r->inodes);
	vec_fini(&r->sink.segments);
	map32_fini(&r->known);
	mem_free(ctx, r->states);
	mem_free(ctx, r->kinds);
	mem_free(ctx, r->valid);
	mem_free(ctx, r->moves);
	mem_free(ctx, r->buffer);
}

static int remember(void *user, const struct f2fs_file_fragments *file)
{
	struct defrag_run *r = user;
	f2fs_nid_t *ino = vec_push(&r->inodes, 1);

	if (ino)
		*ino = file->ino;
	else
		r->is_short = true;
	r->partly += file->error != 0;
	return r->is_short;
}

static int run(struct defrag_run *r)
{
	const struct f2fs_fragments_options look = { F2FS_SIZED(f2fs_fragments_options), .file = remember, .user = r };
	struct f2fs_fragments *after = &r->result->after;
	bool *before;
	int err = prepare(r);

	if (!err)
		err = f2fs_fragments_count(r->vol, &look, &r->result->before);
	if (r->is_short)
		err = error_nomem(r->vol->ctx);
	if (!err)
		err = r->options->order == F2FS_DEFRAG_SPACE ? 0 : defrag_list(r);
	before = progress_note(r->vol->ctx, &r->is_stopped);
	if (!err)
		err = r->options->order == F2FS_DEFRAG_SPACE ? defrag_space(r) : place_all(r);
	progress_note(r->vol->ctx, before);
	if (!err && r->is_stopped)
		err = error_set(r->vol->ctx, F2FS_ERR_CANCELED,
				"stopped; earlier moves are committed: %llu blocks placed",
				(unsigned long long)r->result->blocks_placed);
	/* a dry run copies no contents, so it cannot read directories that it has moved */
	if (!err)
		err = fragments_again(r->vol, r->inodes.items, r->inodes.count, after);
	if (!err) /* files that could not even be opened are not among these */
		after->unreadable += r->result->before.unreadable - r->partly;
	return err;
}

/* Work on a volume. */
static int defrag_on(struct f2fs_volume *vol, const struct f2fs_defrag_options *options,
		     struct f2fs_defrag_result *result)
{
	struct defrag_run r = { .vol = vol,
				.options = options,
				.result = result,
				.is_zoned = geometry_has(&vol->geo, F2FS_FEAT_BLKZONED) };
	int err;

	/* zones are written in order, so there is no way around the contents */
	r.is_rehearsal = options->dry_run && !r.is_zoned;
	vec_init(&r.items, vol->ctx, sizeof(struct defrag_item));
	vec_init(&r.blocks, vol->ctx, sizeof(struct live_block));
	vec_init(&r.inodes, vol->ctx, sizeof(f2fs_nid_t));
	vec_init(&r.sink.segments, vol->ctx, sizeof(f2fs_seg_t) * 2);
	map32_init(&r.known, vol->ctx);
	err = run(&r);
	finish(&r);
	return err;
}

/* Open the volume again, on an overlay of all its devices in a row. */
static int open_copy(struct f2fs_volume *vol, struct f2fs_device *overlay, struct f2fs_volume **copy)
{
	struct f2fs_device *parts[F2FS_MAX_DEVICES] = { NULL };
	const struct f2fs_open_options open = { .devices = parts + 1,
						.device_count = superblock_device_count(vol->sb) - 1 };
	int err = 0;

	if (superblock_device_count(vol->sb) < 2)
		return volume_open(vol->ctx, overlay, NULL, copy);
	for (unsigned i = 0; i <= open.device_count && !err; i++) {
		uint64_t start, blocks = superblock_device_range(vol->sb, i, &start);

		err = device_new_slice(overlay, start << vol->geo.block_bits, blocks << vol->geo.block_bits, &parts[i]);
	}
	if (!err)
		err = volume_open(vol->ctx, parts[0], &open, copy);
	for (unsigned i = 0; i <= open.device_count; i++)
		f2fs_device_close(parts[i]);
	return err;
}

/* Do the same on a copy in memory. Contents are not copied, so only tables and nodes are written. */
static int rehearse(struct f2fs_volume *vol, const struct f2fs_defrag_options *options,
		    struct f2fs_defrag_result *result)
{
	struct f2fs_device *overlay;
	struct f2fs_volume *copy;
	int err;

	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	err = f2fs_device_open_overlay(vol->dev, 0, options->spill_dir, &overlay);
	if (err)
		return err;
	err = open_copy(vol, overlay, &copy);
	f2fs_device_close(overlay);
	if (err)
		return err;
	err = defrag_on(copy, options, result);
	f2fs_volume_close(copy);
	return err;
}

int f2fs_defrag(struct f2fs_volume *vol, const struct f2fs_defrag_options *options, struct f2fs_defrag_result *result)
{
	struct f2fs_defrag_options own;
	struct f2fs_defrag_result filled = { 0 };
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(vol->ctx, result, sizeof(filled));
	if (err)
		return err;
	err = own.dry_run ? rehearse(vol, &own, &filled) : defrag_on(vol, &own, &filled);
	if (err)
		filled.end = F2FS_DEFRAG_STOPPED;
	sized_give(result, &filled, sizeof(filled));
	return err;
}
