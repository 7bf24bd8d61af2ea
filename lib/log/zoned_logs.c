/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned volumes (FORMAT volume 9.1): logs only append, from the start of a free section to its end, and no block is
 * written again before the whole section is free.
 *
 * On a device with zones, the zone of a section is reset when a log enters it: nothing in it is in use, neither now nor
 * in the checkpoint in force. A log continues in its section only when the zone's write pointer is where the checkpoint
 * left the log; after a power cut, or changes that were dropped, it is not, and the log begins a new section. The zone
 * that is left half full is finished, so that it no longer counts as open.
 *
 * A power cut and a dropped transaction also leave zones that only the lost changes used. Linux resets or finishes
 * these when it mounts. Here that is only needed if the device limits the number of open zones.
 */
#include "base/error.h"
#include "log/free_sections.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "log/zoned_logs.h"
#include "volume/counters.h"
#include "volume/zone_map.h"

int section_enter(struct txn *txn, f2fs_seg_t segno)
{
	const uint32_t section = section_of(txn, segno);
	struct f2fs_zone zone;
	int err = 0;

	if (segno % txn->vol->geo.segs_per_sec != 0 || !zones_is_sequential(txn->vol, section))
		return 0;
	/* a host's cache may write this zone before the end of the one that was left, and both would be open */
	if (f2fs_device_open_zones(txn->vol->dev) > 0)
		err = volume_flush(txn->vol);
	if (!err)
		err = zones_look(txn->vol, section, &zone);
	if (!err && zone.write_pointer != zone.start)
		err = zones_reset(txn->vol, section);
	return err;
}

int section_is_spare(struct txn *txn, uint32_t spare, bool *is_spare)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t section_blocks = geo->segs_per_sec * F2FS_SEGMENT_BLOCKS;
	uint32_t needed, count;
	int err;

	needed = space_reserved_sections(txn) + (uint32_t)(space_to_come(txn) / section_blocks);
	needed = space_kept_sections(txn, needed) + spare;
	err = sections_count_free(txn, needed, &count);
	*is_spare = count > needed;
	return err;
}

/* Are there enough free sections to take one without stopping the commit, or GC? */
static int may_take(struct txn *txn, unsigned type, bool *may)
{
	*may = txn->is_committing || txn->is_cleaning || type >= F2FS_HOT_NODE; /* the commit wants nodes anyway */
	return *may ? 0 : section_is_spare(txn, 0, may);
}

int section_choose_next(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno)
{
	const f2fs_seg_t next = current + 1;
	bool found = false;
	struct segment *s;
	int err = 0;

	if (next % txn->vol->geo.segs_per_sec != 0 && zones_usable(txn->vol, next) > 0) {
		err = segment_get(txn, next, &s);
		found = !err && segment_is_free(s) && !s->is_barred && !segment_is_current(txn, next);
		*segno = next;
	}
	if (!err && !found) {
		err = may_take(txn, type, &found);
		if (!err && found)
			err = section_choose(txn, type, segno, &found);
	}
	if (err)
		return err;
	if (!found) {
		error_set(txn->vol->ctx, F2FS_ERR_NOSPC,
			  "no free section for %s; sections that became free since the last commit can be used after "
			  "the next one, those in part free after GC",
			  f2fs_log_type_name(type));
		return space_explain(txn);
	}
	return 0;
}

static bool has_writer(const struct txn *txn, uint32_t section)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;

	for (f2fs_seg_t i = section * sps; i < (section + 1) * sps; i++)
		if (segment_is_current(txn, i) || stream_is_in(txn->vol, i))
			return true;
	return false;
}

int sections_tidy(struct txn *txn)
{
	struct f2fs_volume *vol = txn->vol;
	int err = 0;

	if (f2fs_device_open_zones(vol->dev) == 0 || vol->zones.is_tidy)
		return 0;
	for (uint32_t section = 0; section < vol->geo.section_count && !err; section++) {
		struct f2fs_zone zone;

		if (!zones_is_sequential(vol, section) || has_writer(txn, section))
			continue;
		err = zones_look(vol, section, &zone);
		if (!err && !zone.empty && !zone.full)
			err = zones_finish(vol, section);
	}
	vol->zones.is_tidy = !err;
	return err;
}
