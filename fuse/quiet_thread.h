/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start threads that no signal interrupts.
 */
#ifndef F2FSKIT_FUSE_QUIET_THREAD_H
#define F2FSKIT_FUSE_QUIET_THREAD_H

#include <pthread.h>

/* Start a thread with all signals blocked, which are for the thread that waits for requests; an errno. */
int quiet_thread_start(pthread_t *out, void *(*run)(void *user), void *user);

#endif
