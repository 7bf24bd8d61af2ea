/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache: always equal to the device, bounded, reads ahead in streams, tolerates failing reads and allocations. */
#include "device/cache.h"
#include "model.h"

#define SIZE (5u * 1024 * 1024 + 4321)
#define LINE 4096u

/* A device over bytes that counts reads and fails on request. */
struct source {
	uint8_t *bytes;
	uint64_t bad;
	unsigned reads;
	uint64_t longest;
};

static int read_source(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct source *s = self;
	uint64_t start = offset;

	s->reads++;
	for (unsigned i = 0; i < count; i++) {
		if (s->bad >= offset && s->bad < offset + iov[i].length)
			return F2FS_SYS_ERROR(5);
		memcpy(iov[i].base, s->bytes + offset, iov[i].length);
		offset += iov[i].length;
	}
	if (offset - start > s->longest)
		s->longest = offset - start;
	return 0;
}

/* A cache over it. */
struct stand {
	struct test_host host;
	struct source source;
	struct f2fs_device *dev, *cache;
};

static void make_source(struct source *s, struct f2fs_context *ctx, struct f2fs_device **dev)
{
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_source };
	const struct f2fs_device_info info = { .size = SIZE };

	memset(s, 0, sizeof(*s));
	s->bytes = malloc(SIZE);
	assert_non_null(s->bytes);
	test_fill(s->bytes, SIZE, 99);
	s->bad = UINT64_MAX;
	assert_int_equal(f2fs_device_open_custom(ctx, &ops, s, &info, dev), 0);
}

/* Make it; the caller opens the cache. */
static void begin(struct stand *st)
{
	*st = (struct stand){ .cache = NULL };
	test_host_init(&st->host);
	make_source(&st->source, st->host.ctx, &st->dev);
}

static void end(struct stand *st)
{
	f2fs_device_close(st->cache);
	f2fs_device_close(st->dev);
	free(st->source.bytes);
	test_host_fini(&st->host);
}

static void agrees_with_array(void **state)
{
	static const uint64_t budgets[] = { 1, 100000, 1000000, 0 };
	static const uint32_t line_sizes[] = { 16384, 512, 65536 };

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		struct test_host host;
		struct f2fs_device *dev, *cache;
		struct model m;

		test_host_init(&host);
		assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
		if (i % 2)
			assert_int_equal(f2fs_device_open_cache(dev, budgets[i / 3], &cache), 0);
		else
			assert_int_equal(device_new_cache(dev, budgets[i / 3], line_sizes[i % 3], &cache), 0);
		f2fs_device_close(dev);
		model_init(&m, cache, 0, SIZE, 10 + i);
		model_run(&m, 500);
		f2fs_device_close(cache);
		model_fini(&m);
		test_host_fini(&host);
	}
}

/* Reading block after block takes few and long reads below; reading again from a line takes none. */
static void reads_ahead_in_streams(void **state)
{
	struct stand st;
	uint8_t a[4096];
	unsigned reads;

	(void)state;
	begin(&st);
	assert_int_equal(f2fs_device_open_cache(st.dev, 8u << 20, &st.cache), 0);
	/* Two streams at once, one in each half. */
	for (uint64_t at = 0; at < SIZE / 2 - 4096; at += 4096) {
		assert_int_equal(f2fs_device_read(st.cache, at, a, 4096), 0);
		assert_memory_equal(a, st.source.bytes + at, 4096);
		assert_int_equal(f2fs_device_read(st.cache, SIZE / 2 + at, a, 4096), 0);
		assert_memory_equal(a, st.source.bytes + SIZE / 2 + at, 4096);
	}
	assert_true(st.source.reads <= 30);
	assert_int_equal(st.source.longest, 128 * LINE);
	reads = st.source.reads;
	assert_non_null(device_peek(st.cache, 8192, 4096));
	assert_memory_equal(device_peek(st.cache, 8192, 4096), st.source.bytes + 8192, 4096);
	assert_ptr_equal(device_peek(st.cache, 8192, 4096) + 1, device_peek(st.cache, 8193, 4095));
	assert_null(device_peek(st.cache, LINE - 1, 2));
	assert_null(device_peek(st.cache, SIZE - 1, 2));
	assert_null(device_peek(st.cache, UINT64_MAX, 2));
	assert_int_equal(st.source.reads, reads);
	end(&st);
}

/* Scattered reads fetch a line each and no more; reads here and there in a small place fetch it. */
static void random_reads_are_short(void **state)
{
	struct stand st;
	uint8_t a[4096];

	(void)state;
	begin(&st);
	assert_int_equal(f2fs_device_open_cache(st.dev, 0, &st.cache), 0);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(f2fs_device_read(st.cache, i * 37 % 100 * 9 * LINE, a, 4096), 0);
	assert_int_equal(st.source.longest, LINE);
	assert_int_equal(st.source.reads, 100);
	st.source.longest = 0;
	assert_int_equal(f2fs_device_read(st.cache, 1000 * LINE + 5 * LINE, a, 4096), 0);
	assert_int_equal(st.source.longest, LINE);
	assert_int_equal(f2fs_device_read(st.cache, 1000 * LINE + 1 * LINE, a, 4096), 0);
	assert_int_equal(st.source.longest, 4 * LINE);
	assert_int_equal(st.source.reads, 102);
	assert_int_equal(f2fs_device_read(st.cache, 1000 * LINE + 3 * LINE, a, 4096), 0);
	assert_memory_equal(a, st.source.bytes + 1003 * LINE, 4096);
	assert_int_equal(st.source.reads, 102);
	end(&st);
}

/* One bad byte fails the requests that touch it, and no others. */
static void a_bad_place_is_small(void **state)
{
	struct stand st;
	uint8_t a[4096];

	(void)state;
	begin(&st);
	/* In the first fetch of a stream, the second, and so on. */
	for (st.source.bad = 100; st.source.bad < 3000000; st.source.bad += st.source.bad / 2 + 3000) {
		assert_int_equal(f2fs_device_open_cache(st.dev, 0, &st.cache), 0);
		for (uint64_t at = 0; at < SIZE - 4096; at += 4096) {
			const int bad = st.source.bad >= at && st.source.bad < at + 4096;

			assert_int_equal(f2fs_device_read(st.cache, at, a, 4096), bad ? F2FS_ERR_IO : 0);
		}
		f2fs_device_close(st.cache);
	}
	st.source.bad = 1000000;
	assert_int_equal(f2fs_device_open_cache(st.dev, 0, &st.cache), 0);
	for (uint64_t at = 0; at < SIZE - 4096; at += 4096) {
		const int bad = st.source.bad >= at && st.source.bad < at + 4096;

		assert_int_equal(f2fs_device_read(st.cache, at, a, 4096), bad ? F2FS_ERR_IO : 0);
		if (!bad)
			assert_memory_equal(a, st.source.bytes + at, 4096);
		else
			assert_int_equal(f2fs_context_error(st.host.ctx)->offset, at);
	}
	assert_null(device_peek(st.cache, st.source.bad, 1));
	st.source.bad = UINT64_MAX;
	assert_non_null(device_peek(st.cache, 1000000, 1));
	end(&st);
}

/* A write that fails may have happened in part: later reads return the device's bytes. */
static void failed_writes_leave_nothing_stale(void **state)
{
	const struct f2fs_fault_rule rule = { .fail_write = 1, .torn = 1, .sticky = 1 };
	struct test_host host;
	struct f2fs_device *memory, *fault, *cache;
	uint8_t bytes[8192], back[8192], below[8192];

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	assert_int_equal(f2fs_device_open_cache(fault, 0, &cache), 0);
	assert_int_equal(f2fs_device_read(cache, 4096, back, sizeof(back)), 0);
	f2fs_device_fault_set(fault, &rule);
	memset(bytes, 0x33, sizeof(bytes));
	assert_int_equal(f2fs_device_write(cache, 4096, bytes, sizeof(bytes)), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_read(cache, 4096, back, sizeof(back)), 0);
	assert_int_equal(f2fs_device_read(memory, 4096, below, sizeof(below)), 0);
	assert_int_equal(below[0], 0x33);
	assert_int_equal(below[8191], 0);
	assert_memory_equal(back, below, sizeof(back));
	assert_int_equal(f2fs_device_zero(cache, 4096, 4096), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_read(cache, 4096, back, sizeof(back)), 0);
	assert_int_equal(f2fs_device_read(memory, 4096, below, sizeof(below)), 0);
	assert_memory_equal(back, below, sizeof(back));
	f2fs_device_close(cache);
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	test_host_fini(&host);
}

/* Without memory for lines reads still work. */
static void survives_failing_allocations(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < 40; n++) {
		struct stand st;
		uint8_t a[5000];
		int rc;

		begin(&st);
		st.host.fail_at = st.host.calls + n;
		rc = f2fs_device_open_cache(st.dev, 0, &st.cache);
		if (rc == 0) {
			assert_true(n > 4);
			for (uint64_t at = 0; at < SIZE - 5000; at += 5000) {
				assert_int_equal(f2fs_device_read(st.cache, at, a, 5000), 0);
				assert_memory_equal(a, st.source.bytes + at, 5000);
			}
		} else {
			assert_int_equal(rc, F2FS_ERR_NOMEM);
			assert_true(n <= 5);
		}
		st.host.fail_at = 0;
		end(&st);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array),
		cmocka_unit_test(reads_ahead_in_streams),
		cmocka_unit_test(random_reads_are_short),
		cmocka_unit_test(a_bad_place_is_small),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(failed_writes_leave_nothing_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
