/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker pool: every job runs once, slots are not shared by jobs that run at once, with and without threads. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define JOBS 500u
#define WINDOW 7u

struct counter_job {
	struct pool_job job;
	atomic_uint *in_slot; /* one counter per slot */
	atomic_uint *errors;
	unsigned slots;
	unsigned runs;
	unsigned number;
	uint64_t sum;
};

static void add_up(struct pool_job *job, unsigned slot)
{
	struct counter_job *self = (struct counter_job *)job;

	if (slot >= self->slots || atomic_fetch_add(&self->in_slot[slot], 1) != 0)
		atomic_fetch_add(self->errors, 1);
	for (unsigned i = 0; i < 2000; i++)
		self->sum += (uint64_t)i * self->number;
	self->runs++;
	atomic_fetch_sub(&self->in_slot[slot], 1);
}

/* Keep WINDOW jobs in flight, wait for the oldest, as a pipeline does. */
static void run_pipeline(unsigned threads)
{
	static const uint64_t one = 2000u * 1999u / 2;
	atomic_uint in_slot[POOL_MAX_THREADS + 1];
	atomic_uint errors = 0;
	struct counter_job jobs[WINDOW];
	struct f2fs_context *ctx;
	struct pool *pool;

	for (unsigned i = 0; i <= POOL_MAX_THREADS; i++)
		atomic_init(&in_slot[i], 0);
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(pool_new(ctx, threads, &pool), 0);
	assert_in_range(pool_slots(pool), 1, threads + 1);
	for (unsigned i = 0; i < JOBS + WINDOW; i++) {
		struct counter_job *job = &jobs[i % WINDOW];

		if (i >= WINDOW) {
			assert_true(pool_wait(pool, &job->job));
			assert_int_equal(job->runs, 1);
			assert_int_equal(job->sum, one * (i - WINDOW));
		}
		*job = (struct counter_job){
			.job.run = add_up, .in_slot = in_slot, .errors = &errors, .slots = pool_slots(pool), .number = i
		};
		if (i < JOBS)
			pool_submit(pool, &job->job);
	}
	assert_int_equal(atomic_load(&errors), 0);
	pool_free(pool);
	f2fs_context_close(ctx);
}

static void runs_without_threads(void **state)
{
	(void)state;
	run_pipeline(0);
}

static void runs_with_threads(void **state)
{
	(void)state;
	run_pipeline(1);
	run_pipeline(5);
}

/* Jobs that nobody waited for are finished before the pool is gone. */
static void free_finishes_jobs(void **state)
{
	atomic_uint in_slot[4];
	atomic_uint errors = 0;
	struct counter_job jobs[40];
	struct f2fs_context *ctx;
	struct pool *pool;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		atomic_init(&in_slot[i], 0);
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(pool_new(ctx, 3, &pool), 0);
	for (unsigned i = 0; i < 40; i++) {
		jobs[i] = (struct counter_job){
			.job.run = add_up, .in_slot = in_slot, .errors = &errors, .slots = pool_slots(pool), .number = i
		};
		pool_submit(pool, &jobs[i].job);
	}
	pool_free(pool);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(jobs[i].runs, 1);
	assert_int_equal(atomic_load(&errors), 0);
	f2fs_context_close(ctx);
}

struct held_job {
	struct pool_job job;
	int started, go; /* pipes: the worker says that it runs, and waits */
};

static void hold(struct pool_job *job, unsigned slot)
{
	struct held_job *self = (struct held_job *)job;
	char c = 0;

	(void)slot;
	(void)!write(self->started, &c, 1);
	(void)!read(self->go, &c, 1);
}

static void note(struct pool_job *job, unsigned slot)
{
	(void)slot;
	((struct counter_job *)job)->runs++;
}

/* In a forked process: jobs of the parent's worker are not waited for, new jobs run, and the pool can be freed. */
static int in_child(struct pool *pool, struct pool_job *held)
{
	struct counter_job job = { .job.run = note };
	bool waited[2];

	alarm(60);
	waited[0] = pool_wait(pool, held);
	pool_submit(pool, &job.job);
	waited[1] = pool_wait(pool, &job.job);
	pool_free(pool);
	return waited[0] || !waited[1] || held->is_done || !job.job.is_done || job.runs != 1;
}

static void survives_a_fork(void **state)
{
	struct f2fs_context *ctx;
	struct held_job held;
	struct pool *pool;
	int started[2], go[2], status;
	pid_t child;
	char c = 0;

	(void)state;
	assert_int_equal(pipe(started), 0);
	assert_int_equal(pipe(go), 0);
	held = (struct held_job){ .job.run = hold, .started = started[1], .go = go[0] };
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(pool_new(ctx, 1, &pool), 0);
	pool_submit(pool, &held.job);
	assert_int_equal(read(started[0], &c, 1), 1);
	child = fork();
	if (child == 0)
		_exit(in_child(pool, &held.job));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(write(go[1], &c, 1), 1);
	assert_true(pool_wait(pool, &held.job));
	assert_true(held.job.is_done);
	pool_free(pool);
	f2fs_context_close(ctx);
	for (unsigned i = 0; i < 2; i++) {
		close(started[i]);
		close(go[i]);
	}
}

static void counts_processors(void **state)
{
	(void)state;
	assert_in_range(pool_processors(), 1, POOL_MAX_THREADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(runs_without_threads), cmocka_unit_test(runs_with_threads),
					    cmocka_unit_test(free_finishes_jobs), cmocka_unit_test(survives_a_fork),
					    cmocka_unit_test(counts_processors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
