/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the layout of the SSA; the volume keeps its size. packed_ssa puts four summaries into a block of 16 KiB, so
 * the SSA needs a quarter of the segments, and the main area gets the rest. Areas follow each other without gaps, so
 * all of them move, in the two hops of relayout.c: away unchanged, and back in the other layout. The second switch of
 * superblocks changes the feature, too.
 */
#include "resize/repack.h"

#include "base/error.h"
#include "resize/fits.h"
#include "resize/resize.h"

static int check(const struct f2fs_volume *vol)
{
	if (vol->geo.block_size == 4096)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "packed_ssa is for blocks of 16 KiB: a summary fills a block of 4 KiB");
	if (vol->streams || vol->beside || vol->watchers)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "the tables cannot move while the volume has a placement or a second view");
	return 0;
}

int resize_repack(struct f2fs_volume *vol, struct repack *repack)
{
	const struct f2fs_resize_options options = { .keep_size = 1, .dry_run = repack->is_dry };
	struct f2fs_resize_result result = { 0 };
	struct resize r = { .ctx = vol->ctx,
			    .dev = vol->dev,
			    .options = &options,
			    .result = &result,
			    .vol = vol,
			    .is_borrowed = true,
			    .feature_wanted = repack->is_packed ? F2FS_FEAT_PACKED_SSA : 0 };
	const int64_t before = vol->geo.segment_count_main;
	struct f2fs_layout layout;
	int err = check(vol);

	if (!err)
		err = resize_run(&r);
	vol->barred = (struct volume_barred){ 0 };
	if (err)
		return err;
	if (r.now.repacks) /* a dry run: take the areas that would come */
		stage_areas(&r.now, r.now.shape.segment_count, &layout);
	else
		layout.geometry = vol->geo;
	repack->moved = result.blocks_to_move;
	repack->won_segments = layout.geometry.segment_count_main - before;
	return 0;
}
