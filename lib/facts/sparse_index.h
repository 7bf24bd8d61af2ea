/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An array of numbers that takes memory only where there are some.
 */
#ifndef F2FSKIT_FACTS_SPARSE_INDEX_H
#define F2FSKIT_FACTS_SPARSE_INDEX_H

#include "base/context.h"

#define SPARSE_CHUNK 16384u

struct sparse {
	uint32_t **chunks;
	uint32_t chunk_count;
};

int sparse_init(struct sparse *s, struct f2fs_context *ctx, uint32_t size);
void sparse_fini(struct sparse *s, struct f2fs_context *ctx);
int sparse_set(struct sparse *s, struct f2fs_context *ctx, uint32_t i, uint32_t value);
/* Bytes of memory in use. */
uint64_t sparse_memory(const struct sparse *s);
static inline uint32_t sparse_get(const struct sparse *s, uint32_t i)
{
	const uint32_t *chunk = s->chunks[i / SPARSE_CHUNK];

	return chunk ? chunk[i % SPARSE_CHUNK] : 0;
}

#endif
