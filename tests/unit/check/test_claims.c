/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Claims are listed whole segments at a time: many small windows give what one large one gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/check_open.h"
#include "common/seed.h"
#include "facts/claims.h"

/* Number, and a sum that depends on the order, of all claims on all segments. */
static int add_up(struct checker *c, uint32_t window, uint64_t *count, uint64_t *sum, unsigned *windows)
{
	f2fs_seg_t from = 0;
	int err = 0;

	*count = *sum = *windows = 0;
	c->max_claims = window;
	while (from < c->geo->segment_count_main && !err) {
		const f2fs_seg_t first = from;
		struct vec claims;

		err = claims_collect(c, SEG_SUMMARY, &from, &claims);
		++*windows;
		for (size_t i = 0; i < claims.count; i++) {
			const struct claim *claim = vec_at(&claims, i);
			const f2fs_seg_t segno = geometry_segment_of(c->geo, claim->addr);

			assert_true(segno >= first && segno < from);
			*sum = *sum * 31 + claim->addr + claim->nid + claim->slot;
			++*count;
		}
		vec_fini(&claims);
	}
	return err;
}

static void compare_windows(struct checker *c)
{
	uint64_t whole, whole_sum, parts, parts_sum;
	unsigned windows;

	for (size_t i = 0; i < c->facts.segs.count; i++)
		((struct seg_fact *)vec_at(&c->facts.segs, i))->flags |= SEG_SUMMARY;
	assert_int_equal(add_up(c, 0, &whole, &whole_sum, &windows), 0);
	assert_int_equal(windows, 1);
	assert_true(whole > 10);
	assert_int_equal(add_up(c, F2FS_SEGMENT_BLOCKS, &parts, &parts_sum, &windows), 0);
	assert_true(windows > 3);
	assert_true(parts == whole && parts_sum == whole_sum);
}

static void windows_give_all(void **state)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	const struct check_run run = { .options = &options, .mode = F2FS_MODE_TOLERANT };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct checker *c;
	struct seed seed;

	(void)state;
	seed_load(&seed, "plain");
	assert_int_equal(check_open(seed.ctx, seed.dev, &run, &result, &c), 0);
	compare_windows(c);
	check_close(seed.ctx, c, 0);
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(windows_give_all) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
