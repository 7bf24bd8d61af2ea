/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for descriptors. Files are always ready. */
#ifndef F2FSKIT_HOST_WINDOWS_POLL_H
#define F2FSKIT_HOST_WINDOWS_POLL_H

#include <posix_name.h>

enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16 };

struct pollfd {
	int fd;
	short events, revents;
};

/* For one descriptor. */
int poll(struct pollfd *on, unsigned long count, int milliseconds) POSIX_NAME(poll);

#endif
