/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mkfs.f2fs: understand the command line, check everything, and only then change something.
 */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "fill.h"
#include "cli/sparse_output.h"
#include "partition_find.h"
#include "rehearse.h"
#include "report.h"
#include "target.h"

struct run {
	struct cli *cli;
	struct f2fs_context *ctx;
	struct arguments *a;
	struct target targets[F2FS_MAX_DEVICES];
	struct f2fs_mkfs_device devices[F2FS_MAX_DEVICES];
	int filled; /* what fill_volume() returned */
	int is_untold; /* the volume is made, and its report was not written */
};

static int fail(struct run *r)
{
	cli_error_of(r->cli, r->ctx, r->a->count == 1 ? r->a->paths[0] : NULL);
	return -1;
}

/* The devices as they are now: a stand-in may have become a file. */
static void name_devices(struct run *r)
{
	for (unsigned i = 0; i < r->a->count; i++) {
		r->devices[i].device = r->targets[i].device;
		r->devices[i].path = r->a->paths[i];
		r->devices[i].alias = r->a->aliases[i];
		r->devices[i].size = r->targets[i].size;
	}
}

static int show(struct run *r, const struct f2fs_layout *layout, const struct f2fs_mkfs_result *result)
{
	if (r->a->quiet)
		return 0;
	if (r->a->json || r->a->dry_run)
		return report_record(r->a, layout, result);
	report_end(r->a, result);
	return 0;
}

/* Do not destroy the contents of the device for a source that does not fit. */
static int check_room(struct run *r)
{
	if (!r->targets[0].has_signatures || r->a->is_auto || r->a->count > 1)
		return 0;
	return fill_fits(r->cli, r->ctx, r->a, &r->devices[0]);
}

/* Unmake a volume that could not be filled. Nobody must take an empty or partial volume for the requested one. */
static int give_up(struct run *r)
{
	const struct arguments *a = r->a;

	if (!a->sparse && !r->targets[0].is_created && target_unmake(&r->targets[0]) == 0)
		cli_error(r->cli, "%s: its old contents are overwritten, and it holds no volume now", a->paths[0]);
	return -1;
}

static int make(struct run *r)
{
	struct arguments *a = r->a;
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };
	struct f2fs_layout layout;

	if (a->partition && partition_find(r->cli, r->ctx, a))
		return -1;
	fill_prepare(r->cli, a);
	if (a->is_auto && fill_size(r->cli, r->ctx, a))
		return -1;
	for (unsigned i = 0; i < a->count; i++)
		if (target_open(r->targets, i, r->cli, r->ctx, a))
			return -1;
	name_devices(r);
	if (f2fs_mkfs_plan(r->ctx, r->devices, a->count, &a->options, &layout))
		return fail(r);
	if (a->in.source && (rehearse(r->cli, r->ctx, a) || check_room(r)))
		return -1;
	if (a->dry_run)
		return show(r, &layout, NULL);
	for (unsigned i = 0; i < a->count; i++)
		if (target_prepare(&r->targets[i], r->cli, r->ctx, a))
			return -1;
	name_devices(r);
	if (!a->quiet && !a->json)
		report_start(a, &layout);
	if (f2fs_mkfs_write(r->ctx, r->devices, a->count, &a->options, &result))
		return fail(r);
	if (a->in.source) {
		r->filled = fill_volume(r->cli, r->ctx, a, r->devices);
		if (r->filled < 0)
			return give_up(r);
	}
	if (a->is_auto && target_cut(&r->targets[0], r->cli, a))
		return -1;
	if (a->sparse &&
	    sparse_output_save(r->cli, r->ctx, r->targets[0].device, layout.geometry.block_size, a->paths[0], a->force))
		return -1;
	r->cli->done = "the volume is made";
	r->is_untold = show(r, &result.layout, &result) != 0;
	return 0;
}

static int run(struct cli *cli, struct arguments *a)
{
	struct run r = { .cli = cli, .a = a };
	int rc;

	if (cli_context_new(cli, &r.ctx))
		return CLI_EXIT_FAILURE;
	rc = make(&r);
	for (unsigned i = 0; i < a->count; i++)
		target_close(&r.targets[i], rc == 0);
	f2fs_context_close(r.ctx);
	if (rc || r.is_untold)
		return CLI_EXIT_FAILURE;
	return r.filled ? CLI_EXIT_INCOMPLETE : CLI_EXIT_OK;
}

int main(int argc, char **argv)
{
	static struct arguments a;
	struct cli cli;
	int rc;

	if (cli_init(&cli, &mkfs_tool))
		return CLI_EXIT_FAILURE;
	rc = arguments_parse(&a, &cli, argc, argv);
	if (rc == CLI_OPT_EXIT)
		return cli_finish(&cli, CLI_EXIT_OK, CLI_EXIT_FAILURE);
	if (rc)
		return CLI_EXIT_FAILURE;
	if (a.debug > 0)
		cli.level = a.debug > 1 ? F2FS_LOG_DEBUG : F2FS_LOG_INFO;
	if (a.quiet)
		cli.show_progress = 0;
	rc = run(&cli, &a);
	cli_copy_in_free(&a.in);
	return cli_finish(&cli, rc, CLI_EXIT_FAILURE);
}
