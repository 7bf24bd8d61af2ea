/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segment table of a transaction: which segment a log takes next, bars, and counts of what is free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "common/fresh.h"
#include "log/log.h"

#define MIB (1u << 20)

static struct fresh v;
static struct txn *txn;

static void begin(uint64_t size, uint32_t segs_per_sec)
{
	const struct f2fs_mkfs_options options = { .segs_per_sec = segs_per_sec };

	fresh_open_with(&v, size, &options);
	assert_int_equal(txn_begin(v.vol), 0);
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
	/* the segment that was chosen first was used without telling the log */
	assert_int_equal(txn->free_segments, count_free() - 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_segments_are_counted),
		cmocka_unit_test(barred_segments_are_left_alone),
		cmocka_unit_test(holes_are_not_filled_behind_a_bar),
		cmocka_unit_test(what_can_be_written_to_is_seen),
		cmocka_unit_test(what_is_held_is_not_handed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
