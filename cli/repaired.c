/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show a volume as a repair would leave it. The writes of the repair stay in memory, or in a temporary file.
 */
#include "cli/repaired.h"
#include "host/temporary.h"

#include <f2fskit/check.h>

int cli_cover(struct f2fs_device **dev)
{
	struct f2fs_device *layer;
	int rc = f2fs_device_open_overlay(*dev, 0, host_temporary_directory(), &layer);

	if (rc)
		return rc;
	f2fs_device_close(*dev); /* the layer has it */
	*dev = layer;
	return 0;
}

uint64_t cli_volume_end(struct cli_opened *opened)
{
	struct f2fs_open_options plain = opened->options;
	const struct f2fs_geometry *geo;
	struct f2fs_volume *vol;
	uint64_t bytes;

	plain.recover = F2FS_RECOVER_NONE;
	plain.mode = F2FS_MODE_TOLERANT;
	if (f2fs_volume_open(opened->ctx, opened->device, &plain, &vol))
		return 0;
	geo = f2fs_volume_geometry(vol);
	bytes = opened->options.offset + geo->block_count * geo->block_size;
	f2fs_volume_close(vol);
	return bytes;
}

int cli_lengthen(struct cli_opened *opened, uint64_t length)
{
	const uint64_t has = f2fs_device_info(opened->device)->size;
	struct f2fs_device *rest, *whole;
	int rc = f2fs_device_open_memory(opened->ctx, length - has, &rest);

	if (!rc) {
		const struct f2fs_device_part parts[] = { { opened->device, 0, has }, { rest, 0, length - has } };

		rc = f2fs_device_open_multi(opened->ctx, parts, 2, &whole);
		f2fs_device_close(rest);
	}
	if (rc)
		return rc;
	f2fs_device_close(opened->device);
	opened->device = whole;
	return 0;
}

static int repair(struct cli *cli, struct cli_opened *opened)
{
	struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
					      .repair = 1, .cut_at = UINT64_MAX, .open = &opened->options };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	const uint64_t has = f2fs_device_info(opened->device)->size;
	uint64_t length;
	int rc = cli_image_complete(opened);

	length = !rc && opened->options.device_count == 0 ? cli_volume_end(opened) : 0;
	if (length > has) {
		options.cut_at = has - opened->options.offset;
		rc = cli_lengthen(opened, length);
	}
	if (!rc)
		rc = cli_cover(&opened->device);
	for (unsigned i = 0; i < opened->options.device_count && !rc; i++)
		rc = cli_cover(&opened->more[i]);
	if (!rc)
		rc = f2fs_check(opened->ctx, opened->device, &options, &result);
	if (!rc && result.found)
		cli_warning(cli, "shown as a repair would leave it: %llu problems, %llu of them left",
			    (unsigned long long)result.found, (unsigned long long)result.left);
	return rc;
}

int cli_image_repair(struct cli *cli, struct cli_opened *opened)
{
	int rc = repair(cli, opened);

	if (rc)
		cli_error_of(cli, opened->ctx, opened->path);
	return rc;
}
