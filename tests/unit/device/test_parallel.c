/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices that say so are read by several threads at once, and none of these reads touches the context. */
#include "model.h"

#include <unistd.h>

#include "base/pool.h"

#define SIZE (1u << 20)
#define JOBS 64u

struct job {
	struct pool_job pool; /* first */
	struct f2fs_device *dev;
	const uint8_t *bytes;
	uint64_t random;
	uint64_t failures;
};

static void read_at_random(struct pool_job *pool, unsigned slot)
{
	struct job *job = (struct job *)pool;
	uint8_t buffer[3000];

	(void)slot;
	for (unsigned i = 0; i < 100; i++) {
		const size_t at = (size_t)test_random(&job->random, SIZE - sizeof(buffer));
		const size_t n = (size_t)test_random(&job->random, sizeof(buffer)) + 1;

		if (device_read_quiet(job->dev, at, buffer, n) != 0 || memcmp(buffer, job->bytes + at, n) != 0)
			job->failures++;
		/* Past the end: an answer, no record. */
		if (device_read_quiet(job->dev, SIZE - 1, buffer, 2) != F2FS_ERR_RANGE)
			job->failures++;
	}
}

static void read_by_many(struct test_host *host, struct f2fs_device *dev, const uint8_t *bytes)
{
	struct job *jobs = calloc(JOBS, sizeof(*jobs));
	struct f2fs_error_detail before;
	struct pool *pool;
	uint64_t calls;

	assert_non_null(jobs);
	assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_PARALLEL);
	assert_int_equal(f2fs_device_info(dev)->size, SIZE);
	assert_int_equal(pool_new(host->ctx, 4, &pool), 0);
	f2fs_context_fail(host->ctx, F2FS_ERR_LOOP, "earlier");
	before = *f2fs_context_error(host->ctx);
	calls = host->calls;
	for (unsigned i = 0; i < JOBS; i++) {
		jobs[i].pool.run = read_at_random;
		jobs[i].dev = dev;
		jobs[i].bytes = bytes;
		jobs[i].random = i;
		pool_submit(pool, &jobs[i].pool);
	}
	for (unsigned i = 0; i < JOBS; i++) {
		pool_wait(pool, &jobs[i].pool);
		assert_int_equal(jobs[i].failures, 0);
	}
	assert_int_equal(host->calls, calls);
	assert_memory_equal(f2fs_context_error(host->ctx), &before, sizeof(before));
	pool_free(pool);
	free(jobs);
}

struct appender {
	struct f2fs_device *file;
	uint64_t end;
};

static int append(void *user, const void *bytes, size_t length)
{
	struct appender *a = user;

	a->end += length;
	return f2fs_device_write(a->file, a->end - length, bytes, length);
}

static void parallel_devices_are_parallel(void **state)
{
	uint8_t *bytes = malloc(SIZE);
	struct f2fs_device *memory, *file, *slice, *multi, *overlay, *sparse, *recorder;
	struct f2fs_device_part parts[2];
	struct appender appender = { NULL, 0 };
	struct test_host host;
	char path[64];

	(void)state;
	assert_non_null(bytes);
	test_host_init(&host);
	test_path(path);
	test_fill(bytes, SIZE, 1);
	memset(bytes + 300000, 0, 200000);
	memset(bytes + 600000, 0x77, 50000);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_write(memory, 0, bytes, 300000), 0);
	assert_int_equal(f2fs_device_write(memory, 500000, bytes + 500000, SIZE - 500000), 0);
	read_by_many(&host, memory, bytes);
	assert_int_equal(f2fs_device_create(host.ctx, path, SIZE, F2FS_OPEN_CREATE, &file), 0);
	assert_int_equal(f2fs_device_write(file, 0, bytes, SIZE), 0);
	read_by_many(&host, file, bytes);
	parts[0] = (struct f2fs_device_part){ memory, 0, 555555 };
	parts[1] = (struct f2fs_device_part){ file, 555555, SIZE - 555555 };
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 2, &multi), 0);
	read_by_many(&host, multi, bytes);
	assert_int_equal(f2fs_device_open_recorder(multi, &recorder), 0);
	assert_int_equal(f2fs_device_open_slice(recorder, 0, 0, &slice), 0);
	read_by_many(&host, slice, bytes);
	/* Some of it changed, in memory and spilled. */
	assert_int_equal(f2fs_device_open_overlay(slice, 100000, "/tmp", &overlay), 0);
	test_fill(bytes + 100, 400000, 2);
	assert_int_equal(f2fs_device_write(overlay, 100, bytes + 100, 400000), 0);
	memset(bytes + 700000, 0, 100000);
	assert_int_equal(f2fs_device_zero(overlay, 700000, 100000), 0);
	read_by_many(&host, overlay, bytes);
	f2fs_device_close(file);
	unlink(path);
	assert_int_equal(f2fs_device_create(host.ctx, path, 2 * SIZE, 0, &file), 0);
	appender.file = file;
	assert_int_equal(f2fs_device_save_sparse(overlay, 0, append, &appender), 0);
	assert_int_equal(f2fs_device_open_sparse(file, &sparse), 0);
	read_by_many(&host, sparse, bytes);
	f2fs_device_close(sparse);
	f2fs_device_close(file);
	f2fs_device_close(overlay);
	f2fs_device_close(slice);
	f2fs_device_close(recorder);
	f2fs_device_close(multi);
	f2fs_device_close(memory);
	unlink(path);
	free(bytes);
	test_host_fini(&host);
}

/* Those that keep books about reads are not. */
static void others_are_not(void **state)
{
	struct f2fs_device *memory, *cache, *fault, *slice;
	struct test_host host;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_cache(memory, 0, &cache), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	assert_int_equal(f2fs_device_open_slice(fault, 0, 0, &slice), 0);
	assert_false(f2fs_device_info(cache)->caps & F2FS_DEVICE_PARALLEL);
	assert_false(f2fs_device_info(fault)->caps & F2FS_DEVICE_PARALLEL);
	assert_false(f2fs_device_info(slice)->caps & F2FS_DEVICE_PARALLEL);
	f2fs_device_close(slice);
	f2fs_device_close(fault);
	f2fs_device_close(cache);
	f2fs_device_close(memory);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parallel_devices_are_parallel),
		cmocka_unit_test(others_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
