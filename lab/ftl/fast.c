/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FAST, fully associative sector translation: a rewrite of a block's first page opens the sequential log block, and
 * writes that continue there follow it. It is merged when another one is opened, or when a write to its block does not
 * continue. All other rewrites are appended to random log blocks, which all data blocks share; when they are full the
 * oldest one is emptied, by merging each block that it has a live page of.
 */
#include <stdlib.h>

#include "ftl_model.h"
#include "merge.h"

struct fast {
	uint32_t lbn, block;	       /* of the sequential log block; lbn FLASH_NONE: there is none */
	uint32_t *ring;		       /* random log blocks, the oldest first */
	uint32_t first, count, random; /* the ring's; how many there may be */
};

static void close_sequential(struct ftl *ftl)
{
	struct fast *fast = ftl->state;
	const uint32_t lbn = fast->lbn;

	if (lbn == FLASH_NONE)
		return;
	fast->lbn = FLASH_NONE;
	if (ftl->flash.info[fast->block].live == 0)
		merge_all_of(ftl, fast->block);
	else
		merge_sequential(ftl, lbn, fast->block);
}

/* Return the random log block that has room. */
static uint32_t random_block(struct ftl *ftl)
{
	struct fast *fast = ftl->state;

	if (fast->count > 0) {
		const uint32_t last = fast->ring[(fast->first + fast->count - 1) % fast->random];

		if (ftl->flash.info[last].next < ftl->flash.pages)
			return last;
	}
	if (fast->count == fast->random) {
		const uint32_t oldest = fast->ring[fast->first];

		fast->first = (fast->first + 1) % fast->random;
		fast->count--;
		merge_all_of(ftl, oldest);
	}
	fast->count++;
	return fast->ring[(fast->first + fast->count - 1) % fast->random] = flash_take(&ftl->flash);
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct fast *fast = ftl->state;
	const uint32_t lbn = flash_block_of(&ftl->flash, logical);
	const uint32_t index = logical - lbn * ftl->flash.pages;
	uint32_t block;

	if (fast->lbn == lbn && index != 0 && index == ftl->flash.info[fast->block].next) {
		ftl_place(ftl, fast->block, index, logical);
		return;
	}
	if (fast->lbn == lbn)
		close_sequential(ftl);
	if (merge_in_place(ftl, logical))
		return;
	if (index == 0) {
		close_sequential(ftl);
		fast->lbn = lbn;
		fast->block = flash_take(&ftl->flash);
		ftl_place(ftl, fast->block, 0, logical);
		return;
	}
	block = random_block(ftl);
	ftl_place(ftl, block, ftl->flash.info[block].next, logical);
}

static void close_fast(struct ftl *ftl)
{
	struct fast *fast = ftl->state;

	if (fast)
		free(fast->ring);
	free(fast);
}

static int open_fast(struct ftl *ftl)
{
	struct fast *fast = calloc(1, sizeof(*fast));

	ftl->state = fast;
	if (!fast)
		return -1;
	fast->lbn = FLASH_NONE;
	fast->random = ftl->options.logs > 1 ? (uint32_t)ftl->options.logs - 1 : 1;
	fast->ring = calloc(fast->random, sizeof(*fast->ring));
	return fast->ring ? 0 : -1;
}

/* The log blocks, of which there are two at least, and one to merge into. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	(void)pages;
	return (uint32_t)(options->logs > 1 ? options->logs : 2) + 1;
}

const struct ftl_model ftl_fast = {
	.name = "fast",
	.bit = FTL_FAST,
	.spare = spare_of,
	.open = open_fast,
	.close = close_fast,
	.write = write_page,
	.trim = merge_trim,
};
