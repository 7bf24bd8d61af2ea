/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a new volume: opens what was just made and lets the library copy.
 */
#include "fill.h"

#include "cli/copy_in.h"

static void set_options(const struct arguments *a, const struct cli *cli, struct f2fs_populate_options *options)
{
	options->keep = F2FS_KEEP_DEFAULT;
	if (a->owner_given) {
		options->keep &= ~(unsigned)F2FS_KEEP_OWNER;
		options->uid = a->options.root_uid;
		options->gid = a->options.root_gid;
	}
	if (cli->has_epoch) {
		options->has_time = 1;
		options->time.seconds = cli->epoch;
	}
}

int fill_volume(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *devices)
{
	struct f2fs_device *more[F2FS_MAX_DEVICES];
	struct f2fs_open_options options = { .devices = more, .device_count = a->count - 1 };
	struct cli_copy_in *in = &a->in;
	struct f2fs_volume *vol;
	int rc;

	for (unsigned i = 1; i < a->count; i++)
		more[i - 1] = devices[i].device;
	if (f2fs_volume_open(ctx, devices[0].device, &options, &vol)) {
		cli_error_of(cli, ctx, a->paths[0]);
		return -1;
	}
	set_options(a, cli, &in->options);
	rc = cli_copy_in_commit(in, cli, vol, a->paths[0]);
	if (rc >= 0 && !a->quiet && !a->json)
		cli_copy_in_say(in);
	f2fs_volume_close(vol);
	return rc;
}
