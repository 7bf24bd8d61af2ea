/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads inherit the mask of signals from the one that starts them.
 */
#include <signal.h>

#include "fuse/quiet_thread.h"

int quiet_thread_start(pthread_t *out, void *(*run)(void *user), void *user)
{
	sigset_t all, old;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	code = pthread_create(out, NULL, run, user);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}
