/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a volume, and recover it on the way if requested: on the device, or in memory for a view of the state after a
 * mount.
 */
#include "base/error.h"
#include "base/sized.h"
#include "recover/recover.h"
#include "recover/recover_open.h"
#include "recover/recovery_plan.h"
#include "recover/run.h"
#include "volume/newest_pack.h"
#include "volume/roots.h"

static int needs_recovery(struct f2fs_volume *vol, bool *needed)
{
	struct f2fs_recovery *plan;
	int err = recovery_plan(vol, NULL, &plan);

	if (err)
		return err;
	*needed = recovery_is_needed(plan);
	f2fs_recovery_close(plan);
	return 0;
}

static int recover_as_asked(struct f2fs_volume *vol, const struct f2fs_open_options *opt)
{
	bool needed;
	int err = opt->recover == F2FS_RECOVER_APPLY ? volume_check_roots(vol) : 0;

	if (!err && opt->recover == F2FS_RECOVER_APPLY)
		err = volume_check_newest(vol);
	if (!err)
		err = needs_recovery(vol, &needed);
	if (err)
		return err;
	if (needed && opt->recover == F2FS_RECOVER_VIEW)
		err = volume_overlay(vol, opt->cache_bytes, opt->spill_dir);
	if (!err && needed)
		err = opt->recover == F2FS_RECOVER_VIEW ? recovery_apply_view(vol) : recovery_apply_on(vol, NULL, NULL);
	vol->is_view = opt->recover == F2FS_RECOVER_VIEW;
	return err;
}

int volume_open_recovered(struct f2fs_context *ctx, struct f2fs_device *dev,
			  const struct f2fs_open_options *options, struct f2fs_volume **out)
{
	struct f2fs_volume *vol;
	int err;

	if (options && (options->recover < F2FS_RECOVER_NONE || options->recover > F2FS_RECOVER_APPLY))
		return error_set(ctx, F2FS_ERR_INVALID, "there is no way number %d to recover", options->recover);
	if (options && options->recover != F2FS_RECOVER_NONE && options->mode == F2FS_MODE_RESCUE)
		return error_set(ctx, F2FS_ERR_INVALID, "a volume opened for rescue cannot be recovered");
	err = volume_open(ctx, dev, options, &vol);
	if (err)
		return err;
	if (options && options->recover != F2FS_RECOVER_NONE)
		err = recover_as_asked(vol, options);
	if (err)
		return volume_abandon(ctx, vol, err);
	*out = vol;
	return 0;
}

int f2fs_volume_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		     struct f2fs_volume **out)
{
	struct f2fs_open_options own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	return err ? err : volume_open_recovered(ctx, dev, &own, out);
}
