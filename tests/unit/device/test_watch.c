/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watched reads: each is reported, in order, failed ones too; contents are those of the device below. */
#include "model.h"

#define SIZE 700000u

struct seen {
	unsigned count, failed;
	uint64_t bytes, last;
};

static void see(void *user, uint64_t offset, uint64_t length, int failed)
{
	struct seen *seen = user;

	seen->count++;
	seen->failed += failed != 0;
	seen->bytes += length;
	seen->last = offset;
}

static void contents_are_those_below(void **state)
{
	struct test_host host;
	struct f2fs_device *memory, *watch;
	struct seen seen = { 0 };
	struct model m;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_watch(memory, see, &seen, &watch), 0);
	model_init(&m, watch, 0, SIZE, 7);
	model_run(&m, 300);
	model_compare(&m);
	assert_true(seen.count > 0 && seen.failed == 0);
	f2fs_device_close(watch);
	f2fs_device_close(memory);
	model_fini(&m);
	test_host_fini(&host);
}

static void each_read_is_reported(void **state)
{
	const struct f2fs_fault_rule rule = { .fail_read = 2 };
	struct test_host host;
	struct f2fs_device *memory, *fault, *watch;
	struct seen seen = { 0 };
	uint8_t bytes[3000];

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	assert_int_equal(f2fs_device_open_watch(fault, see, &seen, &watch), 0);
	f2fs_device_fault_set(fault, &rule);
	assert_int_equal(f2fs_device_read(watch, 100, bytes, 1000), 0);
	assert_int_equal(f2fs_device_read(watch, 5000, bytes, 3000), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_write(watch, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.failed, 1);
	assert_int_equal(seen.bytes, 4000);
	assert_int_equal(seen.last, 5000);
	assert_int_equal(f2fs_device_info(watch)->caps & F2FS_DEVICE_PARALLEL, 0);
	f2fs_device_close(watch);
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_are_those_below),
		cmocka_unit_test(each_read_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
