/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks of FreeBSD, which are character devices. */
#include "host/disks.h"

#include <sys/types.h>

#include <sys/disk.h>
#include <sys/ioctl.h>

#include <errno.h>
#include <string.h>

bool host_is_disk(const struct stat *st)
{
	return S_ISCHR(st->st_mode);
}

/* Fails with ENOTTY for a character device that is no disk. */
int host_query_disk(int fd, struct host_disk *out)
{
	off_t size;
	u_int sector;

	memset(out, 0, sizeof(*out));
	if (ioctl(fd, DIOCGMEDIASIZE, &size) != 0 || ioctl(fd, DIOCGSECTORSIZE, &sector) != 0)
		return -1;
	out->size = (uint64_t)size;
	out->sector_size = sector;
	out->can_discard = true;
	return 0;
}

int host_zero_disk(int fd, uint64_t offset, uint64_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOTSUP;
	return -1;
}

int host_discard_disk(int fd, uint64_t offset, uint64_t length)
{
	off_t range[2] = { (off_t)offset, (off_t)length };

	return ioctl(fd, DIOCGDELETE, range);
}
