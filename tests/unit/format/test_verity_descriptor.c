/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verity attribute and descriptor: a good one of each, and each field out of range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/verity_descriptor.h"

#define MAX_SIZE ((uint64_t)1 << 42)

/* A kernel's, for a file of 300000 bytes with a tree of 22528. */
static const uint8_t attribute[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x58, 5, 0, 0, 0, 0, 0 };

static void make_descriptor(uint8_t raw[VERITY_DESCRIPTOR_SIZE])
{
	memset(raw, 0, VERITY_DESCRIPTOR_SIZE);
	raw[0] = 1;
	raw[1] = 2;
	raw[2] = 10;
	raw[3] = 4;
	put_le64(raw + 8, 300000);
	memset(raw + 16, 0x77, 64);
	memcpy(raw + 80, "salt", 4);
}

static void test_location(void **state)
{
	struct verity_location at = { 1, 1, 1 };

	(void)state;
	assert_null(verity_location_decode(attribute, 16, 300000, MAX_SIZE, &at));
	assert_int_equal(at.tree, 327680);
	assert_int_equal(at.descriptor, 350208);
	assert_int_equal(at.descriptor_size, 256);
	/* an empty file has everything at 0 */
	assert_null(verity_location_decode((const uint8_t[16]){ 1, 0, 0, 0, 0, 1 }, 16, 0, MAX_SIZE, &at));
	assert_int_equal(at.tree, 0);
	assert_int_equal(at.descriptor, 0);
}

static void check_location(size_t offset, uint8_t value, size_t size, uint64_t data_size, uint64_t max_size)
{
	struct verity_location at = { 5, 5, 5 };
	uint8_t raw[17] = { 0 };

	memcpy(raw, attribute, sizeof(attribute));
	raw[offset] = value;
	assert_non_null(verity_location_decode(raw, size, data_size, max_size, &at));
	assert_int_equal(at.tree, 5);
}

static void test_bad_locations(void **state)
{
	(void)state;
	check_location(0, 2, 16, 300000, MAX_SIZE);
	check_location(0, 1, 15, 300000, MAX_SIZE);
	check_location(0, 1, 17, 300000, MAX_SIZE);
	check_location(0, 1, 16, 400000, MAX_SIZE); /* inside the data */
	check_location(0, 1, 16, UINT64_MAX, MAX_SIZE);
	check_location(0, 1, 16, 300000, 350208 + 255);
	check_location(5, 0, 16, 300000, MAX_SIZE);	/* size 0 */
	check_location(6, 1, 16, 300000, MAX_SIZE);	/* size 65792 */
	check_location(15, 0x80, 16, 300000, MAX_SIZE); /* far beyond */
}

static void test_descriptor(void **state)
{
	uint8_t raw[VERITY_DESCRIPTOR_SIZE];
	struct verity_params p;

	(void)state;
	make_descriptor(raw);
	assert_null(verity_descriptor_decode(raw, sizeof(raw), 300000, 12, &p));
	assert_int_equal(p.algorithm, SHA_512);
	assert_int_equal(p.log_block, 10);
	assert_int_equal(p.data_size, 300000);
	assert_int_equal(p.salt_size, 4);
	assert_memory_equal(p.salt, "salt", 5);
	/* the largest of everything */
	raw[2] = 12;
	raw[3] = 32;
	assert_null(verity_descriptor_decode(raw, sizeof(raw), 300000, 12, &p));
	assert_int_equal(p.log_block, 12);
	assert_int_equal(p.salt_size, 32);
	/* followed by a signature */
	put_le32(raw + 4, 100);
	assert_null(verity_descriptor_decode(raw, 356, 300000, 12, &p));
	assert_non_null(verity_descriptor_decode(raw, 355, 300000, 12, &p));
}

static void test_bad_descriptors(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
	} bad[] = {
		{ 0, 2 },  { 1, 0 }, { 1, 3 }, { 2, 9 },   { 2, 13 },
		{ 3, 33 }, { 4, 1 }, { 8, 0 }, { 112, 1 }, { 255, 1 },
	};
	uint8_t raw[VERITY_DESCRIPTOR_SIZE];
	struct verity_params p;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make_descriptor(raw);
		raw[bad[i].offset] = bad[i].value;
		assert_non_null(verity_descriptor_decode(raw, sizeof(raw), 300000, 12, &p));
	}
	make_descriptor(raw);
	assert_non_null(verity_descriptor_decode(raw, 255, 300000, 12, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_location),
		cmocka_unit_test(test_bad_locations),
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_bad_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
