/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run an extraction: options in, the walk over each target, the result out. extract/walk.c decides about each entry,
 * the sinks write it.
 */
#include "base/error.h"
#include "base/sized.h"
#include "extract/link.h"
#include "extract/names.h"
#include "extract/path.h"
#include "extract/run.h"
#include "extract/walk.h"
#include "sink/dir.h"

#include <inttypes.h>

static int check_options(struct f2fs_context *ctx, const struct f2fs_extract_options *o)
{
	if (!o->directory == !o->tar)
		return error_set(ctx, F2FS_ERR_INVALID, "extraction needs a directory or a tar stream, one of the two");
	if (o->existing < F2FS_EXISTING_REFUSE || o->existing > F2FS_EXISTING_REPLACE)
		return error_set(ctx, F2FS_ERR_INVALID, "no such policy for existing files: %d", o->existing);
	if (o->encrypted < F2FS_ENCRYPTED_REPORT || o->encrypted > F2FS_ENCRYPTED_RAW)
		return error_set(ctx, F2FS_ERR_INVALID, "no such policy for encrypted files: %d", o->encrypted);
	if ((o->path_count && !o->paths) || (o->include_count && !o->include) || (o->exclude_count && !o->exclude) ||
	    (o->uid_map_count && !o->uid_map) || (o->gid_map_count && !o->gid_map))
		return error_set(ctx, F2FS_ERR_INVALID, "a list is announced but not given");
	return 0;
}

static void init(struct extract *x, struct f2fs_volume *vol, const struct f2fs_extract_options *options)
{
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
	const unsigned keep = options->keep ? options->keep : F2FS_KEEP_DEFAULT;

	x->ctx = f2fs_volume_context(vol);
	x->vol = vol;
	x->options = options;
	x->sink = (struct sink){
		.ctx = x->ctx,
		.vol = vol,
		.result = &x->result,
		.opt = {
			.directory = options->directory,
			.tar = options->tar,
			.tar_filter = options->tar_filter,
			.flags = options->flags,
			.keep = keep,
			.require = options->require & keep,
			.existing = options->existing,
			.threads = options->threads,
			.max_bytes = options->max_bytes,
			.manifest = options->manifest,
			.fs_config = options->fs_config,
			.file_contexts = options->file_contexts,
			.mount_point = options->mount_point,
			.entry = options->entry,
			.problem = options->problem,
			.user = options->user,
		},
	};
	sink_init(&x->sink);
	vec_init(&x->path, x->ctx, 1);
	vec_init(&x->target_text, x->ctx, 1);
	extract_links_init(x);
	map32_init(&x->names.several, x->ctx);
	if (!options->path_count && !options->include_count) {
		f2fs_volume_statfs(vol, &stat);
		x->inodes_total = stat.valid_inodes;
	}
}

static void fini(struct extract *x)
{
	pattern_set_fini(&x->include);
	extract_names_fini(x);
	vec_fini(&x->target_text);
	vec_fini(&x->path);
	sink_fini(&x->sink);
}

/* Close the walk's directories, write buffered data, leave the directories of the sink. */
static int finish(struct extract *x)
{
	int err = extract_walk_end(x);

	if (!err)
		err = x->sink.ops->flush(&x->sink);
	if (!err)
		err = extract_links_end(x);
	if (!err)
		err = x->sink.ops->end(&x->sink);
	return err;
}

static int run(struct extract *x, const struct vec *targets)
{
	int err = sink_open(&x->sink);

	if (!err)
		err = extract_names_survey(x, targets);
	for (size_t i = 0; i < targets->count && !err; i++)
		err = extract_walk(x, vec_at(targets, i));
	if (!err)
		err = finish(x);
	if (err) /* nothing is left properly */
		sink_dir_drop(&x->sink, x->dir);
	extract_links_fini(x);
	return err;
}

int f2fs_extract(struct f2fs_volume *vol, const struct f2fs_extract_options *options,
		 struct f2fs_extract_result *result)
{
	struct f2fs_context *ctx = f2fs_volume_context(vol);
	const struct f2fs_progress *before;
	struct f2fs_extract_options own;
	struct extract x = { 0 };
	struct vec targets = { 0 };
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(ctx, result, sizeof(x.result));
	if (!err)
		err = check_options(ctx, &own);
	if (err)
		return err;
	init(&x, vol, &own);
	err = pattern_set_init(&x.include, ctx, own.include, sizeof(*own.include), own.include_count);
	if (!err)
		err = extract_targets_load(&x, &targets);
	if (!err) {
		x.progress = (struct f2fs_progress){
			.task = "extract", .phase = "files", .unit = "inodes", .total = x.inodes_total
		};
		before = progress_run(ctx, &x.progress);
		err = run(&x, &targets);
		err = sink_close(&x.sink, err);
		if (!err)
			pattern_set_warn(&x.include, "pattern");
		progress_run(ctx, before);
	}
	extract_targets_fini(&targets);
	fini(&x);
	if (!err && x.result.problems)
		err = error_set(ctx, F2FS_ERR_INCOMPLETE, "%" PRIu64 " problem%s: not everything was extracted",
				x.result.problems, x.result.problems == 1 ? "" : "s");
	else if (!err)
		error_clear(ctx);
	sized_give(result, &x.result, sizeof(x.result));
	return err;
}
