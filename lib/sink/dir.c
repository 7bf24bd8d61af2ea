/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the directories between the volume's root and the current entries: reference-counted nodes that know their
 * parent. So a path can be built long after the walk has continued, and the last user of a directory closes it.
 */
#include "sink/dir.h"

#include <string.h>

#include "sink/sink.h"

int sink_dir_new(struct sink *sink, struct sink_dir *parent, const char *name, size_t length, struct sink_dir **out)
{
	struct sink_dir *dir = mem_zalloc(sink->ctx, sizeof(*dir) + length + 1);

	if (!dir)
		return F2FS_ERR_NOMEM;
	dir->refs = 1;
	dir->is_choosy = sink->is_choosy;
	dir->name_length = (uint16_t)length;
	memcpy(dir->name, name, length);
	if (parent) {
		dir->path_length = parent->path_length + 1 + length;
		dir->parent = sink_dir_ref(parent);
		dir->depth = parent->depth + 1;
		dir->is_included = parent->is_included;
	}
	*out = dir;
	return 0;
}

/* Free a directory that its last user left. Its parent is left to the caller. */
static struct sink_dir *free_dir(struct sink *sink, struct sink_dir *dir)
{
	struct sink_dir *parent = dir->parent;

	sink->ops->drop_dir(sink, dir);
	if (sink->way_dir == dir)
		sink->way_dir = parent;
	mem_free(sink->ctx, dir->substitute);
	mem_free(sink->ctx, dir);
	return parent;
}

int sink_dir_put(struct sink *sink, struct sink_dir *dir)
{
	int err = 0;

	while (dir && --dir->refs == 0) {
		if (!err && (dir->state == DIR_MADE || dir->state == DIR_ENTERED))
			err = sink->ops->leave_dir(sink, dir);
		dir = free_dir(sink, dir);
	}
	return err;
}

void sink_dir_drop(struct sink *sink, struct sink_dir *dir)
{
	while (dir && --dir->refs == 0)
		dir = free_dir(sink, dir);
}

/*
 * Make way the path of a directory, "/a/b", "" for the root. Only the part that differs from the previous path is
 * written: paths are asked for in the order of the walk, and may be long.
 */
static int go_to(struct sink *sink, struct sink_dir *dir)
{
	struct sink_dir *common = sink->way_dir, *other = dir, *d;
	char *text;

	while (common != other) { /* up from whichever is deeper */
		if (common && (!other || common->depth >= other->depth))
			common = common->parent;
		else
			other = other->parent;
	}
	if (vec_reserve(&sink->way, (dir ? dir->path_length : 0) + F2FS_NAME_ROOM + 2) != 0)
		return F2FS_ERR_NOMEM;
	text = sink->way.items;
	sink->way_dir = dir;
	for (d = dir; d != common && d->parent; d = d->parent) {
		char *to = text + d->path_length - d->name_length;

		to[-1] = '/';
		memcpy(to, d->name, d->name_length);
	}
	return 0;
}

/* Build the path of a name in a directory in way, or of the directory if name is NULL. *length: its bytes. */
static int find_path(struct sink *sink, struct sink_dir *dir, const char *name, size_t *length)
{
	const size_t n = name ? strlen(name) : 0;
	char *text;
	int err = go_to(sink, dir);

	if (err)
		return err;
	*length = dir ? dir->path_length : 0;
	text = (char *)sink->way.items + *length;
	if (name) {
		text[0] = '/';
		memcpy(text + 1, name, n);
		text += n + 1;
		*length += n + 1;
	}
	*text = '\0';
	return 0;
}

static int copy_path(struct vec *path, const char *front, const char *text, size_t length)
{
	const size_t n = strlen(front);
	char *to;

	path->count = 0;
	if (vec_reserve(path, n + length + 1) != 0)
		return F2FS_ERR_NOMEM;
	to = path->items;
	memcpy(to, front, n);
	memcpy(to + n, text, length);
	to[n + length] = '\0';
	path->count = n + length + 1;
	return 0;
}

int sink_full_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name)
{
	size_t length;
	int err = find_path(sink, dir, name, &length);

	return err ? err : copy_path(path, length ? "" : "/", sink->way.items, length);
}

int sink_short_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name, uint32_t skip)
{
	const char *text;
	size_t length;
	int err = find_path(sink, dir, name, &length);

	if (err)
		return err;
	text = sink->way.items;
	for (; skip > 0 && *text; skip--) {
		const size_t n = 1 + strcspn(text + 1, "/");

		text += n;
		length -= n;
	}
	return *text ? copy_path(path, "", text + 1, length - 1) : copy_path(path, ".", text, 0);
}

int sink_shown_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name)
{
	const char *text;
	size_t length;
	int err = find_path(sink, dir, name, &length);

	if (err)
		return err;
	text = sink->way.items;
	if (length <= F2FS_PROBLEM_PATH)
		return copy_path(path, length ? "" : "/", text, length);
	text += length - F2FS_PROBLEM_PATH;
	return copy_path(path, "...", strchr(text, '/'), strlen(strchr(text, '/')));
}

/* Names of directories that are in the destination, from dir upwards; NULL: no more. */
static const struct sink_dir *shown_dir(const struct sink_dir *dir, uint32_t strip)
{
	return dir && dir->parent && dir->depth > strip ? dir : NULL;
}

int sink_host_path(struct sink *sink, struct sink_dir *dir, const char *name, const char *substitute,
		   const char **path)
{
	const char *last = substitute && substitute[0] ? substitute : name;
	size_t length = last ? strlen(last) : 0;
	char *to;

	*path = NULL;
	if (sink->opt.tar || !dir || (!sink->strip && !dir->is_renamed && last == name))
		return 0;
	for (const struct sink_dir *d = shown_dir(dir, sink->strip); d; d = shown_dir(d->parent, sink->strip))
		length += strlen(sink_dir_host_name(d)) + 1;
	sink->host_path.count = 0;
	if (vec_reserve(&sink->host_path, length + 1) != 0)
		return F2FS_ERR_NOMEM;
	to = (char *)sink->host_path.items + length;
	*to = '\0';
	if (last) {
		to -= strlen(last);
		memcpy(to, last, strlen(last));
	}
	for (const struct sink_dir *d = shown_dir(dir, sink->strip); d; d = shown_dir(d->parent, sink->strip)) {
		const char *step = sink_dir_host_name(d);
		const size_t n = strlen(step);

		if (*to)
			*--to = '/';
		to -= n;
		memcpy(to, step, n);
	}
	*path = to;
	return 0;
}
