/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare counts of set bits with counts of single ones, at each length and alignment of a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bitmap.h"

static void counts_are_those_of_single_bits(void **state)
{
	uint8_t map[80];
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(map); i++) {
		seed = seed * 1664525u + 1013904223u;
		map[i] = (uint8_t)(seed >> 24);
	}
	for (size_t start = 0; start < 8; start++)
		for (size_t n = 0; start + n <= sizeof(map); n++) {
			uint32_t bits = 0;

			for (size_t bit = start * 8; bit < (start + n) * 8; bit++)
				bits += lsb_test(map, bit);
			assert_int_equal(bitmap_popcount(map + start, n), bits);
		}
	assert_int_equal(word_popcount(UINT64_MAX), 64);
	assert_int_equal(word_popcount(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counts_are_those_of_single_bits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
