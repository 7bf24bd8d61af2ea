/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block devices of Linux, by the kernel's ioctls. */
#include "host/disks.h"

#include <errno.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "host/host_request.h"

#define SECTOR 512u

bool host_is_disk(const struct stat *st)
{
	return S_ISBLK(st->st_mode);
}

static uint64_t find_start_sector(int fd)
{
	unsigned long long start = 0;
	struct stat st;
	char path[64];
	FILE *f;

	if (fstat(fd, &st) != 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", major(st.st_rdev), minor(st.st_rdev));
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &start) != 1)
		start = 0;
	fclose(f);
	return start;
}

/* Answers 0 for devices without zones; older kernels do not know the request. */
static uint64_t find_zone_bytes(int fd)
{
	uint32_t sectors = 0;

	return host_request(fd, BLKGETZONESZ, &sectors) == 0 ? (uint64_t)sectors * SECTOR : 0;
}

int host_query_disk(int fd, struct host_disk *out)
{
	int sector = SECTOR;

	memset(out, 0, sizeof(*out));
	if (host_request(fd, BLKGETSIZE64, &out->size) != 0 || host_request(fd, BLKSSZGET, &sector) != 0)
		return -1;
	out->sector_size = sector >= (int)SECTOR ? (uint32_t)sector : SECTOR;
	out->start_sector = find_start_sector(fd);
	out->zone_bytes = find_zone_bytes(fd);
	out->can_discard = true;
	return 0;
}

static int request_range(int fd, unsigned long request, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };

	return host_request(fd, request, range);
}

int host_zero_disk(int fd, uint64_t offset, uint64_t length)
{
	return request_range(fd, BLKZEROOUT, offset, length);
}

int host_discard_disk(int fd, uint64_t offset, uint64_t length)
{
	return request_range(fd, BLKDISCARD, offset, length);
}
