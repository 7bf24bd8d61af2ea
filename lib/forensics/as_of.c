/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A view of an earlier checkpoint: a volume of its own over the same device, built from the remaining blocks. Every
 * inode of it is the newest that was written before that checkpoint, with the nodes of that time, and each block is
 * judged before it is read. A node carries the version of the checkpoint that was in force when it was written, so a
 * checkpoint has the nodes with a smaller one. Tables are those of the moment of opening (volume/beside.h); later
 * writes of the volume are lost to the view, block by block.
 */
#include "base/error.h"
#include "base/sized.h"
#include "forensics/inode_at.h"
#include "forensics/past.h"
#include "volume/beside.h"
#include "volume/open_beside.h"

#define FORMAT_VERSION 1u   /* formatting may give its nodes this one, wherever versions begin */
#define FORMAT_GAP 0x10000u /* no volume with such nodes has lost all writes of that many versions since */

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
	struct f2fs_context *ctx = past->vol->ctx;
	const uint32_t last = past_last(past);
	uint32_t oldest;

	if (!past->has_newest)
		return error_set(ctx, F2FS_ERR_RANGE, "the volume has no checkpoint");
	oldest = find_oldest(past);
	if (version > last)
		return error_set(ctx, F2FS_ERR_RANGE, "the last checkpoint is %u", (unsigned)last);
	if (version == 0 || version < oldest)
		return error_set(ctx, F2FS_ERR_RANGE, "the oldest checkpoint that left something is %u (-%u)",
				 (unsigned)oldest, (unsigned)(last - oldest));
	return 0;
}

int f2fs_volume_open_as_of(struct f2fs_past *past, uint32_t version, struct f2fs_volume **out)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct f2fs_volume *view;
	int err;

	error_clear(ctx);
	err = past_need_fresh(past);
	if (err)
		return err;
	if (past->options.ino)
		return error_set(ctx, F2FS_ERR_INVALID, "this takes a search of all inodes, not of inode %u",
				 (unsigned)past->options.ino);
	err = check_version(past, version);
	if (!err)
		err = beside_open(past->vol, &view);
	if (err)
		return err;
	err = past_copy(past, view, &view->as_of);
	if (err)
		return volume_abandon(ctx, view, err);
	view->as_of->as_of = version;
	view->as_of->as_of_age = past->newest - version + 1;
	view->as_of->view = (struct f2fs_as_of_stat){ .version = version, .newest = past->newest };
	view->ops.open_as_of = past_open_as_of;
	view->ops.end_as_of = f2fs_past_close;
	*out = view;
	return 0;
}

void f2fs_volume_as_of_stat(const struct f2fs_volume *vol, struct f2fs_as_of_stat *out)
{
	const struct f2fs_as_of_stat none = { 0 };

	sized_give(out, vol->as_of ? &vol->as_of->view : &none, sizeof(none));
}
