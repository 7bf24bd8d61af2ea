/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8: every code point there and back; every two- and three-byte string judged; the limits of four bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void test_round_trip(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		uint8_t seq[UTF8_MAX];
		uint32_t back = 0xFFFFFFFF;
		size_t n;

		if (cp == 0xD800)
			cp = 0xE000;
		n = utf8_encode(cp, seq);
		if (utf8_decode(seq, n, &back) != n || back != cp)
			fail_msg("code point %X", (unsigned int)cp);
		for (size_t cut = 0; cut < n; cut++)
			if (utf8_decode(seq, cut, &back) != 0)
				fail_msg("code point %X cut to %zu", (unsigned int)cp, cut);
	}
}

/*
 * Of all strings of @n bytes, exactly as many are one sequence of that length
 * as there are code points of that length; no two give the same one (round
 * trip), so counting is enough.
 */
static uint32_t count_sequences(size_t n, uint32_t first, uint32_t last)
{
	uint32_t count = 0;

	for (uint32_t bits = first; bits <= last; bits++) {
		uint8_t seq[UTF8_MAX], again[UTF8_MAX];
		uint32_t cp;
		size_t len;

		for (size_t i = 0; i < n; i++)
			seq[i] = (uint8_t)(bits >> (8 * (n - 1 - i)));
		len = utf8_decode(seq, n, &cp);
		if (len == 0)
			continue;
		/* of these bytes, or of the first ones */
		assert_int_equal(utf8_encode(cp, again), len);
		assert_memory_equal(seq, again, len);
		count += len == n;
	}
	return count;
}

static void test_nothing_else_is_valid(void **state)
{
	(void)state;
	assert_int_equal(count_sequences(1, 0, 0xFF), 0x80);
	assert_int_equal(count_sequences(2, 0, 0xFFFF), 0x800 - 0x80);
	assert_int_equal(count_sequences(3, 0xE00000, 0xEFFFFF), 0x10000 - 0x800 - 0x800);
	assert_int_equal(count_sequences(4, 0xF0800000, 0xF08FFFFF), 0);
	assert_int_equal(count_sequences(4, 0xF48F0000, 0xF490FFFF), 0x1000);
	assert_int_equal(count_sequences(4, 0xF5808000, 0xF58FFFFF), 0);
}

static void test_is_valid(void **state)
{
	(void)state;
	assert_true(utf8_is_valid(NULL, 0));
	assert_true(utf8_is_valid((const uint8_t *)"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10));
	assert_false(utf8_is_valid((const uint8_t *)"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9));
	assert_false(utf8_is_valid((const uint8_t *)"a\x80", 2));
	assert_false(utf8_is_valid((const uint8_t *)"\xED\xA0\x80", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nothing_else_is_valid),
		cmocka_unit_test(test_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
