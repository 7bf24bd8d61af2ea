/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cleaning policies: the table of them, and the order that each gives to sections that differ in one respect. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <f2fskit/gc.h>

#include "gc/policies.h"
#include "gc/policy.h"

#define DAY (24u * 60 * 60)

static void every_policy_has_a_name(void **state)
{
	unsigned n = 0;

	(void)state;
	for (; f2fs_gc_policy_name(n); n++) {
		assert_int_equal(f2fs_gc_policy_find(f2fs_gc_policy_name(n)), (int)n);
		assert_true(strlen(f2fs_gc_policy_text(n)) > 0);
		assert_non_null(gc_policy_get(n));
	}
	assert_true(n > F2FS_GC_HOTNESS);
	assert_null(f2fs_gc_policy_text(n));
	assert_null(gc_policy_get(n));
	assert_int_equal(f2fs_gc_policy_find("age-threshold"), F2FS_GC_AGE);
	assert_int_equal(f2fs_gc_policy_find("newest"), -1);
}

/* Which section is cleaned first, of n; how many are chosen at all. */
static uint32_t first_of(unsigned policy, const struct gc_candidate *list, size_t n, size_t *chosen)
{
	const struct gc_view view = {
		.now = 30 * DAY, .min_mtime = 0, .max_mtime = 30 * DAY, .segments = 1, .blocks = 512
	};
	struct gc_candidate copy[8];

	memcpy(copy, list, n * sizeof(*list));
	*chosen = gc_policy_sort(gc_policy_get(policy), &view, copy, n);
	return copy[0].section;
}

static void the_emptiest_comes_first(void **state)
{
	const struct gc_candidate list[] = { { .section = 1, .valid = 300, .mtime = DAY },
						{ .section = 2, .valid = 200, .mtime = DAY },
						{ .section = 3, .valid = 400, .mtime = DAY } };
	size_t chosen;

	(void)state;
	assert_int_equal(first_of(F2FS_GC_GREEDY, list, 3, &chosen), 2);
	assert_int_equal(first_of(F2FS_GC_COST_BENEFIT, list, 3, &chosen), 2);
	assert_int_equal(first_of(F2FS_GC_AGE, list, 1, &chosen), 1);
	assert_int_equal(chosen, 0); /* none is older than another */
}

static void age_counts_where_it_should(void **state)
{
	const struct gc_candidate list[] = { { .section = 1, .valid = 100, .mtime = 29 * DAY },
						{ .section = 2, .valid = 120, .mtime = 2 * DAY },
						{ .section = 3, .valid = 100, .mtime = 24 * DAY } };
	size_t chosen;

	(void)state;
	assert_int_equal(first_of(F2FS_GC_GREEDY, list, 3, &chosen), 3); /* as empty as 1, but older */
	assert_int_equal(chosen, 3);
	assert_int_equal(first_of(F2FS_GC_COST_BENEFIT, list, 3, &chosen), 2);
	assert_int_equal(first_of(F2FS_GC_AGE, list, 3, &chosen), 2);
	assert_int_equal(chosen, 1); /* section 3 is not a week older than section 1 */
}

/* By a placement's heat age counts as in cost-benefit; by mtime a nearly full section is not worth its age. */
static void hotness_goes_by_what_is_said(void **state)
{
	const struct gc_candidate list[] = { { .section = 1, .valid = 480, .heat = 0 },
						{ .section = 2, .valid = 300, .heat = 28 * DAY },
						{ .section = 3, .valid = 300, .heat = 30 * DAY } };
	struct gc_view view = { .segments = 1, .blocks = 512 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct gc_candidate copy[3];

		memcpy(copy, list, sizeof(list));
		view.has_heat = i == 1;
		assert_int_equal(gc_policy_sort(gc_policy_get(F2FS_GC_HOTNESS), &view, copy, 3), 3);
		assert_int_equal(copy[0].section, view.has_heat ? 1 : 2);
		assert_int_equal(copy[2].section, 3);
	}
}

/* Times that a damaged SIT may have, and sections that are all of one age. */
static void any_heat_is_put_in_order(void **state)
{
	const uint64_t youngest[] = { UINT64_MAX, UINT64_C(1) << 33, UINT32_MAX, 2, 0 };
	const struct gc_view view = { .segments = 1, .blocks = 512 };

	(void)state;
	for (unsigned i = 0; i < sizeof(youngest) / sizeof(youngest[0]); i++) {
		struct gc_candidate list[] = { { .section = 1, .valid = 300, .mtime = 9, .heat = youngest[i] },
						  { .section = 2, .valid = 300, .mtime = 9, .heat = youngest[i] / 2 },
						  { .section = 3, .valid = 300, .mtime = 9, .heat = 0 },
						  { .section = 4, .valid = 1, .mtime = 9, .heat = 0 } };

		assert_int_equal(gc_policy_sort(gc_policy_get(F2FS_GC_HOTNESS), &view, list, 4), 4);
		assert_int_equal(list[0].section, 4);
		assert_int_equal(list[3].section, youngest[i] ? 1 : 3);
	}
}

static double told(void *user, const struct f2fs_gc_section *section)
{
	const double *costs = user;

	assert_int_equal(section->blocks, 512);
	assert_int_equal(section->mtime, section->section * DAY);
	return costs[section->section];
}

/* Whatever number the host gives: those that are none, and infinity, are not cleaned; equal ones by age. */
static void costs_of_the_host_are_put_in_order(void **state)
{
	double costs[] = { 1e308, -1e308, (double)NAN, 0.0, -0.0, -(double)INFINITY, (double)INFINITY, 1e-310, -5, 5 };
	const uint32_t expected[] = { 5, 1, 8, 3, 4, 7, 9, 0 };
	struct gc_candidate list[10];
	struct gc_view view = { .segments = 1, .blocks = 512, .cost = told, .user = costs };

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		list[i] = (struct gc_candidate){ .section = i, .valid = 1, .mtime = i * DAY };
	assert_int_equal(gc_policy_sort(&gc_policy_own, &view, list, 10), 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(list[i].section, expected[i]);
}

static void nothing_to_clean_is_no_error(void **state)
{
	const struct gc_view view = { .segments = 1, .blocks = 512 };

	(void)state;
	for (unsigned i = 0; gc_policy_get(i); i++)
		assert_int_equal(gc_policy_sort(gc_policy_get(i), &view, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy_has_a_name),
		cmocka_unit_test(the_emptiest_comes_first),
		cmocka_unit_test(age_counts_where_it_should),
		cmocka_unit_test(hotness_goes_by_what_is_said),
		cmocka_unit_test(any_heat_is_put_in_order),
		cmocka_unit_test(costs_of_the_host_are_put_in_order),
		cmocka_unit_test(nothing_to_clean_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
