/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths of items: their form, and the current one.
 */
#include "source/path.h"

#include <string.h>

#include "base/error.h"

int source_set_path(struct source *src, size_t length, const char *name)
{
	size_t n = strlen(name);
	char *text;

	for (unsigned i = 0; i < FOLLOW_COUNT; i++)
		if (src->same[i] > length)
			src->same[i] = length;
	src->path.count = length;
	if (vec_reserve(&src->path, n + 2) != 0)
		return F2FS_ERR_NOMEM;
	text = src->path.items;
	if (length && n)
		text[length++] = '/';
	memcpy(text + length, name, n + 1);
	src->path.count = length + n;
	return 0;
}

int source_clean_path(struct source *src, const char *path, struct vec *out)
{
	size_t length = 0, n;
	char *to;

	out->count = 0;
	to = vec_push(out, strlen(path) + 1);
	if (!to)
		return F2FS_ERR_NOMEM;
	for (; path += strspn(path, "/"), (n = strcspn(path, "/")) > 0; path += n) {
		if (n == 2 && path[0] == '.' && path[1] == '.')
			return error_set(src->ctx, F2FS_ERR_INVALID,
					 "the name may lead out of the tree: it has \"..\"");
		if (n == 1 && path[0] == '.')
			continue;
		if (length)
			to[length++] = '/';
		memcpy(to + length, path, n);
		length += n;
	}
	to[length] = '\0';
	out->count = length;
	return 0;
}
