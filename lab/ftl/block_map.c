/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Map blocks only: each page has a fixed place in its block. A page that cannot be appended there begins a replacement:
 * a new block gets copies of the pages before it, then the page, and later writes in ascending order. When a write goes
 * elsewhere, the rest is copied and the old block erased: one merge. It is a switch when nothing was copied, partial
 * when only the pages after it were.
 */
#include <stdlib.h>

#include "ftl_model.h"
#include "merge.h"

struct block_map {
	uint32_t lbn;	/* the logical block that is being replaced, or FLASH_NONE */
	uint32_t block; /* its replacement */
	int is_copied;	/* pages before or between those of the host were copied */
};

/* Copy the pages of the old block up to one of this index; return whether there were any. */
static int copy_until(struct ftl *ftl, uint32_t end)
{
	const struct block_map *map = ftl->state;
	const uint32_t first = map->lbn * ftl->flash.pages;
	const uint64_t copies = ftl->counts.copies;

	for (uint32_t i = ftl->flash.info[map->block].next; i < end && first + i < ftl->pages; i++)
		if (ftl->where[first + i] != FLASH_NONE)
			ftl_copy(ftl, map->block, i, first + i);
	return ftl->counts.copies != copies;
}

static void finish(struct ftl *ftl)
{
	struct block_map *map = ftl->state;
	int has_tail;

	if (map->lbn == FLASH_NONE)
		return;
	has_tail = copy_until(ftl, ftl->flash.pages);
	if (map->is_copied)
		ftl->counts.full++;
	else if (has_tail)
		ftl->counts.partial++;
	else
		ftl->counts.switches++;
	flash_erase(&ftl->flash, ftl->data[map->lbn]);
	ftl->data[map->lbn] = map->block;
	map->lbn = FLASH_NONE;
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct block_map *map = ftl->state;
	const uint32_t lbn = flash_block_of(&ftl->flash, logical);
	const uint32_t index = logical - lbn * ftl->flash.pages;

	if (map->lbn == lbn && index < ftl->flash.info[map->block].next)
		finish(ftl);
	if (map->lbn != lbn) {
		if (merge_in_place(ftl, logical))
			return;
		finish(ftl);
		*map = (struct block_map){ .lbn = lbn, .block = flash_take(&ftl->flash) };
	}
	map->is_copied |= copy_until(ftl, index);
	ftl_place(ftl, map->block, index, logical);
}

static void trim_page(struct ftl *ftl, uint32_t logical)
{
	const struct block_map *map = ftl->state;

	if (map->lbn == flash_block_of(&ftl->flash, logical))
		finish(ftl);
	merge_trim(ftl, logical);
}

static void close_map(struct ftl *ftl)
{
	free(ftl->state);
}

static int open_map(struct ftl *ftl)
{
	struct block_map *map = calloc(1, sizeof(*map));

	ftl->state = map;
	if (!map)
		return -1;
	map->lbn = FLASH_NONE;
	return 0;
}

/* The replacement. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	(void)pages;
	(void)options;
	return 1;
}

const struct ftl_model ftl_block_map = {
	.name = "block",
	.bit = FTL_BLOCK,
	.spare = spare_of,
	.open = open_map,
	.close = close_map,
	.write = write_page,
	.trim = trim_page,
};
