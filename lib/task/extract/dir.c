/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directories between the volume's root and the entries at hand: reference-counted nodes that know their parent,
 * so that a path can be told long after the walk went on, and the last user of a directory closes it.
 */
#include <string.h>

#include "task/extract/extract.h"

int extract_dir_new(struct extract *x, struct extract_dir *parent, const char *name, size_t length,
		    struct extract_dir **out)
{
	struct extract_dir *dir = mem_zalloc(x->ctx, sizeof(*dir) + length + 1);

	if (!dir)
		return F2FS_ERR_NOMEM;
	dir->refs = 1;
	dir->name_length = (uint16_t)length;
	memcpy(dir->name, name, length);
	if (parent) {
		dir->parent = extract_dir_ref(parent);
		dir->depth = parent->depth + 1;
		dir->is_included = parent->is_included;
	}
	*out = dir;
	return 0;
}

int extract_dir_put(struct extract *x, struct extract_dir *dir)
{
	int err = 0;

	while (dir && --dir->refs == 0) {
		struct extract_dir *parent = dir->parent;

		if (!err && (dir->state == DIR_MADE || dir->state == DIR_ENTERED))
			err = x->ops->leave_dir(x, dir);
		x->ops->drop_dir(x, dir);
		mem_free(x->ctx, dir);
		dir = parent;
	}
	return err;
}

void extract_dir_drop(struct extract *x, struct extract_dir *dir)
{
	while (dir && --dir->refs == 0) {
		struct extract_dir *parent = dir->parent;

		x->ops->drop_dir(x, dir);
		mem_free(x->ctx, dir);
		dir = parent;
	}
}

/* Put a component in front of position end. */
static size_t put_component(char *path, size_t end, const char *name, size_t length)
{
	memcpy(path + end - length, name, length);
	path[end - length - 1] = '/';
	return end - length - 1;
}

/* The components after the first skip, each with a slash before it. */
static int build(struct vec *path, const struct extract_dir *dir, const char *name, uint32_t skip)
{
	const size_t name_length = name ? strlen(name) : 0;
	const struct extract_dir *d;
	size_t length = name ? name_length + 1 : 0;
	char *text;

	for (d = dir; d && d->depth > skip; d = d->parent)
		length += d->name_length + 1u;
	path->count = 0;
	text = vec_push(path, length + 2);
	if (!text)
		return F2FS_ERR_NOMEM;
	text[length] = '\0';
	if (name)
		length = put_component(text, length, name, name_length);
	for (d = dir; d && d->depth > skip; d = d->parent)
		length = put_component(text, length, d->name, d->name_length);
	return 0;
}

int extract_full_path(struct vec *path, const struct extract_dir *dir, const char *name)
{
	int err = build(path, dir, name, 0);
	char *text = path->items;

	if (!err && !text[0]) {
		text[0] = '/';
		text[1] = '\0';
	}
	return err;
}

int extract_short_path(struct vec *path, const struct extract_dir *dir, const char *name, uint32_t skip)
{
	int err = build(path, dir, name, skip);
	char *text = path->items;

	if (!err)
		memmove(text, text[0] ? text + 1 : ".", text[0] ? strlen(text) : 2);
	return err;
}
