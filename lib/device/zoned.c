/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned block devices of the host: report, reset and finish zones through the kernel's ioctls, which count in 512-byte
 * sectors. Elsewhere than on Linux no device has zones.
 */
#include "device/zoned.h"

#include <string.h>

#ifdef __linux__
#include <errno.h>
#include <linux/blkzoned.h>

#include "base/host_request.h"

#define SECTOR 512u
#define REPORT_ZONES 64u

uint64_t zoned_query(int fd)
{
	uint32_t sectors = 0;

	/* Answers 0 for devices without zones; older kernels do not know the request. */
	if (host_request(fd, BLKGETZONESZ, &sectors) != 0)
		return 0;
	return (uint64_t)sectors * SECTOR;
}

static uint8_t convert_type(uint8_t type)
{
	switch (type) {
	case BLK_ZONE_TYPE_SEQWRITE_REQ:
		return F2FS_ZONE_SEQUENTIAL;
	case BLK_ZONE_TYPE_SEQWRITE_PREF:
		return F2FS_ZONE_SEQUENTIAL_PREFERRED;
	default:
		return F2FS_ZONE_CONVENTIONAL;
	}
}

static void convert_zone(const struct blk_zone *from, bool has_capacity, struct f2fs_zone *to)
{
	memset(to, 0, sizeof(*to));
	to->start = from->start * SECTOR;
	to->length = from->len * SECTOR;
	to->capacity = (has_capacity ? from->capacity : from->len) * SECTOR;
	to->type = convert_type(from->type);
	to->empty = from->cond == BLK_ZONE_COND_EMPTY;
	to->full = from->cond == BLK_ZONE_COND_FULL;
	/* Conventional and offline zones have no write pointer, and that of a full one is not defined. */
	to->write_pointer = to->start;
	if (to->full)
		to->write_pointer = to->start + to->length;
	else if (to->type != F2FS_ZONE_CONVENTIONAL && !to->empty)
		to->write_pointer = from->wp * SECTOR;
}

int zoned_report(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	const struct hostfile *file = self;
	const size_t size = sizeof(struct blk_zone_report) + REPORT_ZONES * sizeof(struct blk_zone);
	struct blk_zone_report *report = mem_alloc(file->ctx, size);
	unsigned filled = 0;
	int rc = 0;

	if (!report)
		return F2FS_ERR_NOMEM;
	while (filled < count && (first + filled) * file->zone_bytes < file->size) {
		memset(report, 0, size);
		report->sector = (first + filled) * file->zone_bytes / SECTOR;
		report->nr_zones = count - filled < REPORT_ZONES ? count - filled : REPORT_ZONES;
		if (host_request(file->fd, BLKREPORTZONE, report) != 0)
			rc = F2FS_SYS_ERROR(errno);
		if (rc != 0 || report->nr_zones == 0)
			break;
		for (unsigned i = 0; i < report->nr_zones && filled < count; i++)
			convert_zone(&report->zones[i], (report->flags & BLK_ZONE_REP_CAPACITY) != 0, &zones[filled++]);
	}
	mem_free(file->ctx, report);
	if (rc == 0)
		*found = filled;
	return rc;
}

static int change_zone(const struct hostfile *file, unsigned long request, uint64_t offset)
{
	const uint64_t start = offset - offset % file->zone_bytes;
	const uint64_t left = file->size - start;
	struct blk_zone_range range;

	memset(&range, 0, sizeof(range));
	range.sector = start / SECTOR;
	range.nr_sectors = (left < file->zone_bytes ? left : file->zone_bytes) / SECTOR;
	return host_request(file->fd, request, &range) == 0 ? 0 : F2FS_SYS_ERROR(errno);
}

int zoned_reset(void *self, uint64_t offset)
{
	return change_zone(self, BLKRESETZONE, offset);
}

int zoned_finish(void *self, uint64_t offset)
{
#ifdef BLKFINISHZONE
	return change_zone(self, BLKFINISHZONE, offset);
#else
	(void)self;
	(void)offset;
	return F2FS_ERR_UNSUPPORTED;
#endif
}
#else
uint64_t zoned_query(int fd)
{
	(void)fd;
	return 0;
}

int zoned_report(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	(void)self;
	(void)first;
	(void)zones;
	(void)count;
	(void)found;
	return F2FS_ERR_UNSUPPORTED;
}

int zoned_reset(void *self, uint64_t offset)
{
	(void)self;
	(void)offset;
	return F2FS_ERR_UNSUPPORTED;
}

int zoned_finish(void *self, uint64_t offset)
{
	return zoned_reset(self, offset);
}
#endif
