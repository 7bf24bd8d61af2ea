/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a new volume from a directory: opens what was just made and lets the library copy.
 */
#include "fill.h"

#include <f2fskit/populate.h>
#include <stdio.h>

static int show_problem(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail)
{
	cli_error(user, "/%s: %s%s%s", path, what, what[0] ? ": " : "", detail->message);
	return 0;
}

static void set_options(const struct arguments *a, struct cli *cli, struct f2fs_populate_options *options)
{
	options->directory = a->root_dir;
	options->keep = F2FS_KEEP_DEFAULT;
	options->problem = show_problem;
	options->user = cli;
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

static int copy(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_populate_options options = { 0 };
	struct f2fs_populate_result result;
	int err, incomplete;

	set_options(a, cli, &options);
	err = f2fs_populate(vol, &options, &result);
	incomplete = err == F2FS_ERR_INCOMPLETE;
	if (!err || incomplete)
		err = f2fs_volume_commit(vol);
	if (err) {
		cli_error_of(cli, ctx, a->root_dir);
		return -1;
	}
	if (!a->quiet && !a->json)
		printf("Info: copied %llu files (%llu bytes), %llu directories, %llu symbolic links, %llu special "
		       "files\n",
		       (unsigned long long)result.files, (unsigned long long)result.bytes,
		       (unsigned long long)result.directories, (unsigned long long)result.symlinks,
		       (unsigned long long)result.specials);
	return incomplete;
}

int fill_volume(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
		const struct f2fs_mkfs_device *devices)
{
	struct f2fs_device *more[F2FS_MAX_DEVICES];
	struct f2fs_open_options options = { .devices = more, .device_count = a->count - 1 };
	struct f2fs_volume *vol;
	int rc;

	for (unsigned i = 1; i < a->count; i++)
		more[i - 1] = devices[i].device;
	if (f2fs_volume_open(ctx, devices[0].device, &options, &vol)) {
		cli_error_of(cli, ctx, a->paths[0]);
		return -1;
	}
	rc = copy(cli, ctx, a, vol);
	f2fs_volume_close(vol);
	return rc;
}
