/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys from passphrases: the descriptors that f2fscrypt of f2fs-tools 1.15 gives them, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/key.h>

#include "base/part.h"
#include "common/seed.h"
#include "format/flags.h"

static const char phrase[] = "correct horse";
static struct seed seed;

static int open_seed(void **state)
{
	(void)state;
	seed_load(&seed, "plain");
	return 0;
}

static int close_seed(void **state)
{
	(void)state;
	seed_close(&seed);
	return 0;
}

static void test_descriptors(void **state)
{
	static const struct {
		const char *salt;
		size_t length;
		uint8_t descriptor[F2FS_KEY_DESCRIPTOR];
	} rows[] = {
		{ "salt", 4, { 0x2e, 0xa8, 0x19, 0xe5, 0x8b, 0x47, 0xfa, 0x9f } },
		{ "\0\377\020", 3, { 0x6d, 0xed, 0x66, 0xc3, 0x7d, 0x28, 0x2d, 0x7f } },
		{ NULL, 0, { 0x25, 0x96, 0x79, 0x8a, 0x46, 0x3d, 0xe9, 0x5d } },
	};
	uint8_t key[F2FS_KEY_MAX], descriptor[F2FS_KEY_DESCRIPTOR];

	(void)state;
	if (!part_is_usable(PART_CRYPTO))
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(f2fs_key_from_passphrase(seed.ctx, phrase, strlen(phrase),
							  (const uint8_t *)rows[i].salt, rows[i].length, key,
							  descriptor),
				 0);
		assert_memory_equal(descriptor, rows[i].descriptor, sizeof(descriptor));
	}
}

static void test_refused(void **state)
{
	static const char text[F2FS_PASSPHRASE_MAX + 1] = { 'a' };
	static const uint8_t salt[F2FS_SALT_MAX + 1] = { 1 };
	uint8_t key[F2FS_KEY_MAX], descriptor[F2FS_KEY_DESCRIPTOR];
	const int without = part_is_usable(PART_CRYPTO) ? 0 : F2FS_ERR_UNSUPPORTED;

	(void)state;
	assert_int_equal(f2fs_key_from_passphrase(seed.ctx, text, sizeof(text), salt, 1, key, descriptor),
			 without ? without : F2FS_ERR_RANGE);
	assert_int_equal(f2fs_key_from_passphrase(seed.ctx, text, 1, salt, sizeof(salt), key, descriptor),
			 without ? without : F2FS_ERR_RANGE);
	assert_int_equal(f2fs_key_from_passphrase(seed.ctx, text, sizeof(text) - 1, salt, F2FS_SALT_MAX, key,
						  descriptor),
			 without);
}

/* Give the volume the salt of the first row above, padded with zeros as a salt always is. */
static void test_salt_of_the_volume(void **state)
{
	static const uint8_t salt[16] = "salt";
	struct f2fs_volume *vol;
	struct f2fs_key key;

	(void)state;
	if (!part_is_usable(PART_CRYPTO))
		skip();
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, NULL, &vol), 0);
	assert_int_equal(f2fs_volume_add_passphrase(vol, phrase, strlen(phrase), NULL, 0, &key), F2FS_ERR_NOT_FOUND);
	f2fs_volume_close(vol);
	for (unsigned copy = 0; copy < 2; copy++)
		assert_int_equal(f2fs_device_write(seed.dev, copy * 4096u + SB_OFFSET + 2185, salt, sizeof(salt)), 0);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, NULL, &vol), 0);
	assert_int_equal(f2fs_volume_add_passphrase(vol, phrase, strlen(phrase), NULL, 0, &key), 0);
	assert_int_equal(key.descriptor[0] << 8 | key.descriptor[7], 0x2e9f);
	assert_int_equal(key.size, F2FS_KEY_MAX);
	assert_int_equal(f2fs_volume_key_at(vol, 0, &key), 0);
	f2fs_volume_close(vol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_salt_of_the_volume),
	};

	return cmocka_run_group_tests(tests, open_seed, close_seed);
}
