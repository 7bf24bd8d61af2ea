/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Describe an existing volume for planning, and find the dead segments before areas that a resize has moved away.
 */
#include "format/plan.h"
#include "format/plan_home.h"

void plan_areas_of(const struct f2fs_geometry *geo, bool large_nat, struct plan_areas *out)
{
	*out = (struct plan_areas){ .block_size = geo->block_size,
				    .segs_per_sec = geo->segs_per_sec,
				    .secs_per_zone = geo->secs_per_zone,
				    .feature = geo->feature,
				    .segment_count = (geo->main_blkaddr - geo->segment0_blkaddr) / F2FS_SEGMENT_BLOCKS +
						     geo->segment_count_main,
				    .least_sit_segments = geo->segment_count_sit,
				    .least_nat_segments = geo->segment_count_nat,
				    .large_nat = large_nat };
}

/* Return the first block after the superblocks that is as far into its zone as the areas are now. */
static f2fs_blk_t home_of(const struct f2fs_geometry *geo)
{
	const uint64_t zone = (uint64_t)geo->segs_per_sec * geo->secs_per_zone * F2FS_SEGMENT_BLOCKS;
	const uint64_t first = geo->segment0_blkaddr % zone;
	const uint64_t home = first < 2 ? first + zone : first;

	return home < geo->segment0_blkaddr ? (f2fs_blk_t)home : geo->segment0_blkaddr;
}

uint32_t plan_dead_segments(const struct f2fs_geometry *geo, bool large_nat, f2fs_blk_t *home)
{
	const uint32_t dead = (geo->segment0_blkaddr - home_of(geo)) / F2FS_SEGMENT_BLOCKS;
	struct plan_areas shape;
	struct f2fs_layout layout;

	plan_areas_of(geo, large_nat, &shape);
	shape.segment_count += dead;
	*home = geo->segment0_blkaddr;
	/* without room for the areas no hop has left these segments */
	if (dead == 0 || plan_areas(&shape, 2, &layout) != PLAN_OK ||
	    shape.segment_count - layout.geometry.segment_count_main > dead)
		return 0;
	*home = home_of(geo);
	return dead;
}
