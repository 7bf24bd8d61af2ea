/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run a thread beside the requests: it writes a checkpoint when changes have waited long enough, and collects garbage
 * when no request has come for some time.
 */
#include "fuse/mount.h"

#include <errno.h>
#include <f2fskit/gc.h>
#include <signal.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)

/* Empty one section. Requests wait no longer than that takes. */
static void collect(struct mount *m)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options),
						 .policy = m->options.gc == MOUNT_GC_SYNC ? F2FS_GC_GREEDY
											  : F2FS_GC_COST_BENEFIT,
						 .sections = 1 };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };

	if (mount_commit(m) != 0) /* waiting changes would have to be moved, too */
		return;
	m->gc_is_done = f2fs_gc(m->vol, &options, &result) != 0 || result.end != F2FS_GC_LIMIT;
}

static void look(struct mount *m)
{
	const int64_t now = mount_clock();

	if (m->is_broken)
		return;
	if (m->changed_ns && now - m->changed_ns >= (int64_t)m->options.commit_seconds * SECOND_NS)
		mount_commit(m);
	if (m->options.gc != MOUNT_GC_OFF && !m->gc_is_done && !m->is_broken &&
	    now - m->requested_ns >= (int64_t)m->options.gc_seconds * SECOND_NS)
		collect(m);
}

static void *keep(void *user)
{
	struct mount *m = user;

	pthread_mutex_lock(&m->lock);
	while (!m->is_ending) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		if (pthread_cond_timedwait(&m->wake, &m->lock, &until) == ETIMEDOUT)
			look(m);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* Signals are for the thread that waits for them. */
static int start_without_signals(struct mount *m)
{
	sigset_t all, old;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	code = pthread_create(&m->keeper, NULL, keep, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

int keeper_start(struct mount *m)
{
	pthread_condattr_t attributes;
	int code;

	if (m->options.is_read_only)
		return 0;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	code = start_without_signals(m);
	m->has_keeper = code == 0;
	return code;
}

void keeper_stop(struct mount *m)
{
	if (!m->has_keeper)
		return;
	pthread_mutex_lock(&m->lock);
	m->is_ending = 1;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->keeper, NULL);
	pthread_cond_destroy(&m->wake);
	m->has_keeper = 0;
}
