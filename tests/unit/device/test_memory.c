/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory devices against an array; forks; huge sizes; memory in use; failing allocations. */
#include "model.h"

#define SIZE (3u * 1024 * 1024 + 777)

static void agrees_with_array(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	struct model m;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	model_init(&m, dev, 0, SIZE, 1);
	model_compare(&m);
	model_run(&m, 3000);
	f2fs_device_close(dev);
	model_fini(&m);
	test_host_fini(&host);
}

/* A fork of a fork of ...: each keeps its own contents whatever happens to the others. */
static void forks_are_independent(void **state)
{
	struct test_host host;
	struct model m[6];
	struct f2fs_device *dev;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	model_init(&m[0], dev, 0, SIZE, 2);
	model_run(&m[0], 100);
	for (unsigned i = 1; i < 6; i++) {
		assert_int_equal(f2fs_device_fork_memory(m[i / 2].dev, &dev), 0);
		model_init(&m[i], dev, 0, SIZE, 2 + i);
		memcpy(m[i].bytes, m[i / 2].bytes, SIZE);
		for (unsigned j = 0; j <= i; j++)
			model_run(&m[j], 60);
	}
	for (unsigned i = 0; i < 6; i++) {
		f2fs_device_close(m[i].dev);
		m[i].dev = NULL;
		for (unsigned j = i + 1; j < 6; j++)
			model_run(&m[j], 30);
		model_fini(&m[i]);
	}
	test_host_fini(&host);
}

/* Zeroing all of an exabyte, with islands of data: quick, and the memory comes back. */
static void is_sparse(void **state)
{
	const uint64_t size = (uint64_t)1 << 60;
	struct test_host host;
	struct f2fs_device *dev;
	uint8_t byte = 7;
	uint64_t length;
	int64_t live;
	int is_hole;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, size, &dev), 0);
	live = host.live;
	for (uint64_t at = 1; at < size; at *= 3)
		assert_int_equal(f2fs_device_write(dev, at, &byte, 1), 0);
	assert_int_equal(f2fs_device_write(dev, size - 1, &byte, 1), 0);
	assert_true(host.live - live < 400);
	assert_int_equal(f2fs_device_extent(dev, 4096 * 5, &length, &is_hole), 0);
	assert_int_equal(is_hole, 1);
	assert_int_equal(length, 9 * 4096); /* from page 5 to the one of 59049 */
	byte = 0;
	assert_int_equal(f2fs_device_read(dev, 3486784401, &byte, 1), 0);
	assert_int_equal(byte, 7);
	assert_int_equal(f2fs_device_read(dev, 3486784402, &byte, 1), 0);
	assert_int_equal(byte, 0);
	assert_int_equal(f2fs_device_zero(dev, 0, size), 0);
	assert_int_equal(host.live, live);
	assert_int_equal(f2fs_device_extent(dev, 0, &length, &is_hole), 0);
	assert_int_equal(is_hole, 1);
	assert_int_equal(length, size);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

/* Whichever allocation fails, the call says NOMEM, nothing leaks, and old contents are still there. */
static void survives_failing_allocations(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct test_host host;
		struct f2fs_device *dev = NULL, *fork = NULL;
		uint8_t bytes[10000], back[10000];
		int rc;

		test_host_init(&host);
		test_fill(bytes, sizeof(bytes), n);
		host.fail_at = host.calls + n;
		rc = f2fs_device_open_memory(host.ctx, SIZE, &dev);
		if (rc == 0)
			rc = f2fs_device_write(dev, 5000, bytes, sizeof(bytes));
		if (rc == 0)
			rc = f2fs_device_fork_memory(dev, &fork);
		if (rc == 0)
			rc = f2fs_device_zero(fork, 6000, 100);
		if (rc == 0)
			rc = f2fs_device_zero(fork, 6000, 1000000);
		if (fork) {
			assert_int_equal(f2fs_device_read(dev, 5000, back, sizeof(back)), 0);
			assert_memory_equal(back, bytes, sizeof(bytes));
		}
		if (rc != 0) {
			assert_int_equal(rc, F2FS_ERR_NOMEM);
		}
		f2fs_device_close(fork);
		f2fs_device_close(dev);
		host.fail_at = 0;
		test_host_fini(&host);
		if (rc == 0) {
			assert_true(n > 8);
			return;
		}
	}
}

static void only_memory_forks(void **state)
{
	struct test_host host;
	struct f2fs_device *dev, *cache, *fork = NULL;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	assert_int_equal(f2fs_device_open_cache(dev, 0, &cache), 0);
	assert_int_equal(f2fs_device_fork_memory(cache, &fork), F2FS_ERR_INVALID);
	assert_null(fork);
	f2fs_device_close(cache);
	f2fs_device_close(dev);
	assert_int_equal(f2fs_device_open_memory(host.ctx, (uint64_t)1 << 63, &dev), F2FS_ERR_TOO_BIG);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array), cmocka_unit_test(forks_are_independent),
		cmocka_unit_test(is_sparse),	     cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(only_memory_forks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
