/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan smaller areas for a volume that was larger once. Pure.
 *
 * The smaller areas need a place besides the old ones for a moment. The old SSA has one: its end, which lists
 * segments that the volume no longer has. What does not fit there continues into main segments that are emptied
 * first. From there the areas move to the start of the volume, as after growing (relayout.c).
 */
#include "base/checked.h"
#include "format/flags.h"
#include "resize/fits.h"
#include "resize/reduce.h"

/* A plan keeps this many steps for those after the areas. */
enum { STEPS_KEPT = 3 };

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * Return the segments of the largest NAT that mkfs makes for any size up to this one. Above 64 GiB mkfs makes the NAT
 * smaller as the SIT grows, so a volume that grew may rightly have more than mkfs would give it.
 */
static uint32_t nat_at_most(const struct plan_areas *of)
{
	struct plan_areas shape = *of;
	struct f2fs_layout layout;
	uint32_t most = 0;
	uint64_t size = 0;

	do {
		uint32_t nat;

		/* sizes that fill another segment of the SIT */
		plan_areas(&shape, 2, &layout);
		size += (uint64_t)layout.geometry.sit_per_block * F2FS_SEGMENT_BLOCKS;
		shape.segment_count = size < of->segment_count ? (uint32_t)size : of->segment_count;
		nat = plan_areas(&shape, 2, &layout) == PLAN_OK ? layout.geometry.segment_count_nat : 0;
		if (nat < most)
			break;
		most = nat;
	} while (size < of->segment_count);
	return most;
}

uint32_t stage_lesser(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out)
{
	struct stage_volume fresh = *v;
	uint32_t most;

	fresh.shape.segment_count = segment_count;
	fresh.shape.least_sit_segments = fresh.shape.least_nat_segments = 0;
	most = nat_at_most(&fresh.shape);
	if (most > v->shape.least_nat_segments)
		most = v->shape.least_nat_segments;
	fresh.shape.least_nat_segments = larger(v->nat_used_segments, most);
	return stage_areas(&fresh, segment_count, out);
}

bool stage_reduce(const struct stage_volume *v, uint32_t segment_count, struct stage_hop *hop)
{
	const uint32_t zone = stage_zone(v), meta = v->meta_segments;
	const uint32_t main_segments = (uint32_t)sub_or_zero(segment_count, meta);
	struct stage_volume out;
	struct stage_room room;
	uint64_t end;
	uint32_t used;

	if (v->keeps_areas || v->dead_segments || meta % zone || main_segments == 0)
		return false;
	hop->meta = stage_lesser(v, segment_count, &hop->layout);
	if (hop->meta == 0 || hop->meta >= meta)
		return false;
	used = meta - v->ssa_segments + div_ceil32(div_ceil32(main_segments, v->sums_per_block), F2FS_SEGMENT_BLOCKS);
	hop->by = div_ceil32(larger(hop->meta, used), zone) * zone;
	end = (uint64_t)hop->by + hop->meta;
	hop->moved = (uint32_t)sub_or_zero(end, meta);
	if (end >= segment_count || end > v->first_segments)
		return false;
	if ((v->shape.feature & F2FS_FEAT_BLKZONED) && end > v->unordered_segments)
		return false;
	if (hop->moved > 0 && hop->moved + stage_needed(v) > main_segments)
		return false;
	out = stage_moved(v, hop->by, hop->meta);
	return stage_room(&out, segment_count - (uint32_t)end, true, &room);
}

/* Can the areas become smaller at this size, to which the volume is shrunk first? */
static bool can(const struct stage_volume *v, uint32_t segment_count)
{
	struct stage_hop hop;

	return (segment_count == v->shape.segment_count || stage_holds(v, segment_count - v->meta_segments)) &&
	       stage_reduce(v, segment_count, &hop);
}

static bool is_lesser(const struct stage_volume *v, uint32_t segment_count)
{
	struct f2fs_layout layout;
	const uint32_t meta = stage_lesser(v, segment_count, &layout);

	return meta > 0 && meta < v->meta_segments;
}

uint32_t stage_reducible(const struct stage_volume *v, uint32_t least, uint32_t steps)
{
	const uint32_t zone = stage_zone(v), segments = v->shape.segment_count, meta = v->meta_segments;
	const uint32_t needed = meta < segments ? stage_minimum(v, segments - meta) : 0;
	uint32_t low = needed ? meta + needed : segments, high = segments / zone, top;

	if (v->keeps_areas || v->dead_segments || meta % zone || steps + STEPS_KEPT > F2FS_RESIZE_STEPS)
		return 0;
	low = div_ceil32(larger(low, larger(least, v->least_segments)), zone);
	if (low > high || !is_lesser(v, low * zone))
		return 0;
	/* the largest size whose areas are smaller has most room for the hop */
	for (top = low; top < high;) {
		const uint32_t middle = top + (high - top + 1) / 2;

		if (is_lesser(v, middle * zone))
			top = middle;
		else
			high = middle - 1;
	}
	if (!can(v, top * zone))
		return 0;
	while (low < top) {
		const uint32_t middle = low + (top - low) / 2;

		if (can(v, middle * zone))
			top = middle;
		else
			low = middle + 1;
	}
	return top * zone;
}
