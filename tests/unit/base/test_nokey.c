/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No-key names as a kernel showed them for ciphertext that was read from the same volume; other names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nokey.h"

static const struct {
	uint32_t hash;
	size_t len;
	const char *cipher, *text;
} vectors[] = {
	{ 0x5A24207D, 32,
	  "\x86\x4E\xF7\x6B\xF0\xA1\x03\x1E\xD1\x39\x4C\x64\x29\x4F\x35\xD3"
	  "\x20\x4E\x80\xCE\xD5\x13\xB2\xBC\xC5\xF9\x68\x4B\x56\xF9\x3E\x83",
	  "fSAkWgAAAACGTvdr8KEDHtE5TGQpTzXTIE6AztUTsrzF-WhLVvk-gw" },
	{ 0xF6AA6361, 160,
	  "\xC3\x28\x09\xD6\x32\xA1\x57\x8A\x72\xAA\xC8\xD1\x9B\xFB\x84\xF8"
	  "\x55\x5F\xFD\xA5\x33\xC2\x49\x84\x02\x43\x25\x93\xC9\x61\xF7\xDC"
	  "\xC9\xE3\xA8\xBB\x8E\x48\x09\x0F\xDB\x4A\x2E\x16\x11\x70\x12\xCA"
	  "\xF0\x83\x2B\x45\x23\x1D\x96\xA0\x76\x28\x34\x9B\x19\xD1\x10\x77"
	  "\x3E\xED\x16\x29\x11\xB6\xB4\xF7\xC7\x0D\xC8\x73\x53\x07\x7F\x21"
	  "\x5C\x01\x10\x19\x64\x46\xAE\x0B\xF8\xAF\x19\xE1\xA2\x5B\x7A\x8C"
	  "\x13\xC2\x68\xF5\xF8\xBE\xBF\xF8\xC8\xC4\xA0\xB9\xE6\x8D\xBC\x66"
	  "\x62\x79\xC1\x68\x0C\xAD\x9B\x1C\xF9\x44\xE7\x09\x73\x63\xCF\xA6"
	  "\xDB\xB8\xFC\xC2\x5E\x89\xC0\xD7\xDB\xF2\x52\xC6\x7C\x9E\x21\x2A"
	  "\xFE\x1B\xBC\xA1\x4E\xF0\x48\x52\xAF\x2D\xFD\xBB\xB3\xF1\xBD\x42",
	  "YWOq9gAAAADDKAnWMqFXinKqyNGb-4T4VV_9pTPCSYQCQyWTyWH33MnjqLuOSAkP20ouFhFwEsrwgytFIx2WoHYoNJ"
	  "sZ0RB3Pu0WKRG2tPfHDchzUwd_IVwBEBlkRq4L-K8Z4aJbeowTwmj1-L6_-MjEoLnmjbxmYnnBaAytmxz5ROcJc2PP"
	  "ptu4_MJeicDX2_JSxnyeISr-G7yhTtkQzZVusdt3xgrTDgso9s79gBdswZj9qWNkfuEIgxRp" },
	{ 0xB533228D, 255,
	  "\x16\x35\x42\x88\x44\x7D\xEE\x04\x00\xCA\xCE\x5D\x8B\x99\xE2\x96"
	  "\xB5\x2F\xE6\x7C\x2B\x18\xF4\x12\x50\xB8\x4B\x49\x03\x8A\x7B\xB2"
	  "\x07\x30\x33\x84\x30\xFF\xDF\xD4\x5B\xB9\x56\xC8\x70\xA5\x67\x2F"
	  "\x59\xEE\x94\x25\xE0\x10\x75\xAF\xE6\x52\x36\xD7\xA2\x9F\xD8\x9C"
	  "\xE2\xE6\x66\x8B\x9E\x3D\xF2\xAB\xB4\x5B\x99\x75\xDD\x2D\x2F\xF9"
	  "\x24\x69\x86\xAD\x2B\xE2\xB9\x19\x8F\xE2\xB4\x5F\xF5\x13\xEF\xF2"
	  "\xBF\x02\x18\x45\x8C\x83\x1B\xE2\x9E\xDC\x12\x54\x7C\x1D\xD1\x58"
	  "\x2F\xE4\xF0\x02\x50\x48\xEE\xDA\xD7\xC1\xA3\x65\x68\xDA\x14\x75"
	  "\xA7\x54\xE1\xC3\x5A\x77\x79\x53\xB2\xF9\x05\xC7\x0A\x93\x5B\x12"
	  "\x05\x25\xEA\xEB\xA5\x2B\xC8\x2B\x0E\x7A\x4E\xCC\x1C\xEF\xCC\x4D"
	  "\x45\x50\x06\x2E\xD5\x55\xD1\xD0\xEF\x7D\x39\x51\x85\x7F\x57\x00"
	  "\xF6\x67\xE4\x9E\x61\xDA\x76\x41\x87\xCC\x3E\x4F\xE6\x6C\xBC\x83"
	  "\x8A\xCE\x24\x9F\x2A\x67\x96\x7E\x49\x4A\x7B\x65\x4A\x13\xEB\x01"
	  "\x37\x38\x52\xC6\x4C\xC0\xBF\x66\x49\x4C\x09\x36\x84\x5C\xA3\x92"
	  "\x8E\x4F\x1B\x6A\xA2\x48\xB8\xCE\xD5\x16\x10\xB5\xC3\x0A\xD7\xDA"
	  "\x43\x2A\x29\xE3\xFF\x70\x29\x1B\x86\x0F\xD7\xD5\xE9\x35\x6F",
	  "jSIztQAAAAAWNUKIRH3uBADKzl2LmeKWtS_mfCsY9BJQuEtJA4p7sgcwM4Qw_9_UW7lWyHClZy9Z7pQl4BB1r-ZSNt"
	  "ein9ic4uZmi5498qu0W5l13S0v-SRphq0r4rkZj-K0X_UT7_K_AhhFjIMb4p7cElR8HdFYL-TwAlBI7trXwaNlaNoU"
	  "dadU4cNad3lTsvkFxwqTWxIFJerrpXvdgLCcwmiRJrl0U43PcZcvD3OyDSxBPdFwlb1jHA77" },
	/* the target of a symbolic link */
	{ 0, 32,
	  "\x85\x54\xB5\xC9\x8E\x73\x7C\xFB\xE1\x49\x91\x35\x63\x11\xF0\xFC"
	  "\x29\xEB\x0C\x7A\x6E\x1E\x55\xF8\xCD\x3B\xDF\x85\x49\xCC\x32\xAE",
	  "AAAAAAAAAACFVLXJjnN8--FJkTVjEfD8KesMem4eVfjNO9-FScwyrg" },
};

#define COUNT (sizeof(vectors) / sizeof(vectors[0]))

static const uint8_t *cipher_of(size_t i)
{
	return (const uint8_t *)vectors[i].cipher;
}

static void test_encode(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		char text[NOKEY_TEXT_MAX];
		size_t len = nokey_encode(vectors[i].hash, 0, cipher_of(i), vectors[i].len, text);

		assert_int_equal(len, strlen(vectors[i].text));
		assert_memory_equal(text, vectors[i].text, len);
	}
}

static void test_decode_and_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct nokey_name name;
		uint8_t other[255];

		assert_int_equal(nokey_decode(vectors[i].text, strlen(vectors[i].text), &name), 0);
		assert_int_equal(name.hash, vectors[i].hash);
		assert_int_equal(name.minor_hash, 0);
		assert_int_equal(name.has_digest, vectors[i].len > NOKEY_BYTES_MAX);
		for (size_t j = 0; j < COUNT; j++)
			assert_int_equal(nokey_matches(&name, cipher_of(j), vectors[j].len), i == j);
		/* the last byte, and the length, count */
		memcpy(other, vectors[i].cipher, vectors[i].len);
		other[vectors[i].len - 1] ^= 1;
		assert_int_equal(nokey_matches(&name, other, vectors[i].len), 0);
		assert_int_equal(nokey_matches(&name, cipher_of(i), vectors[i].len - 1), 0);
	}
}

/* 149 bytes are carried whole, one more makes a digest. */
static void test_boundary(void **state)
{
	uint8_t cipher[NOKEY_BYTES_MAX + 1];
	char text[NOKEY_TEXT_MAX];
	struct nokey_name name;
	size_t len;

	(void)state;
	memset(cipher, 0x5A, sizeof(cipher));
	len = nokey_encode(1, 2, cipher, NOKEY_BYTES_MAX, text);
	assert_int_equal(len, BASE64_TEXT_SIZE(8 + NOKEY_BYTES_MAX));
	assert_int_equal(nokey_decode(text, len, &name), 0);
	assert_false(name.has_digest);
	assert_int_equal(name.minor_hash, 2);
	assert_int_equal(nokey_matches(&name, cipher, NOKEY_BYTES_MAX), 1);
	assert_int_equal(nokey_matches(&name, cipher, NOKEY_BYTES_MAX + 1), 0);
	len = nokey_encode(1, 2, cipher, NOKEY_BYTES_MAX + 1, text);
	assert_int_equal(len, NOKEY_TEXT_MAX);
	assert_int_equal(nokey_decode(text, len, &name), 0);
	assert_true(name.has_digest);
	assert_int_equal(nokey_matches(&name, cipher, NOKEY_BYTES_MAX + 1), 1);
	assert_int_equal(nokey_matches(&name, cipher, NOKEY_BYTES_MAX), 0);
}

static void test_refuses(void **state)
{
	char text[NOKEY_TEXT_MAX + 4];
	struct nokey_name name = { .hash = 77 };

	(void)state;
	memset(text, 'A', sizeof(text));
	/* of all lengths those with 1..149 bytes, or 149 and a digest */
	for (size_t len = 0; len <= sizeof(text); len++) {
		size_t bytes = len / 4 * 3 + len % 4 * 3 / 4;
		int good = len % 4 != 1 && ((bytes > 8 && bytes <= 8 + NOKEY_BYTES_MAX) || len == NOKEY_TEXT_MAX);

		assert_int_equal(nokey_decode(text, len, &name), good ? 0 : -1);
	}
	assert_int_equal(nokey_decode("plain name.txt", 14, &name), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_decode_and_match),
		cmocka_unit_test(test_boundary),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
