/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring of batches: they come back in the order of submission, with their results, with and without threads. */
#include "base/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BATCHES 200u

struct square {
	struct pool_job job; /* first */
	uint64_t number, result;
};

static void work(struct pool_job *job, unsigned slot)
{
	struct square *s = (struct square *)job;

	(void)slot;
	s->result = 0;
	for (uint64_t i = 0; i < s->number * (s->number % 7); i++) /* some take long */
		s->result += i & 1;
	s->result = s->number * s->number;
}

/* Take the oldest batch back, which must be that of the number. */
static void take(struct ring *ring, uint64_t number)
{
	const struct square *s = ring_take(ring);

	assert_non_null(s);
	assert_int_equal(s->number, number);
	assert_int_equal(s->result, number * number);
}

static void run_with(unsigned workers)
{
	struct ring ring = { 0 };
	struct f2fs_context *ctx;
	uint64_t taken = 0;

	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(ring_init(&ring, ctx, workers, sizeof(struct square)), 0);
	assert_null(ring_take(&ring));
	assert_null(ring_filling(&ring));
	ring_submit(&ring, work); /* nothing */
	for (uint64_t i = 0; i < BATCHES; i++) {
		struct square *s;

		if (ring_is_full(&ring))
			take(&ring, taken++);
		s = ring_fill(&ring);
		assert_ptr_equal(ring_filling(&ring), s);
		s->number = i;
		ring_submit(&ring, work);
		assert_null(ring_filling(&ring));
	}
	assert_true(ring_is_full(&ring));
	while (taken < BATCHES - 1)
		take(&ring, taken++);
	assert_non_null(ring_fill(&ring)); /* one in flight, one half full: both are released */
	ring_fini(&ring);
	f2fs_context_close(ctx);
}

static void test_alone(void **state)
{
	(void)state;
	run_with(0);
}

static void test_one(void **state)
{
	(void)state;
	run_with(1);
}

static void test_many(void **state)
{
	(void)state;
	run_with(8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
