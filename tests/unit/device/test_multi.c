/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of devices: contents across the seams, where the bytes really are, caps, failing parts, refusals. */
#include "model.h"

#define PARTS 5u

static const struct {
	uint64_t size, offset, length;
} shapes[PARTS] = {
	{ 100000, 0, 100000 }, { 5000, 100, 1 }, { 4096, 0, 0 }, { 300000, 4096, 250000 }, { 70000, 5, 69995 }
};

static void agrees_with_array(void **state)
{
	struct f2fs_device_part parts[PARTS];
	struct test_host host;
	struct f2fs_device *multi;
	uint64_t size = 0;
	struct model m;

	(void)state;
	test_host_init(&host);
	for (unsigned i = 0; i < PARTS; i++) {
		assert_int_equal(f2fs_device_open_memory(host.ctx, shapes[i].size, &parts[i].device), 0);
		parts[i].offset = shapes[i].offset;
		parts[i].length = shapes[i].length;
		size += shapes[i].length;
	}
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, PARTS, &multi), 0);
	assert_int_equal(f2fs_device_info(multi)->size, size);
	assert_true(f2fs_device_info(multi)->caps & F2FS_DEVICE_ZEROED);
	assert_true(f2fs_device_info(multi)->caps & F2FS_DEVICE_PARALLEL);
	model_init(&m, multi, 0, (size_t)size, 40);
	model_run(&m, 3000);
	f2fs_device_close(multi);
	for (uint64_t i = 0, at = 0; i < PARTS; at += shapes[i].length, i++) {
		uint8_t *bytes = malloc((size_t)shapes[i].size);

		assert_non_null(bytes);
		assert_int_equal(f2fs_device_read(parts[i].device, 0, bytes, (size_t)shapes[i].size), 0);
		assert_memory_equal(bytes + shapes[i].offset, m.bytes + at, (size_t)shapes[i].length);
		for (uint64_t j = 0; j < shapes[i].size; j++)
			if (j < shapes[i].offset || j >= shapes[i].offset + shapes[i].length)
				assert_int_equal(bytes[j], 0);
		free(bytes);
		f2fs_device_close(parts[i].device);
	}
	model_fini(&m);
	test_host_fini(&host);
}

static void failures_name_the_part(void **state)
{
	struct f2fs_device_part parts[2];
	struct f2fs_fault_rule rule = { .fail_read = 1, .fail_flush = 1 };
	struct test_host host;
	struct f2fs_device *multi, *memory;
	uint64_t reads, writes, flushes;
	uint8_t bytes[200];

	(void)state;
	test_host_init(&host);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(f2fs_device_open_memory(host.ctx, 10000, &memory), 0);
		assert_int_equal(f2fs_device_open_fault(memory, &parts[i].device), 0);
		f2fs_device_close(memory);
		parts[i].offset = 1000 * i;
		parts[i].length = 9000;
	}
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 2, &multi), 0);
	assert_false(f2fs_device_info(multi)->caps & F2FS_DEVICE_PARALLEL);
	f2fs_device_fault_set(parts[1].device, &rule);
	assert_int_equal(f2fs_device_read(multi, 8800, bytes, 200), 0);
	assert_int_equal(f2fs_device_read(multi, 9001, bytes, 200), F2FS_ERR_IO);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "at 1001 of memory"));
	assert_int_equal(f2fs_context_error(host.ctx)->offset, 9001);
	/* Both are flushed although one fails. */
	f2fs_device_fault_set(parts[0].device, &rule);
	assert_int_equal(f2fs_device_flush(multi), F2FS_ERR_IO);
	f2fs_device_fault_counts(parts[1].device, &reads, &writes, &flushes);
	assert_int_equal(flushes, 1);
	f2fs_device_close(multi);
	f2fs_device_close(parts[0].device);
	f2fs_device_close(parts[1].device);
	test_host_fini(&host);
}

static void refuses_bad_sets(void **state)
{
	struct f2fs_device_part parts[3];
	struct test_host host, foreign;
	struct f2fs_device *multi = NULL, *small, *huge;

	(void)state;
	test_host_init(&host);
	test_host_init(&foreign);
	assert_int_equal(f2fs_device_open_memory(host.ctx, 10000, &small), 0);
	assert_int_equal(f2fs_device_open_memory(host.ctx, INT64_MAX, &huge), 0);
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 0, &multi), F2FS_ERR_INVALID);
	parts[0] = (struct f2fs_device_part){ small, 1, 10000 };
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 1, &multi), F2FS_ERR_RANGE);
	parts[0] = (struct f2fs_device_part){ small, 0, 0 };
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 1, &multi), F2FS_ERR_INVALID);
	parts[0] = parts[1] = parts[2] = (struct f2fs_device_part){ huge, 0, INT64_MAX };
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 2, &multi), F2FS_ERR_TOO_BIG);
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 3, &multi), F2FS_ERR_TOO_BIG);
	parts[0] = (struct f2fs_device_part){ small, 0, 10000 };
	assert_int_equal(f2fs_device_open_multi(foreign.ctx, parts, 1, &multi), F2FS_ERR_INVALID);
	for (uint64_t n = 1; n <= 4; n++) {
		host.fail_at = host.calls + n;
		assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 1, &multi), F2FS_ERR_NOMEM);
	}
	assert_null(multi);
	f2fs_device_close(small);
	f2fs_device_close(huge);
	host.fail_at = 0;
	test_host_fini(&foreign);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array),
		cmocka_unit_test(failures_name_the_part),
		cmocka_unit_test(refuses_bad_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
