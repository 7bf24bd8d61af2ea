/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One look-up, with a volume of its own.
 */
#include "lab/cold_lookup.h"

#include <f2fskit/f2fskit.h>

int lab_cold_lookup(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_meter *meter, const char *path,
		    uint64_t *blocks)
{
	struct f2fs_volume *vol;
	struct f2fs_inode *inode = NULL;
	uint64_t before;
	/* the smallest cache, which reads hardly anything ahead */
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .cache_bytes = 1 };
	int err = f2fs_volume_open(ctx, dev, &options, &vol);

	if (err)
		return err;
	before = lab_meter_counts(meter)->read_bytes;
	err = f2fs_lookup(vol, path, 0, &inode);
	if (err) {
		const struct f2fs_error_detail why = *f2fs_context_error(ctx);

		f2fs_volume_close(vol);
		return f2fs_context_fail(ctx, err, why.message);
	}
	*blocks = (lab_meter_counts(meter)->read_bytes - before) / 4096;
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	return 0;
}
