/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows of a device: contents, nothing outside is touched, places in messages, refusals. */
#include "model.h"

#define SIZE 1000000u
#define START 123457u
#define LENGTH 654321u

static void agrees_with_array(void **state)
{
	struct test_host host;
	struct f2fs_device *dev, *slice;
	uint8_t *all = malloc(SIZE);
	struct model m;

	(void)state;
	assert_non_null(all);
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	memset(all, 0x5a, SIZE);
	assert_int_equal(f2fs_device_write(dev, 0, all, SIZE), 0);
	assert_int_equal(f2fs_device_open_slice(dev, START, LENGTH, &slice), 0);
	assert_int_equal(f2fs_device_info(slice)->size, LENGTH);
	assert_int_equal(f2fs_device_info(slice)->start_sector, START / 512);
	assert_true(f2fs_device_info(slice)->caps & F2FS_DEVICE_PARALLEL);
	assert_int_equal(f2fs_device_zero(slice, 0, LENGTH), 0);
	model_init(&m, slice, 0, LENGTH, 30);
	model_run(&m, 2000);
	assert_int_equal(f2fs_device_read(dev, 0, all, SIZE), 0);
	assert_memory_equal(all + START, m.bytes, LENGTH);
	for (size_t i = 0; i < SIZE; i++)
		if (i < START || i >= START + LENGTH)
			assert_int_equal(all[i], 0x5a);
	f2fs_device_close(slice);
	f2fs_device_close(dev);
	model_fini(&m);
	free(all);
	test_host_fini(&host);
}

static void ends_are_checked(void **state)
{
	struct test_host host;
	struct f2fs_device *dev, *slice = NULL, *fault;
	struct f2fs_fault_rule rule = { .fail_read = 1 };
	uint8_t byte;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	assert_int_equal(f2fs_device_open_slice(dev, SIZE + 1, 0, &slice), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_open_slice(dev, 1, SIZE, &slice), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_open_slice(dev, UINT64_MAX, 2, &slice), F2FS_ERR_RANGE);
	assert_null(slice);
	assert_int_equal(f2fs_device_open_slice(dev, SIZE - 10, 0, &slice), 0);
	assert_int_equal(f2fs_device_info(slice)->size, 10);
	assert_int_equal(f2fs_device_read(slice, 9, &byte, 1), 0);
	assert_int_equal(f2fs_device_read(slice, 10, &byte, 1), F2FS_ERR_RANGE);
	assert_null(device_peek(slice, 9, 2));
	assert_non_null(device_peek(slice, 9, 1));
	f2fs_device_close(slice);
	/* The message has the offset on the device below, the record that in the window. */
	assert_int_equal(f2fs_device_open_fault(dev, &fault), 0);
	f2fs_device_fault_set(fault, &rule);
	assert_int_equal(f2fs_device_open_slice(fault, 5000, 0, &slice), 0);
	assert_int_equal(f2fs_device_read(slice, 7, &byte, 1), F2FS_ERR_IO);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "at 5007 of memory"));
	assert_int_equal(f2fs_context_error(host.ctx)->offset, 7);
	f2fs_device_close(slice);
	f2fs_device_close(fault);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_array), cmocka_unit_test(ends_are_checked) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
