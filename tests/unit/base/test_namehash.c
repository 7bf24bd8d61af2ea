/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directory entry hashes: the vectors of FORMAT files 5.7 and 5.8, read from directories of a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/namehash.h"

struct vector {
	const char *name;
	uint32_t hash;
};

static const struct vector plain[] = {
	{ ".", 0 },
	{ "..", 0 },
	{ "...", 0xD96DC3E1 },
	{ "a", 0x6D0EA4C1 },
	{ "ab", 0xD27D8659 },
	{ "abc", 0xB1435EC5 },
	{ "abcd", 0x5A24112E },
	{ "abcde", 0x6937ED69 },
	{ "-", 0x9FFC3F0F },
	{ "hello world", 0x09012B8F },
	{ "lost+found", 0x2DBF9E80 },
	{ "abcdefghijklmnop", 0xF4AC8CB5 },
	{ "abcdefghijklmnopq", 0x972A82E7 },
	{ "Makefile", 0x223CEEF4 },
	{ ".hidden", 0x395FC5B0 },
	{ ".config", 0x003CF5B7 },
	{ "file name.txt", 0xBD32E310 },
	{ "dir", 0x64408B2A },
	{ "small.txt", 0xB5D82C3F },
	{ "data.bin", 0x10868A73 },
	{ "link", 0x803CD15A },
	{ "\xFF\xFE", 0xBCA86311 },
	{ "q\x01r", 0xF88B2FF3 },
	{ "\xC3\xA9t\xC3\xA9", 0x2ED2FEAD },
	{ "\xE6\x96\x87\xE4\xBB\xB6", 0x3F9975C5 },
	{ "\xE2\x82\xAC", 0x907067B0 },
	{ "\xF0\x9F\x98\x80", 0x9F61D2AC },
};

static uint32_t hash_of(const char *name)
{
	return namehash_plain((const uint8_t *)name, strlen(name));
}

static void test_plain_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_int_equal(hash_of(plain[i].name), plain[i].hash);
}

static uint32_t hash_of_repeated(char c, size_t count)
{
	uint8_t name[255];

	memset(name, c, count);
	return namehash_plain(name, count);
}

static void test_plain_long_names(void **state)
{
	(void)state;
	assert_int_equal(hash_of_repeated('x', 32), 0x4235B328u);
	assert_int_equal(hash_of_repeated('x', 33), 0xAECA7925u);
	assert_int_equal(hash_of_repeated('x', 255), 0x6C4C00EEu);
	assert_int_equal(hash_of_repeated('n', 255), 0x04156E7Cu);
}

static const struct vector folded[] = {
	{ ".", 0 },
	{ "..", 0 },
	{ "ABC", 0xB1435EC5 },
	{ "abc", 0xB1435EC5 },
	{ "Makefile", 0xD38F521F },
	{ "\xC3\x89", 0x023B852C },
	{ "\xC3\xA9", 0x023B852C },
	{ "stra\xC3\x9F"
	  "e",
	  0xD6E5379A },
	{ "STRASSE", 0xD6E5379A },
	{ "\xCE\xA9", 0x3B5062C0 },
	{ "a\xCD\x85\xCC\x81QQ", 0x45FED6A0 },
	{ "e\xCC\x81\xCC\xA3Q", 0x49B358B2 },
	{ "\xEA\xB0\x81Q", 0x7C2DC602 },
	{ "a\xC2\xAD\xCC\x81T", 0x4DE73787 },
	{ "\xE1\xBE\xB7W", 0xC8A3277F },
	/* a dropped character between two marks keeps them from being sorted */
	{ "i\xCC\x87\xE1\xA0\x8B\xCC\xA7x", 0xC77F3DFD },
	{ "a\xCC\x81\xE2\x80\x8D\xCC\x96x", 0x070C2534 },
	/* marks and letters that came after Unicode 12.1 are neither sorted nor folded */
	{ "a\xCC\x81\xE1\xAA\xBFx", 0x0929DA28 },
	{ "a\xCC\x81\xE0\xA2\x98x", 0xAE99695A },
	{ "\xE2\xB0\xAFx", 0xF2AAAFEC },
	{ "\xF0\x91\xA4\xB8x", 0x3B8AB8DD },
	{ "\xEA\x9F\x80x", 0x8F69EAF1 },
	/* sharp S, dotted I, the ligature fi, a musical symbol */
	{ "\xE1\xBA\x9EX", 0xFD9AE30F },
	{ "\xC4\xB0X", 0x0582C6F4 },
	{ "\xEF\xAC\x81X", 0x3486BC3F },
	{ "\xCD\x85\xCC\x81\xCC\x96x", 0x31C191E1 },
	{ "\xF0\x9D\x85\x9Ex", 0x6253CD1D },
};

static void test_casefold_vectors(void **state)
{
	(void)state;
	if (!unicode_is_available())
		skip();
	for (size_t i = 0; i < sizeof(folded) / sizeof(folded[0]); i++) {
		const char *name = folded[i].name;
		uint32_t hash = 1;

		assert_int_equal(namehash_casefold((const uint8_t *)name, strlen(name), &hash), UNICODE_OK);
		assert_int_equal(hash, folded[i].hash);
	}
}

/* A name that cannot be folded is hashed as it is, and the result says why. */
static void test_casefold_unfoldable(void **state)
{
	uint8_t z[255];
	uint32_t hash = 1;

	(void)state;
	if (!unicode_is_available())
		skip();
	assert_int_equal(namehash_casefold((const uint8_t *)"\xC2\xAD", 2, &hash), UNICODE_EMPTY);
	assert_int_equal(hash, 0x891F27C1u);
	assert_int_equal(namehash_casefold((const uint8_t *)"A\xC0\xAF", 3, &hash), UNICODE_INVALID);
	assert_int_equal(hash, 0x990FA798u);
	memset(z, 'Z', sizeof(z));
	assert_int_equal(namehash_casefold(z, 255, &hash), UNICODE_TOO_LONG);
	assert_int_equal(hash, 0x9563B28Au);
	assert_int_equal(namehash_casefold(z, 254, &hash), UNICODE_OK);
	memset(z, 'z', sizeof(z));
	assert_int_equal(hash, namehash_plain(z, 254));
}

static void test_casefold_unavailable(void **state)
{
	uint32_t hash = 1;

	(void)state;
	if (unicode_is_available())
		skip();
	assert_int_equal(namehash_casefold((const uint8_t *)"a", 1, &hash), UNICODE_UNAVAILABLE);
	assert_int_equal(hash, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_vectors),	     cmocka_unit_test(test_plain_long_names),
		cmocka_unit_test(test_casefold_vectors),     cmocka_unit_test(test_casefold_unfoldable),
		cmocka_unit_test(test_casefold_unavailable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
