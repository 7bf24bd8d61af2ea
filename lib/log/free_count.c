/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many segments are free: what a transaction that stands on a repair begins with, and what a commit writes down.
 * Between them segments_count_free() follows each change.
 */
#include "log/log.h"
#include "volume/zone_map.h"

uint32_t free_count_derived(const struct txn *txn)
{
	uint32_t n = 0;

	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++)
		n += segment_is_free(segment_loaded(txn, i)) && !segment_loaded(txn, i)->is_barred &&
		     !segment_is_current(txn, i) && zones_usable(txn->vol, i) > 0;
	return n;
}

/* Of a derived transaction: all segments are loaded, and the old count tells nothing. */
static uint32_t count_all(const struct txn *txn)
{
	uint32_t n = 0;

	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++)
		n += segment_loaded(txn, i)->valid == 0 && !segment_is_current(txn, i) && zones_usable(txn->vol, i) > 0;
	return n;
}

/* Of any other: the old count, and what changed in the segments that are loaded. */
static uint32_t count_changes(const struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	int64_t change = 0;

	for (uint32_t k = 0; k < geo->sit_blocks_used; k++) {
		for (uint32_t i = 0; txn->chunks[k] && i < geo->sit_per_block; i++) {
			f2fs_seg_t segno = k * geo->sit_per_block + i;
			const struct segment *s;
			bool was_log = false;

			if (segno >= geo->segment_count_main)
				break;
			s = &txn->chunks[k][i];
			for (unsigned t = 0; t < F2FS_LOG_COUNT; t++)
				was_log = was_log || checkpoint_log_segno(txn->vol->cp, t) == segno;
			change += (s->valid == 0 && !segment_is_current(txn, segno)) - (s->was_free && !was_log);
		}
	}
	return (uint32_t)((int64_t)cp_free_segment_count(txn->vol->cp) + change);
}

uint32_t free_count_committed(const struct txn *txn)
{
	return txn->is_derived ? count_all(txn) : count_changes(txn);
}
