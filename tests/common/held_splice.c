/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: splices of pages of a file into a pipe are held or fail. If the file "hold" is in the folder of
 * F2FSKIT_HOLD, it is renamed to "held", and the splice returns when that is gone. If the symlink "fail" is there, it
 * is removed, and the splice fails with the number of the error that it holds; with 0 it finds the end of the file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_in(const char *folder)
{
	char hold[4096], held[4096];

	snprintf(hold, sizeof(hold), "%s/hold", folder);
	snprintf(held, sizeof(held), "%s/held", folder);
	if (rename(hold, held) == 0)
		while (access(held, F_OK) == 0)
			usleep(1000);
}

/* Returns the error that was asked for, or -1. */
static int asked_error(const char *folder)
{
	char path[4096], text[16] = "";

	snprintf(path, sizeof(path), "%s/fail", folder);
	return readlink(path, text, sizeof(text) - 1) > 0 && unlink(path) == 0 ? atoi(text) : -1;
}

ssize_t splice(int from, off_t *from_at, int to, off_t *to_at, size_t length, unsigned flags)
{
	ssize_t (*next)(int, off_t *, int, off_t *, size_t, unsigned), result;
	const char *folder = getenv("F2FSKIT_HOLD");
	const int error = from_at && folder ? asked_error(folder) : -1;

	if (error >= 0) {
		errno = error;
		return error ? -1 : 0;
	}
	*(void **)&next = dlsym(RTLD_NEXT, "splice");
	result = next(from, from_at, to, to_at, length, flags);
	if (from_at && folder)
		wait_in(folder);
	return result;
}
