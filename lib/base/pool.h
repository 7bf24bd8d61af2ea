/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small pool of worker threads for jobs that touch neither the context nor each other. The thread that made the pool
 * submits jobs and waits for them in whatever order it likes; while it waits it works on queued jobs itself. Without
 * threads every job runs inside pool_submit(), in order: the same program, one thread. A process that was forked has
 * the pool without its threads: jobs that wait or run at the fork are the parent's and never done in the child.
 */
#ifndef F2FSKIT_BASE_POOL_H
#define F2FSKIT_BASE_POOL_H

#include <stdbool.h>

#include "base/context.h"

struct pool;

/* One piece of work; embed it as the first member of what run() needs. The members are the pool's while queued. */
struct pool_job {
	/* Do the work. slot < pool_slots() is this call's own: no two jobs that run at once have the same. */
	void (*run)(struct pool_job *job, unsigned slot);
	struct pool_job *next;
	bool is_done;
};

/* The most threads a pool has. */
#define POOL_MAX_THREADS 64u

/* Processors that this process may use, at least 1. */
unsigned pool_processors(void);
/*
 * Make a pool of up to threads workers beside the caller, 0 for none; fewer when the host refuses more, so look at
 * pool_slots(). Fails with F2FS_ERR_NOMEM.
 */
int pool_new(struct f2fs_context *ctx, unsigned threads, struct pool **out);
/* Finish all jobs, end the threads; NULL is allowed. */
void pool_free(struct pool *pool);
/* Was this process forked from that which made the pool? */
bool pool_is_forked(const struct pool *pool);
/* Number of slots: workers and the caller. */
unsigned pool_slots(const struct pool *pool);
/* Queue a job; jobs start in the order of their submission. job must live until it was waited for. */
void pool_submit(struct pool *pool, struct pool_job *job);
/* Return true when the job is done; or false at once in a child, which has no threads for it. */
bool pool_wait(struct pool *pool, struct pool_job *job);

#endif
