/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segment table of a transaction: which segment a log takes next, bars, and counts of free segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/gc.h>
#include <f2fskit/hotness.h>

#include "base/bitmap.h"
#include "common/fresh.h"
#include "log/free_sections.h"
#include "log/heads.h"
#include "log/run.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/txn.h"

#define MIB (1u << 20)

static struct fresh v;
static struct txn *txn;

static void begin(uint64_t size, uint32_t segs_per_sec)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .segs_per_sec = segs_per_sec };

	fresh_open_with(&v, size, &options);
	assert_int_equal(txn_begin(v.vol, NULL), 0);
	txn = v.vol->txn;
}

static void end(void)
{
	txn_drop(v.vol);
	fresh_close(&v);
}

/* Counted by hand. */
static uint32_t count_free(void)
{
	uint32_t n = 0;

	for (f2fs_seg_t i = 0; i < v.vol->geo.segment_count_main; i++) {
		struct segment *s;

		assert_int_equal(segment_get(txn, i, &s), 0);
		n += s->valid == 0 && s->ckpt_valid == 0 && !s->is_barred && !segment_is_current(txn, i);
	}
	return n;
}

/* Fill the first n blocks of a segment, as the last checkpoint has it, too. */
static struct segment *use(f2fs_seg_t segno, unsigned type, uint32_t n)
{
	const f2fs_blk_t start = geometry_segment_start(&v.vol->geo, segno);
	struct segment *s;

	assert_int_equal(segment_get(txn, segno, &s), 0);
	if (segment_is_free(s))
		txn->free_segments--;
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(segment_mark(txn, start + i, true), 0);
	memcpy(s->ckpt, s->cur, sizeof(s->ckpt));
	s->ckpt_valid = s->valid;
	s->type = (uint8_t)type;
	return s;
}

static void free_segments_are_counted(void **state)
{
	f2fs_seg_t segno;
	uint8_t alloc_type;
	uint32_t before;

	(void)state;
	begin(128 * MIB, 1);
	before = count_free();
	assert_int_equal(txn->free_segments, before);
	assert_int_equal(segment_choose(txn, F2FS_WARM_DATA, txn->heads[F2FS_WARM_DATA].segno, &segno, &alloc_type), 0);
	assert_int_equal(alloc_type, 0);
	assert_int_equal(txn->free_segments, before);
	/* the log that enters it takes it off the count */
	assert_int_equal(head_leave(txn, F2FS_WARM_DATA), 0);
	assert_int_equal(txn->heads[F2FS_WARM_DATA].segno, segno);
	assert_int_equal(txn->free_segments, before - 1);
	end();
}

static void barred_segments_are_left_alone(void **state)
{
	const f2fs_seg_t last = (begin(128 * MIB, 1), v.vol->geo.segment_count_main);
	const uint32_t before = count_free();
	f2fs_seg_t open = last, segno;
	uint8_t alloc_type;

	(void)state;
	/* all but one: every log gets that one, or nothing */
	for (f2fs_seg_t i = 0; i < last; i++) {
		bool is_free;

		assert_int_equal(segment_section_is_free(txn, i, &is_free), 0);
		if (is_free)
			open = i;
	}
	assert_int_equal(segments_bar(txn, 0, open), 0);
	assert_int_equal(segments_bar(txn, open + 1, last), 0);
	assert_int_equal(txn->free_segments, count_free());
	assert_int_equal(txn->free_segments, 1);
	/* again: nothing changes */
	assert_int_equal(segments_bar(txn, 0, open), 0);
	assert_int_equal(txn->free_segments, 1);
	txn->is_committing = true; /* so that the last section is not kept from data */
	assert_int_equal(segment_choose(txn, F2FS_COLD_DATA, txn->heads[F2FS_COLD_DATA].segno, &segno, &alloc_type), 0);
	assert_int_equal(segno, open);
	use(open, F2FS_COLD_DATA, 1);
	assert_int_equal(segments_bar(txn, open, open + 1), 0);
	assert_int_equal(segment_choose(txn, F2FS_COLD_DATA, txn->heads[F2FS_COLD_DATA].segno, &segno, &alloc_type),
			 F2FS_ERR_NOSPC);
	assert_int_equal(segments_unbar(txn, 0, last), 0);
	assert_int_equal(txn->free_segments, count_free());
	assert_int_equal(count_free(), before - 1);
	end();
}

static void holes_are_not_filled_behind_a_bar(void **state)
{
	f2fs_seg_t segno;
	uint8_t alloc_type;

	(void)state;
	begin(128 * MIB, 1);
	use(20, F2FS_WARM_DATA, 10);
	use(21, F2FS_WARM_DATA, 100);
	use(22, F2FS_HOT_DATA, 1);
	use(23, F2FS_WARM_NODE, 1);
	use(24, F2FS_WARM_DATA, 512);
	txn->vol->write.low_sections = 100; /* holes first */
	txn->heads[F2FS_WARM_DATA].alloc_type = 1;
	assert_int_equal(segment_choose(txn, F2FS_WARM_DATA, 0, &segno, &alloc_type), 0);
	assert_int_equal(alloc_type, 1);
	assert_int_equal(segno, 20); /* the emptiest of its type */
	assert_int_equal(segments_bar(txn, 20, 21), 0);
	assert_int_equal(segment_choose(txn, F2FS_WARM_DATA, 0, &segno, &alloc_type), 0);
	assert_int_equal(segno, 21);
	assert_int_equal(segments_bar(txn, 21, 22), 0);
	assert_int_equal(segment_choose(txn, F2FS_WARM_DATA, 0, &segno, &alloc_type), 0);
	assert_int_equal(segno, 22); /* another type of data, never nodes */
	assert_int_equal(segments_bar(txn, 22, 23), 0);
	assert_int_equal(segment_choose(txn, F2FS_WARM_DATA, 0, &segno, &alloc_type), 0);
	assert_int_equal(alloc_type, 0); /* nothing with holes: a free one */
	end();
}

/* Blocks in use in the emptiest segment of a type, else of all with data, but for one; F2FS_SEGMENT_BLOCKS: none. */
static uint32_t emptiest(unsigned type, f2fs_seg_t but, f2fs_seg_t *segno)
{
	uint32_t best[2] = { F2FS_SEGMENT_BLOCKS, F2FS_SEGMENT_BLOCKS };
	f2fs_seg_t where[2] = { 0, 0 };

	for (f2fs_seg_t i = 0; i < v.vol->geo.segment_count_main; i++) {
		struct segment *s;
		unsigned same;

		assert_int_equal(segment_get(txn, i, &s), 0);
		same = s->type == type;
		if (segment_is_free(s) || s->type >= F2FS_HOT_NODE || segment_is_current(txn, i) || i == but ||
		    s->valid >= best[same])
			continue;
		best[same] = s->valid;
		where[same] = i;
	}
	*segno = where[best[1] < F2FS_SEGMENT_BLOCKS];
	return best[1] < F2FS_SEGMENT_BLOCKS ? best[1] : best[0];
}

static void fill_to(f2fs_seg_t segno, uint32_t blocks)
{
	const f2fs_blk_t start = geometry_segment_start(&v.vol->geo, segno);
	struct segment *s;

	assert_int_equal(segment_get(txn, segno, &s), 0);
	while (s->valid < blocks)
		assert_int_equal(segment_mark(txn, start + segment_next_hole(s, 0), true), 0);
}

/* Logs of two types fill segments until there are no holes: each time the emptiest is chosen, at the end the one that
 * was only filled in part. */
static void emptiest_segments_come_first(void **state)
{
	f2fs_seg_t part = UINT32_MAX, want, segno;
	uint32_t random = 1, chosen = 0;
	bool found;

	(void)state;
	begin(256 * MIB, 1);
	for (f2fs_seg_t i = 10; i < 60; i++, random = random * 1103515245 + 12345)
		use(i, (random >> 16) % 3, 1 + (random >> 20) % 511);
	for (;; chosen++) {
		const unsigned type = chosen % 2 ? F2FS_WARM_DATA : F2FS_COLD_DATA;
		const uint32_t used = emptiest(type, part, &want);

		assert_int_equal(segment_choose_holes(txn, type, &segno, &found), 0);
		assert_true(found);
		if (used == F2FS_SEGMENT_BLOCKS)
			break;
		assert_int_equal(segno, want);
		if (chosen == 0)
			part = segno;
		fill_to(segno, chosen == 0 ? used + 1 : F2FS_SEGMENT_BLOCKS);
	}
	assert_int_equal(segno, part);
	assert_in_range(chosen, 40, 60);
	fill_to(part, F2FS_SEGMENT_BLOCKS);
	assert_int_equal(segment_choose_holes(txn, F2FS_WARM_DATA, &segno, &found), 0);
	assert_false(found);
	end();
}

static void what_can_be_written_to_is_seen(void **state)
{
	struct space_view before, view;
	uint32_t sections;

	(void)state;
	begin(128 * MIB, 2);
	assert_int_equal(space_look(txn, &before), 0);
	for (uint32_t i = sections = 0; i < v.vol->geo.section_count; i++) {
		bool is_free;

		assert_int_equal(segment_section_is_free(txn, i, &is_free), 0);
		sections += is_free;
	}
	assert_int_equal(before.free_sections, sections);
	use(20, F2FS_COLD_DATA, 100); /* one segment of two: the section is free no more */
	use(22, F2FS_COLD_NODE, 500);
	assert_int_equal(space_look(txn, &view), 0);
	assert_int_equal(view.free_sections, sections - 2);
	assert_int_equal(view.data_holes, before.data_holes + 412);
	assert_int_equal(view.node_holes, before.node_holes + 12);
	assert_int_equal(segments_bar(txn, 20, 22), 0);
	assert_int_equal(space_look(txn, &view), 0);
	assert_int_equal(view.data_holes, before.data_holes);
	/* blocks that the checkpoint has are no holes, though they are free by now */
	assert_int_equal(segments_unbar(txn, 20, 22), 0);
	assert_int_equal(segment_mark(txn, geometry_segment_start(&v.vol->geo, 20), false), 0);
	assert_int_equal(space_look(txn, &view), 0);
	assert_int_equal(view.data_holes, before.data_holes + 412);
	assert_int_equal(txn->freed, 1);
	end();
}

static void what_is_held_is_not_handed_out(void **state)
{
	struct segment *s;

	(void)state;
	begin(128 * MIB, 1);
	s = use(20, F2FS_WARM_DATA, 10);
	segment_hold_all(txn);
	assert_int_equal(segment_mark(txn, geometry_segment_start(&v.vol->geo, 20) + 10, true), 0);
	assert_int_equal(s->ckpt_valid, 11);
	for (uint32_t i = 0; i < 11; i++)
		assert_int_equal(segment_mark(txn, geometry_segment_start(&v.vol->geo, 20) + i, false), 0);
	assert_int_equal(s->valid, 0);
	assert_false(segment_is_free(s));
	/* twice is damage */
	assert_int_equal(segment_mark(txn, geometry_segment_start(&v.vol->geo, 20), false), F2FS_ERR_CORRUPT);
	end();
}

/* A transaction on a zoned volume with a placement reads the part of the SIT that has the free sections it needs. */
static void sections_are_counted_as_far_as_needed(void **state)
{
	const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = 4 * MIB,
						 .conventional = 64 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };
	const struct f2fs_gc_options gc = { F2FS_SIZED(f2fs_gc_options) };
	const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
						       .method = F2FS_HOTNESS_ADAPTIVE };
	static uint8_t block[4096];
	struct f2fs_hotness *hot;
	struct f2fs_inode *inode;
	uint32_t count, all, blocks = 0;

	(void)state;
	fresh_open_zoned(&v, 4096ull * MIB, &options, &zones);
	fresh_need(&v, f2fs_volume_set_gc(v.vol, &gc), "gc");
	fresh_need(&v, f2fs_hotness_open(v.vol, &adaptive, &hot), "placement");
	inode = fresh_make(&v, "file", 0100644);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	fresh_need(&v, f2fs_inode_write(inode, 0, block, sizeof(block)), "write");
	txn = v.vol->txn;
	for (uint32_t k = 0; k < v.vol->geo.sit_blocks_used; k++)
		blocks += txn->chunks[k] != NULL;
	assert_true(v.vol->geo.segs_per_sec == 2 && v.vol->geo.sit_blocks_used > 30);
	assert_in_range(blocks, 1, 12);
	/* it stops one past the number asked for, and counts all if there are no more */
	assert_int_equal(sections_count_free(txn, 10, &count), 0);
	assert_int_equal(count, 11);
	assert_int_equal(sections_count_free(txn, UINT32_MAX, &all), 0);
	assert_in_range(all, 900, v.vol->geo.section_count);
	assert_int_equal(sections_count_free(txn, all, &count), 0);
	assert_int_equal(count, all);
	f2fs_inode_close(inode);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_segments_are_counted),
		cmocka_unit_test(barred_segments_are_left_alone),
		cmocka_unit_test(holes_are_not_filled_behind_a_bar),
		cmocka_unit_test(emptiest_segments_come_first),
		cmocka_unit_test(what_can_be_written_to_is_seen),
		cmocka_unit_test(what_is_held_is_not_handed_out),
		cmocka_unit_test(sections_are_counted_as_far_as_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
