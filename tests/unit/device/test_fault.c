/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fault injector: the n-th operation, sticky failures, bad places, torn writes, and nothing else fails. */
#include "model.h"

#define SIZE 100000u

struct fixture {
	struct test_host host;
	struct f2fs_device *memory;
	struct f2fs_device *dev;
};

static void make_fixture(struct fixture *f, const struct f2fs_fault_rule *rule)
{
	test_host_init(&f->host);
	assert_int_equal(f2fs_device_open_memory(f->host.ctx, SIZE, &f->memory), 0);
	assert_int_equal(f2fs_device_open_fault(f->memory, &f->dev), 0);
	f2fs_device_fault_set(f->dev, rule);
}

static void free_fixture(struct fixture *f)
{
	f2fs_device_close(f->dev);
	f2fs_device_close(f->memory);
	test_host_fini(&f->host);
}

static void passes_without_a_rule(void **state)
{
	const struct f2fs_fault_rule rule = { 0 };
	struct fixture f;
	struct model m;

	(void)state;
	make_fixture(&f, &rule);
	model_init(&m, f.dev, 0, SIZE, 90);
	model_run(&m, 500);
	model_fini(&m);
	free_fixture(&f);
}

static void fails_the_nth(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < 20; n++) {
		for (int sticky = 0; sticky < 2; sticky++) {
			const struct f2fs_fault_rule rule = {
				.fail_read = n, .fail_write = n + 1, .fail_flush = n + 2, .sticky = sticky
			};
			struct fixture f;
			uint64_t reads, writes, flushes;
			uint8_t byte = 1;

			make_fixture(&f, &rule);
			for (uint64_t i = 1; i <= 25; i++) {
				const int read_fails = sticky ? i >= n : i == n;
				const int write_fails = sticky ? i >= n + 1 : i == n + 1;
				const int flush_fails = sticky ? i >= n + 2 : i == n + 2;

				assert_int_equal(f2fs_device_read(f.dev, i, &byte, 1), read_fails ? F2FS_ERR_IO : 0);
				if (i % 3 == 0)
					assert_int_equal(f2fs_device_zero(f.dev, i, 1), write_fails ? F2FS_ERR_IO : 0);
				else if (i % 3 == 1)
					assert_int_equal(f2fs_device_discard(f.dev, i, 1),
							 write_fails ? F2FS_ERR_IO : 0);
				else
					assert_int_equal(f2fs_device_write(f.dev, i, "a", 1),
							 write_fails ? F2FS_ERR_IO : 0);
				assert_int_equal(f2fs_device_flush(f.dev), flush_fails ? F2FS_ERR_IO : 0);
			}
			f2fs_device_fault_counts(f.dev, &reads, &writes, &flushes);
			assert_int_equal(reads, 25);
			assert_int_equal(writes, 25);
			assert_int_equal(flushes, 25);
			/* A new rule starts the count again. */
			f2fs_device_fault_set(f.dev, &rule);
			f2fs_device_fault_counts(f.dev, &reads, &writes, &flushes);
			assert_int_equal(reads + writes + flushes, 0);
			free_fixture(&f);
		}
	}
}

static void bad_places_fail(void **state)
{
	const struct f2fs_fault_rule rule = { .bad_offset = 5000, .bad_length = 10 };
	uint8_t bytes[100] = { 0 };
	struct fixture f;

	(void)state;
	make_fixture(&f, &rule);
	for (uint64_t at = 4800; at < 5200; at++) {
		for (size_t n = 1; n <= 100; n += 33) {
			const int hits = at < 5010 && at + n > 5000;

			assert_int_equal(f2fs_device_read(f.dev, at, bytes, n), hits ? F2FS_ERR_IO : 0);
			assert_int_equal(f2fs_device_write(f.dev, at, bytes, n), hits ? F2FS_ERR_IO : 0);
		}
	}
	free_fixture(&f);
}

/* The first half arrives, in whole sectors. */
static void writes_tear(void **state)
{
	uint8_t *bytes = malloc(8192), *back = malloc(8192);

	(void)state;
	assert_true(bytes && back);
	memset(bytes, 0xee, 8192);
	for (size_t n = 1; n <= 8192; n += 511) {
		for (int zero = 0; zero < 2; zero++) {
			const struct f2fs_fault_rule rule = { .fail_write = 2, .torn = 1 };
			const size_t kept = n / 2 / 512 * 512;
			struct f2fs_iovec iov[3] = { { bytes, n / 3 }, { bytes, 0 }, { bytes, n - n / 3 } };
			struct fixture f;

			make_fixture(&f, &rule);
			memset(back, 0x11, 8192);
			assert_int_equal(f2fs_device_write(f.dev, 4096, back, 8192), 0);
			if (zero)
				assert_int_equal(f2fs_device_zero(f.dev, 4096, n), F2FS_ERR_IO);
			else
				assert_int_equal(f2fs_device_writev(f.dev, 4096, iov, 3), F2FS_ERR_IO);
			assert_int_equal(f2fs_device_read(f.dev, 4096, back, 8192), 0);
			for (size_t i = 0; i < 8192; i++)
				assert_int_equal(back[i], i >= kept ? 0x11 : zero ? 0 : 0xee);
			free_fixture(&f);
		}
	}
	free(bytes);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_without_a_rule),
		cmocka_unit_test(fails_the_nth),
		cmocka_unit_test(bad_places_fail),
		cmocka_unit_test(writes_tear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
