/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the blocks in use of a range to the free blocks from another block on, up or down, as defrag.f2fs of f2fs-tools
 * does. Data goes first, section by section. Then come nodes, which are copied unchanged: only the NAT changes. Logs
 * stay in place, so the segments of logs are skipped.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "base/sized.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "defrag/run.h"
#include "file/change.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/filler.h"
#include "log/nat_write.h"
#include "log/segments.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"

enum { NODES_AT_ONCE = 8192, BLOCKS_AT_ONCE = 65536 };

struct range {
	struct f2fs_volume *vol;
	f2fs_blk_t start, end; /* of the range that moves */
	f2fs_blk_t next;       /* where the next block may go */
	bool goes_left, wants_nodes, is_stopped;
	struct filler filler;
	struct live live;
	uint8_t *buffer;
	uint64_t moved; /* in this transaction */
	struct f2fs_defrag_range_result *result;
};

static bool is_inside(const struct range *r, f2fs_blk_t addr)
{
	return addr >= r->start && addr < r->end;
}

/* Can the block at r->next be taken by one of that type? *segment_too: nor can any other of its segment. */
static int can_take(struct range *r, unsigned type, bool *can, bool *segment_too)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const f2fs_seg_t segno = geometry_segment_of(geo, r->next);
	const uint32_t at = geometry_offset_of(geo, r->next);
	struct segment *s;
	int err = segment_get(r->vol->txn, segno, &s);

	*can = false;
	*segment_too = false;
	if (err)
		return err;
	*segment_too = segment_is_current(r->vol->txn, segno) || (s->is_barred && r->filler.segno != segno) ||
		       (!segment_is_free(s) && (s->type >= F2FS_HOT_NODE) != (type >= F2FS_HOT_NODE));
	*can = !*segment_too && !is_inside(r, r->next) && segment_next_hole(s, at) == at;
	return 0;
}

/* Step on; false: the main area ends. */
static bool step(struct range *r, bool whole_segment)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const f2fs_blk_t first = geometry_segment_start(geo, geometry_segment_of(geo, r->next));

	if (r->goes_left)
		r->next = whole_segment ? first - 1 : r->next - 1;
	else
		r->next = whole_segment ? first + F2FS_SEGMENT_BLOCKS : r->next + 1;
	return geometry_is_main(geo, r->next);
}

/* Go to the next block that can be taken, with the filler open at it. */
static int find_next(struct range *r, unsigned type)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	bool can = false, segment_too = false, is_main = geometry_is_main(geo, r->next);
	f2fs_seg_t segno;
	int err = 0;

	while (is_main && !err) {
		err = can_take(r, type, &can, &segment_too);
		if (err || can)
			break;
		is_main = step(r, segment_too);
	}
	if (err)
		return err;
	if (!is_main)
		return error_set(r->vol->ctx, F2FS_ERR_NOSPC,
				 "no block is free %s the target for the rest; choose another one, or run GC first",
				 r->goes_left ? "before" : "after");
	segno = geometry_segment_of(geo, r->next);
	if (r->filler.is_open && r->filler.segno != segno)
		err = filler_close(&r->filler);
	if (!err && !r->filler.is_open)
		err = filler_open(&r->filler, segno, type, 0);
	r->filler.at = geometry_offset_of(geo, r->next);
	return err;
}

static unsigned type_of(struct range *r, f2fs_seg_t segno)
{
	struct segment *s;

	return segment_get(r->vol->txn, segno, &s) == 0 ? s->type : F2FS_COLD_DATA;
}

/* One block to the next place. */
static int put(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
	       uint32_t *got)
{
	struct range *r = user;
	int err = find_next(r, type_of(r, b->segno));

	(void)want;
	if (!err)
		err = filler_put(&r->filler, live_owner(b), 1, data, to, got);
	if (err)
		return err;
	r->moved++;
	step(r, false);
	return 0;
}

/* Copy a node and set its new address in the NAT. */
static int move_node(struct range *r, const struct live_block *b)
{
	struct f2fs_nat_info entry;
	f2fs_blk_t to = 0;
	uint32_t got;
	int err = nat_get(r->vol, b->nid, &entry);

	/* by its footer it is that node: zeros or another one would become permanent */
	if (!err)
		err = node_load_at(r->vol, &entry, entry.ino, r->buffer);
	if (!err)
		err = put(r, b, 1, r->buffer, &to, &got);
	if (!err)
		err = segment_mark(r->vol->txn, b->addr, false);
	entry.block_addr = to;
	return err ? err : nat_set(r->vol->txn, &entry);
}

static int by_address(const void *left, const void *right)
{
	const struct live_block *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Keep only the blocks to be moved in the list, by address. */
static void sift(struct range *r)
{
	struct live_block *list = r->live.blocks.items;
	size_t n = 0;

	for (size_t i = 0; i < r->live.blocks.count; i++)
		if (is_inside(r, list[i].addr) && list[i].is_node == r->wants_nodes)
			list[n++] = list[i];
	r->live.blocks.count = n;
	vec_sort(&r->live.blocks, by_address);
}

static int move_section(struct range *r, uint32_t section)
{
	const struct move_target target = { .put = put, .user = r };
	const struct live_block *list;
	bool could_read = true;
	int err = live_find(&r->live, section);

	if (err)
		return err;
	if (r->live.verdict != LIVE_CONFIRMED) {
		r->result->left += !r->wants_nodes;
		log_message(r->vol->ctx, F2FS_LOG_WARNING, "section %u is left alone: block %u, of node %u: %s",
			    (unsigned)section, (unsigned)r->live.at, (unsigned)r->live.nid, r->live.why);
		return 0;
	}
	sift(r);
	list = r->live.blocks.items;
	if (!r->wants_nodes) {
		r->live.target = &target;
		r->live.keeps_age = true;
		err = live_move(&r->live, r->buffer, &could_read);
		r->live.target = NULL;
		r->result->left += !could_read;
	}
	for (size_t i = 0; i < r->live.blocks.count && r->wants_nodes && !err; i++)
		err = move_node(r, &list[i]);
	return err;
}

/* Sections from *section on, with one commit. */
static int move_some(struct range *r, uint32_t *section, uint32_t end)
{
	int err = change_start(r->vol);

	r->moved = 0;
	if (err)
		return err;
	r->vol->txn->is_cleaning = true;
	err = filler_begin(&r->filler, r->vol->txn);
	for (; *section < end && !err && !r->is_stopped && r->vol->txn->dirty_count < NODES_AT_ONCE &&
	       r->moved < BLOCKS_AT_ONCE;
	     ++*section) {
		err = move_section(r, *section);
		if (!err)
			err = progress_tick(r->vol->ctx, "defrag", r->moved * r->vol->geo.block_size);
	}
	if (!err)
		err = filler_end(&r->filler);
	if (!err && r->moved > 0)
		err = txn_commit(r->vol);
	if (!err)
		r->result->moved += r->moved;
	filler_drop(&r->filler);
	txn_roll_back(r->vol);
	return err;
}

static int move_all(struct range *r)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const uint32_t sps = geo->segs_per_sec;
	const uint32_t first = geometry_segment_of(geo, r->start) / sps,
		       end = geometry_segment_of(geo, r->end - 1) / sps + 1;
	bool *before = progress_note(r->vol->ctx, &r->is_stopped);
	int err = live_init(&r->live, r->vol);

	r->buffer = mem_alloc(r->vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << geo->block_bits);
	if (!r->buffer)
		err = F2FS_ERR_NOMEM;
	for (unsigned pass = 0; pass < 2 && !err; pass++) {
		r->wants_nodes = pass == 1;
		for (uint32_t section = first; section < end && !err && !r->is_stopped;)
			err = move_some(r, &section, end);
	}
	progress_note(r->vol->ctx, before);
	if (!err && r->is_stopped)
		err = error_set(r->vol->ctx, F2FS_ERR_CANCELED, "it was stopped; %llu blocks were moved",
				(unsigned long long)r->result->moved);
	live_fini(&r->live);
	mem_free(r->vol->ctx, r->buffer);
	return err;
}

int f2fs_defrag_range(struct f2fs_volume *vol, uint64_t start, uint64_t length, uint64_t target, int leftwards,
		      struct f2fs_defrag_range_result *result)
{
	struct f2fs_defrag_range_result filled = { 0 };
	const struct f2fs_geometry *geo = &vol->geo;
	struct range r = { .vol = vol, .goes_left = leftwards, .result = &filled };
	int err;

	error_clear(vol->ctx);
	err = sized_check(vol->ctx, result, sizeof(filled));
	if (err)
		return err;
	sized_give(result, &filled, sizeof(filled));
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	if (geo->segment_count_ssa == 0 || geometry_has(geo, F2FS_FEAT_RO) || geometry_has(geo, F2FS_FEAT_BLKZONED))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "blocks of a read-only or zoned volume cannot be moved to a place of choice");
	if (start < geo->main_blkaddr || start >= geo->end_blkaddr || length == 0 ||
	    length > geo->end_blkaddr - start || target < geo->main_blkaddr || target >= geo->end_blkaddr ||
	    (target >= start && target < start + length))
		return error_set(vol->ctx, F2FS_ERR_RANGE,
				 "the range and the target must be apart, and in the main area: blocks %u to %u",
				 (unsigned)geo->main_blkaddr, (unsigned)geo->end_blkaddr - 1);
	r.start = (f2fs_blk_t)start;
	r.end = (f2fs_blk_t)(start + length);
	r.next = (f2fs_blk_t)target;
	err = move_all(&r);
	sized_give(result, &filled, sizeof(filled));
	return err;
}
