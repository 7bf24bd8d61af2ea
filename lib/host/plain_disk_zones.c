/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host whose disks have no zones. */
#include <errno.h>

#include "host/disk_zones.h"

static int refuse(void)
{
	errno = ENOTSUP;
	return -1;
}

int host_report_zones(int fd, uint64_t from, struct host_zone *zones, unsigned count, unsigned *found)
{
	(void)fd;
	(void)from;
	(void)zones;
	(void)count;
	*found = 0;
	return refuse();
}

int host_reset_zone(int fd, uint64_t start, uint64_t length)
{
	(void)fd;
	(void)start;
	(void)length;
	return refuse();
}

int host_finish_zone(int fd, uint64_t start, uint64_t length)
{
	(void)fd;
	(void)start;
	(void)length;
	return refuse();
}
