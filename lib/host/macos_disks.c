/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks of macOS: block devices, and character devices of the same disks without a cache. */
#include "host/disks.h"

#include <sys/disk.h>
#include <sys/ioctl.h>

#include <string.h>

bool host_is_disk(const struct stat *st)
{
	return S_ISBLK(st->st_mode) || S_ISCHR(st->st_mode);
}

/* Fails with ENOTTY for a character device that is no disk. */
int host_query_disk(int fd, struct host_disk *out)
{
	uint64_t sectors;
	uint32_t sector;

	memset(out, 0, sizeof(*out));
	if (ioctl(fd, DKIOCGETBLOCKCOUNT, &sectors) != 0 || ioctl(fd, DKIOCGETBLOCKSIZE, &sector) != 0)
		return -1;
	out->size = sectors * sector;
	out->sector_size = sector;
	return 0;
}
