/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones of Linux's block devices, by the kernel's ioctls, which count in 512-byte sectors. */
#include <errno.h>
#include <linux/blkzoned.h>

#include "host/host_request.h"
#include "host/disk_zones.h"

#define SECTOR	     512u
#define REPORT_ZONES 64u

static void convert_zone(const struct blk_zone *from, bool has_capacity, struct host_zone *to)
{
	*to = (struct host_zone){
		.start = from->start * SECTOR,
		.length = from->len * SECTOR,
		.capacity = (has_capacity ? from->capacity : from->len) * SECTOR,
		.is_sequential = from->type == BLK_ZONE_TYPE_SEQWRITE_REQ,
		.is_preferred = from->type == BLK_ZONE_TYPE_SEQWRITE_PREF,
		.is_empty = from->cond == BLK_ZONE_COND_EMPTY,
		.is_full = from->cond == BLK_ZONE_COND_FULL,
	};
	/* Conventional and offline zones have no write pointer, and that of a full one is not defined. */
	to->write_pointer = to->start;
	if (to->is_full)
		to->write_pointer = to->start + to->length;
	else if ((to->is_sequential || to->is_preferred) && !to->is_empty)
		to->write_pointer = from->wp * SECTOR;
}

int host_report_zones(int fd, uint64_t from, struct host_zone *zones, unsigned count, unsigned *found)
{
	_Alignas(8) uint8_t bytes[sizeof(struct blk_zone_report) + REPORT_ZONES * sizeof(struct blk_zone)] = { 0 };
	struct blk_zone_report *report = (struct blk_zone_report *)bytes;
	int rc;

	*found = 0;
	report->sector = from / SECTOR;
	report->nr_zones = count < REPORT_ZONES ? count : REPORT_ZONES;
	rc = host_request(fd, BLKREPORTZONE, report);
	for (unsigned i = 0; rc == 0 && i < report->nr_zones && i < count; i++) {
		convert_zone(&report->zones[i], (report->flags & BLK_ZONE_REP_CAPACITY) != 0, &zones[i]);
		*found = i + 1;
	}
	return rc;
}

static int change_zone(int fd, unsigned long request, uint64_t start, uint64_t length)
{
	struct blk_zone_range range = { .sector = start / SECTOR, .nr_sectors = length / SECTOR };

	return host_request(fd, request, &range);
}

int host_reset_zone(int fd, uint64_t start, uint64_t length)
{
	return change_zone(fd, BLKRESETZONE, start, length);
}

int host_finish_zone(int fd, uint64_t start, uint64_t length)
{
#ifdef BLKFINISHZONE
	return change_zone(fd, BLKFINISHZONE, start, length);
#else
	(void)change_zone;
	(void)fd;
	(void)start;
	(void)length;
	errno = ENOTSUP;
	return -1;
#endif
}
