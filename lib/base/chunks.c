/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Array in chunks of equal size, with a list of them that doubles its room.
 */
#include "base/chunks.h"

#include "base/error.h"

#define CHUNK_COUNT ((size_t)1 << CHUNK_ITEMS_BITS)

void chunks_init(struct chunks *a, struct f2fs_context *ctx, size_t item_size)
{
	a->ctx = ctx;
	a->list = NULL;
	a->room = 0;
	a->count = 0;
	a->item_size = item_size;
}

static size_t chunks_of(size_t count)
{
	return (count >> CHUNK_ITEMS_BITS) + ((count & (CHUNK_COUNT - 1)) != 0);
}

void chunks_fini(struct chunks *a)
{
	for (size_t i = 0; i < chunks_of(a->count); i++)
		mem_free(a->ctx, a->list[i]);
	mem_free(a->ctx, a->list);
	chunks_init(a, a->ctx, a->item_size);
}

int chunks_reserve(struct chunks *a, size_t count)
{
	const size_t want = chunks_of(count);
	char **list;

	if (want <= a->room)
		return 0;
	list = mem_realloc_array(a->ctx, a->list, want, sizeof(*list));
	if (!list)
		return F2FS_ERR_NOMEM;
	a->list = list;
	a->room = want;
	return 0;
}

void *chunks_push(struct chunks *a)
{
	const size_t chunk = a->count >> CHUNK_ITEMS_BITS;

	if ((a->count & (CHUNK_COUNT - 1)) == 0) {
		if (chunk == a->room && chunks_reserve(a, a->count ? a->count * 2 : CHUNK_COUNT) != 0)
			return NULL;
		a->list[chunk] = mem_calloc(a->ctx, CHUNK_COUNT, a->item_size);
		if (!a->list[chunk])
			return NULL;
	}
	return chunks_at(a, a->count++);
}

uint64_t chunks_memory(const struct chunks *a)
{
	return (uint64_t)a->room * sizeof(*a->list) + (uint64_t)chunks_of(a->count) * CHUNK_COUNT * a->item_size;
}
