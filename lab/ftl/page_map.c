/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Map all pages. Writes fill one block for each stream. A write that continues at the end of a stream belongs to it.
 * Any other write goes to the stream that has waited longest. When fewer than two erased blocks are left, the full
 * block with the fewest live pages is emptied into a block for such pages alone (greedy cleaning).
 */
#include <stdlib.h>
#include <string.h>

#include "ftl_model.h"

#define MIN_ERASED 2u

struct stream {
	uint32_t block;	  /* that it fills, or FLASH_NONE */
	uint32_t follows; /* the logical page that would continue it */
	uint64_t used;	  /* when it was written last */
};

/* Full blocks hang in lists by their number of live pages: next and prev by block, first by number. */
struct page_map {
	struct stream *streams;
	uint32_t cleaner; /* the block for pages that cleaning moves, or FLASH_NONE */
	uint32_t *first, *next, *prev;
	uint8_t *listed; /* [blocks]: full, and in a list */
	uint32_t least;	 /* no list before this one has a block */
	uint64_t now;
};

static void list_add(struct ftl *ftl, uint32_t block)
{
	struct page_map *map = ftl->state;
	const uint32_t live = ftl->flash.info[block].live;
	uint32_t *first = &map->first[live];

	map->next[block] = *first;
	map->prev[block] = FLASH_NONE;
	if (*first != FLASH_NONE)
		map->prev[*first] = block;
	*first = block;
	map->listed[block] = 1;
	if (live < map->least)
		map->least = live;
}

/* Take a block out of the list of its number of live pages. */
static void list_remove(struct page_map *map, uint32_t block, uint32_t live)
{
	const uint32_t next = map->next[block], prev = map->prev[block];

	if (prev == FLASH_NONE)
		map->first[live] = next;
	else
		map->next[prev] = next;
	if (next != FLASH_NONE)
		map->prev[next] = prev;
	map->listed[block] = 0;
}

/* One page of a block has died: its list is another. */
static void relist(struct ftl *ftl, uint32_t block)
{
	struct page_map *map = ftl->state;

	if (!map->listed[block])
		return;
	list_remove(map, block, ftl->flash.info[block].live + 1);
	list_add(ftl, block);
}

/* Return where the next page of *block goes; a full one is listed, and another one begun. */
static uint32_t next_index(struct ftl *ftl, uint32_t *block)
{
	if (*block != FLASH_NONE && ftl->flash.info[*block].next == ftl->flash.pages) {
		list_add(ftl, *block);
		*block = FLASH_NONE;
	}
	if (*block == FLASH_NONE)
		*block = flash_take(&ftl->flash);
	return ftl->flash.info[*block].next;
}

static void clean_one(struct ftl *ftl)
{
	struct page_map *map = ftl->state;
	const uint32_t *owner;
	uint32_t victim;

	while (map->first[map->least] == FLASH_NONE)
		map->least++;
	victim = map->first[map->least];
	list_remove(map, victim, map->least);
	owner = ftl->flash.owner + (size_t)victim * ftl->flash.pages;
	for (uint32_t i = 0; i < ftl->flash.pages; i++) {
		if (owner[i] != FLASH_NONE) {
			const uint32_t index = next_index(ftl, &map->cleaner);

			ftl_copy(ftl, map->cleaner, index, owner[i]);
		}
	}
	flash_erase(&ftl->flash, victim);
}

static struct stream *choose(struct ftl *ftl, uint32_t logical)
{
	struct page_map *map = ftl->state;
	struct stream *oldest = map->streams;

	for (uint64_t i = 0; i < ftl->options.streams; i++) {
		struct stream *stream = &map->streams[i];

		if (stream->follows == logical)
			return stream;
		if (stream->used < oldest->used)
			oldest = stream;
	}
	return oldest;
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct page_map *map = ftl->state;
	struct stream *stream = choose(ftl, logical);
	const uint32_t old = ftl->where[logical];
	const uint32_t index = next_index(ftl, &stream->block);

	stream->follows = logical + 1;
	stream->used = ++map->now;
	ftl_place(ftl, stream->block, index, logical);
	if (old != FLASH_NONE)
		relist(ftl, flash_block_of(&ftl->flash, old));
	while (ftl->flash.free_count < MIN_ERASED)
		clean_one(ftl);
}

static void trim_page(struct ftl *ftl, uint32_t logical)
{
	const uint32_t old = ftl->where[logical];

	flash_kill(&ftl->flash, old);
	ftl->where[logical] = FLASH_NONE;
	relist(ftl, flash_block_of(&ftl->flash, old));
}

static void close_map(struct ftl *ftl)
{
	struct page_map *map = ftl->state;

	if (!map)
		return;
	free(map->streams);
	free(map->first);
	free(map->next);
	free(map->prev);
	free(map->listed);
	free(map);
}

static int open_map(struct ftl *ftl)
{
	const size_t blocks = ftl->flash.blocks, lists = (size_t)ftl->flash.pages + 1;
	struct page_map *map = calloc(1, sizeof(*map));

	ftl->state = map;
	if (!map)
		return -1;
	map->streams = calloc((size_t)ftl->options.streams, sizeof(*map->streams));
	map->first = malloc(lists * sizeof(*map->first));
	map->next = malloc(blocks * sizeof(*map->next));
	map->prev = malloc(blocks * sizeof(*map->prev));
	map->listed = calloc(blocks, 1);
	if (!map->streams || !map->first || !map->next || !map->prev || !map->listed)
		return -1;
	memset(map->first, 0xff, lists * sizeof(*map->first));
	for (uint64_t i = 0; i < ftl->options.streams; i++)
		map->streams[i] = (struct stream){ .block = FLASH_NONE, .follows = FLASH_NONE };
	map->cleaner = FLASH_NONE;
	map->least = ftl->flash.pages;
	return 0;
}

/* An open block for each stream, one for moved pages, the erased ones, and one that cleaning can win. */
static uint32_t spare_of(const struct ftl_options *options)
{
	return (uint32_t)options->streams + 1 + MIN_ERASED + 1;
}

const struct ftl_model ftl_page_map = {
	.name = "page",
	.bit = FTL_PAGE,
	.spare = spare_of,
	.open = open_map,
	.close = close_map,
	.write = write_page,
	.trim = trim_page,
};
