/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Save a copy of a volume to give away: its metadata, or its blocks in use.
 */
#include <stdio.h>
#include <string.h>

#include "dump/save_image.h"
#include "dump/session.h"
#include "dump/views.h"

static const char *note_of(const struct dump *d, int content)
{
	if (content == F2FS_METADATA_USED)
		return "f2fskit image: the blocks in use of an F2FS volume.\n";
	return d->scrambles_names ? "f2fskit metadata image: no contents of files, other names.\n"
				  : "f2fskit metadata image: no contents of files.\n";
}

static void put_result(struct dump *d, const struct f2fs_metadata_stat *st)
{
	cli_print_u64(d->out, "nodes", st->nodes);
	cli_print_u64(d->out, "directory_blocks", st->directories);
	cli_print_u64(d->out, "other_blocks", st->others);
	cli_print_u64(d->out, "used_blocks", st->used);
	cli_print_u64(d->out, "refused_blocks", st->refused);
	cli_print_u64(d->out, "inline_zeroed", st->inline_zeroed);
	cli_print_u64(d->out, "unreadable_blocks", st->unreadable);
	if (st->unreadable && st->first_unreadable != F2FS_NO_BLOCK)
		cli_print_u64(d->out, "first_unreadable", st->first_unreadable);
}

static int save(struct dump *d, const char *path, int content)
{
	struct f2fs_metadata_options options = { F2FS_SIZED(f2fs_metadata_options) };
	struct f2fs_metadata_stat st = { F2FS_SIZED(f2fs_metadata_stat) };
	struct f2fs_device *dev;
	int rc;

	options.content = content;
	options.flags = d->scrambles_names && content == F2FS_METADATA_ONLY ? F2FS_METADATA_SCRAMBLE : 0;
	rc = f2fs_metadata_open(d->vol, &options, &dev);
	if (rc)
		return dump_fail(d, rc, path);
	rc = save_image(d, dev, path, (enum image_form)d->form, note_of(d, content));
	if (!rc)
		rc = f2fs_metadata_stat(dev, &st);
	if (!rc)
		put_result(d, &st);
	if (!rc && st.unreadable) {
		cli_error(&d->cli, "%s: %llu blocks could not be read; the copy has zeros there",
			  d->image, (unsigned long long)st.unreadable);
		d->status |= DUMP_INCOMPLETE;
	}
	f2fs_device_close(dev);
	return rc;
}

int view_metadata_image(struct dump *d, const char *argument)
{
	return save(d, argument, F2FS_METADATA_ONLY);
}

int view_used_image(struct dump *d, const char *argument)
{
	return save(d, argument, F2FS_METADATA_USED);
}
