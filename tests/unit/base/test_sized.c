/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs that carry their size: what callers of older and newer versions get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/sized.h"

struct version1 {
	uint32_t struct_size;
	uint32_t a;
};
struct version2 {
	uint32_t struct_size;
	uint32_t a;
	uint64_t b;
};

static struct f2fs_context *ctx;

static int set_up(void **state)
{
	(void)state;
	return f2fs_context_open(NULL, &ctx);
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_context_close(ctx);
	return 0;
}

static void test_options(void **state)
{
	const struct version1 older = { F2FS_SIZED(version1), .a = 7 };
	const struct version2 same = { F2FS_SIZED(version2), .a = 8, .b = 9 };
	struct version2 own;

	(void)state;
	memset(&own, 0xEE, sizeof(own));
	assert_int_equal(sized_take(ctx, &own, sizeof(own), &older), 0);
	assert_int_equal(own.struct_size, sizeof(own));
	assert_int_equal(own.a, 7);
	assert_int_equal(own.b, 0);
	assert_int_equal(sized_take(ctx, &own, sizeof(own), &same), 0);
	assert_int_equal(own.a, 8);
	assert_int_equal(own.b, 9);
	assert_int_equal(sized_take(ctx, &own, sizeof(own), NULL), 0);
	assert_int_equal(own.struct_size, sizeof(own));
	assert_int_equal(own.a, 0);
	assert_int_equal(own.b, 0);
}

static void test_unknown(void **state)
{
	const struct version2 newer = { F2FS_SIZED(version2) };
	const struct version1 none = { .a = 1 };
	struct version1 own = { .a = 5 };

	(void)state;
	assert_int_equal(sized_take(ctx, &own, sizeof(own), &newer), F2FS_ERR_INVALID);
	assert_non_null(strstr(f2fs_context_error(ctx)->message, "older than the program"));
	assert_int_equal(sized_take(ctx, &own, sizeof(own), &none), F2FS_ERR_INVALID);
	assert_non_null(strstr(f2fs_context_error(ctx)->message, "F2FS_SIZED"));
	assert_int_equal(own.a, 5);
}

static void test_results(void **state)
{
	const struct version2 own = { .a = 3, .b = 4 };
	struct {
		struct version1 older;
		uint32_t behind;
	} given = { { F2FS_SIZED(version1), .a = 0 }, 0xEEEEEEEE };
	struct version2 same = { F2FS_SIZED(version2) }, unset = { .a = 6 };

	(void)state;
	assert_int_equal(sized_check(ctx, &given.older, sizeof(own)), 0);
	sized_give(&given.older, &own, sizeof(own));
	assert_int_equal(given.older.struct_size, sizeof(given.older));
	assert_int_equal(given.older.a, 3);
	assert_int_equal(given.behind, 0xEEEEEEEE);
	sized_give(&same, &own, sizeof(own));
	assert_int_equal(same.struct_size, sizeof(same));
	assert_int_equal(same.b, 4);
	assert_int_equal(sized_check(ctx, &unset, sizeof(own)), F2FS_ERR_INVALID);
	sized_give(&unset, &own, sizeof(own));
	assert_int_equal(unset.a, 6);
	assert_int_equal(sized_check(ctx, NULL, sizeof(own)), 0);
	sized_give(NULL, &own, sizeof(own));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
