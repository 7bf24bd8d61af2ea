/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checksum: the vectors of FORMAT volume 1.5, chaining, nothing at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc.h"

static void test_vectors(void **state)
{
	static const uint8_t zeros[4092];

	(void)state;
	assert_int_equal(crc_f2fs(CRC_F2FS_SEED, "123456789", 9), 0x1657A0C3u);
	assert_int_equal(crc_f2fs(0xFFFFFFFFu, "123456789", 9), 0x340BC6D9u);
	assert_int_equal(crc_f2fs(CRC_F2FS_SEED, zeros, sizeof(zeros)), 0x169B1BA7u);
}

static void test_empty_gives_seed(void **state)
{
	(void)state;
	assert_int_equal(crc_f2fs(CRC_F2FS_SEED, "", 0), CRC_F2FS_SEED);
	assert_int_equal(crc_f2fs(7, NULL, 0), 7);
}

static void test_chains(void **state)
{
	const char *text = "the quick brown fox jumps over the lazy dog";
	size_t len = strlen(text);
	uint32_t whole = crc_f2fs(CRC_F2FS_SEED, text, len);

	(void)state;
	for (size_t cut = 0; cut <= len; cut++) {
		uint32_t head = crc_f2fs(CRC_F2FS_SEED, text, cut);

		assert_int_equal(crc_f2fs(head, text + cut, len - cut), whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_empty_gives_seed),
		cmocka_unit_test(test_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
