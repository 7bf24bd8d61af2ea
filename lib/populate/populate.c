/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a volume: the run over the items of a source.
 */
#include "populate/populate.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "file/change.h"
#include "file/change_rules.h"
#include "file/write.h"
#include "log/gather.h"
#include "log/txn.h"
#include "populate/compress.h"
#include "populate/entry.h"
#include "populate/place.h"
#include "populate/report.h"
#include "populate/spare.h"
#include "populate/total.h"
#include "source/rules.h"
#include "volume/volume.h"

static int prepare(struct populate *p, struct source_item *item)
{
	int err;

	item->is_known = source_link_find(&p->links, item) != F2FS_NO_NID;
	err = p->src.ops->prepare ? p->src.ops->prepare(&p->src, item) : 0;
	p->is_of_source = err != 0;
	return err ? err : source_adjust(&p->src, source_path(&p->src), item, &p->src.attributes);
}

static bool is_dir(const struct source_item *item)
{
	return (item->mode & MODE_TYPE) == MODE_DIR;
}

/* Is this a kind of file that is copied? */
static bool is_kept(const struct populate *p, const struct source_item *item)
{
	const uint32_t type = item->mode & MODE_TYPE;

	return type == MODE_REG || type == MODE_LNK || type == MODE_DIR || item->link ||
	       (p->opt.keep & F2FS_KEEP_SPECIAL);
}

/* Copy the current item. First its directory is found, and the name noted there: --delete must not remove it, even if
 * copying fails. */
static int copy(struct populate *p, struct source_item *item)
{
	struct f2fs_inode *parent = NULL;
	const char *name = "";
	int err = 0;

	if (p->opt.entry && p->opt.entry(p->opt.user, source_path(&p->src)) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was stopped");
	if (!is_kept(p, item))
		return 0;
	if (p->src.path.count > 0)
		err = populate_place_parent(p, &parent, &name);
	if (!err)
		err = prepare(p, item);
	if (err)
		return err;
	if (!parent)
		return populate_place_top(p, item);
	return is_dir(item) ? populate_directory(p, parent, name, item) : populate_entry(p, parent, name, item);
}

/* Copy the current item, or leave it out. */
static int take(struct populate *p, struct source_item *item)
{
	enum source_choice choice;
	int err = source_choose_item(&p->src, &choice);

	if (err)
		return err;
	switch (choice) {
	case SOURCE_EXCLUDED:
		if (is_dir(item) && p->src.ops->skip)
			p->src.ops->skip(&p->src);
		return 0;
	case SOURCE_NOT_INCLUDED:
		err = is_dir(item) ? prepare(p, item) : 0;
		return err || !is_dir(item) ? err : populate_place_note(p, item);
	default:
		err = copy(p, item);
		if (err && is_dir(item) && p->src.ops->skip)
			p->src.ops->skip(&p->src);
		return err;
	}
}

static int step(struct populate *p)
{
	struct source_item item;
	int err;

	memset(&item, 0, sizeof(item));
	p->src.attributes.count = 0;
	p->what = "";
	err = p->src.ops->next(&p->src, &item);
	p->is_of_source = err != 0;
	if (err == SOURCE_END)
		return err;
	if (!err)
		err = take(p, &item);
	if (err && !p->src.is_broken && !populate_is_fatal(p, err)) {
		err = populate_problem(p, p->what);
		if (!err)
			err = populate_spare(p);
	}
	return err ? err : source_progress(&p->src, 0);
}

static int open_source(struct populate *p)
{
	int err = source_open(&p->src);

	if (!err && (p->opt.existing < F2FS_EXISTING_REFUSE || p->opt.existing > F2FS_EXISTING_UPDATE))
		err = error_set(p->ctx, F2FS_ERR_INVALID, "no such policy for existing files: %d", p->opt.existing);
	return err;
}

/* Changes that wait may already have filled a log that would move. */
static int pack(struct f2fs_volume *vol)
{
	int err;

	if (txn_of(vol))
		return 0;
	err = change_start(vol);
	return err ? err : heads_gather(txn_of(vol));
}

static int run(struct populate *p)
{
	const int64_t now = clock_now(p->ctx);
	int err;

	p->now.seconds = now / 1000000000;
	p->now.nanoseconds = (uint32_t)(now % 1000000000);
	if (p->opt.has_time)
		p->now = p->opt.time;
	err = source_rules_open(&p->src);
	if (!err)
		err = populate_total(p);
	p->src.progress.phase = "copying";
	if (!err)
		err = open_source(p);
	if (!err && (p->opt.flags & F2FS_POPULATE_PACK))
		err = pack(p->vol);
	if (!err)
		err = populate_place_open(p);
	while (!err)
		err = step(p);
	if (err == SOURCE_END)
		err = populate_place_end(p);
	return err;
}

/* Take the source's report that a part of the current item cannot be read. */
static int take_problem(void *user, const char *what)
{
	return populate_problem(user, what);
}

static int take_unread(void *user)
{
	return populate_spare(user);
}

static int init(struct populate *p, const struct f2fs_populate_options *o, bool is_dry)
{
	static const struct source_events events = { .problem = take_problem, .unread = take_unread };
	const unsigned keep = o->keep ? o->keep : F2FS_KEEP_DEFAULT;
	int err;

	p->opt = (struct populate_options){
		.target = o->target,
		.keep = keep,
		.uid = o->uid,
		.gid = o->gid,
		.has_time = o->has_time,
		.time = o->time,
		.compression = o->compression,
		.existing = o->existing,
		.flags = o->flags,
		.entry = o->entry,
		.problem = o->problem,
		.user = o->user,
	};
	p->src = (struct source){
		.ctx = p->ctx,
		.opt = {
			.directory = o->directory,
			.tar = o->tar,
			.manifest = o->manifest,
			.keep = keep,
			.include = o->include,
			.exclude = o->exclude,
			.include_count = o->include_count,
			.exclude_count = o->exclude_count,
			.rules = o->rules,
			.rule_count = o->rule_count,
			.fs_config = o->fs_config,
			.file_contexts = o->file_contexts,
			.file_contexts_count = o->file_contexts_count,
			.mount_point = o->mount_point,
			.needs_end = (o->flags & F2FS_POPULATE_DELETE) != 0,
			.gives_lengths = is_dry,
		},
		.events = &events,
		.user = p,
		.progress = { .task = "populate", .phase = "starting", .unit = "bytes" },
	};
	err = source_init(&p->src);
	source_links_init(&p->links, p->ctx, (keep & F2FS_KEEP_LINKS) != 0);
	vec_init(&p->seen, p->ctx, sizeof(uint64_t));
	map32_init(&p->linked, p->ctx);
	map32_init(&p->visited, p->ctx);
	map32_init(&p->spared, p->ctx);
	vec_init(&p->levels, p->ctx, sizeof(struct populate_level));
	vec_init(&p->level_path, p->ctx, 1);
	map32_init(&p->capable, p->ctx);
	map32_init(&p->made, p->ctx);
	p->zeros = is_dry && !err ? mem_zalloc(p->ctx, SOURCE_BUFFER) : NULL;
	return err || p->zeros || !is_dry ? err : F2FS_ERR_NOMEM;
}

static void fini(struct populate *p)
{
	source_fini(&p->src);
	for (size_t i = 0; i < p->levels.count; i++) {
		struct populate_level *level = vec_at(&p->levels, i);

		f2fs_inode_close(level->dir);
		populate_noted_free(level->noted);
	}
	change_end_rules(p->vol, &p->ways);
	mem_free(p->ctx, p->zeros);
	vec_fini(&p->levels);
	vec_fini(&p->level_path);
	source_links_fini(&p->links);
	map32_fini(&p->capable);
	map32_fini(&p->made);
	vec_fini(&p->seen);
	map32_fini(&p->linked);
	map32_fini(&p->visited);
	map32_fini(&p->spared);
}

int populate_run(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
		 struct f2fs_populate_result *result, bool is_dry)
{
	struct populate p = { .ctx = f2fs_volume_context(vol), .vol = vol, .result = result };
	const struct f2fs_progress *before;
	const uint64_t generation = vol->generation;
	int err;

	error_clear(p.ctx);
	memset(result, 0, sizeof(*result));
	err = init(&p, options, is_dry);
	if (!err)
		err = populate_ways_set(&p);
	if (!err) {
		before = progress_run(p.ctx, &p.src.progress);
		err = progress_report(p.ctx, &p.src.progress);
		if (!err)
			err = run(&p);
		progress_run(p.ctx, before);
	}
	if (err && vol->generation != generation) /* files may be incomplete, or lack their attributes */
		f2fs_volume_fail(vol);
	if (!err && !is_dry)
		source_warn_unmet(&p.src);
	fini(&p);
	if (!err && result->problems > 0)
		err = error_set(p.ctx, F2FS_ERR_INCOMPLETE, "%llu entries or attributes could not be copied",
				(unsigned long long)result->problems);
	return err;
}

int populate_take(struct f2fs_context *ctx, struct f2fs_populate_options *own,
		  struct f2fs_populate_compression *compression, const struct f2fs_populate_options *given)
{
	int err = sized_take(ctx, own, sizeof(*own), given);

	if (err || !own->compression)
		return err;
	err = sized_take(ctx, compression, sizeof(*compression), own->compression);
	own->compression = compression;
	return err;
}

int f2fs_populate(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
		  struct f2fs_populate_result *result)
{
	struct f2fs_populate_options opt;
	struct f2fs_populate_compression compression;
	struct f2fs_populate_result own;
	int err;

	error_clear(vol->ctx);
	err = sized_check(vol->ctx, result, sizeof(own));
	if (!err)
		err = populate_take(vol->ctx, &opt, &compression, options);
	if (err)
		return err;
	err = populate_run(vol, &opt, &own, false);
	sized_give(result, &own, sizeof(own));
	return err;
}
