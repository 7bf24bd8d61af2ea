/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned block devices of the host: report, reset and finish zones.
 */
#include "device/zoned.h"

#include <errno.h>
#include <string.h>

#include "host/disk_zones.h"

#define AT_ONCE 64u

static void convert_zone(const struct host_zone *from, struct f2fs_zone *to)
{
	*to = (struct f2fs_zone){
		.start = from->start,
		.length = from->length,
		.capacity = from->capacity,
		.write_pointer = from->write_pointer,
		.type = from->is_sequential ? F2FS_ZONE_SEQUENTIAL :
			from->is_preferred  ? F2FS_ZONE_SEQUENTIAL_PREFERRED :
					      F2FS_ZONE_CONVENTIONAL,
		.empty = from->is_empty,
		.full = from->is_full,
	};
}

int zoned_report(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	const struct hostfile *file = self;
	struct host_zone some[AT_ONCE];
	unsigned filled = 0;

	while (filled < count && (first + filled) * file->zone_bytes < file->size) {
		const unsigned want = count - filled < AT_ONCE ? count - filled : AT_ONCE;
		unsigned got = 0;

		if (host_report_zones(file->fd, (first + filled) * file->zone_bytes, some, want, &got))
			return F2FS_SYS_ERROR(errno);
		if (got == 0)
			break;
		for (unsigned i = 0; i < got; i++)
			convert_zone(&some[i], &zones[filled++]);
	}
	*found = filled;
	return 0;
}

/* The start of the zone at a byte, and its length, which is less at the end of the device. */
static uint64_t find_zone(const struct hostfile *file, uint64_t offset, uint64_t *length)
{
	const uint64_t start = offset - offset % file->zone_bytes, left = file->size - start;

	*length = left < file->zone_bytes ? left : file->zone_bytes;
	return start;
}

int zoned_reset(void *self, uint64_t offset)
{
	const struct hostfile *file = self;
	uint64_t length;
	const uint64_t start = find_zone(file, offset, &length);

	return host_reset_zone(file->fd, start, length) == 0 ? 0 : F2FS_SYS_ERROR(errno);
}

int zoned_finish(void *self, uint64_t offset)
{
	const struct hostfile *file = self;
	uint64_t length;
	const uint64_t start = find_zone(file, offset, &length);

	if (host_finish_zone(file->fd, start, length) == 0)
		return 0;
	return errno == ENOTSUP ? F2FS_ERR_UNSUPPORTED : F2FS_SYS_ERROR(errno);
}
