/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a volume: the run over the items of a source.
 */
#include "base/sized.h"
#include "source/populate.h"

#include <string.h>

#include "file/write.h"
#include "log/log.h"
#include "volume/volume.h"

static int prepare(struct populate *p, struct populate_item *item)
{
	int err = p->ops->prepare ? p->ops->prepare(p, item) : 0;

	p->is_of_source = err != 0;
	return err ? err : populate_adjust(p, populate_path(p), item, &p->attributes);
}

static bool is_dir(const struct populate_item *item)
{
	return (item->mode & MODE_TYPE) == MODE_DIR;
}

/* Is this a kind of file that is copied? */
static bool is_kept(const struct populate *p, const struct populate_item *item)
{
	const uint32_t type = item->mode & MODE_TYPE;

	return type == MODE_REG || type == MODE_LNK || type == MODE_DIR || item->link ||
	       (p->opt.keep & F2FS_KEEP_SPECIAL);
}

/* Copy the current item. First its directory is found, and the name noted there: --delete must not remove it, even if
 * copying fails. */
static int copy(struct populate *p, struct populate_item *item)
{
	struct f2fs_inode *parent = NULL;
	const char *name = "";
	int err = 0;

	if (p->opt.entry && p->opt.entry(p->opt.user, populate_path(p)) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was canceled");
	if (!is_kept(p, item))
		return 0;
	if (p->path.count > 0)
		err = populate_place_parent(p, &parent, &name);
	if (!err)
		err = prepare(p, item);
	if (err)
		return err;
	if (!parent)
		return populate_place_top(p, item);
	return is_dir(item) ? populate_directory(p, parent, name, item) : populate_entry(p, parent, name, item);
}

/* Copy the item at hand, or leave it out. */
static int take(struct populate *p, struct populate_item *item)
{
	enum populate_choice choice;
	int err = populate_choose_item(p, &choice);

	if (err)
		return err;
	switch (choice) {
	case POPULATE_EXCLUDED:
		if (is_dir(item) && p->ops->skip)
			p->ops->skip(p);
		return 0;
	case POPULATE_NOT_INCLUDED:
		err = is_dir(item) ? prepare(p, item) : 0;
		return err || !is_dir(item) ? err : populate_place_note(p, item);
	default:
		err = copy(p, item);
		if (err && is_dir(item) && p->ops->skip)
			p->ops->skip(p);
		return err;
	}
}

static int step(struct populate *p)
{
	struct populate_item item;
	int err;

	memset(&item, 0, sizeof(item));
	p->attributes.count = 0;
	p->what = "";
	err = p->ops->next(p, &item);
	p->is_of_source = err != 0;
	if (err == POPULATE_END)
		return err;
	if (!err)
		err = take(p, &item);
	if (err && !p->is_broken && !populate_is_fatal(p, err)) {
		err = populate_problem(p, p->what);
		if (!err)
			err = populate_spare(p);
	}
	return err ? err : populate_progress(p, 0);
}

int populate_source_open(struct populate *p)
{
	const struct f2fs_populate_options *o = &p->opt;

	if (o->tar ? o->manifest || o->directory : !o->manifest && !o->directory)
		return error_set(p->ctx, F2FS_ERR_INVALID,
				 "one source is needed: a directory, an archive or a manifest");
	if (o->existing < F2FS_EXISTING_REFUSE || o->existing > F2FS_EXISTING_UPDATE)
		return error_set(p->ctx, F2FS_ERR_INVALID, "no such policy for existing files: %d", o->existing);
	if (o->manifest)
		return populate_manifest_open(p, o->manifest);
	return o->tar ? populate_tar_open(p, o->tar) : populate_host_open(p, o->directory);
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
	err = populate_rules_open(p);
	if (!err)
		err = populate_total(p);
	p->progress.phase = "copying";
	if (!err)
		err = populate_source_open(p);
	if (!err && (p->opt.flags & F2FS_POPULATE_PACK))
		err = pack(p->vol);
	if (!err)
		err = populate_place_open(p);
	while (!err)
		err = step(p);
	if (err == POPULATE_END)
		err = populate_place_end(p);
	return err;
}

void populate_init(struct populate *p)
{
	vec_init(&p->path, p->ctx, 1);
	populate_chooser_init(&p->chosen, p->ctx);
	vec_init(&p->attributes, p->ctx, 1);
	vec_init(&p->mounted, p->ctx, 1);
	vec_init(&p->seen, p->ctx, sizeof(uint64_t));
	map32_init(&p->linked, p->ctx);
	map32_init(&p->visited, p->ctx);
	map32_init(&p->spared, p->ctx);
	vec_init(&p->levels, p->ctx, sizeof(struct populate_level));
	vec_init(&p->level_path, p->ctx, 1);
	vec_init(&p->links, p->ctx, sizeof(struct populate_link));
	map32_init(&p->link_index, p->ctx);
	map32_init(&p->capable, p->ctx);
	map32_init(&p->made, p->ctx);
}

void populate_fini(struct populate *p)
{
	if (p->ops)
		p->ops->close(p);
	for (size_t i = 0; i < p->levels.count; i++) {
		struct populate_level *level = vec_at(&p->levels, i);

		f2fs_inode_close(level->dir);
		populate_noted_free(level->noted);
	}
	populate_chooser_fini(&p->chosen);
	populate_rules_close(p);
	change_end_rules(p->vol, &p->ways);
	mem_free(p->ctx, p->buffer);
	mem_free(p->ctx, p->zeros);
	vec_fini(&p->path);
	vec_fini(&p->attributes);
	vec_fini(&p->levels);
	vec_fini(&p->level_path);
	vec_fini(&p->links);
	map32_fini(&p->link_index);
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
	struct populate p = { .ctx = f2fs_volume_context(vol), .vol = vol, .opt = *options, .result = result };
	const struct f2fs_progress *before;
	const uint64_t generation = vol->generation;
	int err;

	error_clear(p.ctx);
	memset(result, 0, sizeof(*result));
	p.progress = (struct f2fs_progress){ .task = "populate", .phase = "starting", .unit = "bytes" };
	if (p.opt.keep == 0)
		p.opt.keep = F2FS_KEEP_DEFAULT;
	p.needs_end = (p.opt.flags & F2FS_POPULATE_DELETE) != 0;
	populate_init(&p);
	p.buffer = mem_alloc(p.ctx, POPULATE_BUFFER);
	p.zeros = is_dry ? mem_zalloc(p.ctx, POPULATE_BUFFER) : NULL;
	err = p.buffer && (p.zeros || !is_dry) ? populate_ways_set(&p) : F2FS_ERR_NOMEM;
	if (!err) {
		before = progress_run(p.ctx, &p.progress);
		err = progress_report(p.ctx, &p.progress);
		if (!err)
			err = run(&p);
		progress_run(p.ctx, before);
	}
	if (err && vol->generation != generation) /* files may be incomplete, or lack their attributes */
		f2fs_volume_fail(vol);
	populate_fini(&p);
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
