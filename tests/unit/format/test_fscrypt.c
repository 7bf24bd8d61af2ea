/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encryption contexts: one of each version taken apart, which combinations a kernel takes, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/fscrypt.h"

static const uint8_t v1[28] = {
	1,    1,    4,	  0,	0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xA0, 0xA1,
	0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF,
};
static const uint8_t v2[40] = {
	2,    1,    10,	  0x0B, 0,    0,    0,	  0,	0xA5, 0x25, 0xB3, 0x10, 0xD9, 0x75,
	0x60, 0x4E, 0x26, 0xC7, 0x61, 0x13, 0x4E, 0x6C, 0x35, 0xD1, 0xA0, 0xA1, 0xA2, 0xA3,
	0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF,
};

static void test_decode(void **state)
{
	struct fscrypt_context c;

	(void)state;
	assert_int_equal(fscrypt_decode(v1, sizeof(v1), &c), RULE_NONE);
	assert_int_equal(c.version, 1);
	assert_int_equal(c.key_id_size, 8);
	assert_memory_equal(c.key_id, v1 + 4, 8);
	assert_memory_equal(c.nonce, v1 + 12, 16);
	assert_int_equal(fscrypt_padding(&c), 4);
	assert_null(fscrypt_check(&c, 12));
	assert_int_equal(fscrypt_decode(v2, sizeof(v2), &c), RULE_NONE);
	assert_int_equal(c.version, 2);
	assert_int_equal(c.filenames_mode, 10);
	assert_int_equal(c.key_id_size, 16);
	assert_memory_equal(c.key_id, v2 + 8, 16);
	assert_memory_equal(c.nonce, v2 + 24, 16);
	assert_int_equal(fscrypt_padding(&c), 32);
	assert_null(fscrypt_check(&c, 12));
}

static void test_decode_refuses(void **state)
{
	uint8_t raw[41] = { 0 };
	struct fscrypt_context c;

	(void)state;
	for (unsigned int version = 0; version < 4; version++) {
		for (size_t size = 0; size <= sizeof(raw); size++) {
			bool good = (version == 1 && size == 28) || (version == 2 && size == 40);

			raw[0] = (uint8_t)version;
			assert_int_equal(fscrypt_decode(raw, size, &c), good ? RULE_NONE : RULE_FSCRYPT_CONTEXT);
		}
	}
	for (unsigned int i = 5; i < 8; i++) { /* reserved */
		memcpy(raw, v2, sizeof(v2));
		raw[i] = 1;
		assert_int_equal(fscrypt_decode(raw, sizeof(v2), &c), RULE_FSCRYPT_CONTEXT);
	}
}

static const struct {
	uint8_t version, contents, names, flags, log_unit;
	bool good;
} combinations[] = {
	{ 1, 1, 4, 3, 0, true },     { 1, 5, 6, 0, 0, true },	  { 1, 9, 9, 0, 0, true },
	{ 1, 9, 9, 4, 0, true },     { 2, 9, 9, 4, 0, true },	  { 2, 7, 8, 0, 0, true },
	{ 1, 7, 8, 0, 0, false },    { 1, 1, 10, 0, 0, false },	  { 2, 1, 10, 0, 0, true },
	{ 2, 1, 9, 0, 0, false },    { 2, 4, 1, 0, 0, false },	  { 2, 1, 4, 4, 0, false },
	{ 2, 1, 4, 8, 0, true },     { 2, 1, 10, 16, 0, true },	  { 1, 1, 4, 8, 0, false },
	{ 2, 5, 6, 8, 0, false },    { 2, 1, 4, 0x18, 0, false }, { 2, 9, 9, 0x0C, 0, false },
	{ 2, 1, 4, 0x20, 0, false }, { 2, 1, 4, 0, 9, true },	  { 2, 1, 4, 0, 12, true },
	{ 2, 1, 4, 0, 8, false },    { 2, 1, 4, 0, 13, false },	  { 2, 1, 4, 8, 9, false },
	{ 2, 1, 4, 8, 10, true },    { 2, 1, 4, 8, 12, true },	  { 2, 1, 4, 16, 12, true },
	{ 2, 1, 4, 16, 10, false },  { 2, 0, 0, 0, 0, false },
};

static void test_combinations(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(combinations) / sizeof(combinations[0]); i++) {
		struct fscrypt_context c = {
			.version = combinations[i].version,
			.contents_mode = combinations[i].contents,
			.filenames_mode = combinations[i].names,
			.flags = combinations[i].flags,
			.log_data_unit = combinations[i].log_unit,
		};

		assert_int_equal(fscrypt_check(&c, 12) == NULL, combinations[i].good);
	}
}

static void test_inode_numbers_and_large_blocks(void **state)
{
	struct fscrypt_context c = { .version = 2, .contents_mode = 1, .filenames_mode = 4, .flags = 8 };

	(void)state;
	for (unsigned int unit = 9; unit <= 14; unit++) {
		c.log_data_unit = (uint8_t)unit;
		assert_int_equal(fscrypt_check(&c, 14) == NULL, unit >= 12);
	}
}

static void check_print(const uint8_t *raw, size_t size, const char *want)
{
	struct fscrypt_context c;
	char buf[256];
	struct text text;

	assert_int_equal(fscrypt_decode(raw, size, &c), RULE_NONE);
	text_init(&text, buf, sizeof(buf));
	fscrypt_print(&c, &text);
	assert_string_equal(buf, want);
}

static void test_print(void **state)
{
	uint8_t raw[40];

	(void)state;
	check_print(v1, sizeof(v1),
		    "policy v1, key d0d1d2d3d4d5d6d7, contents AES-256-XTS, names AES-256-CBC-CTS, padding 4");
	check_print(v2, sizeof(v2),
		    "policy v2, key a525b310d975604e26c761134e6c35d1, contents AES-256-XTS, names AES-256-HCTR2, "
		    "padding 32, "
		    "iv-ino-lblk-64");
	memcpy(raw, v2, sizeof(raw));
	raw[1] = 77;
	raw[3] = 0x14;
	raw[4] = 9;
	check_print(
		raw, sizeof(raw),
		"policy v2, key a525b310d975604e26c761134e6c35d1, contents mode 77, names AES-256-HCTR2, padding 4, "
		"direct key, iv-ino-lblk-32, data units 2^9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_decode_refuses),
		cmocka_unit_test(test_combinations),
		cmocka_unit_test(test_inode_numbers_and_large_blocks),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
