/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan the steps to a size. Shrinking is one step, and another one where the areas can become smaller (reduce.c).
 * Growing is one, too, while SIT and SSA have room for more segments. Beyond that, larger areas are written. For a
 * moment these are after their future place, so that many main segments must be free at the start of the main area.
 *
 * A full volume has less, so it grows in stages: first by the room in its areas, then to the largest size whose areas
 * find room, and so on.
 */
#include "base/checked.h"
#include "format/flags.h"
#include "resize/fits.h"
#include "resize/reduce.h"
#include "resize/stages.h"

void stage_take(struct stage_volume *v, const struct f2fs_resize_step *step)
{
	struct f2fs_layout layout;

	v->shape.segment_count = step->segments;
	if (step->kind == F2FS_RESIZE_RELAYOUT)
		v->dead_segments = step->moved;
	if (step->kind == F2FS_RESIZE_REDUCE)
		v->meta_segments = stage_lesser(v, step->segments, &layout);
	else if (step->kind == F2FS_RESIZE_RELAYOUT || step->kind == F2FS_RESIZE_HOME)
		v->meta_segments = stage_home(v, step->segments, &layout);
	else
		return;
	v->repacks &= v->shape.feature == layout.geometry.feature;
	v->shape.feature = layout.geometry.feature;
	v->dead_segments = 0;
	v->ssa_segments = layout.geometry.segment_count_ssa;
	v->sums_per_block = layout.geometry.sums_per_block;
	v->shape.least_sit_segments = layout.geometry.segment_count_sit;
	v->shape.least_nat_segments = layout.geometry.segment_count_nat;
	v->extend_segments = layout.geometry.segment_count_ssa * F2FS_SEGMENT_BLOCKS * layout.geometry.sums_per_block;
	if (v->extend_segments > layout.geometry.sit_blocks * layout.geometry.sit_per_block)
		v->extend_segments = layout.geometry.sit_blocks * layout.geometry.sit_per_block;
}

/* Main segments that can be emptied at the start of the main area. */
static uint32_t room_at_start(const struct stage_volume *v)
{
	const uint32_t main_segments = v->shape.segment_count - v->dead_segments - v->meta_segments;

	return (uint32_t)sub_or_zero(main_segments, stage_needed(v));
}

/* Can the areas of a size be written? *moved: main segments that must be emptied for it, 0: no such areas. */
static bool can_relayout(const struct stage_volume *v, uint32_t segment_count, uint32_t *moved)
{
	const uint32_t main_segments = v->shape.segment_count - v->meta_segments;
	struct f2fs_layout layout;
	struct stage_volume hop;
	struct stage_room room;

	*moved = stage_areas(v, segment_count, &layout);
	if (*moved > 0 && *moved < v->meta_segments) /* the areas in use stay until the hop is done */
		*moved = v->meta_segments;
	hop = stage_moved(v, *moved, v->meta_segments);
	return *moved > 0 && *moved <= room_at_start(v) && stage_room(&hop, main_segments - *moved, true, &room);
}

/* Return the largest size up to target whose areas find room; 0: none above the present size. */
static uint32_t largest_relayout(const struct stage_volume *v, uint32_t target, uint32_t *moved)
{
	const uint32_t zone = stage_zone(v);
	uint32_t low = v->shape.segment_count / zone, high = target / zone;

	if (can_relayout(v, target, moved))
		return target;
	while (low < high) {
		const uint32_t middle = low + (high - low + 1) / 2;

		if (can_relayout(v, middle * zone, moved))
			low = middle;
		else
			high = middle - 1;
	}
	return low * zone > v->shape.segment_count && can_relayout(v, low * zone, moved) ? low * zone : 0;
}

/* Between the hops the areas are that many segments after their home: can they be written there? */
static bool is_writable(const struct stage_volume *v, uint32_t moved)
{
	return !(v->shape.feature & F2FS_FEAT_BLKZONED) || (uint64_t)moved + v->meta_segments <= v->unordered_segments;
}

/* The next step on the way up. */
static enum stage_result grow(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *step,
			      uint32_t *missing)
{
	const uint32_t zone = stage_zone(v);
	const uint32_t extended = v->meta_segments + v->extend_segments / zone * zone;
	uint32_t moved = 0, size;

	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_EXTEND, .segments = target };
	if (target <= extended)
		return STAGE_OK;
	if (v->meta_segments % zone != 0)
		return STAGE_ODD_AREAS;
	size = largest_relayout(v, target, &moved);
	/* the segments that the areas have room for already make room for larger ones */
	if (size < target && extended > v->shape.segment_count) {
		step->segments = extended;
		return STAGE_OK;
	}
	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_RELAYOUT, .segments = size, .moved = moved };
	if (size > 0)
		return is_writable(v, moved) ? STAGE_OK : STAGE_IN_ORDER;
	can_relayout(v, v->shape.segment_count + zone, &moved);
	*missing = moved > 0 ? (uint32_t)sub_or_zero(moved, room_at_start(v)) : 0;
	if (*missing == 0)
		*missing = zone;
	return moved > 0 ? STAGE_NO_ROOM : STAGE_TOO_LARGE;
}

/* Write the areas of the same size again. */
static enum stage_result repack(const struct stage_volume *v, struct f2fs_resize_step *step, uint32_t *missing)
{
	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_RELAYOUT, .segments = v->shape.segment_count };
	if (v->meta_segments % stage_zone(v) != 0)
		return STAGE_ODD_AREAS;
	if (can_relayout(v, step->segments, &step->moved))
		return is_writable(v, step->moved) ? STAGE_OK : STAGE_IN_ORDER;
	*missing = (uint32_t)sub_or_zero(step->moved, room_at_start(v));
	if (*missing == 0)
		*missing = stage_zone(v);
	return step->moved > 0 ? STAGE_NO_ROOM : STAGE_TOO_LARGE;
}

/* Finish an interrupted relayout: go to the target at once, when the place that was made is large enough. */
static enum stage_result go_home(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *step)
{
	struct f2fs_layout layout;
	const uint32_t meta = target > v->shape.segment_count ? stage_areas(v, target, &layout) : 0;

	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_HOME, .segments = v->shape.segment_count };
	if (meta > 0 && meta <= v->dead_segments)
		step->segments = target;
	return (v->meta_segments + v->dead_segments) % v->shape.segs_per_sec ? STAGE_ODD_AREAS : STAGE_OK;
}

/*
 * Shrink, and let the areas become as small as the size wants. Areas that are too large for the target itself become
 * smaller at a size in between.
 */
static enum stage_result shrink(const struct stage_volume *v, uint32_t target, uint32_t steps,
				struct f2fs_resize_step *step)
{
	const uint32_t size = stage_reducible(v, target, steps);
	struct stage_hop hop;

	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_SHRINK, .segments = size ? size : target };
	if (size == v->shape.segment_count && stage_reduce(v, size, &hop)) {
		step->kind = F2FS_RESIZE_REDUCE;
		step->moved = hop.moved;
		return STAGE_OK;
	}
	return stage_holds(v, (uint32_t)sub_or_zero(step->segments, v->meta_segments)) ? STAGE_OK : STAGE_TOO_SMALL;
}

static enum stage_result next_step(const struct stage_volume *v, uint32_t target, uint32_t steps,
				   struct f2fs_resize_step *step, uint32_t *missing)
{
	if (v->dead_segments)
		return go_home(v, target, step);
	if (target > v->shape.segment_count)
		return grow(v, target, step, missing);
	if (target == v->shape.segment_count && v->repacks)
		return repack(v, step, missing);
	return shrink(v, target, steps, step);
}

static bool is_there(const struct stage_volume *v, uint32_t target, uint32_t steps)
{
	return v->shape.segment_count == target && !v->dead_segments && !v->repacks &&
	       !stage_reducible(v, target, steps);
}

enum stage_result stage_plan(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *steps,
			     uint32_t *count, uint32_t *missing, struct stage_room *room)
{
	struct stage_volume at = *v;
	uint32_t main_segments;

	*missing = 0;
	for (*count = 0; !is_there(&at, target, *count); ++*count) {
		enum stage_result bad;

		if (*count == F2FS_RESIZE_STEPS) {
			*missing = stage_zone(v);
			return STAGE_NO_ROOM;
		}
		bad = next_step(&at, target, *count, &steps[*count], missing);
		if (bad)
			return bad;
		stage_take(&at, &steps[*count]);
	}
	/* an intermediate size may keep less for GC than the ratio says, the final one may not */
	main_segments = at.shape.segment_count - at.meta_segments;
	return *count == 0 || stage_room(&at, main_segments, false, room) ? STAGE_OK : STAGE_RESERVED;
}

uint32_t stage_smallest(const struct stage_volume *v)
{
	struct stage_volume at = *v;
	uint32_t steps = 0, size, main_segments, least;

	if (at.dead_segments) {
		const struct f2fs_resize_step home = { .kind = F2FS_RESIZE_HOME, .segments = at.shape.segment_count };

		stage_take(&at, &home);
		steps++;
	}
	while ((size = stage_reducible(&at, 0, steps)) > 0) {
		const struct f2fs_resize_step reduce = { .kind = F2FS_RESIZE_REDUCE, .segments = size };

		steps += size < at.shape.segment_count ? 2 : 1;
		at.shape.segment_count = size;
		stage_take(&at, &reduce);
	}
	main_segments = at.shape.segment_count - at.meta_segments;
	least = stage_minimum(&at, main_segments);
	size = at.meta_segments + (least ? least : main_segments);
	return size > v->least_segments ? size : v->least_segments;
}
