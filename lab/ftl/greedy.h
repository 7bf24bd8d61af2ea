/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pools of flash blocks that are appended to and cleaned greedily. Full blocks are in lists by their number of live
 * pages. A block is in no list while it is filled.
 */
#ifndef F2FSKIT_LAB_FTL_GREEDY_H
#define F2FSKIT_LAB_FTL_GREEDY_H

#include "ftl_model.h"

#define GREEDY_ERASED 2u /* blocks that the pool may still take when its owner has cleaned */

struct greedy {
	struct flash *flash;
	uint32_t used, most;	       /* blocks taken, and how many the pool may have */
	uint32_t *first, *next, *prev; /* lists: first by the number of live pages, the others by block */
	uint8_t *listed;	       /* [blocks]: full, and in a list */
	uint32_t least;		       /* no list before this one has a block */
};

/* Make a pool of up to `most` blocks of flash, which is kept. Return 0, or -1 when there is no memory. */
int greedy_init(struct greedy *pool, struct flash *flash, uint32_t most);
/* All zeros is allowed. */
void greedy_fini(struct greedy *pool);
/* Return where the next page of *block goes. A full block is listed, and another one taken; FLASH_NONE: none yet. */
uint32_t greedy_next(struct greedy *pool, uint32_t *block);
/* A page of a block of the pool has died. */
void greedy_died(struct greedy *pool, uint32_t block);
/* Take the full block with the fewest live pages off its list; of equals the one that changed last. */
uint32_t greedy_victim(struct greedy *pool);
/* Copy the live pages of a victim to *block, or on to another one, and erase the victim. */
void greedy_empty(struct greedy *pool, struct ftl *ftl, uint32_t victim, uint32_t *block);
/* Write a page of the host to *block. */
void greedy_write(struct greedy *pool, struct ftl *ftl, uint32_t *block, uint32_t logical);
/* Forget a page that is somewhere. */
void greedy_trim(struct greedy *pool, struct ftl *ftl, uint32_t logical);

/* Must the owner clean? */
static inline int greedy_is_short(const struct greedy *pool)
{
	return pool->most - pool->used < GREEDY_ERASED;
}

#endif
