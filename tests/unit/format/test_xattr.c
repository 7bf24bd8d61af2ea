/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walking the string of extended attributes, and the table of prefixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/flags.h"
#include "format/xattr.h"

#define AREA 200u
static uint8_t area[AREA];

/* Start an area; entries follow at 24. */
static void start_area(void)
{
	memset(area, 0, sizeof(area));
	put_le32(area, XATTR_MAGIC);
	put_le32(area + 4, 1);
}

/* Write one entry at *at and move past it. */
static void put_entry(uint32_t *at, uint8_t index, const char *name, const char *value)
{
	uint8_t *e = area + *at;
	size_t n = strlen(name), v = strlen(value);

	xentry_set_e_name_index(e, index);
	xentry_set_e_name_len(e, (uint8_t)n);
	xentry_set_e_value_size(e, (uint16_t)v);
	memcpy(e + 4, name, n);
	memcpy(e + 4 + n, value, v);
	*at += (uint32_t)(4 + n + v + 3) & ~3u;
}

/* The area of FORMAT files 7.4, as the kernel wrote it. */
static void area_of_the_kernel(void **state)
{
	static const uint8_t bytes[] = { 0x11, 0x20, 0xF5, 0xF2, 1,   0,   0,	0,   0,	  0,   0, 0, 0, 0,
					 0,    0,    0,	   0,	 0,   0,   0,	0,   0,	  0,   1, 5, 5, 0,
					 'c',  'o',  'l',  'o',	 'r', 'g', 'r', 'e', 'e', 'n', 0, 0, 0, 0 };
	struct xattr_ref ref;
	uint32_t at = 0;

	(void)state;
	memset(area, 0, sizeof(area));
	memcpy(area, bytes, sizeof(bytes));
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_FOUND);
	assert_int_equal(ref.offset, 24);
	assert_int_equal(ref.index, XATTR_USER);
	assert_int_equal(ref.name_len, 5);
	assert_memory_equal(ref.name, "color", 5);
	assert_int_equal(ref.value_size, 5);
	assert_memory_equal(ref.value, "green", 5);
	assert_int_equal(at, 40);
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_END);
}

static void areas_without_attributes(void **state)
{
	struct xattr_ref ref;
	uint32_t at = 0;

	(void)state;
	memset(area, 0, sizeof(area));
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_END);
	start_area();
	at = 0;
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_END);
	for (uint32_t size = 0; size < 28; size++) {
		at = 0;
		assert_int_equal(xattr_next(area, size, &at, &ref), XATTR_END);
	}
	/* without the magic number there is nothing, whatever follows */
	at = 24;
	put_entry(&at, XATTR_USER, "a", "b");
	area[0] = 0;
	at = 0;
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_END);
}

static void several_entries_up_to_the_very_end(void **state)
{
	struct xattr_ref ref;
	uint32_t at = 24, end;

	(void)state;
	start_area();
	put_entry(&at, XATTR_TRUSTED, "one", "");
	put_entry(&at, XATTR_ACL_ACCESS, "", "value of an ACL");
	put_entry(&at, XATTR_SECURITY, "selinux", "label");
	end = at;
	at = 0;
	assert_int_equal(xattr_next(area, end, &at, &ref), XATTR_FOUND);
	assert_int_equal(ref.index, XATTR_TRUSTED);
	assert_int_equal(ref.value_size, 0);
	assert_int_equal(xattr_next(area, end, &at, &ref), XATTR_FOUND);
	assert_int_equal(ref.name_len, 0);
	assert_int_equal(ref.value_size, 15);
	assert_int_equal(xattr_next(area, end, &at, &ref), XATTR_FOUND);
	assert_memory_equal(ref.name, "selinux", 7);
	/* the terminator would be outside */
	assert_int_equal(xattr_next(area, end, &at, &ref), XATTR_END);
	/* every shorter area ends before the entry, or names it as bad */
	for (uint32_t size = 48; size < end; size++) {
		enum xattr_scan found;

		at = 0;
		while ((found = xattr_next(area, size, &at, &ref)) == XATTR_FOUND)
			assert_true((size_t)(ref.value - area) + ref.value_size <= size);
		assert_true(found == XATTR_BAD || size - at < 4);
	}
}

static void entries_too_large_are_bad(void **state)
{
	struct xattr_ref ref;
	uint32_t at = 24;

	(void)state;
	start_area();
	put_entry(&at, XATTR_USER, "a", "b");
	xentry_set_e_value_size(area + 24, AREA - 24 - 4 - 1);
	at = 0;
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_FOUND);
	assert_int_equal(at, AREA);
	xentry_set_e_value_size(area + 24, AREA - 24 - 4);
	at = 0;
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_BAD);
	xentry_set_e_value_size(area + 24, 0xFFFF);
	at = 0;
	assert_int_equal(xattr_next(area, AREA, &at, &ref), XATTR_BAD);
}

static void random_areas_are_survived(void **state)
{
	(void)state;
	srand(5);
	for (unsigned round = 0; round < 20000; round++) {
		struct xattr_ref ref;
		uint32_t at = 0, size = (uint32_t)rand() % (AREA + 1), steps = 0;

		/* the sanitizers watch the end of the allocation */
		uint8_t *copy = malloc(size ? size : 1);

		assert_non_null(copy);
		start_area();
		for (unsigned i = 24; i < AREA; i++)
			area[i] = (uint8_t)(rand() % 4 ? rand() % 16 : rand());
		memcpy(copy, area, size);
		while (xattr_next(copy, size, &at, &ref) == XATTR_FOUND) {
			assert_true((size_t)(ref.value - copy) + ref.value_size <= size);
			assert_true(ref.name == copy + ref.offset + 4);
			assert_true(++steps <= AREA / 4);
		}
		free(copy);
	}
}

static void prefixes(void **state)
{
	static const struct {
		unsigned index;
		const char *prefix;
		bool has_name, is_internal;
	} rows[] = {
		{ 0, NULL, false, false },
		{ 1, "user.", true, false },
		{ 2, "system.posix_acl_access", false, false },
		{ 3, "system.posix_acl_default", false, false },
		{ 4, "trusted.", true, false },
		{ 6, "security.", true, false },
		{ 7, "system.advise", false, true },
		{ 8, NULL, false, false },
		{ 9, "encryption.", true, true },
		{ 11, "verity.", true, true },
		{ 255, NULL, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].prefix)
			assert_string_equal(xattr_prefix(rows[i].index), rows[i].prefix);
		else
			assert_null(xattr_prefix(rows[i].index));
		assert_int_equal(xattr_has_name(rows[i].index), rows[i].has_name);
		assert_int_equal(xattr_is_internal(rows[i].index), rows[i].is_internal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(area_of_the_kernel),
		cmocka_unit_test(areas_without_attributes),
		cmocka_unit_test(several_entries_up_to_the_very_end),
		cmocka_unit_test(entries_too_large_are_bad),
		cmocka_unit_test(random_areas_are_survived),
		cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
