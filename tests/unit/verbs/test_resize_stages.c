/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan of a resize, held against brute force: a search over the sizes that a step may lead to says whether the
 * target can be reached; the plan reaches it exactly then, and each of its steps is one that the search allows.
 */
/* clang-format off: cmocka.h needs these first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format on */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "resize/fits.h"
#include "resize/reduce.h"
#include "resize/run.h"
#include "resize/stages.h"

enum { MOST = 12000 }; /* segments */

/* A volume as mkfs makes it: areas for exactly that many segments. */
static struct stage_volume made(uint32_t segments, uint32_t zone, int large_nat, uint64_t data, uint64_t nodes)
{
	struct stage_volume v = { .shape = { .block_size = 4096,
					     .segs_per_sec = zone,
					     .secs_per_zone = 1,
					     .segment_count = segments,
					     .large_nat = (uint8_t)large_nat },
				  .data_blocks = data,
				  .node_blocks = nodes,
				  .valid_blocks = data + nodes };
	struct f2fs_layout layout;

	v.first_segments = UINT32_MAX;
	v.meta_segments = stage_areas(&v, segments, &layout);
	assert_true(v.meta_segments > 0);
	v.ssa_segments = layout.geometry.segment_count_ssa;
	v.sums_per_block = layout.geometry.sums_per_block;
	v.shape.least_sit_segments = layout.geometry.segment_count_sit;
	v.shape.least_nat_segments = layout.geometry.segment_count_nat;
	v.extend_segments = layout.geometry.segment_count_ssa * 512;
	if (v.extend_segments > layout.geometry.sit_blocks * 55)
		v.extend_segments = layout.geometry.sit_blocks * 55;
	return v;
}

/* May a relayout of v lead to a size? Computed from its needs, not by the search of the plan. */
static int may_relayout(const struct stage_volume *v, uint32_t size)
{
	const uint32_t main_segments = v->shape.segment_count - v->meta_segments;
	struct f2fs_layout layout;
	const uint32_t areas = stage_areas(v, size, &layout);
	struct stage_room room;

	return areas > 0 && areas >= v->meta_segments && areas + stage_needed(v) <= main_segments &&
	       stage_room(v, main_segments - areas, true, &room);
}

static struct stage_volume behind(const struct stage_volume *v, uint32_t size, int is_relayout)
{
	struct stage_volume next = *v;
	struct f2fs_layout layout;

	next.shape.segment_count = size;
	if (!is_relayout)
		return next;
	next.meta_segments = stage_areas(v, size, &layout);
	next.shape.least_sit_segments = layout.geometry.segment_count_sit;
	next.shape.least_nat_segments = layout.geometry.segment_count_nat;
	next.extend_segments = layout.geometry.segment_count_ssa * 512;
	if (next.extend_segments > layout.geometry.sit_blocks * 55)
		next.extend_segments = layout.geometry.sit_blocks * 55;
	return next;
}

/* The largest size that any sequence of steps leads to: larger is never worse, so each time take the largest. */
static uint32_t reach(struct stage_volume v, uint32_t target)
{
	const uint32_t zone = stage_zone(&v);

	for (;;) {
		const uint32_t extended = v.meta_segments + v.extend_segments / zone * zone;
		const uint32_t at = v.shape.segment_count;
		uint32_t best = 0;

		if (at >= target)
			return at;
		for (uint32_t size = at + zone, step = 0; size <= target; size += zone * (step > 64 ? 5 : 1), step++)
			if (may_relayout(&v, size))
				best = size;
		if (may_relayout(&v, target))
			best = target;
		if (best)
			v = behind(&v, best, 1);
		else if (extended > at)
			v = behind(&v, extended < target ? extended : target, 0);
		else
			return at;
	}
}

static void must_be_steps(const struct stage_volume *start, const struct f2fs_resize_step *steps, uint32_t count)
{
	struct stage_volume v = *start;

	for (uint32_t i = 0; i < count; i++) {
		const int is_relayout = steps[i].kind == F2FS_RESIZE_RELAYOUT;

		assert_true(steps[i].segments > v.shape.segment_count);
		if (is_relayout) {
			struct f2fs_layout layout;

			assert_true(may_relayout(&v, steps[i].segments));
			assert_int_equal(steps[i].moved, stage_areas(&v, steps[i].segments, &layout));
			assert_true(layout.geometry.segment_count_nat >= v.shape.least_nat_segments);
			assert_true(layout.geometry.segment_count_sit >= v.shape.least_sit_segments);
		} else {
			assert_int_equal(steps[i].kind, F2FS_RESIZE_EXTEND);
			assert_true(steps[i].segments <= v.meta_segments + v.extend_segments);
		}
		v = behind(&v, steps[i].segments, is_relayout);
	}
}

static void growing_is_as_brute_force_says(void **state)
{
	unsigned reached = 0, refused = 0, staged = 0;

	(void)state;
	srand(3);
	for (unsigned n = 0; n < 120; n++) {
		const uint32_t zone = (uint32_t)(rand() % 3 ? 1 : 1 + rand() % 4);
		const uint32_t segments = (60 + (uint32_t)rand() % 700) / zone * zone;
		const uint32_t target = (segments + (uint32_t)rand() % MOST) / zone * zone;
		struct stage_volume v = made(segments, zone, rand() % 4 == 0, 0, 0);
		const uint64_t room = (uint64_t)(segments - v.meta_segments) * 512;
		struct f2fs_resize_step steps[F2FS_RESIZE_STEPS];
		struct stage_room room_left;
		uint32_t count, missing;
		enum stage_result result;

		v.data_blocks = room * (uint64_t)(rand() % 96) / 100;
		if (rand() % 3 == 0) { /* full, and areas of another mkfs, with no room to spare */
			v.extend_segments = segments - v.meta_segments;
			v.data_blocks = room * (uint64_t)(80 + rand() % 16) / 100;
		}
		v.node_blocks = v.data_blocks / 50;
		v.valid_blocks = v.data_blocks + v.node_blocks;
		result = stage_plan(&v, target, steps, &count, &missing, &room_left);
		assert_int_equal(result == STAGE_OK, reach(v, target) == target);
		assert_true(result == STAGE_OK || (result == STAGE_NO_ROOM && missing > 0));
		if (result != STAGE_OK) {
			refused++;
			continue;
		}
		must_be_steps(&v, steps, count);
		reached++;
		staged += count > 1;
	}
	print_message("%u reached, %u of them by stages, %u refused\n", reached, staged, refused);
	assert_true(reached > 20 && refused > 5 && staged > 5);
}

static void minimum_is_the_first_that_holds(void **state)
{
	(void)state;
	srand(5);
	for (unsigned n = 0; n < 200; n++) {
		const uint32_t zone = (uint32_t)(1 + rand() % 3);
		const uint32_t segments = (100 + (uint32_t)rand() % 900) / zone * zone;
		struct stage_volume v = made(segments, zone, 0, (uint64_t)rand() % 60000, (uint64_t)rand() % 3000);
		const uint32_t most = (segments - v.meta_segments) / zone * zone;
		const uint32_t found = stage_minimum(&v, most);
		struct stage_room room;

		if (!found) {
			assert_true(most < stage_needed(&v) || !stage_room(&v, most, false, &room));
			continue;
		}
		assert_true(found <= most && found % zone == 0 && found >= stage_needed(&v));
		assert_true(stage_room(&v, found, false, &room) && room.user_blocks >= v.valid_blocks);
		if (found > zone)
			assert_true(found - zone < stage_needed(&v) || !stage_room(&v, found - zone, false, &room));
	}
}

/* Does the plan shrink a volume to a size? Each of its steps must be one that the volume holds. */
static int must_shrink(const struct stage_volume *start, uint32_t target, struct stage_volume *end)
{
	struct f2fs_resize_step steps[F2FS_RESIZE_STEPS];
	struct stage_volume v = *start;
	struct stage_room room;
	uint32_t count, missing;

	if (stage_plan(&v, target, steps, &count, &missing, &room) != STAGE_OK)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t meta = v.meta_segments, size = v.shape.segment_count;
		struct stage_hop hop;

		if (steps[i].kind == F2FS_RESIZE_SHRINK) {
			assert_true(steps[i].segments < size && stage_holds(&v, steps[i].segments - meta));
			stage_take(&v, &steps[i]);
			continue;
		}
		assert_int_equal(steps[i].kind, F2FS_RESIZE_REDUCE);
		assert_int_equal(steps[i].segments, size);
		assert_true(stage_reduce(&v, size, &hop));
		assert_int_equal(steps[i].moved, hop.moved);
		/* between the hops: after the future place, and over no block that the old areas or files use */
		assert_true(hop.by >= hop.meta && hop.by + v.ssa_segments >= meta + div_ceil32(size - meta, 512 * 512));
		assert_true(hop.by + hop.meta <= meta + hop.moved);
		assert_true(hop.moved == 0 || hop.moved + stage_needed(&v) <= size - meta);
		stage_take(&v, &steps[i]);
		assert_true(v.meta_segments < meta && v.shape.least_nat_segments >= start->nat_used_segments);
	}
	*end = v;
	assert_int_equal(v.shape.segment_count, target);
	/* and there is nothing more to do */
	return stage_plan(&v, target, steps, &count, &missing, &room) == STAGE_OK && count == 0;
}

/* A volume that was larger once becomes what one of its size that never was is. */
static void large_tables_are_given_back(void **state)
{
	(void)state;
	srand(9);
	for (unsigned n = 0; n < 200; n++) {
		const uint32_t zone = (uint32_t)(rand() % 2 ? 1 : 1 + rand() % 4);
		const uint32_t small = (300 + (uint32_t)rand() % 2000) / zone * zone;
		const uint32_t large = small * (4 + (uint32_t)rand() % 60);
		const uint64_t data = (uint64_t)rand() % (small * 200);
		const int large_nat = rand() % 4 == 0;
		struct stage_volume was = made(large, zone, large_nat, data, data / 40);
		struct stage_volume is = made(small, zone, large_nat, data, data / 40);
		struct stage_volume end = { 0 };

		if (!stage_holds(&is, small - is.meta_segments))
			continue;
		assert_true(must_shrink(&was, small, &end));
		assert_int_equal(end.meta_segments, is.meta_segments);
		assert_int_equal(end.shape.least_nat_segments, is.shape.least_nat_segments);
		assert_int_equal(stage_smallest(&end), stage_smallest(&is));
		/* the smallest size is one that the plan reaches, and nothing below it is */
		assert_true(must_shrink(&was, stage_smallest(&was), &end));
		assert_false(must_shrink(&was, stage_smallest(&was) - zone, &end));
		assert_true(stage_smallest(&was) <= stage_smallest(&is) + zone);
		/* node ids in use keep their NAT; areas that may not become smaller stay */
		was.nat_used_segments = was.shape.least_nat_segments;
		assert_true(must_shrink(&was, small, &end));
		assert_int_equal(end.shape.least_nat_segments, was.shape.least_nat_segments);
		was.keeps_areas = true;
		assert_true(stage_smallest(&was) > was.meta_segments);
		was.keeps_areas = false;
		/* where the first device ends too early, or zones that can be written anywhere do, they stay as well */
		was.first_segments = was.meta_segments / 2;
		assert_int_equal(stage_reducible(&was, small, 0), 0);
	}
}

/* A volume that grew keeps its node ids at its size, although mkfs would make fewer for that size. */
static void growing_keeps_a_large_nat(void **state)
{
	struct stage_volume v = made(50000, 1, 0, 20000, 500);
	struct f2fs_resize_step steps[F2FS_RESIZE_STEPS];
	struct stage_room room;
	uint32_t count, missing, nat = v.shape.least_nat_segments;

	(void)state;
	assert_int_equal(stage_plan(&v, 1 << 20, steps, &count, &missing, &room), STAGE_OK);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_not_equal(steps[i].kind, F2FS_RESIZE_REDUCE);
		stage_take(&v, &steps[i]);
	}
	assert_true(v.shape.least_nat_segments >= nat);
	assert_int_equal(stage_plan(&v, 1 << 20, steps, &count, &missing, &room), STAGE_OK);
	assert_int_equal(count, 0);
}

/* Turning packed_ssa needs room for the areas to come: dead segments have it, or all move out first. */
static void packed_summaries_need_room(void **state)
{
	static const uint32_t kinds[][3] = { { F2FS_RESIZE_RELAYOUT, 0 },
					     { F2FS_RESIZE_HOME, 0 },
					     { F2FS_RESIZE_HOME, F2FS_RESIZE_RELAYOUT, 0 } };
	struct stage_volume packed = made(20000, 1, 0, 20000, 500);
	struct f2fs_resize_step steps[F2FS_RESIZE_STEPS];
	struct f2fs_layout layout;
	struct stage_room room;
	uint32_t count, missing, large;

	(void)state;
	packed.shape.block_size = 16384;
	packed.shape.feature = F2FS_FEAT_PACKED_SSA;
	packed.shape.least_sit_segments = packed.shape.least_nat_segments = 0;
	packed.meta_segments = stage_areas(&packed, 20000, &layout);
	packed.keeps_areas = packed.repacks = true;
	large = stage_areas(&packed, 20000, &layout);
	assert_true(large > packed.meta_segments + 20);
	for (unsigned i = 0; i < 3; i++) {
		struct stage_volume v = packed;

		v.dead_segments = i == 0 ? 0 : i == 1 ? large : large - 1;
		assert_int_equal(stage_plan(&v, 20000, steps, &count, &missing, &room), STAGE_OK);
		for (uint32_t k = 0; k < count; k++) {
			assert_true(v.repacks);
			assert_int_equal(steps[k].kind, kinds[i][k]);
			stage_take(&v, &steps[k]);
		}
		assert_int_equal(kinds[i][count], 0);
		assert_false(v.repacks);
		assert_int_equal(v.shape.feature, 0);
		assert_int_equal(v.meta_segments, large);
		assert_int_equal(v.dead_segments, 0);
	}
	packed.data_blocks = packed.valid_blocks = (uint64_t)(20000 - packed.meta_segments - large) * 512;
	assert_int_equal(stage_plan(&packed, 20000, steps, &count, &missing, &room), STAGE_NO_ROOM);
	assert_true(missing > 0);
}

/* Sizes at which the areas change their shape. */
static void borders(void **state)
{
	static const struct {
		uint32_t gib;
		int payload; /* the SIT's bitmap no longer fits beside the NAT's */
	} rows[] = { { 110, 0 },  { 111, 0 },  { 247, 0 },  { 249, 0 },
		     { 1024, 0 }, { 3000, 0 }, { 3300, 1 }, { 16000, 1 } };
	struct stage_volume small = made(1023, 1, 0, 20000, 500);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct f2fs_layout layout;
		const uint32_t areas = stage_areas(&small, rows[i].gib * 512 - 1, &layout);

		assert_true(areas > 0);
		assert_int_equal(layout.geometry.cp_payload > 0, rows[i].payload);
		assert_true(192 + layout.nat_bitmap_bytes + (rows[i].payload ? 0 : layout.sit_bitmap_bytes) <= 4092);
		assert_true(layout.geometry.sit_blocks * 55 >= layout.geometry.segment_count_main);
		assert_true(layout.geometry.segment_count_ssa * 512 >= layout.geometry.segment_count_main);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growing_is_as_brute_force_says),
		cmocka_unit_test(minimum_is_the_first_that_holds),
		cmocka_unit_test(large_tables_are_given_back),
		cmocka_unit_test(growing_keeps_a_large_nat),
		cmocka_unit_test(packed_summaries_need_room),
		cmocka_unit_test(borders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
