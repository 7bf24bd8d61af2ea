/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under Linux. */
#include "host/files.h"

#include <fcntl.h>
#include <linux/falloc.h> /* not every C library has all of them */
#include <sys/sysmacros.h>

int host_punch(int fd, off_t offset, off_t length)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int host_zero(int fd, off_t offset, off_t length)
{
	return fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, length);
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
