/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host whose disks take neither discards nor requests for zeros. */
#include "host/disks.h"

#include <errno.h>

static int refuse(void)
{
	errno = ENOTSUP;
	return -1;
}

int host_zero_disk(int fd, uint64_t offset, uint64_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	return refuse();
}

int host_discard_disk(int fd, uint64_t offset, uint64_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	return refuse();
}
