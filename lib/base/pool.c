/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker pool over POSIX threads: one queue, one lock, two conditions. Jobs are large (hundreds of microseconds), so
 * the lock is taken seldom and nothing cleverer is needed. Workers block all signals: the host's handlers run on the
 * host's threads. A fork takes no workers along, and perhaps a lock that one of them holds: the child uses neither.
 */
#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct pool {
	struct f2fs_context *ctx;
	pid_t owner; /* the process that has the threads */
	pthread_mutex_t lock;
	pthread_cond_t work; /* a job was queued, or stop was set */
	pthread_cond_t done; /* a job was finished */
	struct pool_job *head, **tail;
	unsigned thread_count;
	bool stop;
	struct pool_thread {
		struct pool *pool;
		pthread_t id;
		unsigned slot;
	} threads[POOL_MAX_THREADS];
};

unsigned pool_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (n < 1)
		return 1;
	return n > (long)POOL_MAX_THREADS ? POOL_MAX_THREADS : (unsigned)n;
}

bool pool_is_forked(const struct pool *pool)
{
	return pool->owner != getpid();
}

static bool is_in_child(const struct pool *pool)
{
	return pool->thread_count && pool_is_forked(pool);
}

/* Take the oldest job off the queue; the lock is held. */
static struct pool_job *take(struct pool *pool)
{
	struct pool_job *job = pool->head;

	pool->head = job->next;
	if (!pool->head)
		pool->tail = &pool->head;
	return job;
}

/* Run a job without the lock, which is held before and after. */
static void run_unlocked(struct pool *pool, struct pool_job *job, unsigned slot)
{
	pthread_mutex_unlock(&pool->lock);
	job->run(job, slot);
	pthread_mutex_lock(&pool->lock);
	job->is_done = true;
	pthread_cond_broadcast(&pool->done);
}

static void *work(void *arg)
{
	struct pool_thread *self = arg;
	struct pool *pool = self->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		if (pool->head)
			run_unlocked(pool, take(pool), self->slot);
		else if (pool->stop)
			break;
		else
			pthread_cond_wait(&pool->work, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void start_threads(struct pool *pool, unsigned threads)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (pool->thread_count < threads) {
		struct pool_thread *thread = &pool->threads[pool->thread_count];

		thread->pool = pool;
		thread->slot = pool->thread_count + 1;
		if (pthread_create(&thread->id, NULL, work, thread))
			break;
		pool->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int pool_new(struct f2fs_context *ctx, unsigned threads, struct pool **out)
{
	struct pool *pool = mem_zalloc(ctx, sizeof(*pool));

	if (!pool)
		return F2FS_ERR_NOMEM;
	pool->ctx = ctx;
	pool->owner = getpid();
	pool->tail = &pool->head;
	/* Without attributes these cannot fail on a system that can start a thread at all. */
	if (pthread_mutex_init(&pool->lock, NULL) || pthread_cond_init(&pool->work, NULL) ||
	    pthread_cond_init(&pool->done, NULL))
		threads = 0;
	start_threads(pool, threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : threads);
	*out = pool;
	return 0;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	if (is_in_child(pool)) {
		mem_free(pool->ctx, pool);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i].id, NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	mem_free(pool->ctx, pool);
}

unsigned pool_slots(const struct pool *pool)
{
	return pool->thread_count + 1;
}

void pool_submit(struct pool *pool, struct pool_job *job)
{
	job->next = NULL;
	job->is_done = false;
	if (!pool->thread_count || is_in_child(pool)) {
		job->run(job, 0);
		job->is_done = true;
		return;
	}
	pthread_mutex_lock(&pool->lock);
	*pool->tail = job;
	pool->tail = &job->next;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
}

bool pool_wait(struct pool *pool, struct pool_job *job)
{
	if (!pool->thread_count) {
		assert(job->is_done);
		return true;
	}
	if (is_in_child(pool))
		return job->is_done;
	pthread_mutex_lock(&pool->lock);
	while (!job->is_done) {
		if (pool->head)
			run_unlocked(pool, take(pool), 0);
		else
			pthread_cond_wait(&pool->done, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return true;
}
