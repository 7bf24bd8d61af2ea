/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep amends. volume.c lays amended bytes over the volume's device, nat_read.c looks entries up.
 */
#include "volume/amends.h"

#include <string.h>

void amends_init(struct amends *a, struct f2fs_context *ctx)
{
	vec_init(&a->bytes, ctx, sizeof(struct amended_bytes));
	vec_init(&a->entries, ctx, sizeof(struct f2fs_nat_info));
	vec_init(&a->whole, ctx, sizeof(struct amended_block));
	map32_init(&a->blocks, ctx);
	map32_init(&a->whole_of, ctx);
	map32_init(&a->entry_of, ctx);
}

void amends_fini(struct amends *a)
{
	for (size_t i = 0; i < a->whole.count; i++)
		mem_free(a->whole.ctx, ((struct amended_block *)vec_at(&a->whole, i))->data);
	vec_fini(&a->whole);
	vec_fini(&a->bytes);
	vec_fini(&a->entries);
	map32_fini(&a->blocks);
	map32_fini(&a->whole_of);
	map32_fini(&a->entry_of);
}

/* The amended bytes of a block after the last ones, or the first ones; NULL: no more. */
static struct amended_bytes *next_of_block(const struct amends *a, f2fs_blk_t addr, const struct amended_bytes *last)
{
	const uint64_t *first = last ? NULL : map32_find(&a->blocks, addr);
	const size_t at = last ? last->next : first ? (size_t)*first : 0;

	return at ? vec_at(&a->bytes, at - 1) : NULL;
}

/* The amended bytes of a block that overlap these; NULL: none. */
static struct amended_bytes *find_bytes(const struct amends *a, f2fs_blk_t addr, uint32_t offset, uint32_t length)
{
	struct amended_bytes *b = NULL;

	while ((b = next_of_block(a, addr, b)) != NULL)
		if (b->offset < offset + length && offset < b->offset + b->length)
			return b;
	return NULL;
}

uint8_t *amends_whole(const struct amends *a, f2fs_blk_t addr)
{
	const uint64_t *at = a->whole.count ? map32_find(&a->whole_of, addr) : NULL;

	return at ? ((struct amended_block *)vec_at(&a->whole, (size_t)*at))->data : NULL;
}

static void put_into_whole(const struct amends *a, const struct amended_bytes *b)
{
	uint8_t *data = amends_whole(a, b->addr);

	if (data)
		amended_bytes_put(b, data + b->offset);
}

int amends_add_bytes(struct amends *a, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value, bool *is_new)
{
	struct amended_bytes *b;
	const uint64_t *last;

	*is_new = !find_bytes(a, addr, offset, length);
	if (!*is_new)
		return 0;
	b = vec_push(&a->bytes, 1);
	if (!b)
		return F2FS_ERR_NOMEM;
	last = map32_find(&a->blocks, addr);
	*b = (struct amended_bytes){ .addr = addr, .offset = offset, .length = length, .value = value };
	b->next = last ? (size_t)*last : 0;
	put_into_whole(a, b);
	return map32_set(&a->blocks, addr, a->bytes.count);
}

int amends_set_bytes(struct amends *a, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value)
{
	struct amended_bytes *b = find_bytes(a, addr, offset, length);
	bool is_new;

	if (!b || b->offset != offset || b->length != length)
		return amends_add_bytes(a, addr, offset, length, value, &is_new);
	b->value = value;
	put_into_whole(a, b);
	return 0;
}

int amends_add_block(struct amends *a, f2fs_blk_t addr, const uint8_t *block, uint32_t size, bool *is_new)
{
	struct amended_block *one;
	uint8_t *data;

	*is_new = !amends_has_block(a, addr);
	if (!*is_new)
		return 0;
	one = vec_push(&a->whole, 1);
	data = one ? mem_alloc(a->whole.ctx, size) : NULL;
	if (!data) {
		a->whole.count -= one != NULL;
		return F2FS_ERR_NOMEM;
	}
	memcpy(data, block, size);
	*one = (struct amended_block){ addr, data };
	return map32_set(&a->whole_of, addr, a->whole.count - 1);
}

void amended_bytes_put(const struct amended_bytes *b, uint8_t *to)
{
	for (unsigned k = 0; k < b->length; k++)
		to[k] = (uint8_t)(b->value >> 8 * k);
}

void amends_apply(const struct amends *a, f2fs_blk_t addr, uint8_t *block, uint32_t size)
{
	const uint8_t *whole = amends_whole(a, addr);
	const struct amended_bytes *b = NULL;

	if (whole)
		memcpy(block, whole, size);

	while ((b = next_of_block(a, addr, b)) != NULL)
		amended_bytes_put(b, block + b->offset);
}

int amends_add_entry(struct amends *a, const struct f2fs_nat_info *entry, bool *is_new)
{
	const uint64_t *at = map32_find(&a->entry_of, entry->nid);
	struct f2fs_nat_info *kept = at ? vec_at(&a->entries, (size_t)*at) : NULL;

	*is_new = !kept || kept->ino != entry->ino || kept->block_addr != entry->block_addr;
	if (!*is_new)
		return 0;
	if (!kept) {
		kept = vec_push(&a->entries, 1);
		if (!kept)
			return F2FS_ERR_NOMEM;
	}
	*kept = *entry;
	return at ? 0 : map32_set(&a->entry_of, entry->nid, a->entries.count - 1);
}

const struct f2fs_nat_info *amends_entry(const struct amends *a, f2fs_nid_t nid)
{
	const uint64_t *at = a && a->entries.count ? map32_find(&a->entry_of, nid) : NULL;

	return at ? vec_at(&a->entries, (size_t)*at) : NULL;
}

bool amends_has_block(const struct amends *a, f2fs_blk_t addr)
{
	return a && ((a->blocks.count && map32_find(&a->blocks, addr)) || amends_whole(a, addr));
}
