/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the areas to another size, in two hops. The place of the new areas overlaps the volume's own areas and the start
 * of its main area, so nothing can be written there while these are valid. First the areas, in their present size, go
 * to main segments that were emptied, just after the future place of the new ones. A switch of superblocks makes them
 * valid, and the segments before them are dead. Then the new areas are written into the dead place, and a second switch
 * makes them valid: nothing is lost. Areas that become smaller are so from the first hop on. That hop leads into the
 * unused end of the old SSA and, where that is too small, into main segments that were emptied (reduce.c).
 *
 * An interruption is harmless. Areas are only written to blocks that the current superblock does not use, and flushed.
 * Then the superblocks are switched (superblocks.c). Both of them describe a whole volume at any time, the old one or
 * the new one. Between the hops it is a volume like any other, whose first segments are not used.
 */
#include "base/error.h"
#include "gc/empty.h"
#include "resize/areas.h"
#include "resize/fits.h"
#include "resize/now.h"
#include "resize/reduce.h"
#include "resize/relayout.h"
#include "resize/run.h"
#include "resize/stages.h"

/* Where the areas of a geometry are when they begin at segment0; their sizes stay. */
static void place_areas(struct f2fs_geometry *geo, f2fs_blk_t segment0, uint32_t end_segments)
{
	uint32_t meta;

	geo->segment0_blkaddr = geo->cp_blkaddr = segment0;
	geo->sit_blkaddr = segment0 + geo->segment_count_ckpt * F2FS_SEGMENT_BLOCKS;
	geo->nat_blkaddr = geo->sit_blkaddr + geo->segment_count_sit * F2FS_SEGMENT_BLOCKS;
	geo->ssa_blkaddr = geo->nat_blkaddr + geo->segment_count_nat * F2FS_SEGMENT_BLOCKS;
	geo->main_blkaddr = geo->ssa_blkaddr + geo->segment_count_ssa * F2FS_SEGMENT_BLOCKS;
	meta = (geo->main_blkaddr - segment0) / F2FS_SEGMENT_BLOCKS;
	geo->segment_count = end_segments;
	geo->section_count = (end_segments - meta) / geo->segs_per_sec;
	geo->segment_count_main = geo->section_count * geo->segs_per_sec;
	geometry_derive(geo);
}

/* Write the areas of a geometry and make them the volume's. */
static int move_areas(struct resize *r, const struct areas_target *to)
{
	int err = areas_write(r->vol, to, &r->result->area_bytes);

	return err ? err : resize_switch(r, &to->geo);
}

/* Write the areas of a target, in its size, to a place farther on. */
static int hop_out(struct resize *r, struct areas_target *to, uint32_t by, uint32_t meta)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const struct stage_volume hop = stage_moved(&r->now, by, meta);

	to->large_nat = r->now.shape.large_nat != 0;
	place_areas(&to->geo, geo->segment0_blkaddr + by * F2FS_SEGMENT_BLOCKS, geo->segment_count - by);
	if (!stage_room(&hop, to->geo.segment_count_main, true, &to->room))
		return error_set(r->ctx, F2FS_ERR_NOSPC, "%u main segments are too few for the blocks in use",
				 (unsigned)to->geo.segment_count_main);
	to->usable_segments = stage_usable(&hop, to->geo.segment_count_main);
	return move_areas(r, to);
}

static void take_layout(struct areas_target *to, const struct f2fs_layout *layout)
{
	geometry_set_block_size(&to->geo, to->geo.block_bits, layout->geometry.feature);
	to->geo.segment_count_sit = layout->geometry.segment_count_sit;
	to->geo.segment_count_nat = layout->geometry.segment_count_nat;
	to->geo.segment_count_ssa = layout->geometry.segment_count_ssa;
	to->geo.cp_payload = layout->geometry.cp_payload;
	to->sit_bitmap_bytes = layout->sit_bitmap_bytes;
	to->nat_bitmap_bytes = layout->nat_bitmap_bytes;
	to->checksum_offset = layout->checksum_offset;
}

int resize_home(struct resize *r, uint32_t segment_count)
{
	struct areas_target to = { .geo = r->vol->geo, .large_nat = r->now.shape.large_nat != 0 };
	struct f2fs_layout layout;
	const uint32_t meta = stage_home(&r->now, segment_count, &layout);
	const struct stage_volume there = stage_moved(&r->now, 0, meta);

	if (meta == 0)
		return error_set(r->ctx, F2FS_ERR_TOO_BIG, "there are no areas for %u segments",
				 (unsigned)segment_count);
	take_layout(&to, &layout);
	place_areas(&to.geo, r->home, segment_count);
	if (to.geo.main_blkaddr > r->vol->geo.segment0_blkaddr ||
	    !stage_room(&there, to.geo.segment_count_main, true, &to.room))
		return error_set(r->ctx, F2FS_ERR_NOSPC, "there is no room for the areas of %u segments",
				 (unsigned)segment_count);
	to.usable_segments = stage_usable(&there, to.geo.segment_count_main);
	return move_areas(r, &to);
}

/* Empty the start of the main area. */
static int empty_start(struct resize *r, uint32_t segments)
{
	struct gc_range start = { .first = 0, .end = segments };
	int err = segments ? gc_range_empty(r->vol, &start) : 0;

	r->result->moved_blocks += start.moved_blocks;
	r->result->commits += start.commits;
	return err;
}

static int hop_home(struct resize *r, uint32_t segment_count)
{
	int err = resize_report(r, "home", 0, 1, "steps");

	return err ? err : resize_home(r, segment_count);
}

int resize_relayout(struct resize *r, const struct f2fs_resize_step *step)
{
	int err = empty_start(r, step->moved);

	if (!err) {
		struct areas_target as_now = { .geo = r->vol->geo,
					       .sit_bitmap_bytes = cp_sit_ver_bitmap_bytesize(r->vol->view->cp),
					       .nat_bitmap_bytes = cp_nat_ver_bitmap_bytesize(r->vol->view->cp),
					       .checksum_offset = cp_checksum_offset(r->vol->view->cp) };

		err = hop_out(r, &as_now, step->moved, r->now.meta_segments);
	}
	return err ? err : hop_home(r, step->segments);
}

int resize_reduce(struct resize *r, const struct f2fs_resize_step *step)
{
	struct stage_hop hop;
	int err;

	if (!stage_reduce(&r->now, step->segments, &hop) || hop.moved > step->moved)
		return error_set(r->ctx, F2FS_ERR_NOSPC, "there is no room for the areas of %u segments",
				 (unsigned)step->segments);
	err = empty_start(r, hop.moved);
	if (!err) {
		struct areas_target lesser = { .geo = r->vol->geo };

		take_layout(&lesser, &hop.layout);
		err = hop_out(r, &lesser, hop.by, hop.meta);
	}
	return err ? err : hop_home(r, step->segments);
}
