/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes that are durable when they return: of a volume that is written synchronously, and atomic ones.
 */
#include <f2fskit/write.h>

#include "base/error.h"
#include "file/write.h"

int f2fs_inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length)
{
	int err = inode_write(inode, offset, data, length);

	if (err || inode->vol->sync_mode == F2FS_SYNC_NONE)
		return err;
	return inode_fsync(inode, inode->vol->sync_mode == F2FS_SYNC_DATA ? F2FS_FSYNC_DATA : 0);
}

/* Check all pieces before the first one is written. */
static int check_parts(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;
	int err = inode_sync(inode);
	uint64_t limit;

	if (err)
		return err;
	limit = node_max_file_blocks(geo, inode->layout.node_slots) << geo->block_bits;
	for (size_t i = 0; i < count; i++)
		if (parts[i].length > 0 && (parts[i].length > limit || parts[i].offset > limit - parts[i].length))
			return error_set(inode->vol->ctx, F2FS_ERR_TOO_BIG, "a file holds at most %llu bytes",
					 (unsigned long long)limit);
	return 0;
}

int f2fs_inode_write_atomic(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count)
{
	struct f2fs_volume *vol = inode->vol;
	int err;

	error_clear(vol->ctx);
	err = check_parts(inode, parts, count);
	if (err)
		return err;
	if (inode_has_inline(inode->block, FLAG_i_inline_pin_file))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "pinned files are written in place, not atomically");
	/* all parts are one change: no commit happens between them, even if the options allow commits */
	err = data_write_parts(inode, parts, count);
	if (!err)
		err = inode_fsync(inode, 0);
	if (vol->txn)
		vol->txn->file->elsewhere = 0;
	return err;
}
