/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patches: shown to every read that touches them, whatever its pieces, and gone where something is written. */
#include "device/patched.h"
#include "model.h"

#define SIZE 100000u

struct fixture {
	struct test_host host;
	struct f2fs_device *memory;
	struct f2fs_device *dev;
};

static void make_fixture(struct fixture *f, const struct device_patch *patches, size_t count)
{
	test_host_init(&f->host);
	assert_int_equal(f2fs_device_open_memory(f->host.ctx, SIZE, &f->memory), 0);
	assert_int_equal(device_new_patched(f->memory, patches, count, &f->dev), 0);
}

static void free_fixture(struct fixture *f)
{
	f2fs_device_close(f->dev);
	f2fs_device_close(f->memory);
	test_host_fini(&f->host);
}

static const struct device_patch patches[] = {
	{ .offset = 5000, .length = 4, .bytes = { 1, 2, 3, 4 } },
	{ .offset = 4094, .length = 8, .bytes = { 11, 12, 13, 14, 15, 16, 17, 18 } },
	{ .offset = 5004, .length = 1, .bytes = { 5 } },
};

static uint8_t expected_at(uint64_t offset)
{
	for (unsigned i = 0; i < sizeof(patches) / sizeof(patches[0]); i++)
		if (offset >= patches[i].offset && offset - patches[i].offset < patches[i].length)
			return patches[i].bytes[offset - patches[i].offset];
	return 0;
}

static void every_read_sees_them(void **state)
{
	struct fixture f;
	uint8_t bytes[64];

	(void)state;
	make_fixture(&f, patches, 3);
	for (uint64_t start = 4080; start < 5020; start++)
		for (size_t length = 1; length <= sizeof(bytes); length += 7) {
			const size_t third = length / 3;
			struct f2fs_iovec iov[2] = { { bytes, third }, { bytes + third, length - third } };

			assert_int_equal(device_readv_quiet(f.dev, start, iov, 2), 0);
			for (size_t i = 0; i < length; i++)
				assert_int_equal(bytes[i], expected_at(start + i));
		}
	free_fixture(&f);
}

static void writes_end_them(void **state)
{
	const uint8_t byte = 99;
	struct fixture f;
	uint8_t bytes[8];

	(void)state;
	make_fixture(&f, patches, 3);
	assert_int_equal(f2fs_device_write(f.dev, 5001, &byte, 1), 0);
	assert_int_equal(f2fs_device_read(f.dev, 5000, bytes, 5), 0);
	assert_int_equal(bytes[0], 0);
	assert_int_equal(bytes[1], 99);
	assert_int_equal(bytes[4], 5); /* the next one */
	assert_int_equal(f2fs_device_zero(f.dev, 4096, 4096), 0);
	assert_int_equal(f2fs_device_read(f.dev, 4094, bytes, 8), 0);
	assert_int_equal(bytes[0], 0);
	free_fixture(&f);
}

/* A patch of any length; where it has all bytes of a read, the device below is not asked. */
static void long_ones_hide_the_device(void **state)
{
	const struct f2fs_fault_rule rule = { .bad_offset = 8192, .bad_length = 4096 };
	uint8_t block[4096], bytes[4096];
	const struct device_patch patch = { .offset = 8192, .length = sizeof(block), .data = block };
	struct f2fs_device *faulty, *dev;
	struct fixture f;

	(void)state;
	make_fixture(&f, NULL, 0);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)(i * 7);
	assert_int_equal(f2fs_device_open_fault(f.memory, &faulty), 0);
	f2fs_device_fault_set(faulty, &rule);
	assert_int_equal(device_new_patched(faulty, &patch, 1, &dev), 0);
	assert_int_equal(f2fs_device_read(dev, 8192, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, block, sizeof(bytes));
	assert_int_equal(f2fs_device_read(dev, 8200, bytes, 100), 0);
	assert_memory_equal(bytes, block + 8, 100);
	assert_int_equal(f2fs_device_read(dev, 8191, bytes, 2), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_write(dev, 8192 + 4096, bytes, 1), 0);
	f2fs_device_fault_set(faulty, &(struct f2fs_fault_rule){ 0 });
	assert_int_equal(f2fs_device_write(dev, 8192, bytes, 1), 0);
	assert_int_equal(f2fs_device_read(dev, 8300, bytes, 1), 0);
	assert_int_equal(bytes[0], 0); /* of the device below */
	f2fs_device_close(dev);
	f2fs_device_close(faulty);
	free_fixture(&f);
}

static void none_is_none(void **state)
{
	struct fixture f;
	struct model m;

	(void)state;
	make_fixture(&f, NULL, 0);
	model_init(&m, f.dev, 0, SIZE, 91);
	model_run(&m, 500);
	model_fini(&m);
	free_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_read_sees_them), cmocka_unit_test(writes_end_them),
					    cmocka_unit_test(long_ones_hide_the_device),
					    cmocka_unit_test(none_is_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
