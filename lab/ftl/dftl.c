/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DFTL, a page map on demand (Gupta, Kim, Urgaonkar: "DFTL: a flash translation layer employing demand-based selective
 * caching of page-level address mappings", ASPLOS 2009). The map is in flash, in translation pages of blocks of their
 * own, and a cache holds entries that were used (map_cache.h). Where the translation pages are is always known. A miss
 * reads a translation page. An entry that is evicted after a change costs writing its translation page again, which
 * takes all changed entries of that page along. Moved data whose entries are not cached has its translation pages
 * written once for each victim.
 *
 * Chosen here: a fixed number of blocks is for translation pages, 3 more than these need and the over-provision's share
 * of it, so that both kinds always find room. Both are cleaned greedily. Reading a translation page to write it again
 * counts as a read, also after a miss that has just read it. Pages that were never written have no entry in flash.
 */
#include <stdlib.h>
#include <string.h>

#include "ftl_model.h"
#include "greedy.h"
#include "map_cache.h"

struct dftl {
	struct greedy data, map;
	uint32_t host, moved, translation; /* blocks that are filled, or FLASH_NONE */
	uint32_t per_page;		   /* entries of a translation page */
	uint32_t *stored;		   /* [pages]: entries of the translation pages in flash */
	uint32_t *pages;		   /* [pages of a block]: those that a cleaning has moved */
	struct map_cache cache;
};

static uint32_t own_pages(const struct ftl_options *options, uint32_t pages)
{
	const uint32_t per_page = (uint32_t)(options->superpage / options->entry);

	return pages / per_page + (pages % per_page != 0);
}

/* Does the entry differ from its translation page? A page that came back to its place does not. */
static int is_changed(const struct ftl *ftl, uint32_t logical)
{
	const struct dftl *dftl = ftl->state;

	return dftl->stored[logical] != ftl->where[logical];
}

/* Write the translation page that has a page's entry, as the map is now. */
static void write_entry(struct ftl *ftl, uint32_t logical)
{
	struct dftl *dftl = ftl->state;
	const uint32_t number = logical / dftl->per_page, first = number * dftl->per_page;
	const uint32_t count = ftl->pages - first < dftl->per_page ? ftl->pages - first : dftl->per_page;
	const uint32_t own = ftl->pages + number, old = ftl->where[own];
	uint32_t index;

	if (old != FLASH_NONE) {
		ftl->counts.map_reads++;
		flash_kill(&ftl->flash, old);
		greedy_died(&dftl->map, flash_block_of(&ftl->flash, old));
	}
	index = greedy_next(&dftl->map, &dftl->translation);
	ftl->where[own] = flash_program(&ftl->flash, dftl->translation, index, own);
	ftl->counts.map_writes++;
	memcpy(dftl->stored + first, ftl->where + first, count * sizeof(*dftl->stored));
	while (greedy_is_short(&dftl->map))
		greedy_empty(&dftl->map, ftl, greedy_victim(&dftl->map), &dftl->translation);
}

/* Let a page's entry be cached. */
static void look_up(struct ftl *ftl, uint32_t logical)
{
	struct dftl *dftl = ftl->state;
	uint32_t leaving;

	ftl->counts.map_lookups++;
	if (map_cache_use(&dftl->cache, logical)) {
		ftl->counts.map_hits++;
		return;
	}
	leaving = map_cache_next(&dftl->cache);
	if (leaving != MAP_CACHE_NONE && is_changed(ftl, leaving))
		write_entry(ftl, leaving);
	ftl->counts.map_reads += ftl->where[ftl->pages + logical / dftl->per_page] != FLASH_NONE;
	map_cache_add(&dftl->cache, logical);
}

static void clean_data(struct ftl *ftl)
{
	struct dftl *dftl = ftl->state;
	const uint32_t victim = greedy_victim(&dftl->data);
	const uint32_t *owner = ftl->flash.owner + (size_t)victim * ftl->flash.pages;
	uint32_t count = 0;

	for (uint32_t i = 0; i < ftl->flash.pages; i++)
		if (owner[i] != FLASH_NONE)
			dftl->pages[count++] = owner[i];
	greedy_empty(&dftl->data, ftl, victim, &dftl->moved);
	for (uint32_t i = 0; i < count; i++)
		if (!map_cache_has(&dftl->cache, dftl->pages[i]) && is_changed(ftl, dftl->pages[i]))
			write_entry(ftl, dftl->pages[i]);
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct dftl *dftl = ftl->state;

	look_up(ftl, logical);
	greedy_write(&dftl->data, ftl, &dftl->host, logical);
	while (greedy_is_short(&dftl->data))
		clean_data(ftl);
}

static void trim_page(struct ftl *ftl, uint32_t logical)
{
	struct dftl *dftl = ftl->state;

	look_up(ftl, logical);
	greedy_trim(&dftl->data, ftl, logical);
}

static const char *check(const struct ftl *ftl)
{
	const struct dftl *dftl = ftl->state;

	for (uint32_t page = 0; page < ftl->pages; page++)
		if (!map_cache_has(&dftl->cache, page) && is_changed(ftl, page))
			return "an entry of the map is neither cached nor in its translation page";
	return NULL;
}

static void close_dftl(struct ftl *ftl)
{
	struct dftl *dftl = ftl->state;

	if (!dftl)
		return;
	greedy_fini(&dftl->data);
	greedy_fini(&dftl->map);
	map_cache_fini(&dftl->cache);
	free(dftl->stored);
	free(dftl->pages);
	free(dftl);
}

/* Superblocks for translation pages: one that is filled, two that are erased, and the share of over-provision. */
static uint32_t map_blocks(const struct ftl_options *options, uint32_t pages)
{
	const uint32_t per_block = (uint32_t)(options->superblock / options->superpage);
	const uint32_t own = own_pages(options, pages), blocks = own / per_block + (own % per_block != 0);

	return blocks + 1 + GREEDY_ERASED + (uint32_t)((double)blocks * (double)options->op / 1e6);
}

static int open_dftl(struct ftl *ftl)
{
	const uint32_t blocks = map_blocks(&ftl->options, ftl->pages);
	struct dftl *dftl = calloc(1, sizeof(*dftl));

	ftl->state = dftl;
	if (!dftl)
		return -1;
	dftl->host = dftl->moved = dftl->translation = FLASH_NONE;
	dftl->per_page = (uint32_t)(ftl->options.superpage / ftl->options.entry);
	dftl->stored = malloc(ftl->pages * sizeof(*dftl->stored));
	dftl->pages = malloc(ftl->flash.pages * sizeof(*dftl->pages));
	if (!dftl->stored || !dftl->pages || greedy_init(&dftl->map, &ftl->flash, blocks) != 0 ||
	    greedy_init(&dftl->data, &ftl->flash, ftl->flash.blocks - blocks) != 0)
		return -1;
	memset(dftl->stored, 0xff, ftl->pages * sizeof(*dftl->stored));
	return map_cache_init(&dftl->cache, ftl->pages, (uint32_t)ftl->options.cache);
}

/* Of data as for a page map with one stream; and all blocks of translation pages. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	return 1 + 1 + GREEDY_ERASED + 1 + map_blocks(options, pages);
}

const struct ftl_model ftl_dftl = {
	.name = "dftl",
	.bit = FTL_DFTL,
	.spare = spare_of,
	.own_pages = own_pages,
	.open = open_dftl,
	.close = close_dftl,
	.write = write_page,
	.trim = trim_page,
	.read = look_up,
	.check = check,
};
