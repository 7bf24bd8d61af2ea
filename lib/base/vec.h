/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing array of fixed-size elements. Elements move when it grows: keep indexes, not pointers.
 */
#ifndef F2FSKIT_BASE_VEC_H
#define F2FSKIT_BASE_VEC_H

#include "base/context.h"

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

#endif
