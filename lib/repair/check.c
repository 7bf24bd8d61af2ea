/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public call: a check, or a repair, which checks as often as it needs.
 */
#include "base/error.h"
#include "base/sized.h"
#include "repair/rehearsal.h"
#include "repair/repair.h"
#include "repair/repair_driver.h"

/* Count the findings that the next check will report. Some of them show only after a repair of others. */
static int count_left(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		      struct f2fs_check_result *result)
{
	struct f2fs_check_options silent = *options;
	struct f2fs_check_result again;
	int err;

	if (result->left == 0 || result->state == F2FS_CHECK_IMPOSSIBLE)
		return 0;
	silent.repair = 0;
	silent.problem = NULL;
	err = check_rehearsed(ctx, dev, &silent, &again);
	if (err)
		return err;
	result->left = again.found;
	if (result->found < result->left)
		result->found = result->left;
	result->fixed = result->found - result->left;
	return 0;
}

int f2fs_check(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
	       struct f2fs_check_result *result)
{
	struct f2fs_check_result filled = { 0 };
	struct f2fs_check_options own;
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
	if (own.repair) {
		err = repair_volume(ctx, dev, &own, &filled);
		if (!err)
			err = count_left(ctx, dev, &own, &filled);
	} else {
		err = check_rehearsed(ctx, dev, &own, &filled);
	}
	sized_give(result, &filled, sizeof(filled));
	return err;
}
