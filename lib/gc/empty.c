/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty a range of sections, however full they are: logs leave it, and its valid blocks move elsewhere, with ordinary
 * commits as needed. The range is barred for all of them (volume_barred), so nothing comes back. When there is too
 * little room elsewhere, sections there are collected in between.
 */
#include <string.h>

#include "base/error.h"
#include "gc/gc.h"
#include "gc/empty.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "gc/run.h"
#include "file/change.h"
#include "file/inode_read.h"
#include "file/object.h"
#include "file/path.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/heads.h"
#include "log/space.h"
#include "volume/heads_read.h"
#include "volume/nat_read.h"
#include "volume/sit_read.h"

enum {
	HOLES_KEPT = 64, /* that logs may need to end in */
	NODE_LOGS = 3,
	GC_SECTIONS = 16 /* collected at once when room is short */
};

struct emptying {
	struct f2fs_volume *vol;
	struct gc_range *range;
	struct vec sections; /* uint32_t: used ones */
	struct live live;
	struct gc_target target;
	struct space_view room;
	uint8_t *buffer;      /* a segment */
	uint64_t data, nodes; /* that the batch writes */
	uint64_t total;	      /* blocks to move */
	bool is_stopped;
};

static uint32_t section_blocks(const struct f2fs_volume *vol)
{
	return vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

static uint32_t logs_in(const struct f2fs_volume *vol, f2fs_seg_t first, uint32_t n)
{
	struct f2fs_log_head head;
	uint32_t count = 0;

	for (unsigned t = 0; t < F2FS_LOG_COUNT; t++)
		count += f2fs_volume_log(vol, t, &head) == 0 && head.segno >= first && head.segno - first < n;
	return count;
}

/* Count the entries of one SIT block for the range, section by section. */
static int look_at(struct emptying *e, f2fs_seg_t at, const uint8_t *entries, uint32_t n)
{
	const uint32_t sps = e->vol->geo.segs_per_sec;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t valid = sit_vblocks(entries + (size_t)i * sit_SIZE) & 0x3ff, section = (at + i) / sps;
		uint32_t *last = e->sections.count ? vec_at(&e->sections, e->sections.count - 1) : NULL;

		e->range->used_blocks += valid;
		if (valid == 0) {
			e->range->free_segments += 1 - logs_in(e->vol, at + i, 1);
			continue;
		}
		if (last && *last == section)
			continue;
		last = vec_push(&e->sections, 1);
		if (!last)
			return F2FS_ERR_NOMEM;
		*last = section;
	}
	return 0;
}

/* Find the sections that are used. */
static int look(struct emptying *e)
{
	const struct f2fs_geometry *geo = &e->vol->geo;
	uint8_t *entries = mem_calloc(e->vol->ctx, geo->sit_per_block, sit_SIZE);
	int err = entries ? 0 : F2FS_ERR_NOMEM;

	e->sections.count = 0;
	e->range->used_blocks = 0;
	e->range->free_segments = 0;
	for (f2fs_seg_t at = e->range->first; at < e->range->end && !err;) {
		const uint32_t rest = e->range->end - at, step = geo->sit_per_block - at % geo->sit_per_block;
		const uint32_t blocks = sit_hole_blocks(e->vol, at / geo->sit_per_block);
		const uint64_t hole = blocks ? step + (uint64_t)(blocks - 1) * geo->sit_per_block : 0;
		const uint32_t n = hole > rest || (!hole && rest < step) ? rest : hole ? (uint32_t)hole : step;

		if (hole)
			e->range->free_segments += n - logs_in(e->vol, at, n);
		else
			err = sit_read(e->vol, at, n, entries);
		if (!err && !hole)
			err = look_at(e, at, entries, n);
		at += n;
	}
	mem_free(e->vol->ctx, entries);
	return err;
}

/* Say why a section cannot be emptied, with the path of the file. */
static int refuse(struct emptying *e, uint32_t section)
{
	struct f2fs_context *ctx = e->vol->ctx;
	const struct live *live = &e->live;
	struct f2fs_nat_info entry = { 0 };
	struct f2fs_inode *inode;
	char path[1024] = "";

	if (live->nid && nat_get(e->vol, live->nid, &entry) == 0 &&
	    inode_open(e->vol, entry.ino, &inode) == 0) {
		if (inode_path(inode, path, sizeof(path)) != 0)
			path[0] = '\0';
		f2fs_inode_close(inode);
	}
	return error_set(ctx,
			 live->verdict == LIVE_PINNED	    ? F2FS_ERR_UNSUPPORTED
			 : live->verdict == LIVE_UNREADABLE ? F2FS_ERR_IO
							    : F2FS_ERR_STATE,
			 "section %u cannot be emptied: block %u, of node %u, inode %u%s%s: %s", (unsigned)section,
			 (unsigned)live->at, (unsigned)live->nid, (unsigned)entry.ino, path[0] ? ", " : "", path,
			 live->why);
}

/* Drop blocks past the end of a device that is shorter than its volume. */
static void look_behind_end(struct emptying *e)
{
	const uint64_t end = f2fs_device_info(e->vol->dev)->size >> e->vol->geo.block_bits;

	for (size_t i = 0; i < e->live.blocks.count && e->live.verdict == LIVE_CONFIRMED; i++) {
		const struct live_block *b = vec_at(&e->live.blocks, i);

		if (b->addr < end)
			continue;
		e->live.verdict = LIVE_UNREADABLE;
		e->live.at = b->addr;
		e->live.nid = b->nid;
		e->live.why = "it is past the end of the device";
	}
}

static int confirm(struct emptying *e, uint32_t section)
{
	int err = live_find(&e->live, section);

	if (!err)
		look_behind_end(e);
	if (!err && e->live.verdict != LIVE_CONFIRMED)
		err = refuse(e, section);
	return err;
}

static bool is_in_range(const struct emptying *e, f2fs_seg_t segno)
{
	return segno >= e->range->first && segno < e->range->end;
}

static void report(struct emptying *e, uint64_t done)
{
	const struct f2fs_progress progress = {
		.task = "resize", .phase = "moving", .unit = "blocks", .done = done, .total = e->total
	};

	progress_report(e->vol->ctx, &progress);
}

/* Sections that n blocks need which find no holes; end: logs that may each begin one more. */
static uint64_t sections_for(const struct emptying *e, uint64_t n, uint64_t holes, uint32_t end)
{
	const uint32_t per = section_blocks(e->vol);

	holes = holes > HOLES_KEPT ? holes - HOLES_KEPT : 0;
	return n <= holes ? 0 : (n - holes + per - 1) / per + end;
}

static bool fits(const struct emptying *e)
{
	const struct live *live = &e->live;
	const uint64_t nodes = e->nodes + live->owners + (live->blocks.count - live->data);

	return sections_for(e, e->data + live->data, e->room.data_holes, 1) +
		       sections_for(e, nodes, e->room.node_holes, NODE_LOGS) <=
	       e->room.free_sections;
}

/* Free sections are counted when few are left; holes only then. */
static int look_for_room(struct emptying *e)
{
	const struct txn *txn = e->vol->txn;
	const uint32_t sps = e->vol->geo.segs_per_sec;
	const uint32_t plenty = BATCH_BLOCKS / F2FS_SEGMENT_BLOCKS + BATCH_NODES / F2FS_SEGMENT_BLOCKS + 64;

	e->room = (struct space_view){ .free_sections = txn->free_segments / sps };
	if (txn->free_segments >= plenty * 2 && sps == 1)
		return 0;
	return space_look(e->vol->txn, &e->room);
}

/* Move what one commit can take; *moved: sections that were emptied. */
static int move_batch(struct emptying *e, uint32_t *moved)
{
	const uint32_t *list = e->sections.items;
	int err = look_for_room(e);

	e->data = e->nodes = 0;
	*moved = 0;
	for (size_t i = 0; i < e->sections.count && !err && !e->is_stopped; i++) {
		bool could_read;

		if (e->nodes >= BATCH_NODES || e->data >= BATCH_BLOCKS)
			break;
		err = confirm(e, list[i]);
		if (err || !fits(e))
			break;
		err = live_move(&e->live, e->buffer, &could_read);
		if (err)
			break;
		if (!could_read)
			return error_set(e->vol->ctx, F2FS_ERR_IO,
					 "section %u cannot be emptied: a block in use of it cannot be read",
					 (unsigned)list[i]);
		e->data += e->live.data;
		e->nodes += e->live.owners + (e->live.blocks.count - e->live.data);
		e->range->moved_blocks += e->live.blocks.count;
		++*moved;
		report(e, e->range->moved_blocks);
	}
	return err;
}

static int commit(struct emptying *e)
{
	int err = txn_commit(e->vol);

	e->range->commits += !err;
	return err;
}

static int drop_after(struct emptying *e, int err)
{
	txn_roll_back(e->vol);
	return err;
}

/* Let logs in the range continue elsewhere. */
static int leave(struct emptying *e)
{
	bool any = false;
	int err = 0;

	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++) {
		struct f2fs_log_head head;

		if (f2fs_volume_log(e->vol, i, &head) != 0 || !is_in_range(e, head.segno))
			continue;
		err = change_start(e->vol);
		if (err)
			break;
		e->vol->txn->is_cleaning = true;
		err = head_leave(e->vol->txn, i);
		any = true;
	}
	if (!err && any)
		err = commit(e);
	return e->vol->txn ? drop_after(e, err) : err;
}

static int no_room(struct emptying *e)
{
	return error_set(e->vol->ctx, F2FS_ERR_NOSPC,
			 "%llu blocks in use cannot be moved away from segments %u to %u: there is too little room "
			 "elsewhere (%u free sections)",
			 (unsigned long long)e->range->used_blocks, (unsigned)e->range->first,
			 (unsigned)e->range->end - 1, (unsigned)e->room.free_sections);
}

/* Make room elsewhere; fails when that wins nothing. */
static int gc_elsewhere(struct emptying *e)
{
	const struct f2fs_gc_options options = { .sections = GC_SECTIONS, .used_limit = 99 };
	struct f2fs_gc_result result;
	int err = gc_run(e->vol, &options, &result);

	if (err)
		return err;
	e->range->commits += result.commits;
	return result.sections == 0 || result.free_after <= result.free_before ? no_room(e) : 0;
}

static int run(struct emptying *e)
{
	const struct f2fs_gc_options options = { 0 };
	int err = look(e);

	e->total = e->range->used_blocks;
	while (!err) {
		uint32_t moved = 0;

		e->vol->barred.free = e->range->free_segments;
		err = leave(e);
		if (!err)
			err = look(e);
		if (err || e->sections.count == 0)
			break;
		e->vol->barred.free = e->range->free_segments;
		err = change_start(e->vol);
		if (err)
			break;
		e->vol->txn->is_cleaning = true;
		err = gc_target_begin(&e->target, e->vol->txn, &options, F2FS_GC_TO_LOG);
		e->live.target = &e->target.move;
		if (!err)
			err = move_batch(e, &moved);
		if (!err)
			err = gc_target_end(&e->target);
		gc_target_drop(&e->target);
		if (!err && moved > 0)
			err = commit(e);
		if (e->vol->txn)
			err = drop_after(e, err);
		if (!err && e->is_stopped)
			err = error_set(e->vol->ctx, F2FS_ERR_CANCELED, "stopped: %llu of %llu blocks were moved",
					(unsigned long long)e->range->moved_blocks, (unsigned long long)e->total);
		if (!err && moved == 0)
			err = gc_elsewhere(e);
		if (!err)
			err = look(e);
	}
	return err;
}

static int prepare(struct emptying *e, struct f2fs_volume *vol, struct gc_range *range)
{
	*e = (struct emptying){ .vol = vol, .range = range };
	vec_init(&e->sections, vol->ctx, sizeof(uint32_t));
	if (volume_lacks_ssa(vol))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "a read-only volume has no summaries, so nothing in it can be moved");
	e->buffer = mem_alloc(vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << vol->geo.block_bits);
	return e->buffer ? live_init(&e->live, vol) : F2FS_ERR_NOMEM;
}

static void finish(struct emptying *e)
{
	live_fini(&e->live);
	vec_fini(&e->sections);
	mem_free(e->vol->ctx, e->buffer);
}

int gc_range_look(struct f2fs_volume *vol, struct gc_range *range)
{
	struct emptying e;
	int err = prepare(&e, vol, range);

	if (!err)
		err = look(&e);
	for (size_t i = 0; i < e.sections.count && !err; i++)
		err = confirm(&e, *(uint32_t *)vec_at(&e.sections, i));
	finish(&e);
	return err;
}

int gc_range_empty(struct f2fs_volume *vol, struct gc_range *range)
{
	struct emptying e;
	int err = prepare(&e, vol, range);
	bool *before = progress_note(vol->ctx, &e.is_stopped);

	vol->barred = (struct volume_barred){ .first = range->first, .end = range->end };
	if (!err)
		err = run(&e);
	progress_note(vol->ctx, before);
	finish(&e);
	return err;
}
