/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resize without moving the areas: cut off the tail of the main area, or extend it by the segments that SIT and SSA
 * have room for.
 *
 * An interruption is harmless. Shrinking: the tail is emptied by ordinary commits. The next commit already has the
 * limits of the smaller volume, which are legal in the larger one, and no entries of the tail in its journal. The
 * superblocks follow. Only the count of free segments is then too large by the tail until the last commit. Kernels
 * count for themselves, and the checkpoint's resize flag marks the resize as unfinished. Growing: entries of the new
 * segments become zeros while they are still unused, the superblocks follow, and until the last commit the volume may
 * hold less than it could.
 */
#include "base/error.h"
#include "gc/empty.h"
#include "device/device.h"
#include "device/zeros.h"
#include "file/change.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/segments.h"
#include "resize/fits.h"
#include "resize/now.h"
#include "resize/reduce.h"
#include "resize/run.h"
#include "resize/shrink.h"
#include "resize/stages.h"
#include "volume/zone_map.h"

/* The geometry with another number of segments, areas as they are. */
static struct f2fs_geometry with_segments(const struct f2fs_geometry *geo, uint32_t segment_count)
{
	struct f2fs_geometry to = *geo;
	const uint32_t meta = (geo->main_blkaddr - geo->segment0_blkaddr) / F2FS_SEGMENT_BLOCKS;

	to.segment_count = segment_count;
	to.section_count = (segment_count - meta) / geo->segs_per_sec;
	to.segment_count_main = to.section_count * geo->segs_per_sec;
	geometry_derive(&to);
	return to;
}

struct gc_range resize_tail(const struct resize *r, uint32_t segment_count)
{
	const struct f2fs_geometry to = with_segments(&r->vol->geo, segment_count);

	return (struct gc_range){ .first = to.segment_count_main, .end = r->vol->geo.segment_count_main };
}

/* Commit the numbers that the smaller volume will have, without entries of the cut-off tail in the journal. */
static int announce(struct resize *r, uint32_t main_segments)
{
	struct commit_form form = { .flags = FLAG_ckpt_flags_resizefs, .whole_sit = true, .has_room = true };
	struct stage_room room;
	int err = change_start(r->vol);

	if (err)
		return err;
	if (!stage_room(&r->now, main_segments, false, &room))
		return error_set(r->ctx, F2FS_ERR_NOSPC, "%u main segments cannot hold the blocks in use",
				 (unsigned)main_segments);
	form.user_blocks = room.user_blocks;
	form.reserved_segments = room.reserved;
	form.overprovision_segments = room.overprovision;
	err = txn_commit_as(r->vol, &form);
	r->result->commits += !err;
	return err;
}

int resize_shrink(struct resize *r, uint32_t segment_count)
{
	const struct f2fs_geometry to = with_segments(&r->vol->geo, segment_count);
	const uint64_t end = r->vol->geo.end_blkaddr;
	struct gc_range tail = resize_tail(r, segment_count);
	int err = gc_range_empty(r->vol, &tail);

	r->result->moved_blocks += tail.moved_blocks;
	r->result->commits += tail.commits;
	if (!err)
		err = announce(r, to.segment_count_main);
	if (!err)
		err = resize_switch(r, &to);
	if (!err)
		err = resize_commit(r);
	/* zones that are half full would stay open, of which a device has few */
	return err ? err : zones_reset_blocks(r->vol, r->vol->geo.end_blkaddr, end);
}

/* Entries of segments that do not exist yet must be zero: a volume that was larger once has left some. */
static int clear_entries(struct resize *r, const struct f2fs_geometry *to)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const struct commit_form form = { .flags = FLAG_ckpt_flags_resizefs, .whole_sit = true };
	const uint32_t bits = geo->block_bits;
	struct segment *last;
	int err = change_start(r->vol);

	/* rewrite the block that the last entries share */
	if (!err)
		err = segment_get(r->vol->txn, geo->segment_count_main - 1, &last);
	if (err)
		return err;
	last->is_dirty = true;
	err = txn_commit_as(r->vol, &form);
	r->result->commits += !err;
	for (unsigned copy = 0; copy < 2 && !err; copy++)
		err = zero_range(r->vol->dev, (uint64_t)geometry_sit_block(geo, geo->sit_blocks_used, copy) << bits,
				 (uint64_t)(to->sit_blocks_used - geo->sit_blocks_used) << bits);
	return err ? err : device_flush(r->vol->dev);
}

int resize_extend(struct resize *r, uint32_t segment_count)
{
	const struct f2fs_geometry to = with_segments(&r->vol->geo, segment_count);
	int err = clear_entries(r, &to);

	if (!err)
		err = resize_switch(r, &to);
	return err ? err : resize_commit(r);
}
