/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Array of numbers in chunks, which are made when a number in them is set.
 */
#include "facts/sparse_index.h"

#include "base/error.h"

int sparse_init(struct sparse *s, struct f2fs_context *ctx, uint32_t size)
{
	s->chunk_count = size / SPARSE_CHUNK + 1;
	s->chunks = mem_calloc(ctx, s->chunk_count, sizeof(*s->chunks));
	return s->chunks ? 0 : F2FS_ERR_NOMEM;
}

void sparse_fini(struct sparse *s, struct f2fs_context *ctx)
{
	for (uint32_t i = 0; s->chunks && i < s->chunk_count; i++)
		mem_free(ctx, s->chunks[i]);
	mem_free(ctx, s->chunks);
}

int sparse_set(struct sparse *s, struct f2fs_context *ctx, uint32_t i, uint32_t value)
{
	uint32_t **chunk = &s->chunks[i / SPARSE_CHUNK];

	if (!*chunk)
		*chunk = mem_calloc(ctx, SPARSE_CHUNK, sizeof(**chunk));
	if (!*chunk)
		return F2FS_ERR_NOMEM;
	(*chunk)[i % SPARSE_CHUNK] = value;
	return 0;
}

uint64_t sparse_memory(const struct sparse *s)
{
	uint64_t bytes = s->chunk_count * sizeof(*s->chunks);

	for (uint32_t i = 0; i < s->chunk_count; i++)
		bytes += s->chunks[i] ? SPARSE_CHUNK * sizeof(uint32_t) : 0;
	return bytes;
}
