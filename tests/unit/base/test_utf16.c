/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Volume label text: known forms, the limits of the array, halves of pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <f2fskit/base.h>

#include "base/utf16.h"

#define UNITS 512

/* a, e acute, euro sign, grinning face, then the end */
static const char sample_text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
static const uint8_t sample_raw[] = { 'a', 0, 0xE9, 0, 0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE, 0, 0 };

static void test_encode_known(void **state)
{
	uint8_t raw[12];

	(void)state;
	memset(raw, 0xAA, sizeof(raw));
	assert_int_equal(utf16_encode(sample_text, strlen(sample_text), raw, 6), UTF16_OK);
	assert_memory_equal(raw, sample_raw, sizeof(raw));
}

static void test_decode_known(void **state)
{
	char out[32];
	size_t len = 99;
	bool clean = false;

	(void)state;
	assert_int_equal(utf16_decode(sample_raw, 6, out, sizeof(out), &len), UTF16_OK);
	assert_int_equal(len, strlen(sample_text));
	assert_memory_equal(out, sample_text, len);
	assert_int_equal(utf16_decode_lossy(sample_raw, 6, out, sizeof(out), &clean), len);
	assert_true(clean);
	assert_int_equal(f2fs_text_from_utf16(sample_raw, 6, out, sizeof(out)), strlen(sample_text));
	assert_string_equal(out, sample_text);
	assert_int_equal(f2fs_text_from_utf16(sample_raw, 6, out, 4), 3);
	assert_string_equal(out, "a\xC3\xA9");
	assert_int_equal(f2fs_text_from_utf16(sample_raw, 6, out, 0), 0);
	/* without the zero unit: ends with the array */
	assert_int_equal(utf16_decode(sample_raw, 5, out, sizeof(out), &len), UTF16_OK);
	assert_int_equal(len, strlen(sample_text));
}

static void test_full_array(void **state)
{
	uint8_t raw[2 * UNITS + 2];
	char text[UTF16_UTF8_SIZE(UNITS) + 3], out[UTF16_UTF8_SIZE(UNITS)];
	size_t len = 0;

	(void)state;
	raw[2 * UNITS] = 0x55;
	for (size_t i = 0; i < sizeof(text); i += 3)
		memcpy(text + i, "\xE2\x82\xAC", 3);
	assert_int_equal(utf16_encode(text, UTF16_UTF8_SIZE(UNITS), raw, UNITS), UTF16_OK);
	assert_int_equal(raw[2 * UNITS], 0x55);
	assert_int_equal(utf16_decode(raw, UNITS, out, sizeof(out), &len), UTF16_OK);
	assert_int_equal(len, sizeof(out));
	assert_memory_equal(out, text, len);
	memset(raw, 0x11, sizeof(raw));
	assert_int_equal(utf16_encode(text, sizeof(text), raw, UNITS), UTF16_NO_ROOM);
	assert_int_equal(raw[0], 0x11);
}

/* A pair needs two units: with one left there is no room. */
static void test_pair_at_the_end(void **state)
{
	uint8_t raw[8];

	(void)state;
	assert_int_equal(utf16_encode("ab\xF0\x9F\x98\x80", 6, raw, 4), UTF16_OK);
	assert_int_equal(utf16_encode("abc\xF0\x9F\x98\x80", 7, raw, 4), UTF16_NO_ROOM);
}

static void test_encode_refuses(void **state)
{
	uint8_t raw[16];

	(void)state;
	memset(raw, 0x33, sizeof(raw));
	assert_int_equal(utf16_encode("a\xFF", 2, raw, 8), UTF16_INVALID);
	assert_int_equal(utf16_encode("a\0b", 3, raw, 8), UTF16_INVALID);
	assert_int_equal(utf16_encode("\xED\xA0\x80", 3, raw, 8), UTF16_INVALID);
	assert_int_equal(raw[0], 0x33);
}

static void test_lone_halves(void **state)
{
	static const uint8_t raw[] = { 0x3D, 0xD8, 'x', 0, 0x00, 0xDE, 0x3D, 0xD8 };
	static const char shown[] = "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD";
	char out[32];
	size_t len = 7;
	bool clean = true;

	(void)state;
	assert_int_equal(utf16_decode(raw, 4, out, sizeof(out), &len), UTF16_INVALID);
	assert_int_equal(len, 7);
	len = utf16_decode_lossy(raw, 4, out, sizeof(out), &clean);
	assert_int_equal(len, strlen(shown));
	assert_memory_equal(out, shown, len);
	assert_false(clean);
}

/* Where pairs and lone halves begin and end. */
static void test_surrogate_limits(void **state)
{
	static const struct {
		uint16_t unit;
		bool alone_is_valid;
	} limits[] = { { 0xD7FF, true },  { 0xD800, false }, { 0xDBFF, false },
		       { 0xDC00, false }, { 0xDFFF, false }, { 0xE000, true } };
	static const struct {
		uint8_t raw[4];
		const char *text;
	} pairs[] = {
		{ { 0x00, 0xD8, 0x00, 0xDC }, "\xF0\x90\x80\x80" },
		{ { 0xFF, 0xDB, 0xFF, 0xDF }, "\xF4\x8F\xBF\xBF" },
	};
	char out[8];
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint8_t raw[2] = { (uint8_t)limits[i].unit, (uint8_t)(limits[i].unit >> 8) };

		assert_int_equal(utf16_decode(raw, 1, out, sizeof(out), &len) == UTF16_OK, limits[i].alone_is_valid);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint8_t again[4];

		assert_int_equal(utf16_decode(pairs[i].raw, 2, out, sizeof(out), &len), UTF16_OK);
		assert_int_equal(len, 4);
		assert_memory_equal(out, pairs[i].text, 4);
		assert_int_equal(utf16_encode(out, 4, again, 2), UTF16_OK);
		assert_memory_equal(again, pairs[i].raw, 4);
	}
}

static void test_decode_no_room(void **state)
{
	char out[32];
	size_t len = 7;
	bool clean = true;

	(void)state;
	memset(out, 'z', sizeof(out));
	assert_int_equal(utf16_decode(sample_raw, 6, out, 9, &len), UTF16_NO_ROOM);
	assert_int_equal(len, 7);
	assert_int_equal(utf16_decode_lossy(sample_raw, 6, out, 9, &clean), 6);
	assert_false(clean);
	assert_int_equal(out[9], 'z');
	assert_int_equal(utf16_decode(sample_raw, 6, out, 10, &len), UTF16_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode_known),	 cmocka_unit_test(test_decode_known),
		cmocka_unit_test(test_full_array),	 cmocka_unit_test(test_pair_at_the_end),
		cmocka_unit_test(test_encode_refuses),	 cmocka_unit_test(test_lone_halves),
		cmocka_unit_test(test_surrogate_limits), cmocka_unit_test(test_decode_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
