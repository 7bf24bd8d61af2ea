/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run a thread beside the requests: it writes a checkpoint when changes have waited long enough, and collects garbage
 * when no request has come for some time (collector.c).
 */

#include <errno.h>
#include <time.h>

#include "fuse/atomic_file.h"
#include "fuse/collector.h"
#include "fuse/keeper.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quiet_thread.h"

#define SECOND_NS INT64_C(1000000000)
#define TICK_NS (SECOND_NS / 4)

static void look(struct mount *m)
{
	const int64_t now = mount_clock();

	atomic_look(m);
	if (m->is_broken)
		return;
	if (m->changed_ns && now - m->changed_ns >= (int64_t)m->options.commit_seconds * SECOND_NS)
		mount_commit(m);
	collector_look(m);
	mount_count_checkpoints(m);
}

static void *keep(void *user)
{
	struct mount *m = user;

	pthread_mutex_lock(&m->lock);
	while (!m->is_ending) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TICK_NS;
		until.tv_sec += until.tv_nsec / SECOND_NS;
		until.tv_nsec %= SECOND_NS;
		if (pthread_cond_timedwait(&m->wake, &m->lock, &until) == ETIMEDOUT)
			look(m);
		if (m->has_stale) {
			pthread_mutex_unlock(&m->lock);
			atomic_refresh(m);
			pthread_mutex_lock(&m->lock);
		}
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

int keeper_start(struct mount *m)
{
	pthread_condattr_t attributes;
	int code;

	if (m->options.is_read_only)
		return 0;
	collector_init(m);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	code = quiet_thread_start(&m->keeper, keep, m);
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
