/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAST, set-associative sector translation: k data blocks that are neighbours form a set, and rewrites of their pages
 * are appended to the set's newest log block. A set has n log blocks at most, and the device has a limit. When a set
 * needs another one, its oldest is merged if it has n; otherwise, when none is left, the oldest one of the set that was
 * not written for the longest time. BAST, block-associative, is the same with k = n = 1.
 *
 * A log block that got the pages of one block in their order is merged by switching, or in part; any other in full.
 */
#include <stdlib.h>
#include <string.h>

#include "ftl_model.h"
#include "merge.h"

struct set {
	uint32_t first, last, count; /* its log blocks, the oldest first */
	uint32_t older, newer;	     /* in the list of sets that have log blocks, by their last write */
};

struct sast {
	uint32_t k, n;
	uint32_t left;		 /* log blocks that may still be taken */
	uint32_t oldest, newest; /* set */
	struct set *sets;
	uint32_t *next; /* [flash blocks]: the log block of the same set that came after */
	uint32_t *only; /* [flash blocks]: the logical block whose pages it has in their order, or FLASH_NONE */
};

static void leave_list(struct sast *sast, struct set *set)
{
	if (set->older == FLASH_NONE)
		sast->oldest = set->newer;
	else
		sast->sets[set->older].newer = set->newer;
	if (set->newer == FLASH_NONE)
		sast->newest = set->older;
	else
		sast->sets[set->newer].older = set->older;
}

static void join_list(struct sast *sast, struct set *set)
{
	const uint32_t number = (uint32_t)(set - sast->sets);

	set->older = sast->newest;
	set->newer = FLASH_NONE;
	if (sast->newest == FLASH_NONE)
		sast->oldest = number;
	else
		sast->sets[sast->newest].newer = number;
	sast->newest = number;
}

/* Merge a set's oldest log block. */
static void reclaim(struct ftl *ftl, struct set *set)
{
	struct sast *sast = ftl->state;
	const uint32_t block = set->first;

	set->first = sast->next[block];
	if (--set->count == 0) {
		set->last = FLASH_NONE;
		leave_list(sast, set);
	}
	sast->left++;
	if (sast->only[block] != FLASH_NONE && ftl->flash.info[block].live > 0)
		merge_sequential(ftl, sast->only[block], block);
	else
		merge_all_of(ftl, block);
}

/* Give a set another log block. */
static void add_log(struct ftl *ftl, struct set *set)
{
	struct sast *sast = ftl->state;
	uint32_t block;

	if (set->count == sast->n)
		reclaim(ftl, set);
	else if (sast->left == 0)
		reclaim(ftl, &sast->sets[sast->oldest]);
	block = flash_take(&ftl->flash);
	sast->left--;
	sast->next[block] = FLASH_NONE;
	if (set->count++ == 0) {
		set->first = block;
		join_list(sast, set);
	} else {
		sast->next[set->last] = block;
	}
	set->last = block;
}

static void write_page(struct ftl *ftl, uint32_t logical)
{
	struct sast *sast = ftl->state;
	const uint32_t lbn = flash_block_of(&ftl->flash, logical);
	const uint32_t index = logical - lbn * ftl->flash.pages;
	struct set *set = &sast->sets[lbn / sast->k];
	uint32_t at;

	if (merge_in_place(ftl, logical))
		return;
	if (set->count == 0 || ftl->flash.info[set->last].next == ftl->flash.pages)
		add_log(ftl, set);
	at = ftl->flash.info[set->last].next;
	if (at == 0)
		sast->only[set->last] = lbn;
	if (at != index || sast->only[set->last] != lbn)
		sast->only[set->last] = FLASH_NONE;
	ftl_place(ftl, set->last, at, logical);
	if (sast->newest != (uint32_t)(set - sast->sets)) {
		leave_list(sast, set);
		join_list(sast, set);
	}
}

static void close_sast(struct ftl *ftl)
{
	struct sast *sast = ftl->state;

	if (!sast)
		return;
	free(sast->sets);
	free(sast->next);
	free(sast->only);
	free(sast);
}

static int open_sets(struct ftl *ftl, uint64_t k, uint64_t n)
{
	const uint32_t sets = (uint32_t)((ftl->blocks + k - 1) / k);
	struct sast *sast = calloc(1, sizeof(*sast));

	ftl->state = sast;
	if (!sast)
		return -1;
	*sast = (struct sast){ .k = (uint32_t)k, .n = (uint32_t)n, .left = (uint32_t)ftl->options.logs };
	sast->oldest = sast->newest = FLASH_NONE;
	sast->sets = calloc(sets, sizeof(*sast->sets));
	sast->next = malloc(ftl->flash.blocks * sizeof(*sast->next));
	sast->only = malloc(ftl->flash.blocks * sizeof(*sast->only));
	return sast->sets && sast->next && sast->only ? 0 : -1;
}

static int open_sast(struct ftl *ftl)
{
	return open_sets(ftl, ftl->options.k, ftl->options.n);
}

static int open_bast(struct ftl *ftl)
{
	return open_sets(ftl, 1, 1);
}

/* The log blocks, and one to merge into. */
static uint32_t spare_of(const struct ftl_options *options, uint32_t pages)
{
	(void)pages;
	return (uint32_t)options->logs + 1;
}

const struct ftl_model ftl_sast = {
	.name = "sast",
	.bit = FTL_SAST,
	.spare = spare_of,
	.open = open_sast,
	.close = close_sast,
	.write = write_page,
	.trim = merge_trim,
};

const struct ftl_model ftl_bast = {
	.name = "bast",
	.bit = FTL_BAST,
	.spare = spare_of,
	.open = open_bast,
	.close = close_sast,
	.write = write_page,
	.trim = merge_trim,
};
