/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See greedy.h. */
#include <stdlib.h>
#include <string.h>

#include "greedy.h"

int greedy_init(struct greedy *pool, struct flash *flash, uint32_t most)
{
	const size_t blocks = flash->blocks, lists = (size_t)flash->pages + 1;

	*pool = (struct greedy){ .flash = flash, .most = most, .least = flash->pages };
	pool->first = malloc(lists * sizeof(*pool->first));
	pool->next = malloc(blocks * sizeof(*pool->next));
	pool->prev = malloc(blocks * sizeof(*pool->prev));
	pool->listed = calloc(blocks, 1);
	if (!pool->first || !pool->next || !pool->prev || !pool->listed) {
		greedy_fini(pool);
		return -1;
	}
	memset(pool->first, 0xff, lists * sizeof(*pool->first));
	return 0;
}

void greedy_fini(struct greedy *pool)
{
	free(pool->first);
	free(pool->next);
	free(pool->prev);
	free(pool->listed);
	memset(pool, 0, sizeof(*pool));
}

static void list_add(struct greedy *pool, uint32_t block)
{
	const uint32_t live = pool->flash->info[block].live;
	uint32_t *first = &pool->first[live];

	pool->next[block] = *first;
	pool->prev[block] = FLASH_NONE;
	if (*first != FLASH_NONE)
		pool->prev[*first] = block;
	*first = block;
	pool->listed[block] = 1;
	if (live < pool->least)
		pool->least = live;
}

/* Take a block out of the list of its number of live pages. */
static void list_remove(struct greedy *pool, uint32_t block, uint32_t live)
{
	const uint32_t next = pool->next[block], prev = pool->prev[block];

	if (prev == FLASH_NONE)
		pool->first[live] = next;
	else
		pool->next[prev] = next;
	if (next != FLASH_NONE)
		pool->prev[next] = prev;
	pool->listed[block] = 0;
}

uint32_t greedy_next(struct greedy *pool, uint32_t *block)
{
	if (*block != FLASH_NONE && pool->flash->info[*block].next == pool->flash->pages) {
		list_add(pool, *block);
		*block = FLASH_NONE;
	}
	if (*block == FLASH_NONE) {
		assert(pool->used < pool->most);
		*block = flash_take(pool->flash);
		pool->used++;
	}
	return pool->flash->info[*block].next;
}

void greedy_died(struct greedy *pool, uint32_t block)
{
	if (!pool->listed[block])
		return;
	list_remove(pool, block, pool->flash->info[block].live + 1);
	list_add(pool, block);
}

uint32_t greedy_victim(struct greedy *pool)
{
	uint32_t victim;

	while (pool->first[pool->least] == FLASH_NONE)
		pool->least++;
	victim = pool->first[pool->least];
	list_remove(pool, victim, pool->least);
	return victim;
}

void greedy_empty(struct greedy *pool, struct ftl *ftl, uint32_t victim, uint32_t *block)
{
	const uint32_t *owner = pool->flash->owner + (size_t)victim * pool->flash->pages;

	for (uint32_t i = 0; i < pool->flash->pages; i++) {
		if (owner[i] != FLASH_NONE) {
			const uint32_t index = greedy_next(pool, block);

			ftl_copy(ftl, *block, index, owner[i]);
		}
	}
	flash_erase(pool->flash, victim);
	pool->used--;
}

void greedy_write(struct greedy *pool, struct ftl *ftl, uint32_t *block, uint32_t logical)
{
	const uint32_t old = ftl->where[logical], index = greedy_next(pool, block);

	ftl_place(ftl, *block, index, logical);
	if (old != FLASH_NONE)
		greedy_died(pool, flash_block_of(pool->flash, old));
}

void greedy_trim(struct greedy *pool, struct ftl *ftl, uint32_t logical)
{
	const uint32_t old = ftl->where[logical];

	flash_kill(pool->flash, old);
	ftl->where[logical] = FLASH_NONE;
	greedy_died(pool, flash_block_of(pool->flash, old));
}
