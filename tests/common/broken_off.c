/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: a kernel that breaks off the connection of a FUSE mount. A read or splice that finds the mount gone
 * fails with ECONNABORTED in place of ENODEV, as it does when the kernel still had requests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static ssize_t break_off(ssize_t result)
{
	if (result < 0 && errno == ENODEV)
		errno = ECONNABORTED;
	return result;
}

ssize_t read(int fd, void *buffer, size_t length)
{
	ssize_t (*next)(int, void *, size_t);

	*(void **)&next = dlsym(RTLD_NEXT, "read");
	return break_off(next(fd, buffer, length));
}

ssize_t splice(int from, off_t *from_at, int to, off_t *to_at, size_t length, unsigned flags)
{
	ssize_t (*next)(int, off_t *, int, off_t *, size_t, unsigned);

	*(void **)&next = dlsym(RTLD_NEXT, "splice");
	return break_off(next(from, from_at, to, to_at, length, flags));
}
