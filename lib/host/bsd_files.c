/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files that FreeBSD and macOS share. */
#include "host/files.h"

#include <errno.h>

int host_zero(int fd, off_t offset, off_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOTSUP;
	return -1;
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
