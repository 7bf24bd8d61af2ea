/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Overlays: contents in memory and spilled, nothing below changes before apply, all of it after, bounds, failures. */
#include "model.h"

#define SIZE (3u * 1024 * 1024 + 555)

struct fixture {
	struct test_host host;
	struct f2fs_device *inner;
	struct f2fs_device *dev;
	struct model m;
	uint8_t *before;
};

static void make_fixture(struct fixture *f, uint64_t limit, const char *dir, uint64_t seed)
{
	memset(f, 0, sizeof(*f));
	test_host_init(&f->host);
	f->before = malloc(SIZE);
	assert_non_null(f->before);
	test_fill(f->before, SIZE, seed);
	memset(f->before + 100000, 0, 500000);
	assert_int_equal(f2fs_device_open_memory(f->host.ctx, SIZE, &f->inner), 0);
	assert_int_equal(f2fs_device_write(f->inner, 0, f->before, SIZE), 0);
	assert_int_equal(f2fs_device_zero(f->inner, 100000, 500000), 0);
	assert_int_equal(f2fs_device_open_overlay(f->inner, limit, dir, &f->dev), 0);
	model_init(&f->m, f->dev, 0, SIZE, seed);
	memcpy(f->m.bytes, f->before, SIZE);
}

static void free_fixture(struct fixture *f)
{
	f2fs_device_close(f->dev);
	f2fs_device_close(f->inner);
	free(f->before);
	model_fini(&f->m);
	test_host_fini(&f->host);
}

static void compare_inner(struct fixture *f, const uint8_t *bytes)
{
	uint8_t *now = malloc(SIZE);

	assert_non_null(now);
	assert_int_equal(f2fs_device_read(f->inner, 0, now, SIZE), 0);
	assert_memory_equal(now, bytes, SIZE);
	free(now);
}

static int check_changes(void *user, uint64_t offset, uint64_t length)
{
	struct fixture *f = user;

	assert_true(length > 0);
	assert_true(offset + length <= SIZE);
	/* Ascending and apart; bytes between are unchanged. f->m.start is not used otherwise. */
	assert_true(f->m.start == 0 || offset > f->m.start);
	assert_memory_equal(f->m.bytes + f->m.start, f->before + f->m.start, (size_t)(offset - f->m.start));
	f->m.start = offset + length;
	return 0;
}

static int count_changes(void *user, uint64_t offset, uint64_t length)
{
	(void)offset;
	(void)length;
	++*(unsigned *)user;
	return 77;
}

static void keeps_changes_until_applied(void **state)
{
	static const uint64_t limits[] = { 0, 1, 300000, 1500000 };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct fixture f;
		unsigned count = 0;

		make_fixture(&f, limits[i % 4], limits[i % 4] ? "/tmp" : NULL, 50 + i);
		model_compare(&f.m);
		model_run(&f.m, 20 + 200 * (i / 4));
		compare_inner(&f, f.before);
		assert_int_equal(f2fs_device_overlay_changes(f.dev, check_changes, &f), 0);
		assert_memory_equal(f.m.bytes + f.m.start, f.before + f.m.start, (size_t)(SIZE - f.m.start));
		f.m.start = 0;
		assert_int_equal(f2fs_device_overlay_changes(f.dev, count_changes, &count), 77);
		assert_int_equal(f2fs_device_overlay_apply(f.dev), 0);
		compare_inner(&f, f.m.bytes);
		count = 0;
		assert_int_equal(f2fs_device_overlay_changes(f.dev, count_changes, &count), 0);
		assert_int_equal(count, 0);
		/* And again. */
		model_run(&f.m, 100);
		assert_int_equal(f2fs_device_overlay_apply(f.dev), 0);
		compare_inner(&f, f.m.bytes);
		free_fixture(&f);
	}
}

/* What does not fit is refused without a place to spill, and takes little memory with one. */
static void memory_is_bounded(void **state)
{
	struct fixture f;
	uint8_t page[4096];
	int64_t live;
	uint64_t at;
	int rc = 0;

	(void)state;
	memset(page, 9, sizeof(page));
	make_fixture(&f, 100000, NULL, 60);
	for (at = 0; rc == 0 && at < SIZE - 4096; at += 4096)
		rc = f2fs_device_write(f.dev, at, page, 4096);
	assert_int_equal(rc, F2FS_ERR_NOMEM);
	assert_non_null(strstr(f2fs_context_error(f.host.ctx)->message, "more than 100000 bytes"));
	assert_true(at > 10 * 4096 && at <= 25 * 4096);
	/* Existing blocks can still be changed, zeros need nothing. */
	assert_int_equal(f2fs_device_write(f.dev, 4000, page, 100), 0);
	assert_int_equal(f2fs_device_zero(f.dev, 1000 * 1024, 1024 * 1024), 0);
	free_fixture(&f);
	make_fixture(&f, 100000, "/tmp", 61);
	live = f.host.live;
	for (at = 0; at < SIZE - 4096; at += 4096)
		assert_int_equal(f2fs_device_write(f.dev, at, page, 4096), 0);
	assert_true(f.host.live - live < 30);
	free_fixture(&f);
	make_fixture(&f, 1, "/nowhere", 62);
	assert_int_equal(f2fs_device_write(f.dev, 0, page, 4096), F2FS_ERR_NOT_FOUND);
	assert_non_null(strstr(f2fs_context_error(f.host.ctx)->message, "/nowhere"));
	free_fixture(&f);
}

/* A petabyte of zeros is one mark; it is one hole and one change. */
static int take_change(void *user, uint64_t offset, uint64_t length)
{
	uint64_t *change = user;

	change[0] = offset;
	change[1] = length;
	return 0;
}

static void zeros_take_no_space(void **state)
{
	const uint64_t size = (uint64_t)1 << 50;
	struct test_host host;
	struct f2fs_device *inner, *dev;
	uint64_t change[2] = { 0, 0 };
	uint64_t length;
	int is_hole;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, size, &inner), 0);
	assert_int_equal(f2fs_device_open_overlay(inner, 65536, NULL, &dev), 0);
	assert_int_equal(f2fs_device_zero(dev, 10000, size - 30000), 0);
	assert_int_equal(f2fs_device_extent(dev, 12288, &length, &is_hole), 0);
	assert_int_equal(is_hole, 1);
	assert_true(length > size - 40000);
	assert_int_equal(f2fs_device_overlay_changes(dev, take_change, change), 0);
	assert_int_equal(change[0], 8192);
	assert_true(change[1] > size - 40000);
	assert_int_equal(f2fs_device_overlay_apply(dev), 0);
	f2fs_device_close(dev);
	f2fs_device_close(inner);
	test_host_fini(&host);
}

/* An apply that fails in the middle can be repeated. */
static void apply_can_be_repeated(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct f2fs_fault_rule rule = { .fail_write = n, .torn = 1 };
		struct test_host host;
		struct f2fs_device *memory, *fault, *dev;
		uint64_t reads, writes, flushes;
		struct model m;
		int rc;

		test_host_init(&host);
		assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
		assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
		assert_int_equal(f2fs_device_open_overlay(fault, 0, NULL, &dev), 0);
		model_init(&m, dev, 0, SIZE, 70);
		model_run(&m, 60);
		f2fs_device_fault_set(fault, &rule);
		rc = f2fs_device_overlay_apply(dev);
		f2fs_device_fault_counts(fault, &reads, &writes, &flushes);
		assert_int_equal(rc, n <= writes ? F2FS_ERR_IO : 0);
		model_compare(&m);
		assert_int_equal(f2fs_device_overlay_apply(dev), 0);
		m.dev = memory;
		model_compare(&m);
		f2fs_device_close(dev);
		f2fs_device_close(fault);
		f2fs_device_close(memory);
		model_fini(&m);
		test_host_fini(&host);
		if (rc == 0) {
			assert_true(n > 5);
			return;
		}
	}
}

static void refuses_what_it_cannot(void **state)
{
	const struct f2fs_device_info info = { .size = 8192 };
	struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops) };
	struct fixture f;
	struct f2fs_device *read_only, *dev;

	(void)state;
	make_fixture(&f, 0, NULL, 63);
	assert_int_equal(f2fs_device_overlay_apply(f.inner), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_overlay_changes(f.inner, count_changes, NULL), F2FS_ERR_INVALID);
	ops.read = f.inner->ops.read;
	assert_int_equal(f2fs_device_open_custom(f.host.ctx, &ops, f.inner->self, &info, &read_only), 0);
	assert_int_equal(f2fs_device_open_overlay(read_only, 0, NULL, &dev), 0);
	assert_int_equal(f2fs_device_write(dev, 5, "x", 1), 0);
	assert_int_equal(f2fs_device_overlay_apply(dev), F2FS_ERR_READ_ONLY);
	f2fs_device_close(dev);
	f2fs_device_close(read_only);
	free_fixture(&f);
}

/* Whichever allocation fails: NOMEM, nothing below changes, what succeeded is there. */
static void survives_failing_allocations(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct fixture f;
		uint8_t bytes[20000], back[20000];
		int rc;

		make_fixture(&f, 40000, "/tmp", 64);
		f2fs_device_close(f.dev);
		f.dev = NULL;
		test_fill(bytes, sizeof(bytes), n);
		f.host.fail_at = f.host.calls + n;
		rc = f2fs_device_open_overlay(f.inner, 40000, "/tmp", &f.dev);
		for (uint64_t i = 0; rc == 0 && i < 5; i++) {
			rc = f2fs_device_write(f.dev, 3000 + i * 600000, bytes, sizeof(bytes));
			if (rc != 0)
				break;
			assert_int_equal(f2fs_device_read(f.dev, 3000 + i * 600000, back, sizeof(back)), 0);
			assert_memory_equal(back, bytes, sizeof(bytes));
		}
		compare_inner(&f, f.before);
		if (rc == 0)
			rc = f2fs_device_zero(f.dev, 100, 2000000);
		if (rc == 0)
			rc = f2fs_device_overlay_apply(f.dev);
		if (rc != 0)
			assert_int_equal(rc, F2FS_ERR_NOMEM);
		f.host.fail_at = 0;
		free_fixture(&f);
		if (rc == 0) {
			assert_true(n > 10);
			return;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_changes_until_applied), cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(zeros_take_no_space),	       cmocka_unit_test(apply_can_be_repeated),
		cmocka_unit_test(refuses_what_it_cannot),      cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
