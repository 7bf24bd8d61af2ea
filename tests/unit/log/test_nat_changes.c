/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changed NAT entries: the same as a plain table keeps, in the order of their ids, in bounded memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "common/test_host.h"
#include "log/nat_changes.h"

#define IDS 3000u

static struct test_host host;
static struct f2fs_context *ctx;
static struct nat_changes changes;

static int set_up(void **state)
{
	(void)state;
	test_host_init(&host);
	if (f2fs_context_open(&host.host, &ctx) != 0)
		return -1;
	nat_changes_init(&changes, ctx);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	nat_changes_fini(&changes);
	f2fs_context_close(ctx);
	return host.live == 0 ? 0 : -1;
}

static void assert_same(const struct f2fs_nat_info *a, const struct f2fs_nat_info *b)
{
	assert_int_equal(a->nid, b->nid);
	assert_int_equal(a->ino, b->ino);
	assert_int_equal(a->block_addr, b->block_addr);
	assert_int_equal(a->version, b->version);
}

/* Compare with a table whose entries without a version are not set. */
static void compare(const struct f2fs_nat_info *model)
{
	struct nat_changes_walk walk;
	struct f2fs_nat_info entry;
	size_t count = 0;

	assert_int_equal(nat_changes_walk_begin(&walk, &changes), 0);
	for (f2fs_nid_t nid = 0; nid < IDS; nid++) {
		const bool is_set = model[nid].version != 0;

		assert_int_equal(nat_changes_find(&changes, nid, NULL), is_set);
		if (!is_set)
			continue;
		assert_true(nat_changes_find(&changes, nid, &entry));
		assert_same(&entry, &model[nid]);
		assert_true(nat_changes_walk_next(&walk, &entry));
		assert_same(&entry, &model[nid]);
		count++;
	}
	assert_false(nat_changes_walk_next(&walk, &entry));
	assert_int_equal(changes.count, count);
	nat_changes_walk_end(&walk);
}

static void entries_are_those_set_last(void **state)
{
	static struct f2fs_nat_info model[IDS];
	uint32_t seed = 1;

	(void)state;
	memset(model, 0, sizeof(model));
	compare(model);
	for (unsigned i = 1; i <= 2 * IDS; i++) {
		const struct f2fs_nat_info entry = {
			.nid = fresh_random(&seed) % IDS,
			.ino = fresh_random(&seed),
			.block_addr = UINT32_MAX - i,
			.version = (uint8_t)(1 + i % 255),
		};

		assert_int_equal(nat_changes_set(&changes, &entry), 0);
		model[entry.nid] = entry;
		if (i % 1000 == 0)
			compare(model);
	}
}

static void greatest_id(void **state)
{
	const struct f2fs_nat_info entry = { .nid = UINT32_MAX, .ino = 7, .block_addr = 8, .version = 9 };
	struct nat_changes_walk walk;
	struct f2fs_nat_info out;

	(void)state;
	assert_int_equal(nat_changes_set(&changes, &entry), 0);
	assert_int_equal(nat_changes_walk_begin(&walk, &changes), 0);
	assert_true(nat_changes_walk_next(&walk, &out));
	assert_same(&out, &entry);
	assert_false(nat_changes_walk_next(&walk, &out));
	nat_changes_walk_end(&walk);
}

/* An entry that was not set for want of memory is not there, and can be set later. */
static void without_memory(void **state)
{
	const struct f2fs_nat_info entry = { .nid = 5, .ino = 5, .block_addr = 6, .version = 1 };
	unsigned failures = 0;

	(void)state;
	for (;;) {
		host.fail_at = host.allocations + 1 + failures;
		if (nat_changes_set(&changes, &entry) == 0)
			break;
		assert_false(nat_changes_find(&changes, entry.nid, NULL));
		assert_int_equal(changes.count, 0);
		nat_changes_fini(&changes);
		failures++;
	}
	host.fail_at = 0;
	assert_true(failures >= 2); /* index, group */
	assert_true(nat_changes_find(&changes, entry.nid, NULL));
}

/* Bytes in use for each of many ids that are some way apart. */
static size_t bytes_for_each(uint32_t stride)
{
	const size_t before = host.live;
	const uint32_t count = 100000;

	for (uint32_t i = 0; i < count; i++) {
		const struct f2fs_nat_info entry = { .nid = 3 + i * stride };

		assert_int_equal(nat_changes_set(&changes, &entry), 0);
	}
	return (host.live - before) / count;
}

static void memory_in_a_row(void **state)
{
	(void)state;
	assert_true(bytes_for_each(1) <= 15);
}

static void memory_far_apart(void **state)
{
	(void)state;
	assert_true(bytes_for_each(40000) <= 76 + 43);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entries_are_those_set_last), TEST(greatest_id),	 TEST(without_memory),
		TEST(memory_in_a_row),		  TEST(memory_far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
