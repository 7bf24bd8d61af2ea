/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public call: a check, or a repair, which checks as often as it needs.
 */
#include "check/repair.h"

int f2fs_check(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
	       struct f2fs_check_result *result)
{
	const struct check_run run = { .options = options, .mode = F2FS_MODE_TOLERANT };

	if (options && options->repair)
		return repair_volume(ctx, dev, options, result);
	return check_run(ctx, dev, &run, result, NULL, NULL);
}
