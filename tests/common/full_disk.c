/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: a program's writes to a file past its byte $DISK_ROOM fail with ENOSPC, as on a full disk; with
 * $DISK_KILLS the program is killed there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Is it a file, and is the end of the write past the room? */
static int is_full(off64_t at, size_t length)
{
	const char *room = getenv("DISK_ROOM");

	if (!room || at < 0 || at + (off64_t)length <= atoll(room))
		return 0;
	if (getenv("DISK_KILLS"))
		raise(SIGKILL);
	errno = ENOSPC;
	return 1;
}

ssize_t pwritev64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	static ssize_t (*next)(int, const struct iovec *, int, off64_t);
	size_t length = 0;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pwritev64");
	for (int i = 0; i < count; i++)
		length += iov[i].iov_len;
	return is_full(offset, length) ? -1 : next(fd, iov, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	static ssize_t (*next)(int, const void *, size_t);
	const int before = errno;
	off64_t at = lseek64(fd, 0, SEEK_CUR); /* pipes and terminals have none */

	errno = before;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "write");
	return is_full(at, length) ? -1 : next(fd, bytes, length);
}
