/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open the source that the options name, and return how far it has been read.
 */
#include "source/source.h"

#include "base/error.h"
#include "source/host.h"
#include "source/manifest.h"
#include "source/rules.h"
#include "source/tar.h"
#include "source/volume_source.h"

#define ITEM_WORK (16u << 10) /* cost of an item in addition to its contents, in bytes of plain copying */

int source_init(struct source *src)
{
	vec_init(&src->path, src->ctx, 1);
	source_chooser_init(&src->chosen, src->ctx);
	vec_init(&src->attributes, src->ctx, 1);
	vec_init(&src->mounted, src->ctx, 1);
	src->buffer = mem_alloc(src->ctx, SOURCE_BUFFER);
	if (!src->buffer)
		return F2FS_ERR_NOMEM;
	return pattern_set_init(&src->include, src->ctx, src->opt.include, sizeof(*src->opt.include),
				src->opt.include_count);
}

int source_open(struct source *src)
{
	const struct source_options *o = &src->opt;

	if (o->volume)
		return source_volume_open(src, o->volume);
	if (o->tar ? o->manifest || o->directory : !o->manifest && !o->directory)
		return error_set(src->ctx, F2FS_ERR_INVALID,
				 "one source is needed: a directory, an archive or a manifest");
	if (o->manifest)
		return source_manifest_open(src, o->manifest);
	return o->tar ? source_tar_open(src, o->tar) : source_host_open(src, o->directory);
}

void source_close(struct source *src)
{
	if (src->ops)
		src->ops->close(src);
	src->ops = NULL;
	src->path.count = 0;
	src->is_broken = false;
}

void source_fini(struct source *src)
{
	source_close(src);
	pattern_set_fini(&src->include);
	source_chooser_fini(&src->chosen);
	source_rules_close(src);
	mem_free(src->ctx, src->buffer);
	vec_fini(&src->path);
	vec_fini(&src->attributes);
	vec_fini(&src->mounted);
}

int source_progress(struct source *src, uint64_t bytes)
{
	src->progress.done += bytes;
	if (src->progress.total && src->progress.done > src->progress.total)
		src->progress.total = src->progress.done; /* the source grows */
	return progress_tick(src->ctx, "populate", bytes + ITEM_WORK);
}
