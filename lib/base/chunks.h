/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing array whose elements never move: pointers to them stay good.
 */
#ifndef F2FSKIT_BASE_CHUNKS_H
#define F2FSKIT_BASE_CHUNKS_H

#include "base/context.h"

#define CHUNK_ITEMS_BITS 8

struct chunks {
	struct f2fs_context *ctx;
	char **list;
	size_t room; /* chunks that the list has room for */
	size_t count;
	size_t item_size;
};

void chunks_init(struct chunks *a, struct f2fs_context *ctx, size_t item_size);
void chunks_fini(struct chunks *a);
/* Append an element (zeroed) and return it, NULL when memory is short. */
void *chunks_push(struct chunks *a);
/*
 * Make the list long enough for count elements; 0 or F2FS_ERR_NOMEM. Up to that number, another thread may use elements
 * while one is appended.
 */
int chunks_reserve(struct chunks *a, size_t count);
/* Bytes of memory in use. */
uint64_t chunks_memory(const struct chunks *a);
static inline void *chunks_at(const struct chunks *a, size_t i)
{
	return a->list[i >> CHUNK_ITEMS_BITS] + (i & (((size_t)1 << CHUNK_ITEMS_BITS) - 1)) * a->item_size;
}

#endif
