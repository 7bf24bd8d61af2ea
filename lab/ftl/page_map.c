/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Map all pages. Writes fill one block for each stream. A write that continues at the end of a stream belongs to it.
 * Any other write goes to the stream that has waited longest. When fewer than two erased blocks are left, the full
 * block with the fewest live pages is emptied into a block for such pages alone (greedy cleaning).
 */
#include <stdlib.h>

#include "ftl_model.h"
#include "greedy.h"

struct stream {
	uint32_t block;	  /* that it fills, or FLASH_NONE */
	uint32_t follows; /* the logical page that would continue it */
	uint64_t used;	  /* when it was written last */
};

struct page_map {
	struct greedy blocks;
	struct stream *streams;
	uint32_t cleaner; /* the block for pages that cleaning moves, or FLASH_NONE */
	uint64_t now;
};

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

	stream->follows = logical + 1;
	stream->used = ++map->now;
	greedy_write(&map->blocks, ftl, &stream->block, logical);
	while (greedy_is_short(&map->blocks))
		greedy_empty(&map->blocks, ftl, greedy_victim(&map->blocks), &map->cleaner);
}

static void trim_page(struct ftl *ftl, uint32_t logical)
{
	struct page_map *map = ftl->state;

	greedy_trim(&map->blocks, ftl, logical);
}

static void close_map(struct ftl *ftl)
{
	struct page_map *map = ftl->state;

	if (!map)
		return;
	free(map->streams);
	greedy_fini(&map->blocks);
	free(map);
}

static int open_map(struct ftl *ftl)
{
	struct page_map *map = calloc(1, sizeof(*map));

	ftl->state = map;
	if (!map)
		return -1;
	map->streams = calloc((size_t)ftl->options.streams, sizeof(*map->streams));
	if (!map->streams || greedy_init(&map->blocks, &ftl->flash, ftl->flash.blocks) != 0)
		return -1;
	for (uint64_t i = 0; i < ftl->options.streams; i++)
		map->streams[i] = (struct stream){ .block = FLASH_NONE, .follows = FLASH_NONE };
	map->cleaner = FLASH_NONE;
	return 0;
}

/* An open block for each stream, one for moved pages, the erased ones, and one that cleaning can win. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	(void)pages;
	return (uint32_t)options->streams + 1 + GREEDY_ERASED + 1;
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
