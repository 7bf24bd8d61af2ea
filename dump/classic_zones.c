/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the zones of a device, as f2fs-tools do when they open it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dump/classic_zones.h"

void classic_zones(FILE *out, struct f2fs_device *dev, uint32_t block_size)
{
	enum { BATCH = 64 };
	const struct f2fs_device_info *info = f2fs_device_info(dev);
	struct f2fs_zone zones[BATCH];
	uint64_t count = 0, anywhere = 0;
	unsigned found = 0;
	int is_aware = 0;

	if (!(info->caps & F2FS_DEVICE_ZONED) || info->zone_bytes == 0)
		return;
	do {
		if (f2fs_device_zones(dev, count, zones, BATCH, &found))
			return;
		for (unsigned i = 0; i < found; i++) {
			anywhere += zones[i].type == F2FS_ZONE_CONVENTIONAL;
			is_aware |= zones[i].type == F2FS_ZONE_SEQUENTIAL_PREFERRED;
		}
		count += found;
	} while (found > 0 && count * info->zone_bytes < info->size);
	fprintf(out, "Info: Host-%s zoned block device:\n", is_aware ? "aware" : "managed");
	fprintf(out, "      %" PRIu64 " zones, %" PRIu64 " zone size(bytes), %" PRIu64 " randomly writeable zones\n",
		count, info->zone_bytes, anywhere);
	fprintf(out, "      %" PRIu64 " blocks per zone\n", info->zone_bytes / block_size);
}
