/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Case folding of names: known foldings, the limits, and properties that hold for every code point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "base/utf8.h"

static void check_fold(const char *name, const char *want)
{
	uint8_t out[UNICODE_FOLD_MAX];
	size_t n = 0;

	assert_int_equal(unicode_casefold((const uint8_t *)name, strlen(name), out, &n), UNICODE_OK);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(out, want, n);
}

static void test_known(void **state)
{
	(void)state;
	check_fold("Hello World.TXT", "hello world.txt");
	check_fold("\xC3\x89", "e\xCC\x81");
	check_fold("Stra\xC3\x9F"
		   "e",
		   "strasse");
	check_fold("\xE2\x84\xA6", "\xCF\x89");				    /* ohm sign */
	check_fold("a\xCD\x85\xCC\x81", "a\xCE\xB9\xCC\x81");		    /* folded before it is sorted */
	check_fold("\xEA\xB0\x81", "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"); /* Hangul syllable */
	check_fold("a\xC2\xAD"
		   "b",
		   "ab");
	check_fold("e\xCC\x81\xCC\xA3", "e\xCC\xA3\xCC\x81");			    /* marks sorted */
	check_fold("e\xCC\x81\xE2\x80\x8D\xCC\xA3", "e\xCC\x81\xCC\xA3");	    /* not across U+200D */
	check_fold("\xE2\xB0\xAF\xF0\x91\xA4\xB8", "\xE2\xB0\xAF\xF0\x91\xA4\xB8"); /* newer than 12.1 */
}

/* Folding a folded text changes nothing, unless something was dropped between marks. */
static void test_every_code_point(void **state)
{
	size_t changed = 0, dropped = 0;

	(void)state;
	for (uint32_t cp = 1; cp <= 0x10FFFF; cp++) {
		uint8_t name[UTF8_MAX], once[UNICODE_FOLD_MAX], twice[UNICODE_FOLD_MAX];
		size_t len, n = 0, m = 0;
		enum unicode_result result;

		if (cp == 0xD800)
			cp = 0xE000;
		len = utf8_encode(cp, name);
		result = unicode_casefold(name, len, once, &n);
		if (result == UNICODE_EMPTY) {
			dropped++;
			continue;
		}
		assert_int_equal(result, UNICODE_OK);
		changed += n != len || memcmp(once, name, n) != 0;
		assert_int_equal(unicode_casefold(once, n, twice, &m), UNICODE_OK);
		if (m != n || memcmp(once, twice, n) != 0)
			fail_msg("U+%04X folds differently the second time", (unsigned int)cp);
	}
	/* Unicode 12.1: 4173 default-ignorable code points; 14278 that fold or decompose */
	assert_int_equal(dropped, 4173);
	assert_int_equal(changed, 14278);
}

static void test_limits(void **state)
{
	uint8_t name[300], out[UNICODE_FOLD_MAX];
	size_t n = 77;

	(void)state;
	memset(name, 'A', sizeof(name));
	assert_int_equal(unicode_casefold(name, 254, out, &n), UNICODE_OK);
	assert_int_equal(n, 254);
	n = 77;
	assert_int_equal(unicode_casefold(name, 255, out, &n), UNICODE_TOO_LONG);
	name[254] = 0xFF;
	assert_int_equal(unicode_casefold(name, 255, out, &n), UNICODE_INVALID);
	assert_int_equal(unicode_casefold(name, 0, out, &n), UNICODE_EMPTY);
	assert_int_equal(unicode_casefold((const uint8_t *)"\xE2\x80\x8B\xC2\xAD", 5, out, &n), UNICODE_EMPTY);
	/* U+0390 grows from 2 bytes to 6: 43 of them are 258, too long by one character */
	for (size_t i = 0; i < 86; i += 2)
		memcpy(name + i, "\xCE\x90", 2);
	assert_int_equal(unicode_casefold(name, 86, out, &n), UNICODE_TOO_LONG);
	assert_int_equal(n, 77);
	assert_int_equal(unicode_casefold(name, 84, out, &n), UNICODE_OK);
	assert_int_equal(n, 252);
}

/* 127 marks in the worst order still come out sorted, equal ones in their old order. */
static void test_long_run_of_marks(void **state)
{
	uint8_t name[2 * 127], out[UNICODE_FOLD_MAX];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 127; i++) /* U+0300 (230), U+0316 (220), U+0301 (230) .. */
		memcpy(name + 2 * i, i % 2 ? "\xCC\x96" : i % 4 ? "\xCC\x81" : "\xCC\x80", 2);
	assert_int_equal(unicode_casefold(name, sizeof(name), out, &n), UNICODE_OK);
	assert_int_equal(n, sizeof(name));
	for (size_t i = 0; i < 127; i++) {
		const char *want = i < 63 ? "\xCC\x96" : (i - 63) % 2 ? "\xCC\x81" : "\xCC\x80";

		assert_memory_equal(out + 2 * i, want, 2);
	}
}

static void test_unavailable(void **state)
{
	uint8_t out[UNICODE_FOLD_MAX];
	size_t n;

	(void)state;
	assert_int_equal(unicode_casefold((const uint8_t *)"a", 1, out, &n), UNICODE_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_every_code_point),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_long_run_of_marks),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(test_unavailable),
	};

	return unicode_is_available() ? cmocka_run_group_tests(tests, NULL, NULL)
				      : cmocka_run_group_tests(without, NULL, NULL);
}
