/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of dump.f2fs about the zones of a device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "dump/classic_zones.h"

enum { MIB = 1 << 20 };

static void expect_lines(struct f2fs_device *dev, const char *expected)
{
	FILE *file = tmpfile();
	char text[400];
	size_t n;

	assert_non_null(file);
	classic_zones(file, dev, 4096);
	rewind(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void test_lines(void **state)
{
	struct f2fs_zone_options options = { F2FS_SIZED(f2fs_zone_options), .zone_bytes = 2 * MIB, .capacity = MIB,
					     .conventional = 3 };
	struct f2fs_context *ctx;
	struct f2fs_device *memory, *zoned;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, (uint64_t)300 * MIB, &memory), 0);
	assert_int_equal(f2fs_device_open_zoned(memory, &options, &zoned), 0);
	expect_lines(memory, "");
	expect_lines(zoned, "Info: Host-managed zoned block device:\n"
			    "      150 zones, 2097152 zone size(bytes), 3 randomly writeable zones\n"
			    "      512 blocks per zone\n");
	f2fs_device_close(zoned);
	f2fs_device_close(memory);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
