/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as an earlier checkpoint had it, put together from what is left: while it is shown so, every inode that is
 * opened is the newest that was written before that checkpoint, with the nodes of that time, and each block is judged
 * before it is read. A node carries the version of the checkpoint that was in force when it was written, so a
 * checkpoint has what carries a smaller one.
 */
#include "base/sized.h"
#include "forensics/past.h"

int f2fs_past_show(struct f2fs_past *past, uint32_t version)
{
	struct f2fs_volume *vol = past->vol;
	int err;

	error_clear(vol->ctx);
	err = past_need_fresh(past);
	if (err)
		return err;
	if (past->options.ino)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "this takes a search of all inodes, not of inode %u",
				 (unsigned)past->options.ino);
	if (!past->has_newest || version == 0 || version > past->newest)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "checkpoint versions go from 1 to %u",
				 past->has_newest ? (unsigned)past->newest : 0);
	past->as_of = version;
	past->as_of_age = past->newest - version + 1;
	past->view = (struct f2fs_as_of_stat){ .version = version, .newest = past->newest };
	vol->open_as_of = past_open_as_of;
	vol->as_of = past;
	return 0;
}

void f2fs_past_show_stat(const struct f2fs_past *past, struct f2fs_as_of_stat *out)
{
	struct f2fs_as_of_stat own = past->view;

	own.newest = past->newest;
	sized_give(out, &own, sizeof(own));
}
