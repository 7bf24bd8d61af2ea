/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device numbers: values a kernel wrote (FORMAT files 6), every boundary, the range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/devnum.h"

static const struct {
	uint32_t major, minor, word0, word1;
} vectors[] = {
	{ 5, 1, 0x501, 0 },
	{ 240, 255, 0xF0FF, 0 },
	{ 259, 1000000, 0, 0xF4210340 },
	{ 0, 0, 0, 0 },
	{ 0, 1, 1, 0 },
	{ 255, 255, 0xFFFF, 0 },
	{ 0, 256, 0, 0x00100000 },
	{ 256, 0, 0, 0x00010000 },
	{ 0xFFF, 0xFFFFF, 0, 0xFFFFFFFF },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct devnum dev = { vectors[i].major, vectors[i].minor };
		uint8_t words[DEVNUM_WORDS_SIZE];

		memset(words, 0xAA, sizeof(words));
		assert_int_equal(devnum_encode(&dev, words), 0);
		assert_int_equal(get_le32(words), vectors[i].word0);
		assert_int_equal(get_le32(words + 4), vectors[i].word1);
		assert_int_equal(get_le32(words + 8), 0);
		memset(&dev, 0, sizeof(dev));
		devnum_decode(words, &dev);
		assert_int_equal(dev.major, vectors[i].major);
		assert_int_equal(dev.minor, vectors[i].minor);
	}
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint32_t major = 0; major <= DEVNUM_MAJOR_MAX; major += 7) {
		for (uint32_t minor = 0; minor <= DEVNUM_MINOR_MAX; minor += 1021) {
			struct devnum dev = { major, minor };
			uint8_t words[DEVNUM_WORDS_SIZE];

			assert_int_equal(devnum_encode(&dev, words), 0);
			devnum_decode(words, &dev);
			assert_int_equal(dev.major, major);
			assert_int_equal(dev.minor, minor);
		}
	}
}

static void test_range(void **state)
{
	struct devnum wide_major = { DEVNUM_MAJOR_MAX + 1, 0 }, wide_minor = { 0, DEVNUM_MINOR_MAX + 1 };
	uint8_t words[DEVNUM_WORDS_SIZE] = { 9 };

	(void)state;
	assert_int_equal(devnum_encode(&wide_major, words), -1);
	assert_int_equal(devnum_encode(&wide_minor, words), -1);
	assert_int_equal(words[0], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
