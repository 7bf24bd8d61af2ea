/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page tree against an array, with forks, at every depth; every value retained is released exactly once. */
#include "model.h"

#include "device/pagetree.h"

#define PAGES 3000u

/* Values are numbers of tokens; the owner counts the places that hold each. */
#define TOKENS 64u

struct owner {
	int64_t held[TOKENS];
};

static uint64_t value_of_token(uint64_t token)
{
	return (token + 1) * PAGETREE_UNIFORM;
}

static void retain_token(void *owner, uint64_t value)
{
	((struct owner *)owner)->held[value / PAGETREE_UNIFORM - 1]++;
}

static void release_token(void *owner, uint64_t value)
{
	int64_t *held = &((struct owner *)owner)->held[value / PAGETREE_UNIFORM - 1];

	assert_true(*held > 0);
	--*held;
}

static void start_tree(struct pagetree *t, struct test_host *host, struct owner *owner, uint64_t page_count)
{
	pagetree_init(t, host->ctx, page_count);
	t->owner = owner;
	t->retain = retain_token;
	t->release = release_token;
}

static void change(struct pagetree *t, struct owner *owner, uint64_t *array, uint64_t base, uint64_t *random)
{
	const uint64_t first = test_random(random, PAGES);
	const uint64_t count = test_random(random, ((PAGES - first - 1) >> test_random(random, 11)) + 1) + 1;
	const uint64_t uniform = test_random(random, PAGETREE_UNIFORM);

	if (test_random(random, 4) < 3) {
		const uint64_t value = value_of_token(test_random(random, TOKENS));

		retain_token(owner, value);
		assert_int_equal(pagetree_set(t, base + first, value), 0);
		array[first] = value;
		return;
	}
	assert_int_equal(pagetree_fill(t, base + first, count, uniform), 0);
	for (uint64_t i = first; i < first + count; i++)
		array[i] = uniform;
}

static void compare(const struct pagetree *t, const uint64_t *array, uint64_t base)
{
	for (uint64_t i = 0; i < PAGES;) {
		uint64_t count;
		const uint64_t value = pagetree_run(t, base + i, &count);

		assert_true(count > 0 && count <= t->page_count - base - i);
		assert_true(value < PAGETREE_UNIFORM || count == 1);
		for (uint64_t j = i; j < i + count && j < PAGES; j++)
			assert_int_equal(array[j], value);
		assert_int_equal(pagetree_get(t, base + i), value);
		i += count;
	}
}

/* Small, and at the end of the largest device there is. */
static void agrees_with_array(void **state)
{
	static const uint64_t counts[] = { PAGES, 262144, 262145, (uint64_t)1 << 36, (uint64_t)1 << 52 };
	enum { TREES = 4 };

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		const uint64_t base = counts[i] - PAGES;
		uint64_t(*arrays)[PAGES] = calloc(TREES, sizeof(*arrays));
		struct owner owner = { { 0 } };
		struct pagetree trees[TREES];
		struct test_host host;
		uint64_t random = i;

		assert_non_null(arrays);
		test_host_init(&host);
		for (unsigned j = 0; j < TREES; j++) {
			start_tree(&trees[j], &host, &owner, counts[i]);
			if (j > 0) {
				pagetree_share(&trees[j], &trees[j / 2]);
				memcpy(arrays[j], arrays[j / 2], sizeof(*arrays));
			}
			for (unsigned step = 0; step < 400; step++) {
				const uint64_t k = test_random(&random, j + 1);

				change(&trees[k], &owner, arrays[k], base, &random);
			}
			for (unsigned k = 0; k <= j; k++)
				compare(&trees[k], arrays[k], base);
		}
		/* Emptied, a tree has no nodes. */
		assert_int_equal(pagetree_fill(&trees[0], 0, counts[i], 3), 0);
		assert_int_equal(trees[0].root, 3);
		for (unsigned j = 0; j < TREES; j++) {
			pagetree_fini(&trees[j]);
			for (unsigned k = j + 1; k < TREES; k++)
				compare(&trees[k], arrays[k], base);
		}
		for (unsigned j = 0; j < TOKENS; j++)
			assert_int_equal(owner.held[j], 0);
		free(arrays);
		test_host_fini(&host);
	}
}

/* Without memory: an answer, and everything as it was (a fill may be done in part). */
static void survives_failing_allocations(void **state)
{
	int rc = -1;

	(void)state;
	for (uint64_t n = 1; rc != 0; n++) {
		struct owner owner = { { 0 } };
		struct pagetree t, shared;
		struct test_host host;

		test_host_init(&host);
		start_tree(&t, &host, &owner, (uint64_t)1 << 40);
		start_tree(&shared, &host, &owner, (uint64_t)1 << 40);
		owner.held[0]++;
		assert_int_equal(pagetree_set(&t, 12345, value_of_token(0)), 0);
		pagetree_share(&shared, &t);
		host.fail_at = host.calls + n;
		rc = pagetree_fill(&t, 12340, (uint64_t)1 << 39, 1);
		if (rc == 0) {
			owner.held[1]++;
			rc = pagetree_set(&t, 99, value_of_token(1));
			if (rc != 0)
				owner.held[1]--;
		}
		assert_true(rc == 0 || rc == F2FS_ERR_NOMEM);
		assert_int_equal(pagetree_get(&shared, 12345), value_of_token(0));
		assert_int_equal(pagetree_get(&shared, 12346), 0);
		assert_int_equal(pagetree_get(&t, 12339), 0);
		assert_int_equal(pagetree_get(&t, 99), rc == 0 ? value_of_token(1) : 0);
		pagetree_fini(&t);
		pagetree_fini(&shared);
		assert_int_equal(owner.held[0], 0);
		assert_int_equal(owner.held[1], 0);
		host.fail_at = 0;
		test_host_fini(&host);
		assert_true(n > 5 || rc != 0);
	}
}

static void splits_ranges_into_pages(void **state)
{
	static const struct {
		uint64_t offset, length, size, first, end, head, tail;
	} rows[] = {
		{ 0, 4096, 8192, 0, 1, 0, 0 },	    { 0, 100, 8192, 0, 0, 0, 100 },
		{ 10, 100, 8192, 1, 1, 100, 0 },    { 10, 4086, 8192, 1, 1, 4086, 0 },
		{ 10, 4087, 8192, 1, 1, 4086, 1 },  { 1, 8191, 8192, 1, 2, 4095, 0 },
		{ 4096, 100, 4196, 1, 2, 0, 0 },    { 4097, 99, 4196, 2, 2, 99, 0 },
		{ 4095, 12290, 99999, 1, 4, 1, 1 }, { 8192, 0, 8192, 2, 2, 0, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct page_range r = page_range_of(rows[i].offset, rows[i].length, rows[i].size);

		assert_int_equal(r.first, rows[i].first);
		assert_int_equal(r.end, rows[i].end);
		assert_int_equal(r.head_bytes, rows[i].head);
		assert_int_equal(r.tail_bytes, rows[i].tail);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(splits_ranges_into_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
