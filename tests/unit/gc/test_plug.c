/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hole plugging: the order of segments with holes, and what they and the log cost, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gc/plug.h"
#include "gc/policy.h"

static void the_fullest_come_last(void **state)
{
	struct age_segment list[] = { { .segno = 4, .used = 300 }, { .segno = 5, .used = 511 },
				      { .segno = 6, .used = 1 }, { .segno = 7, .used = 511 } };
	static const uint32_t expected[] = { 6, 4, 7, 5 };
	struct age_targets targets = { .list = list, .count = 4 }, none = { 0 };

	(void)state;
	plug_sort(&targets);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(list[i].segno, expected[i]);
	plug_sort(&none);
	assert_int_equal(none.count, 0);
}

/*
 * Sections of 512 blocks, 10 blocks for a request. A victim that is half full costs the log 522 + 256 + 10, and wins
 * 256. Holes cost 522 + 256, and 10 for each run, and win 512.
 */
static void costs_are_as_worked_out(void **state)
{
	static const struct gc_candidate list[] = { { .section = 1, .valid = 256 }, { .section = 2, .valid = 256 },
						    { .section = 3, .valid = 384 }, { .section = 4, .valid = 384 } };
	static const struct gc_candidate empty_first[] = { { .section = 1, .valid = 12 },
							   { .section = 2, .valid = 500 } };
	const struct plug_view one = { 512, 1, 10 }, two = { 512, 2, 10 }, free_requests = { 512, 1, 0 };

	(void)state;
	assert_int_equal(plug_cost_by_log(&one, list, 4), 2 * 788);
	assert_int_equal(plug_cost_by_holes(&one, list, 4, 79), 778 + 790);
	/* 512 won by the first two, 256 by the others: they do not reach two sections */
	assert_true(plug_cost_by_log(&two, list, 4) == UINT64_MAX);
	assert_int_equal(plug_cost_by_holes(&two, list, 4, 100), 2 * 778 + 1000);
	assert_true(plug_cost_by_holes(&two, list, 1, 100) == UINT64_MAX);
	assert_true(plug_cost_by_log(&one, list, 1) == UINT64_MAX);
	/* of the last victim a part counts: all of it here, and a quarter below */
	assert_int_equal(plug_cost_by_log(&one, empty_first, 2), 544 + 1032);
	assert_int_equal(plug_cost_by_log(&(struct plug_view){ 512, 1, 10 },
					  (struct gc_candidate[]){ { .valid = 32 }, { .valid = 384 } }, 2),
			 564 + 916 / 4);
	/* without a cost of requests holes always win */
	assert_true(plug_cost_by_holes(&free_requests, list, 4, 512) < plug_cost_by_log(&free_requests, list, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fullest_come_last),
		cmocka_unit_test(costs_are_as_worked_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
