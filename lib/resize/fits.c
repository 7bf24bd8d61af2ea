/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute the capacity of a main area, the part it keeps for GC, and the areas of a volume of some size. Pure. The plan
 * of a resize uses it (stages.c, reduce.c).
 */
#include "base/checked.h"
#include "format/overprovision.h"
#include "resize/fits.h"

/*
 * Emptying a range begins one section of data and one of each log of nodes, besides those for the moved blocks
 * (gc/empty.c).
 */
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

bool stage_holds(const struct stage_volume *v, uint32_t main_segments)
{
	struct stage_room room;

	return main_segments >= stage_needed(v) && stage_room(v, main_segments, false, &room);
}

typedef bool stage_fits(const struct stage_volume *v, uint32_t segments);

/*
 * Return the smallest size that fits, in segments, between low and high zones; 0: high does not fit. Rounding makes the
 * room vary, so zones that fit before the found one are taken as well.
 */
static uint32_t smallest_fit(const struct stage_volume *v, uint32_t low, uint32_t high, stage_fits *fits)
{
	const uint32_t zone = stage_zone(v);

	if (high == 0 || !fits(v, high * zone))
		return 0;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (fits(v, middle * zone))
			high = middle;
		else
			low = middle + 1;
	}
	while (high > 1 && fits(v, (high - 1) * zone))
		high--;
	return high * zone;
}

uint32_t stage_minimum(const struct stage_volume *v, uint32_t most)
{
	const uint32_t zone = stage_zone(v), last = most / zone;
	uint32_t low = div_ceil32(stage_needed(v), zone), high;

	/* from below: rounding makes the room vary, so a search from most would find another size for each most */
	low = low ? low : 1;
	for (high = low; high < last && !stage_holds(v, high * zone); high += 1 + high / 16)
		low = high + 1;
	return smallest_fit(v, low, high < last ? high : last, stage_holds);
}

uint32_t stage_areas(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out)
{
	struct plan_areas shape = v->shape;

	shape.segment_count = segment_count;
	if (v->repacks)
		shape.feature ^= F2FS_FEAT_PACKED_SSA;
	/* the place does not matter for the sizes */
	if (plan_areas(&shape, 2, out) != PLAN_OK)
		return 0;
	return segment_count - out->geometry.segment_count_main;
}

uint32_t stage_home(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out)
{
	struct stage_volume plain = *v;
	const uint32_t meta = stage_areas(v, segment_count, out);

	plain.repacks = false;
	return v->repacks && meta > v->dead_segments ? stage_areas(&plain, segment_count, out) : meta;
}

/* Does a new volume of that many segments hold the blocks in use? */
static bool holds_anew(const struct stage_volume *v, uint32_t segment_count)
{
	struct f2fs_layout layout;
	const uint32_t areas = stage_areas(v, segment_count, &layout);

	return areas > 0 && areas < segment_count && stage_holds(v, segment_count - areas);
}

uint32_t stage_anew(const struct stage_volume *v, uint32_t most)
{
	struct stage_volume fresh = *v;

	fresh.shape.least_sit_segments = fresh.shape.least_nat_segments = 0;
	return smallest_fit(&fresh, 1, most / stage_zone(v), holds_anew);
}
