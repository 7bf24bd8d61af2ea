/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under FreeBSD. */
#include "host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int host_flush(int fd)
{
	return fdatasync(fd);
}

int host_reserve(int fd, off_t size)
{
	errno = posix_fallocate(fd, 0, size);
	return errno ? -1 : 0;
}

int host_punch(int fd, off_t offset, off_t length)
{
#ifdef SPACECTL_DEALLOC
	struct spacectl_range range = { .r_offset = offset, .r_len = length };

	return fspacectl(fd, SPACECTL_DEALLOC, &range, 0, NULL);
#else
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOTSUP;
	return -1;
#endif
}

int host_zero(int fd, off_t offset, off_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOTSUP;
	return -1;
}

struct timespec host_atime(const struct stat *st)
{
	return st->st_atim;
}

struct timespec host_mtime(const struct stat *st)
{
	return st->st_mtim;
}

unsigned host_major(dev_t device)
{
	return (unsigned)major(device);
}

unsigned host_minor(dev_t device)
{
	return (unsigned)minor(device);
}

dev_t host_device(unsigned major_number, unsigned minor_number)
{
	return makedev(major_number, minor_number);
}

int host_mknod(int dir, const char *name, mode_t mode, dev_t device)
{
	return mknodat(dir, name, mode, device);
}
