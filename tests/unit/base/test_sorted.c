/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searches in sorted arrays against a look at every item: all lengths, repeated items, keys between and outside. */
#include "base/sorted.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST 9u

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The items are the even numbers of the set bits: 2, 4, ...; some of them twice. */
static size_t fill(uint32_t *items, unsigned bits, unsigned twice)
{
	size_t count = 0;

	for (unsigned i = 0; i < MOST; i++)
		for (unsigned n = bits >> i & 1 ? 1 + (twice >> i & 1) : 0; n > 0; n--)
			items[count++] = 2 * i + 2;
	return count;
}

static void agrees_with_a_scan(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 1u << MOST; bits++) {
		uint32_t items[2 * MOST];
		const size_t count = fill(items, bits, bits * 7);
		struct vec v = { .items = items, .count = count, .item_size = sizeof(items[0]) };

		for (uint32_t key = 0; key < 2 * MOST + 4; key++) {
			size_t first = 0, after = 0;

			while (first < count && items[first] < key)
				first++;
			while (after < count && items[after] <= key)
				after++;
			assert_int_equal(sorted_first(items, count, sizeof(key), compare, &key), first);
			assert_int_equal(sorted_last(items, count, sizeof(key), compare, &key), after ? after - 1 : 0);
			assert_int_equal(vec_first(&v, compare, &key), first);
			assert_int_equal(vec_last(&v, compare, &key), after ? after - 1 : 0);
			assert_ptr_equal(vec_find(&v, compare, &key), first < after ? &items[first] : NULL);
		}
	}
}

static void empty_array_without_memory(void **state)
{
	const uint32_t key = 1;

	(void)state;
	assert_int_equal(sorted_first(NULL, 0, sizeof(key), compare, &key), 0);
	assert_int_equal(sorted_last(NULL, 0, sizeof(key), compare, &key), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_a_scan),
					    cmocka_unit_test(empty_array_without_memory) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
