/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public call: a check, or a repair, which checks as often as it needs.
 */
#include "base/sized.h"
#include "check/repair.h"

int f2fs_check(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
	       struct f2fs_check_result *result)
{
	struct f2fs_check_result filled = { 0 };
	struct f2fs_check_options own;
	const struct check_run run = { .options = &own, .mode = F2FS_MODE_TOLERANT };
	struct f2fs_open_options open;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(ctx, result, sizeof(filled));
	if (!err && own.open) {
		err = sized_take(ctx, &open, sizeof(open), own.open);
		own.open = &open;
	}
	if (err)
		return err;
	if (own.repair)
		err = repair_volume(ctx, dev, &own, &filled);
	else
		err = check_run(ctx, dev, &run, &filled);
	sized_give(result, &filled, sizeof(filled));
	return err;
}
