/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: how much each thread of a program works, and how often threads wait for each other's locks. At the
 * end the file THREAD_WORK gets the line "FIRST OTHERS LOCKS WAITS": processor seconds of the first thread and of all
 * others together, mutexes locked, and how often that had to wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_uint_least64_t others, locks, waits;

struct start {
	void *(*run)(void *);
	void *argument;
};

/* Nanoseconds that this thread worked. */
static uint64_t worked(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*lock)(pthread_mutex_t *), (*try)(pthread_mutex_t *);

	if (!lock) {
		*(void **)&try = next("pthread_mutex_trylock");
		*(void **)&lock = next("pthread_mutex_lock");
	}
	locks++;
	if (try(mutex) == 0)
		return 0;
	waits++;
	return lock(mutex);
}

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;
	void *result;

	free(argument);
	result = start.run(start.argument);
	others += worked();
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
	static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	struct start *start = malloc(sizeof(*start));

	if (!create)
		*(void **)&create = next("pthread_create");
	if (!start)
		abort();
	*start = (struct start){ function, argument };
	return create(thread, attributes, run, start);
}

__attribute__((destructor)) static void report(void)
{
	FILE *out = getenv("THREAD_WORK") ? fopen(getenv("THREAD_WORK"), "w") : NULL;

	if (!out)
		return;
	fprintf(out, "%.6f %.6f %llu %llu\n", (double)worked() / 1e9, (double)others / 1e9, (unsigned long long)locks,
		(unsigned long long)waits);
	fclose(out);
}
