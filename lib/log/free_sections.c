/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding free segments and free sections.
 */
#include "log/free_sections.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/streams.h"

static int is_usable(struct txn *txn, f2fs_seg_t segno, bool *usable)
{
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (!err)
		*usable = segment_is_free(s) && !s->is_barred && !segment_is_current(txn, segno) &&
			  !stream_is_in(txn->vol, segno);
	return err;
}

int segment_section_is_free(struct txn *txn, uint32_t section, bool *is_free)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;

	*is_free = true;
	for (uint32_t i = 0; i < sps && *is_free; i++) {
		int err = is_usable(txn, section * sps + i, is_free);

		if (err)
			return err;
	}
	return 0;
}

int sections_count_free(struct txn *txn, uint32_t most, uint32_t *count)
{
	int err = 0;

	*count = 0;
	for (uint32_t s = 0; s < txn->vol->geo.section_count && *count <= most && !err; s++) {
		bool is_free;

		err = segment_section_is_free(txn, s, &is_free);
		*count += !err && is_free;
	}
	return err;
}

/* The next free segment of the section that a log is in. */
int section_go_on(struct txn *txn, f2fs_seg_t current, f2fs_seg_t *segno, bool *found)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t section = current / geo->segs_per_sec;
	int err = 0;

	*found = false;
	for (f2fs_seg_t s = current + 1; s / geo->segs_per_sec == section && s < geo->segment_count_main && !err; s++) {
		err = is_usable(txn, s, found);
		if (!err && *found) {
			*segno = s;
			return 0;
		}
	}
	return err;
}

/* Is another log in a zone? */
static bool is_zone_in_use(const struct txn *txn, unsigned type, uint32_t zone)
{
	const uint32_t segments = txn->vol->geo.segs_per_sec * txn->vol->geo.secs_per_zone;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (i != type && head_of(txn, i) == i && txn->heads[i].sums && txn->heads[i].segno / segments == zone)
			return true;
	return false;
}

/*
 * The first segment of the next free section. Where zones have several sections, one in a zone without another log, so
 * that logs do not share zones; any when there is none.
 */
int section_choose(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t section = txn->free_cursor / geo->segs_per_sec;
	bool is_free = false;

	*found = false;
	for (uint32_t i = 0; i < geo->section_count; i++, section++) {
		int err;

		if (section >= geo->section_count)
			section = 0;
		err = segment_section_is_free(txn, section, &is_free);
		if (err)
			return err;
		if (!is_free || (*found && is_zone_in_use(txn, type, section / geo->secs_per_zone)))
			continue;
		*segno = section * geo->segs_per_sec;
		*found = true;
		if (geo->secs_per_zone == 1 || !is_zone_in_use(txn, type, section / geo->secs_per_zone))
			break;
	}
	if (*found)
		txn->free_cursor = *segno;
	return 0;
}
