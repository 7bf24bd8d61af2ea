/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: reads of a program that touch the byte $BAD_SECTOR of a file fail with EIO.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	static ssize_t (*next)(int, const struct iovec *, int, off64_t);
	const char *bad = getenv("BAD_SECTOR");
	off64_t end = offset;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "preadv64");
	for (int i = 0; i < count; i++)
		end += (off64_t)iov[i].iov_len;
	if (bad && atoll(bad) >= offset && atoll(bad) < end) {
		errno = EIO;
		return -1;
	}
	return next(fd, iov, count, offset);
}
