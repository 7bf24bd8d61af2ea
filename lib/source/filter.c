/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the items to copy. A pattern that matches a directory holds for everything in it, even if the source never
 * gives the directory itself. So each prefix of a path is matched, and the results are kept for the prefixes of the
 * next path.
 */
#include <string.h>

#include "base/glob.h"
#include "source/filter.h"
#include "source/source.h"

/* A part of a path: its first bytes, up to a slash or the end. */
struct source_part {
	size_t length;
	enum source_choice choice;
};

void source_chooser_init(struct source_chooser *c, struct f2fs_context *ctx)
{
	vec_init(&c->parts, ctx, sizeof(struct source_part));
}

void source_chooser_fini(struct source_chooser *c)
{
	vec_fini(&c->parts);
}

static struct source_part *last_part(const struct source_chooser *c)
{
	return c->parts.count > 0 ? vec_at(&c->parts, c->parts.count - 1) : NULL;
}

int source_choose(struct source *src, struct source_chooser *c, char *path, size_t same, enum source_choice *out)
{
	const struct source_options *o = &src->opt;
	struct source_part part = { 0, o->include_count ? SOURCE_NOT_INCLUDED : SOURCE_WANTED };
	size_t start = 0;

	*out = SOURCE_WANTED;
	if (o->include_count + o->exclude_count == 0 || path[0] == '\0')
		return 0;
	while (c->parts.count > 0 && last_part(c)->length > same)
		c->parts.count--;
	if (c->parts.count > 0) {
		part = *last_part(c);
		start = part.length + (path[part.length] == '/');
	}
	while (path[start] && part.choice != SOURCE_EXCLUDED) {
		char *end = path + start + strcspn(path + start, "/");
		const char byte = *end;
		struct source_part *kept = vec_push(&c->parts, 1);

		if (!kept)
			return F2FS_ERR_NOMEM;
		*end = '\0'; /* cut to the path of a parent directory while that is matched */
		if (glob_match_any(o->exclude, o->exclude_count, path))
			part.choice = SOURCE_EXCLUDED;
		else if (pattern_set_match_any(&src->include, path, part.choice == SOURCE_WANTED))
			part.choice = SOURCE_WANTED;
		*end = byte;
		part.length = (size_t)(end - path);
		*kept = part;
		start = part.length + (byte == '/');
	}
	*out = part.choice;
	return 0;
}

int source_choose_item(struct source *src, enum source_choice *out)
{
	int err = source_choose(src, &src->chosen, src->path.items, src->same[FOLLOW_CHOICE], out);

	src->same[FOLLOW_CHOICE] = src->path.count;
	return err;
}
