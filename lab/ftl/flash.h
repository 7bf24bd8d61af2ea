/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flash memory: superblocks, which are erased at once, of superpages, which are programmed at once, in ascending order
 * within their superblock and once between two erases. A page is numbered by its place: block * pages + index. A live
 * page holds the number of the logical page of which it is the newest copy; other pages are dead.
 */
#ifndef F2FSKIT_LAB_FLASH_H
#define F2FSKIT_LAB_FLASH_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define FLASH_NONE UINT32_MAX

struct flash_block {
	uint32_t next;	 /* index of the first page that may be programmed */
	uint32_t live;	 /* pages that are the newest copy of something */
	uint32_t erases; /* so often erased: the wear */
};

struct flash {
	uint32_t blocks, pages;	      /* superblocks; superpages of each */
	uint32_t shift;		      /* pages == 1 << shift, or 0 */
	struct flash_block *info;     /* [blocks] */
	uint32_t *owner;	      /* [blocks * pages]: a live page's logical page, or FLASH_NONE */
	uint32_t *stamps;	      /* [blocks * pages]: numbers that stand for contents; NULL when nobody asks */
	uint32_t *free, free_first;   /* ring of erased blocks, [blocks]: the one that waits longest comes first */
	uint32_t free_count;
	uint64_t programs, erases;
};

/* Make it, all erased. Return 0, or -1 when there is no memory. */
int flash_init(struct flash *flash, uint32_t blocks, uint32_t pages, int with_stamps);
void flash_fini(struct flash *flash);
/* Take an erased block; the caller knows that there is one. */
uint32_t flash_take(struct flash *flash);
/* Erase a block without live pages; it waits to be taken. */
void flash_erase(struct flash *flash, uint32_t block);
/* What must hold whatever a model does; return NULL, or which rule is broken. */
const char *flash_check(const struct flash *flash);

static inline uint32_t flash_block_of(const struct flash *flash, uint32_t page)
{
	return flash->shift ? page >> flash->shift : page / flash->pages;
}

/* Program page index of a block with a logical page; return the page's number. */
static inline uint32_t flash_program(struct flash *flash, uint32_t block, uint32_t index, uint32_t logical)
{
	struct flash_block *info = &flash->info[block];
	const uint32_t page = block * flash->pages + index;

	assert(index >= info->next && index < flash->pages);
	info->next = index + 1;
	info->live++;
	flash->owner[page] = logical;
	flash->programs++;
	return page;
}

/* There is a newer copy of what this page holds, or nobody needs it. */
static inline void flash_kill(struct flash *flash, uint32_t page)
{
	flash->owner[page] = FLASH_NONE;
	flash->info[flash_block_of(flash, page)].live--;
}

#endif
