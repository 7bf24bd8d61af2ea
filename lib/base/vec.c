/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing array: doubles its room, all sizes checked.
 */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void vec_init(struct vec *v, struct f2fs_context *ctx, size_t item_size)
{
	v->ctx = ctx;
	v->items = NULL;
	v->count = 0;
	v->room = 0;
	v->item_size = item_size;
}

void vec_fini(struct vec *v)
{
	mem_free(v->ctx, v->items);
	v->items = NULL;
	v->count = 0;
	v->room = 0;
}

int vec_reserve(struct vec *v, size_t n)
{
	size_t want = v->room ? v->room : 16;
	void *items;

	if (n > SIZE_MAX / 2 - v->count)
		return error_nomem(v->ctx);
	if (v->count + n <= v->room)
		return 0;
	while (want < v->count + n)
		want *= 2;
	items = mem_realloc_array(v->ctx, v->items, want, v->item_size);
	if (!items)
		return F2FS_ERR_NOMEM;
	v->items = items;
	v->room = want;
	return 0;
}

void *vec_push(struct vec *v, size_t n)
{
	void *item;

	if (vec_reserve(v, n) != 0)
		return NULL;
	item = vec_at(v, v->count);
	memset(item, 0, n * v->item_size);
	v->count += n;
	return item;
}

void vec_sort(struct vec *v, int (*compare)(const void *, const void *))
{
	if (v->count > 1)
		qsort(v->items, v->count, v->item_size, compare);
}

int vec_append(struct vec *v, const struct vec *from)
{
	void *items = from->count ? vec_push(v, from->count) : NULL;

	if (items)
		memcpy(items, from->items, from->count * from->item_size);
	return items || !from->count ? 0 : F2FS_ERR_NOMEM;
}
