/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the partition that holds the volume.
 */
#include "cli/in_partition.h"

#include <f2fskit/partition.h>

static int refuse(struct cli *cli, struct cli_opened *opened, int rc)
{
	cli_error_of(cli, opened->ctx, NULL);
	return rc;
}

int cli_partition_enter(struct cli *cli, const struct cli_image *image, struct cli_opened *opened)
{
	struct f2fs_partition found = { F2FS_SIZED(f2fs_partition) };
	struct f2fs_device *part;
	int rc;

	if (image->partition && image->offset) {
		cli_error(cli, "--partition and --offset both say where the volume starts: give one of them");
		return F2FS_ERR_INVALID;
	}
	if (image->offset || (image->is_whole && !image->partition))
		return 0;
	rc = f2fs_device_open_partition(opened->device, image->partition, &found, &part);
	if (rc && !image->partition && rc != F2FS_ERR_INVALID && rc != F2FS_ERR_NOMEM)
		return 0; /* opening the volume says what is wrong */
	if (rc)
		return refuse(cli, opened, rc);
	if (!image->partition)
		cli_warning(cli, "%s: the volume is in partition %s%s%s%s at byte %llu (--partition=%s)", image->path,
			    found.name, found.label[0] ? " '" : "", found.label, found.label[0] ? "'" : "",
			    (unsigned long long)found.offset, found.name);
	f2fs_device_close(opened->device);
	opened->device = part;
	opened->is_partition = 1;
	return 0;
}
