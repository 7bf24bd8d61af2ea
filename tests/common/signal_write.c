/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: at its write number $SIGNAL_WRITE to an image, counted from 1, a program gets SIGTERM.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>

ssize_t pwritev64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	static ssize_t (*next)(int, const struct iovec *, int, off64_t);
	static int writes;
	const char *at = getenv("SIGNAL_WRITE");

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pwritev64");
	if (at && ++writes == atoi(at))
		raise(SIGTERM);
	return next(fd, iov, count, offset);
}
