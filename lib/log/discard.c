/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Giving free blocks back to the device: those that a commit freed, or all. Only blocks that the checkpoint in force
 * does not use, and that no running transaction has written, are touched. With another unit than blocks, a commit
 * discards a segment or a section when all of it has become free. On a device with zones these are reset, when a whole
 * one is free.
 */
#include <f2fskit/engine.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "device/device.h"
#include "log/discard.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/txn.h"
#include "volume/counters.h"
#include "volume/zone_map.h"

#define DISCARD_WORK (256u << 10) /* cost of a call, in bytes of plain copying */

/* A run of free blocks, collected until a block follows that is not free. */
struct run {
	struct f2fs_volume *vol;
	f2fs_blk_t start;
	uint64_t count;	  /* blocks */
	uint64_t minimum; /* blocks that are worth it */
	uint64_t bytes;	  /* discarded so far */
	bool can_stop;	  /* it is no part of a commit */
};

static int end_run(struct run *run)
{
	const uint32_t bits = run->vol->geo.block_bits;
	int err = 0;

	if (run->count > 0 && run->count >= run->minimum) {
		err = run->can_stop ? progress_tick(run->vol->ctx, "trim", DISCARD_WORK) : 0;
		if (err)
			return err;
		err = volume_discard(run->vol, (uint64_t)run->start << bits, run->count << bits);
		run->bytes += err ? 0 : run->count << bits;
	}
	run->count = 0;
	return err;
}

static int add_block(struct run *run, f2fs_blk_t addr)
{
	int err = run->count > 0 && run->start + run->count != addr ? end_run(run) : 0;

	if (run->count == 0)
		run->start = addr;
	run->count++;
	return err;
}

/* Which blocks of a segment to discard: those freed since the last checkpoint, or with all every block that is free in
 * it and now. */
static int add_segment(struct run *run, f2fs_seg_t segno, const struct segment *s, bool all)
{
	const f2fs_blk_t start = geometry_segment_start(&run->vol->geo, segno);
	int err = 0;

	if (!all && !s->is_dirty)
		return 0;
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++) {
		uint8_t wanted = all ? s->cur[i / 8] | s->ckpt[i / 8] : s->cur[i / 8] | (uint8_t)~s->ckpt[i / 8];

		if (wanted == 0xff)
			i |= 7; /* nothing in these eight */
		else if (!(wanted & (0x80u >> i % 8)))
			err = add_block(run, start + i);
	}
	return err;
}

/* Are count segments from first on empty, and no log in them? *changed: the last checkpoint has something in them,
 * or something was written since. */
static bool are_empty(struct txn *txn, f2fs_seg_t first, uint32_t count, bool *changed)
{
	*changed = false;
	for (f2fs_seg_t i = first; i < first + count; i++) {
		const struct segment *chunk = txn->chunks[i / txn->vol->geo.sit_per_block];
		const struct segment *s = chunk ? &chunk[i % txn->vol->geo.sit_per_block] : NULL;

		if (!s || s->valid > 0 || segment_is_current(txn, i))
			return false;
		*changed = *changed || s->is_dirty;
	}
	return true;
}

/* Zones are emptied as a whole. */
static int reset_sections(struct txn *txn, struct run *run, bool all)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const uint64_t bytes = (uint64_t)sps * F2FS_SEGMENT_BLOCKS << txn->vol->geo.block_bits;
	int err = 0;

	for (uint32_t section = 0; section < txn->vol->geo.section_count && !err; section++) {
		struct f2fs_zone zone;
		bool changed;

		if (!zones_is_sequential(txn->vol, section) || !are_empty(txn, section * sps, sps, &changed) ||
		    (!all && !changed))
			continue;
		err = zones_look(txn->vol, section, &zone);
		if (err || zone.write_pointer == zone.start)
			continue;
		err = zones_reset(txn->vol, section);
		run->bytes += err ? 0 : bytes;
	}
	return err;
}

/* Collect units of some segments that became free as a whole. */
static int add_units(struct txn *txn, struct run *run, uint32_t segments)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	int err = segments > 1 ? segment_load_all(txn) : 0;

	for (f2fs_seg_t first = 0; first + segments <= geo->segment_count_main && !err; first += segments) {
		const f2fs_blk_t start = geometry_segment_start(geo, first);
		bool changed;

		if (!are_empty(txn, first, segments, &changed) || !changed)
			continue;
		for (uint32_t i = 0; i < segments * F2FS_SEGMENT_BLOCKS && !err; i++)
			err = add_block(run, start + i);
	}
	return err ? err : end_run(run);
}

static int add_all(struct txn *txn, struct run *run, bool all)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const unsigned unit = txn->vol->write.discard_unit;
	int err = 0;

	if (txn->vol->zones.sequential)
		return reset_sections(txn, run, all);
	if (!all && unit != F2FS_DISCARD_UNIT_BLOCK)
		return add_units(txn, run, unit == F2FS_DISCARD_UNIT_SECTION ? geo->segs_per_sec : 1);

	for (uint32_t k = 0; k < geo->sit_blocks_used && !err; k++)
		for (uint32_t i = 0; i < geo->sit_per_block && txn->chunks[k] && !err; i++) {
			f2fs_seg_t segno = k * geo->sit_per_block + i;

			if (segno < geo->segment_count_main)
				err = add_segment(run, segno, &txn->chunks[k][i], all);
		}
	return err ? err : end_run(run);
}

void discard_freed(struct txn *txn)
{
	struct run run = { .vol = txn->vol, .minimum = 1 };

	/* the commit is done: a failed discard must not make it look failed */
	if (txn->vol->write.discard && add_all(txn, &run, false) != 0) {
		log_message(txn->vol->ctx, F2FS_LOG_WARNING, "freed blocks could not be discarded");
		error_clear(txn->vol->ctx);
	}
}

int f2fs_volume_trim(struct f2fs_volume *vol, uint64_t minimum, uint64_t *bytes)
{
	struct run run = { .vol = vol, .minimum = minimum >> vol->geo.block_bits, .can_stop = true };
	int err;

	error_clear(vol->ctx);
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	err = txn_begin(vol, NULL);
	if (err)
		return err;
	err = segment_load_all(vol->txn);
	if (!err)
		err = add_all(vol->txn, &run, true);
	txn_drop(vol);
	if (!err && bytes)
		*bytes = run.bytes;
	return err;
}
