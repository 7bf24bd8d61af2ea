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

/* Read a number that sysfs has of a disk; 0 if there is none. */
static unsigned long long read_number(int fd, const char *name)
{
	unsigned long long number = 0;
	struct stat st;
	char path[96];
	FILE *f;

	if (fstat(fd, &st) != 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(st.st_rdev), minor(st.st_rdev), name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &number) != 1)
		number = 0;
	fclose(f);
	return number;
}

/* The smallest limit to open and active zones. A partition has those of its disk. */
static uint32_t find_open_zones(int fd)
{
	static const char *const names[] = { "queue/max_open_zones", "queue/max_active_zones",
					     "../queue/max_open_zones", "../queue/max_active_zones" };
	unsigned long long least = 0;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const unsigned long long limit = read_number(fd, names[i]);

		if (limit > 0 && (least == 0 || limit < least))
			least = limit;
	}
	return least > UINT32_MAX ? 0 : (uint32_t)least;
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
	out->start_sector = read_number(fd, "start");
	out->zone_bytes = find_zone_bytes(fd);
	out->open_zones = out->zone_bytes > 0 ? find_open_zones(fd) : 0;
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
