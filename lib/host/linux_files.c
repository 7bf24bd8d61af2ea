/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under Linux. */
#include "host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h> /* not every C library has all of them */
#include <sys/sysmacros.h>
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
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int host_zero(int fd, off_t offset, off_t length)
{
	return fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, length);
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
	return major(device);
}

unsigned host_minor(dev_t device)
{
	return minor(device);
}

dev_t host_device(unsigned major_number, unsigned minor_number)
{
	return makedev(major_number, minor_number);
}

int host_mknod(int dir, const char *name, mode_t mode, dev_t device)
{
	return mknodat(dir, name, mode, device);
}
