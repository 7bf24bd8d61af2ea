/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose where the logs of a zoned volume continue when a transaction begins (FORMAT volume 9.1): in their section only
 * if the zone's write pointer is where the checkpoint left the log and no kept block is ahead; else in a new one.
 */
#include "base/bitmap.h"
#include "device/device.h"
#include "log/free_sections.h"
#include "log/heads.h"
#include "log/heads_renew.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/zoned_logs.h"
#include "volume/counters.h"
#include "volume/zone_map.h"

/* Are kept blocks in the unwritten part of a log's section? */
static int has_kept_ahead(struct txn *txn, const struct head *head, bool *found)
{
	const uint32_t section = section_of(txn, head->segno);
	int err = 0;

	*found = false;
	for (f2fs_seg_t i = head->segno; section_of(txn, i) == section && !*found && !err; i++) {
		struct segment *s;

		err = segment_get(txn, i, &s);
		for (uint32_t at = i == head->segno ? head->blkoff : 0; !err && at < F2FS_SEGMENT_BLOCKS; at++)
			*found = *found || msb_test(s->ckpt, at);
	}
	return err;
}

/* Is the write pointer where the log wants to continue? Does the zone hold anything? */
static int is_aligned(struct txn *txn, const struct head *head, bool *aligned, bool *is_open)
{
	const uint32_t section = section_of(txn, head->segno);
	const uint64_t next = (uint64_t)geometry_segment_start(&txn->vol->geo, head->segno) + head->blkoff;
	struct f2fs_zone zone;
	int err;

	*aligned = true;
	*is_open = false;
	if (!zones_is_sequential(txn->vol, section))
		return 0;
	err = zones_look(txn->vol, section, &zone);
	if (err)
		return err;
	*aligned = zone.write_pointer == next << txn->vol->geo.block_bits;
	*is_open = !zone.full && zone.write_pointer != zone.start;
	return 0;
}

int section_leave(struct txn *txn, unsigned type)
{
	const uint32_t section = section_of(txn, txn->heads[type].segno);
	struct f2fs_zone zone;
	int err = head_renew(txn, type);

	if (err || !zones_is_sequential(txn->vol, section))
		return err;
	/* a host's cache may still hold writes, and a full zone takes none */
	err = volume_flush(txn->vol);
	if (!err)
		err = zones_look(txn->vol, section, &zone);
	if (err || zone.full || zone.write_pointer == zone.start)
		return err;
	return zones_finish(txn->vol, section);
}

int heads_renew(struct txn *txn)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct head *head = &txn->heads[i];
		const uint32_t section = section_of(txn, head->segno);
		bool aligned, is_open, kept = false;
		int err;

		if (!head->sums)
			continue;
		err = is_aligned(txn, head, &aligned, &is_open);
		if (!err)
			err = has_kept_ahead(txn, head, &kept);
		if (!err && aligned && !kept)
			continue;
		/* a log at the very start has written nothing: it can stay */
		if (!err && !kept && head->blkoff == 0 && head->segno % txn->vol->geo.segs_per_sec == 0)
			err = section_enter(txn, head->segno);
		else if (!err)
			err = head_renew(txn, i);
		if (!err && is_open && section_of(txn, head->segno) != section)
			err = zones_finish(txn->vol, section);
		if (err)
			return err;
	}
	return 0;
}
