/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to devices and files of Linux, whatever the C library: glibc takes their numbers as unsigned long, musl as
 * int.
 */
#ifndef F2FSKIT_HOST_HOST_REQUEST_H
#define F2FSKIT_HOST_HOST_REQUEST_H

#include <sys/ioctl.h>

#ifdef __GLIBC__
typedef unsigned long host_request_t;
#else
typedef int host_request_t;
#endif

/* As ioctl(2). */
static inline int host_request(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, (host_request_t)request, argument);
}

#endif
