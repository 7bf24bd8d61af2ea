/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing array of fixed-size elements. Elements move when it grows: keep indexes, not pointers.
 */
#ifndef F2FSKIT_BASE_VEC_H
#define F2FSKIT_BASE_VEC_H

#include "base/context.h"
#include "base/sorted.h"

struct vec {
	struct f2fs_context *ctx;
	void *items;
	size_t count;
	size_t room;
	size_t item_size;
};

void vec_init(struct vec *v, struct f2fs_context *ctx, size_t item_size);
void vec_fini(struct vec *v);
/* Append n elements (zeroed) and return the first, NULL when memory is short. */
void *vec_push(struct vec *v, size_t n);
/* Make room for n more elements without adding them; 0 or F2FS_ERR_NOMEM. */
int vec_reserve(struct vec *v, size_t n);
/* Append a copy of all elements of another array, which have the same size; 0 or F2FS_ERR_NOMEM. */
int vec_append(struct vec *v, const struct vec *from);
/* Sort by compare, as qsort(3) does; an empty one is left alone. */
void vec_sort(struct vec *v, int (*compare)(const void *, const void *));
static inline void *vec_at(const struct vec *v, size_t i)
{
	return (char *)v->items + i * v->item_size;
}
/* Search in a sorted array (sorted.h): return the index of the first item that is not before the key, else count; */
static inline size_t vec_first(const struct vec *v, sorted_compare *compare, const void *key)
{
	return sorted_first(v->items, v->count, v->item_size, compare, key);
}
/* the index of the last item that is not after the key, else 0; */
static inline size_t vec_last(const struct vec *v, sorted_compare *compare, const void *key)
{
	return sorted_last(v->items, v->count, v->item_size, compare, key);
}
/* the first item that equals the key, else NULL. */
static inline void *vec_find(const struct vec *v, sorted_compare *compare, const void *key)
{
	const size_t at = vec_first(v, compare, key);
	void *item = at < v->count ? vec_at(v, at) : NULL;

	return item && compare(item, key) == 0 ? item : NULL;
}

#endif
