/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A multi-streamed device (Kang, Hyun, Maeng, Cho: "The multi-streamed solid-state drive", HotStorage 2014): every page
 * is mapped, and the host names a stream with each write. Each stream fills superblocks of its own. A write without a
 * stream, or with one that the device does not have, goes to stream 0. With one stream it is a page map.
 *
 * Chosen here: pages that cleaning moves stay in their stream, in superblocks apart from writes of the host. Victims
 * are the full superblocks with the fewest live pages, of whatever stream.
 */
#include <stdlib.h>
#include <string.h>

#include "ftl_model.h"
#include "greedy.h"

struct multi {
	struct greedy blocks;
	uint32_t *host, *moved; /* [streams]: blocks that are filled, or FLASH_NONE */
	uint8_t *stream;	/* [blocks]: whose block it is */
};

/* Empty a victim. At most one block is taken for its pages, which is that of the stream afterwards. */
static void clean_one(struct ftl *ftl)
{
	struct multi *multi = ftl->state;
	const uint32_t victim = greedy_victim(&multi->blocks);
	const unsigned stream = multi->stream[victim];
	uint32_t *moved = &multi->moved[stream];

	greedy_empty(&multi->blocks, ftl, victim, moved);
	if (*moved != FLASH_NONE)
		multi->stream[*moved] = (uint8_t)stream;
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct multi *multi = ftl->state;
	const unsigned stream = ftl->stream < ftl->options.streams ? ftl->stream : 0;

	greedy_write(&multi->blocks, ftl, &multi->host[stream], logical);
	multi->stream[multi->host[stream]] = (uint8_t)stream;
	while (greedy_is_short(&multi->blocks))
		clean_one(ftl);
}

static void trim_page(struct ftl *ftl, uint32_t logical)
{
	struct multi *multi = ftl->state;

	greedy_trim(&multi->blocks, ftl, logical);
}

static void close_multi(struct ftl *ftl)
{
	struct multi *multi = ftl->state;

	if (!multi)
		return;
	greedy_fini(&multi->blocks);
	free(multi->host);
	free(multi->moved);
	free(multi->stream);
	free(multi);
}

static int open_multi(struct ftl *ftl)
{
	const size_t streams = (size_t)ftl->options.streams;
	struct multi *multi = calloc(1, sizeof(*multi));

	ftl->state = multi;
	if (!multi)
		return -1;
	multi->host = malloc(streams * sizeof(*multi->host));
	multi->moved = malloc(streams * sizeof(*multi->moved));
	multi->stream = calloc(ftl->flash.blocks, 1);
	if (!multi->host || !multi->moved || !multi->stream ||
	    greedy_init(&multi->blocks, &ftl->flash, ftl->flash.blocks) != 0)
		return -1;
	memset(multi->host, 0xff, streams * sizeof(*multi->host));
	memset(multi->moved, 0xff, streams * sizeof(*multi->moved));
	return 0;
}

/* Two blocks that are filled for each stream, the erased ones, and one that cleaning can win. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	(void)pages;
	return 2 * (uint32_t)options->streams + GREEDY_ERASED + 1;
}

const struct ftl_model ftl_multi_stream = {
	.name = "multi",
	.bit = FTL_MULTI,
	.spare = spare_of,
	.open = open_multi,
	.close = close_multi,
	.write = write_page,
	.trim = trim_page,
};
