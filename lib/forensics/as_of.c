/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as an earlier checkpoint had it, put together from what is left: while it is shown so, every inode that is
 * opened is the newest that was written before that checkpoint, with the nodes of that time, and each block is judged
 * before it is read. A node carries the version of the checkpoint that was in force when it was written, so a
 * checkpoint has what carries a smaller one.
 */
#include "base/sized.h"
#include "forensics/past.h"

#define FORMAT_VERSION 1u   /* formatting may give its nodes this one, wherever versions begin */
#define FORMAT_GAP 0x10000u /* no volume with such nodes has lost all that was written in so many versions since */

/* The first checkpoint of which anything says that there was one: it was in force when a node was written. Before that,
 * and in it, there is what formatting left. */
static uint32_t find_oldest(const struct f2fs_past *past)
{
	uint32_t oldest = past->newest;
	bool is_formatted = false;

	for (size_t i = 0; i < past->nodes.count; i++) {
		const struct past_node *node = vec_at(&past->nodes, i);
		const uint32_t version = past->newest - node->age;

		if (version == FORMAT_VERSION)
			is_formatted = true;
		else if (version < oldest)
			oldest = version;
	}
	return is_formatted && oldest < FORMAT_GAP ? FORMAT_VERSION : oldest;
}

static int check_version(struct f2fs_past *past, uint32_t version)
{
	uint32_t oldest;

	if (!past->has_newest)
		return error_set(past->vol->ctx, F2FS_ERR_RANGE, "the volume has no checkpoint");
	oldest = find_oldest(past);
	if (version > past->newest)
		return error_set(past->vol->ctx, F2FS_ERR_RANGE, "the last checkpoint is %u", (unsigned)past->newest);
	if (version == 0 || version < oldest)
		return error_set(past->vol->ctx, F2FS_ERR_RANGE,
				 "the oldest checkpoint that left something is %u (-%u)", (unsigned)oldest,
				 (unsigned)(past->newest - oldest));
	return 0;
}

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
	err = check_version(past, version);
	if (err)
		return err;
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
