/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache of hotness entries: its limit, its sidecar, and sidecars that are foreign, stale, torn or unreadable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hot/hot_cache.h"
#include "hot/hot_cluster.h"

#define SEGMENTS 40u
#define PAGES 6u

static struct f2fs_context *ctx;
static struct f2fs_device *sidecar;

static struct hot_mark mark_of(uint64_t version)
{
	struct hot_mark mark = { .version = version, .segments = SEGMENTS };

	memset(mark.uuid, 0x5a, sizeof(mark.uuid));
	return mark;
}

static int set_up(void **state)
{
	(void)state;
	return f2fs_context_open(NULL, &ctx) || f2fs_device_open_memory(ctx, hot_sidecar_bytes(SEGMENTS), &sidecar);
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_device_close(sidecar);
	f2fs_context_close(ctx);
	return 0;
}

static bool begin(struct hot_cache *c, struct f2fs_device *dev, const struct hot_mark *mark)
{
	struct hot_mark copy = *mark;
	bool fits;

	memset(c, 0, sizeof(*c));
	assert_int_equal(hot_cache_init(c, ctx, dev, PAGES * sizeof(struct hot_page), &copy, &fits), 0);
	return fits;
}

/* One entry of each segment holds its number. */
static void fill(struct hot_cache *c)
{
	for (f2fs_seg_t i = 0; i < SEGMENTS; i++)
		hot_set(hot_cache_page(c, i, true)->entries + (size_t)i * HOT_ENTRY_SIZE, i + 1, i + 100, i % 16, 3),
			hot_cache_page(c, i, true)->is_dirty = true;
}

static unsigned count_kept(struct hot_cache *c)
{
	unsigned kept = 0;

	for (f2fs_seg_t i = 0; i < SEGMENTS; i++) {
		const struct hot_page *page = hot_cache_page(c, i, false);
		const uint8_t *entry = page ? page->entries + (size_t)i * HOT_ENTRY_SIZE : NULL;

		kept += entry && hot_last(entry) == i + 1 && hot_distance(entry) == i + 100 &&
			(entry[4] & 15u) == i % 16 && hot_delay(entry) == 3;
		assert_true(c->count <= PAGES);
	}
	return kept;
}

static void test_limit_without_sidecar(void **state)
{
	const struct hot_mark mark = mark_of(7);
	struct hot_cache c;

	(void)state;
	assert_false(begin(&c, NULL, &mark));
	fill(&c);
	assert_int_equal(c.count, PAGES);
	assert_int_equal(count_kept(&c), PAGES);
	assert_null(hot_cache_page(&c, SEGMENTS, true));
	hot_cache_fini(&c);
}

static void save(uint64_t version)
{
	const struct hot_mark before = mark_of(0), after = mark_of(version);
	struct hot_cache c;

	assert_false(begin(&c, sidecar, &before));
	fill(&c);
	assert_int_equal(count_kept(&c), SEGMENTS); /* those that left memory come back */
	assert_true(c.sidecar_reads > 0 && c.sidecar_writes > 0 && c.sidecar_errors == 0);
	assert_true(c.sidecar_writes < SEGMENTS); /* neighbours went together */
	hot_cache_save(&c, &after);
	hot_cache_fini(&c);
}

static void test_sidecar_comes_back(void **state)
{
	const struct hot_mark mark = mark_of(9);
	struct hot_cache c;

	(void)state;
	save(9);
	assert_true(begin(&c, sidecar, &mark));
	assert_int_equal(count_kept(&c), SEGMENTS);
	hot_cache_fini(&c);
	/* it was in use and not saved: its contents are out of date */
	assert_false(begin(&c, sidecar, &mark));
	assert_int_equal(count_kept(&c), 0);
	hot_cache_fini(&c);
}

static void need_refused(const struct hot_mark *mark)
{
	struct hot_cache c;

	assert_false(begin(&c, sidecar, mark));
	assert_int_equal(count_kept(&c), 0);
	hot_cache_fini(&c);
}

static void test_other_sidecars(void **state)
{
	struct hot_mark mark = mark_of(9);
	uint8_t byte = 1;

	(void)state;
	save(9);
	mark.version = 10;
	need_refused(&mark);
	save(9);
	mark = mark_of(9);
	mark.uuid[15] ^= 1;
	need_refused(&mark);
	save(9);
	mark = mark_of(9);
	assert_int_equal(f2fs_device_write(sidecar, 109, &byte, 1), 0); /* in the checksum */
	need_refused(&mark);
	save(9);
	assert_int_equal(f2fs_device_write(sidecar, 4000, &byte, 1), 0); /* in the zero part */
	need_refused(&mark);
}

/* A page of a sidecar that fits may be torn: only the entries of its own blocks are lost. */
static void test_torn_page(void **state)
{
	const struct hot_mark mark = mark_of(9);
	uint8_t rubbish[HOT_PAGE_BYTES];
	struct hot_cache c;

	(void)state;
	memset(rubbish, 0xff, sizeof(rubbish));
	save(9);
	assert_int_equal(f2fs_device_write(sidecar, 3 * (uint64_t)HOT_PAGE_BYTES, rubbish, sizeof(rubbish)), 0);
	assert_true(begin(&c, sidecar, &mark));
	assert_int_equal(count_kept(&c), SEGMENTS - 1);
	hot_cache_fini(&c);
}

/* Dropped entries do not come back from an older use of the sidecar. */
static void test_old_pages(void **state)
{
	const struct hot_mark before = mark_of(1), mark = mark_of(12);
	struct hot_cache c;

	(void)state;
	save(9);
	assert_false(begin(&c, sidecar, &before));
	hot_cache_save(&c, &mark);
	hot_cache_fini(&c);
	assert_true(begin(&c, sidecar, &mark));
	assert_int_equal(count_kept(&c), 0);
	hot_cache_fini(&c);
}

static void test_sidecar_fails(void **state)
{
	const struct hot_mark mark = mark_of(9);
	struct f2fs_device *small, *faulty;
	struct hot_mark copy = mark;
	struct hot_cache c = { 0 };
	bool fits;

	(void)state;
	assert_int_equal(f2fs_device_open_memory(ctx, hot_sidecar_bytes(SEGMENTS) - 1, &small), 0);
	assert_int_equal(hot_cache_init(&c, ctx, small, 0, &copy, &fits), F2FS_ERR_INVALID);
	hot_cache_fini(&c);
	f2fs_device_close(small);
	for (uint64_t at = 1; at < 8; at++) {
		const struct f2fs_fault_rule rule = { .fail_write = at, .sticky = 1 };

		assert_int_equal(f2fs_device_open_memory(ctx, hot_sidecar_bytes(SEGMENTS), &small), 0);
		assert_int_equal(f2fs_device_open_fault(small, &faulty), 0);
		f2fs_device_fault_set(faulty, &rule);
		begin(&c, faulty, &mark);
		fill(&c);
		assert_true(count_kept(&c) > 0);
		hot_cache_save(&c, &mark);
		assert_int_equal(c.sidecar_errors, 1);
		assert_null(c.sidecar);
		hot_cache_fini(&c);
		f2fs_device_close(faulty);
		f2fs_device_close(small);
	}
}

/* The logarithm by squaring the mantissa, a bit of the fraction each time. */
static uint32_t by_squaring(uint32_t number)
{
	uint32_t whole = 0, part = 0;
	uint64_t m;

	while (number >> whole > 1)
		whole++;
	m = ((uint64_t)number << 31) >> whole;
	for (unsigned bit = 0; bit < 8; bit++) {
		m = m * m >> 31;
		part = part << 1 | (uint32_t)(m >> 32);
		m >>= m >> 32;
	}
	return whole << 8 | part;
}

static void logarithms(void **state)
{
	static const uint32_t least[] = {
#include "hot/logarithm.def"
	};
	uint32_t number = 1;

	(void)state;
	assert_int_equal(sizeof(least) / sizeof(least[0]), 256);
	assert_int_equal(hot_logarithm(0), 0);
	for (unsigned i = 0; i < 256; i++)
		for (unsigned shift = 0; shift < 32; shift++)
			for (uint32_t near = 0; near < 3; near++) {
				const uint32_t n = (least[i] >> shift) - 1 + near;

				assert_int_equal(hot_logarithm(n), n ? by_squaring(n) : 0);
			}
	for (unsigned i = 0; i < 100000; i++) {
		number = number * 1664525u + 1013904223u;
		assert_int_equal(hot_logarithm(number | 1), by_squaring(number | 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logarithms),
		cmocka_unit_test(test_limit_without_sidecar), cmocka_unit_test(test_sidecar_comes_back),
		cmocka_unit_test(test_other_sidecars),	      cmocka_unit_test(test_torn_page),
		cmocka_unit_test(test_old_pages),	      cmocka_unit_test(test_sidecar_fails),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
