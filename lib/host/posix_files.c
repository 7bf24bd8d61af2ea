/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files that POSIX has. */
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

struct timespec host_atime(const struct stat *st)
{
	return st->st_atim;
}

struct timespec host_mtime(const struct stat *st)
{
	return st->st_mtim;
}

int host_mknod(int dir, const char *name, mode_t mode, dev_t device)
{
	return mknodat(dir, name, mode, device);
}
