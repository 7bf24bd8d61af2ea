/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See flash.h. */
#include <stdlib.h>
#include <string.h>

#include "flash.h"

int flash_init(struct flash *flash, uint32_t blocks, uint32_t pages, int with_stamps)
{
	const size_t count = (size_t)blocks * pages;

	memset(flash, 0, sizeof(*flash));
	flash->blocks = blocks;
	flash->pages = pages;
	for (uint32_t shift = 1; shift < 32; shift++)
		if (pages == UINT32_C(1) << shift)
			flash->shift = shift;
	flash->info = calloc(blocks, sizeof(*flash->info));
	flash->owner = malloc(count * sizeof(*flash->owner));
	flash->free = malloc(blocks * sizeof(*flash->free));
	flash->stamps = with_stamps ? calloc(count, sizeof(*flash->stamps)) : NULL;
	if (!flash->info || !flash->owner || !flash->free || (with_stamps && !flash->stamps)) {
		flash_fini(flash);
		return -1;
	}
	memset(flash->owner, 0xff, count * sizeof(*flash->owner));
	for (uint32_t i = 0; i < blocks; i++)
		flash->free[i] = i;
	flash->free_count = blocks;
	return 0;
}

void flash_fini(struct flash *flash)
{
	free(flash->info);
	free(flash->owner);
	free(flash->stamps);
	free(flash->free);
	memset(flash, 0, sizeof(*flash));
}

uint32_t flash_take(struct flash *flash)
{
	const uint32_t block = flash->free[flash->free_first];

	assert(flash->free_count > 0);
	flash->free_first = (flash->free_first + 1) % flash->blocks;
	flash->free_count--;
	return block;
}

void flash_erase(struct flash *flash, uint32_t block)
{
	struct flash_block *info = &flash->info[block];
	const uint64_t place = (uint64_t)flash->free_first + flash->free_count;

	assert(info->live == 0);
	info->next = 0;
	info->erases++;
	flash->erases++;
	flash->free[place % flash->blocks] = block;
	flash->free_count++;
}

static const char *check_block(const struct flash *flash, uint32_t block)
{
	const struct flash_block *info = &flash->info[block];
	const uint32_t *owner = flash->owner + (size_t)block * flash->pages;
	uint32_t live = 0;

	for (uint32_t i = 0; i < flash->pages; i++) {
		live += owner[i] != FLASH_NONE;
		if (i >= info->next && owner[i] != FLASH_NONE)
			return "a page that was not programmed is live";
	}
	return live == info->live ? NULL : "a block's number of live pages is wrong";
}

const char *flash_check(const struct flash *flash)
{
	uint64_t erases = 0;

	for (uint32_t i = 0; i < flash->blocks; i++) {
		const char *broken = check_block(flash, i);

		if (broken)
			return broken;
		erases += flash->info[i].erases;
	}
	for (uint32_t i = 0; i < flash->free_count; i++)
		if (flash->info[flash->free[((uint64_t)flash->free_first + i) % flash->blocks]].next != 0)
			return "a block that waits as erased holds something";
	return erases == flash->erases ? NULL : "the blocks' wear is not the number of erases";
}
