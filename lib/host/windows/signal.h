/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals: those that the console sends. */
#ifndef F2FSKIT_HOST_WINDOWS_SIGNAL_H
#define F2FSKIT_HOST_WINDOWS_SIGNAL_H

#include_next <signal.h>

#include <posix_name.h>

#define SIGHUP	1  /* the console is closed */
#define SIGXFSZ 31 /* never sent */

#define SA_RESETHAND 1
#define SIG_SETMASK  0

typedef unsigned long long sigset_t;

struct sigaction {
	void (*sa_handler)(int number);
	int sa_flags;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *before) POSIX_NAME(sigaction);
/* Handlers run on a thread of the system, so threads need not block them. */
int sigfillset(sigset_t *set) POSIX_NAME(sigfillset);
#undef pthread_sigmask
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) POSIX_NAME(pthread_sigmask);

#endif
