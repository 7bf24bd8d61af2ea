/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run tells of its items: problems, progress, paths.
 */
#include "source/populate.h"

#include <string.h>

#define ITEM_WORK (16u << 10) /* what an item costs besides its contents, in bytes of plain copying */

bool populate_is_fatal(const struct populate *p, int err)
{
	if (err == F2FS_ERR_IO) /* the failed call may have changed a part of the volume */
		return !p->is_of_source;
	return err == F2FS_ERR_NOSPC || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED || err == F2FS_ERR_CORRUPT ||
	       err == F2FS_ERR_READ_ONLY || err == F2FS_ERR_STATE || err == F2FS_ERR_UNCERTAIN;
}

int populate_problem(struct populate *p, const char *what)
{
	struct f2fs_error_detail detail = p->ctx->error;

	if (p->is_ahead)
		return 0;
	p->result->problems++;
	if (p->opt.problem && p->opt.problem(p->opt.user, populate_path(p), what, &detail) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was canceled");
	return 0;
}

int populate_progress(struct populate *p, uint64_t bytes)
{
	p->progress.done += bytes;
	if (p->progress.total && p->progress.done > p->progress.total)
		p->progress.total = p->progress.done; /* the source grows */
	return progress_tick(p->ctx, "populate", bytes + ITEM_WORK);
}

int populate_set_path(struct populate *p, size_t length, const char *name)
{
	size_t n = strlen(name);
	char *text;

	for (unsigned i = 0; i < FOLLOW_COUNT; i++)
		if (p->same[i] > length)
			p->same[i] = length;
	p->path.count = length;
	if (vec_reserve(&p->path, n + 2) != 0)
		return F2FS_ERR_NOMEM;
	text = p->path.items;
	if (length && n)
		text[length++] = '/';
	memcpy(text + length, name, n + 1);
	p->path.count = length + n;
	return 0;
}

int populate_clean_path(struct populate *p, const char *path, struct vec *out)
{
	size_t length = 0, n;
	char *to;

	out->count = 0;
	to = vec_push(out, strlen(path) + 1);
	if (!to)
		return F2FS_ERR_NOMEM;
	for (; path += strspn(path, "/"), (n = strcspn(path, "/")) > 0; path += n) {
		if (n == 2 && path[0] == '.' && path[1] == '.')
			return error_set(p->ctx, F2FS_ERR_INVALID, "the name may lead out of the tree: it has \"..\"");
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
