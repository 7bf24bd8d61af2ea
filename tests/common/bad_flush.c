/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: fdatasync() number $BAD_FLUSH of a program fails with EIO, from 1 on; with $BAD_FLUSH_ALL all later
 * ones do, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int fdatasync(int fd)
{
	static int (*next)(int);
	static long count;
	const char *bad = getenv("BAD_FLUSH");
	const long number = bad ? atol(bad) : 0;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
	count++;
	if (number && (count == number || (count > number && getenv("BAD_FLUSH_ALL")))) {
		errno = EIO;
		return -1;
	}
	return next(fd);
}
