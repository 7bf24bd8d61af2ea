/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sizes and numbers of the command line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/size.h"

#define NO_SIZE 0xDEADu

static uint64_t size_of(const char *text)
{
	uint64_t bytes = NO_SIZE;
	const char *why = cli_parse_size(text, 512, 4096, &bytes);

	assert_true((why != NULL) == (bytes == NO_SIZE));
	return bytes;
}

static void test_size(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "0", 0 },
		{ "7", 7 * 512 },
		{ "0x10", 16 * 512 },
		{ "7s", 7 * 4096 },
		{ "7B", 7 },
		{ "4k", 4096 },
		{ "4K", 4096 },
		{ "4KiB", 4096 },
		{ "4kib", 4096 },
		{ "4kB", 4000 },
		{ "4KB", 4000 },
		{ "64M", 64u << 20 },
		{ "2G", 2ull << 30 },
		{ "15T", 15ull << 40 },
		{ "1P", 1ull << 50 },
		{ "1TB", 1000000000000 },
		{ "1.5G", 1536ull << 20 },
		{ "0.125K", 128 },
		{ "1.001kB", 1001 },
		{ "16383P", 16383ull << 50 },
		{ "36028797018963967", 36028797018963967ull * 512 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(size_of(rows[i].text), rows[i].bytes);
}

static void test_bad_size(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"-1",
		" 1",
		"1 ",
		"1 G",
		"12q",
		"1Kx",
		"1KiBs",
		"1.5",
		"1.5s",
		"1.5B",
		"1.G",
		".5G",
		"1..5G",
		"1.5.5G",
		"16384P",
		"18446744073709551616",
		"99999999999999999999999G",
		"36028797018963968",
		"0x",
		"0x1G",
		"0xG",
		"1e3",
		"1.0000000001G",
		"G",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (size_of(texts[i]) != NO_SIZE)
			fail_msg("'%s' was taken for a size", texts[i]);
}

static void test_numbers(void **state)
{
	uint64_t u = 5;
	uint32_t w = 5;
	int64_t s = 5;
	double d = 5;

	(void)state;
	assert_null(cli_parse_u64("18446744073709551615", 0, UINT64_MAX, &u));
	assert_true(u == UINT64_MAX);
	assert_null(cli_parse_u64("0xFf", 0, 255, &u));
	assert_int_equal(u, 255);
	assert_non_null(cli_parse_u64("0xFf", 0, 254, &u));
	assert_non_null(cli_parse_u64("1", 2, 3, &u));
	assert_non_null(cli_parse_u64("1x", 0, 30, &u));
	assert_non_null(cli_parse_u64("", 0, 30, &u));
	assert_int_equal(u, 255);
	assert_null(cli_parse_u32("4294967295", 0, UINT32_MAX, &w));
	assert_int_equal(w, UINT32_MAX);
	assert_non_null(cli_parse_u32("4294967296", 0, UINT32_MAX, &w));
	assert_null(cli_parse_s64("-9223372036854775807", &s));
	assert_true(s == -INT64_MAX);
	assert_null(cli_parse_s64("+3", &s));
	assert_int_equal(s, 3);
	assert_non_null(cli_parse_s64("9223372036854775808", &s));
	assert_non_null(cli_parse_s64("--3", &s));
	assert_null(cli_parse_fraction("12.5", &d));
	assert_true(d == 12.5);
	assert_non_null(cli_parse_fraction("nan", &d));
	assert_non_null(cli_parse_fraction("1e400", &d));
	assert_non_null(cli_parse_fraction("1.2.3", &d));
	assert_non_null(cli_parse_fraction("", &d));
	assert_non_null(cli_parse_fraction(".", &d));
	assert_true(d == 12.5);
}

static void test_format(void **state)
{
	char buffer[24];

	(void)state;
	assert_string_equal(cli_format_size(0, buffer), "0 B");
	assert_string_equal(cli_format_size(1023, buffer), "1023 B");
	assert_string_equal(cli_format_size(1024, buffer), "1 KiB");
	assert_string_equal(cli_format_size(1536ull << 20, buffer), "1.5 GiB");
	assert_string_equal(cli_format_size(UINT64_MAX, buffer), "16.0 EiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_bad_size),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
