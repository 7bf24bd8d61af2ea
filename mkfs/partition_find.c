/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the partition to format.
 */
#include "partition_find.h"

#include <f2fskit/partition.h>

int partition_find(struct cli *cli, struct f2fs_context *ctx, struct arguments *a)
{
	struct f2fs_partition found = { F2FS_SIZED(f2fs_partition) };
	struct f2fs_device *disk, *part;
	int rc = f2fs_device_open(ctx, a->paths[0], F2FS_OPEN_READ, &disk);

	if (!rc) {
		rc = f2fs_device_open_partition(disk, a->partition, &found, &part);
		f2fs_device_close(disk);
	}
	if (rc) {
		cli_error_of(cli, ctx, NULL);
		return -1;
	}
	a->offset = found.offset;
	a->room = f2fs_device_info(part)->size;
	f2fs_device_close(part);
	if (found.pieces == 1)
		return 0;
	cli_error(cli, "%s: partition %s is in %u pieces, and mkfs.f2fs needs a single one", a->paths[0], found.name,
		  found.pieces);
	return -1;
}
