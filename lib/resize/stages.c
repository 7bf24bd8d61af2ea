/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which steps lead to a size. Shrinking is one step. Growing is one, too, while SIT and SSA have room for more
 * segments; beyond that the areas are written anew, larger, and for a moment they lie behind their future place: as
 * many main segments as the new areas will have must be free at the start of the main area. A full volume has less, so
 * it grows in stages: what the areas have room for, then the largest size whose areas find room, and so on.
 */
#include "base/checked.h"
#include "format/flags.h"
#include "format/overprovision.h"
#include "resize/run.h"
#include "resize/stages.h"

/* Emptying a range begins one section of data and one of each log of nodes, besides what it moves (clean/empty.c). */
enum { SPARE_SECTIONS = 6 };

static uint32_t section_blocks(const struct stage_volume *v)
{
	return v->section_blocks ? v->section_blocks : v->shape.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

static uint32_t sections_of(const struct stage_volume *v, uint64_t blocks)
{
	return (uint32_t)div_ceil64(blocks, section_blocks(v));
}

uint32_t stage_needed(const struct stage_volume *v)
{
	return (sections_of(v, v->data_blocks) + sections_of(v, v->node_blocks) + F2FS_LOG_COUNT + SPARE_SECTIONS) *
	       v->shape.segs_per_sec;
}

uint32_t stage_usable(const struct stage_volume *v, uint32_t main_segments)
{
	return main_segments / v->shape.segs_per_sec * div_ceil32(section_blocks(v), F2FS_SEGMENT_BLOCKS);
}

uint64_t stage_held(const struct stage_volume *v, uint32_t main_segments)
{
	return (uint64_t)main_segments / v->shape.segs_per_sec * section_blocks(v);
}

uint64_t stage_offered(const struct stage_volume *v, uint64_t user_blocks, uint32_t reserved, uint32_t overprovision)
{
	/* the reserve is in whole sections */
	const uint32_t sps = v->shape.segs_per_sec, held = div_ceil32(section_blocks(v), F2FS_SEGMENT_BLOCKS);
	const uint64_t all = user_blocks / F2FS_SEGMENT_BLOCKS + overprovision;

	return sub_or_zero(all, (uint64_t)reserved / sps * (sps - held));
}

struct stage_volume stage_moved(const struct stage_volume *v, uint32_t dead, uint32_t meta)
{
	struct stage_volume moved = *v;

	moved.dead_segments = dead;
	moved.meta_segments = meta;
	return moved;
}

bool stage_room(const struct stage_volume *v, uint32_t main_segments, bool tight, struct stage_room *out)
{
	const struct overprovision_input in = {
		.section_blocks = section_blocks(v),
		.main = main_segments,
		.sections = main_segments / v->shape.segs_per_sec,
		.segs_per_sec = v->shape.segs_per_sec,
		.percent = v->overprovision,
	};
	struct overprovision_output space;
	const uint64_t held = stage_held(v, main_segments);
	uint32_t used;

	if (in.sections > 0 && overprovision_compute(&in, &space)) {
		out->user_blocks = space.user_blocks;
		out->reserved = space.reserved;
		out->overprovision = space.overprovision;
		if (out->user_blocks >= v->valid_blocks)
			return true;
	}
	used = (uint32_t)div_ceil64(v->valid_blocks, F2FS_SEGMENT_BLOCKS);
	if (!tight || used >= held / F2FS_SEGMENT_BLOCKS || stage_needed(v) > main_segments)
		return false;
	out->overprovision = (uint32_t)(held / F2FS_SEGMENT_BLOCKS) - used;
	out->reserved = out->overprovision > 2 * v->shape.segs_per_sec ? 2 * v->shape.segs_per_sec : out->overprovision;
	out->user_blocks = (uint64_t)used * F2FS_SEGMENT_BLOCKS;
	return true;
}

static bool holds(const struct stage_volume *v, uint32_t main_segments)
{
	struct stage_room room;

	return main_segments >= stage_needed(v) && stage_room(v, main_segments, false, &room);
}

uint32_t stage_minimum(const struct stage_volume *v, uint32_t most)
{
	const uint32_t zone = stage_zone(v);
	uint32_t low = 1, high = most / zone;

	if (high == 0 || !holds(v, high * zone))
		return 0;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (holds(v, middle * zone))
			high = middle;
		else
			low = middle + 1;
	}
	/* rounding makes the remaining room vary by a few segments between neighbouring sizes */
	while (high > 1 && holds(v, (high - 1) * zone))
		high--;
	return high * zone;
}

uint32_t stage_areas(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out)
{
	struct plan_areas shape = v->shape;

	shape.segment_count = segment_count;
	/* the place does not matter for the sizes */
	if (plan_areas(&shape, 2, out) != PLAN_OK)
		return 0;
	return segment_count - out->geometry.segment_count_main;
}

/* Does a new volume of that many segments hold what is in use? */
static bool holds_anew(const struct stage_volume *v, uint32_t segment_count)
{
	struct f2fs_layout layout;
	const uint32_t areas = stage_areas(v, segment_count, &layout);

	return areas > 0 && areas < segment_count && holds(v, segment_count - areas);
}

uint32_t stage_anew(const struct stage_volume *v, uint32_t most)
{
	struct stage_volume fresh = *v;
	const uint32_t zone = stage_zone(v);
	uint32_t low = 1, high = most / zone;

	fresh.shape.least_sit_segments = fresh.shape.least_nat_segments = 0;
	if (high == 0 || !holds_anew(&fresh, high * zone))
		return 0;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (holds_anew(&fresh, middle * zone))
			high = middle;
		else
			low = middle + 1;
	}
	while (high > 1 && holds_anew(&fresh, (high - 1) * zone))
		high--;
	return high * zone;
}

/* A volume as it is behind a step. */
static void take_step(struct stage_volume *v, const struct f2fs_resize_step *step)
{
	struct f2fs_layout layout;

	v->shape.segment_count = step->segments;
	if (step->kind != F2FS_RESIZE_RELAYOUT && step->kind != F2FS_RESIZE_HOME)
		return;
	v->dead_segments = 0;
	v->meta_segments = stage_areas(v, step->segments, &layout);
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

/* Can the areas of a size be written anew? *moved: main segments that must be emptied for it, 0: no such areas. */
static bool can_relayout(const struct stage_volume *v, uint32_t segment_count, uint32_t *moved)
{
	const uint32_t main_segments = v->shape.segment_count - v->meta_segments;
	struct f2fs_layout layout;
	struct stage_volume hop;
	struct stage_room room;

	*moved = stage_areas(v, segment_count, &layout);
	hop = stage_moved(v, *moved, v->meta_segments);
	return *moved > 0 && *moved <= room_at_start(v) && stage_room(&hop, main_segments - *moved, true, &room);
}

/* The largest size up to target whose areas find room; 0: none above what there is. */
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

/* Between the hops the areas lie behind so many segments: can they be written there? */
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
	/* what the areas have room for already makes room for larger ones */
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

/* An interrupted relayout goes home: to its target at once, when the place that was made is large enough. */
static enum stage_result go_home(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *step)
{
	struct f2fs_layout layout;
	const uint32_t meta = target > v->shape.segment_count ? stage_areas(v, target, &layout) : 0;

	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_HOME, .segments = v->shape.segment_count };
	if (meta > 0 && meta <= v->dead_segments)
		step->segments = target;
	return (v->meta_segments + v->dead_segments) % v->shape.segs_per_sec ? STAGE_ODD_AREAS : STAGE_OK;
}

static enum stage_result next_step(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *step,
				   uint32_t *missing)
{
	const uint32_t main_segments = (uint32_t)sub_or_zero(target, v->meta_segments);

	if (v->dead_segments)
		return go_home(v, target, step);
	if (target > v->shape.segment_count)
		return grow(v, target, step, missing);
	*step = (struct f2fs_resize_step){ .kind = F2FS_RESIZE_SHRINK, .segments = target };
	return holds(v, main_segments) ? STAGE_OK : STAGE_TOO_SMALL;
}

enum stage_result stage_plan(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *steps,
			     uint32_t *count, uint32_t *missing, struct stage_room *room)
{
	struct stage_volume at = *v;
	uint32_t main_segments;

	*missing = 0;
	for (*count = 0; at.shape.segment_count != target || at.dead_segments; ++*count) {
		enum stage_result bad;

		if (*count == F2FS_RESIZE_STEPS) {
			*missing = stage_zone(v);
			return STAGE_NO_ROOM;
		}
		bad = next_step(&at, target, &steps[*count], missing);
		if (bad)
			return bad;
		take_step(&at, &steps[*count]);
	}
	/* an intermediate size may keep less for cleaning than the ratio says, the final one may not */
	main_segments = at.shape.segment_count - at.meta_segments;
	return *count == 0 || stage_room(&at, main_segments, false, room) ? STAGE_OK : STAGE_RESERVED;
}
