/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The segment table of a transaction: loaded per SIT block when touched, so that the cost follows the use.
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/run.h"
#include "log/segments.h"
#include "volume/block_read.h"
#include "volume/clock.h"
#include "volume/sit_read.h"

/* Load the segments of one SIT block, journal applied. */
static int load_chunk(struct txn *txn, uint32_t k)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t first = k * geo->sit_per_block, n = geo->sit_per_block;
	struct segment *chunk;
	int err = 0;

	if (n > geo->segment_count_main - first)
		n = geo->segment_count_main - first;
	chunk = mem_calloc(txn->vol->ctx, n, sizeof(*chunk));
	if (!chunk)
		return F2FS_ERR_NOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		struct f2fs_segment_info entry;

		err = sit_lookup(txn->vol, first + i, &entry);
		if (err)
			break;
		if (entry.type >= F2FS_LOG_COUNT)
			err = volume_corrupt(txn->vol, RULE_SIT_TYPE, entry.table_block, 0, "segment %u has type %u",
					     (unsigned)(first + i), entry.type);
		else if (bitmap_popcount(entry.valid_map, 64) != entry.valid_blocks)
			err = volume_corrupt(txn->vol, RULE_SIT_COUNT, entry.table_block, 0, "segment %u",
					     (unsigned)(first + i));
		chunk[i].mtime = entry.mtime;
		chunk[i].type = entry.type;
		chunk[i].valid = chunk[i].ckpt_valid = entry.valid_blocks;
		chunk[i].was_free = entry.valid_blocks == 0;
		chunk[i].is_barred = first + i >= txn->vol->barred.first && first + i < txn->vol->barred.end;
		memcpy(chunk[i].cur, entry.valid_map, 64);
		memcpy(chunk[i].ckpt, entry.valid_map, 64);
	}
	if (err) {
		mem_free(txn->vol->ctx, chunk);
		return err;
	}
	txn->chunks[k] = chunk;
	return 0;
}

int segment_get(struct txn *txn, f2fs_seg_t segno, struct segment **out)
{
	uint32_t k = segno / txn->vol->geo.sit_per_block;

	if (!txn->chunks[k]) {
		int err = load_chunk(txn, k);

		if (err)
			return err;
	}
	*out = &txn->chunks[k][segno % txn->vol->geo.sit_per_block];
	return 0;
}

int segment_load_all(struct txn *txn)
{
	for (uint32_t k = 0; k < txn->vol->geo.sit_blocks_used && !txn->all_loaded; k++) {
		int err = txn->chunks[k] ? 0 : load_chunk(txn, k);

		if (err)
			return err;
	}
	txn->all_loaded = true;
	return 0;
}

void segment_hold_all(struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	if (txn->chain.holds)
		return;
	txn->chain.holds = true;
	for (f2fs_seg_t i = 0; i < geo->segment_count_main; i++) {
		struct segment *s;

		if (!txn->chunks[i / geo->sit_per_block]) {
			i += geo->sit_per_block - 1;
			continue;
		}
		s = &txn->chunks[i / geo->sit_per_block][i % geo->sit_per_block];
		for (unsigned b = 0; s->is_dirty && b < sizeof(s->ckpt); b++)
			s->ckpt[b] |= s->cur[b];
		s->ckpt_valid = s->is_dirty ? (uint16_t)bitmap_popcount(s->ckpt, sizeof(s->ckpt)) : s->ckpt_valid;
	}
}

uint32_t segment_next_hole(const struct segment *s, uint32_t at)
{
	while (at < F2FS_SEGMENT_BLOCKS && (msb_test(s->cur, at) || msb_test(s->ckpt, at)))
		at++;
	return at;
}

bool segment_is_unused_from(const struct segment *s, uint32_t at)
{
	while (at < F2FS_SEGMENT_BLOCKS && !msb_test(s->cur, at) && !msb_test(s->ckpt, at))
		at++;
	return at >= F2FS_SEGMENT_BLOCKS;
}

/* The mean of the times at which blocks changed, as the kernel rounds it; never in the future. */
static void age_segment(const struct txn *txn, struct segment *s, uint64_t mtime)
{
	const uint64_t old = s->mtime < txn->now ? s->mtime : txn->now;

	s->mtime = old ? (old * s->valid + mtime) / (s->valid + 1u) : mtime;
}

void txn_tick(struct txn *txn)
{
	txn->now = volume_clock(txn->vol);
}

void segments_count_free(struct txn *txn, bool is_free)
{
	if (is_free)
		txn->free_segments++;
	else if (txn->free_segments > 0)
		txn->free_segments--;
}

void segment_give_back(struct txn *txn, f2fs_seg_t segno, struct segment *s)
{
	if (!s->is_taken || !segment_is_free(s) || s->is_barred || segment_is_current(txn, segno))
		return;
	s->is_taken = false;
	segments_count_free(txn, true);
}

int segment_mark(struct txn *txn, f2fs_blk_t addr, bool valid)
{
	f2fs_seg_t segno = geometry_segment_of(&txn->vol->geo, addr);
	uint32_t offset = geometry_offset_of(&txn->vol->geo, addr);
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (err)
		return err;
	if (msb_test(s->cur, offset) == valid)
		return volume_corrupt(txn->vol, RULE_SIT_COUNT, addr, 0, "the block is %s already",
				      valid ? "valid" : "free");
	if (valid && txn->chain.holds && !msb_test(s->ckpt, offset)) {
		msb_set(s->ckpt, offset);
		s->ckpt_valid++;
	}
	age_segment(txn, s, valid && txn->moved_mtime ? txn->moved_mtime : txn->now);
	if (valid) {
		msb_set(s->cur, offset);
		s->valid++;
	} else {
		msb_clear(s->cur, offset);
		s->valid--;
		txn->freed += msb_test(s->ckpt, offset);
		txn->vol->gc.freed_ever++;
		segment_give_back(txn, segno, s);
	}
	s->is_dirty = true;
	txn->vol->generation++; /* a call that fails after this point has failed half-way */
	return 0;
}

static int set_bars(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end, bool is_barred)
{
	for (f2fs_seg_t i = first; i < end; i++) {
		struct segment *s;
		int err = segment_get(txn, i, &s);

		if (err)
			return err;
		if (s->is_barred == is_barred)
			continue;
		s->is_barred = is_barred;
		if (!segment_is_free(s) || segment_is_current(txn, i))
			continue;
		s->is_taken = s->is_taken && is_barred;
		segments_count_free(txn, !is_barred);
	}
	return 0;
}

int segments_bar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end)
{
	return set_bars(txn, first, end, true);
}

int segments_unbar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end)
{
	return set_bars(txn, first, end, false);
}

bool segment_is_current(const struct txn *txn, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (txn->heads[i].sums && txn->heads[i].segno == segno)
			return true;
	return false;
}
