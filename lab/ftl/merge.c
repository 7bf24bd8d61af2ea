/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merge log blocks into data blocks; see merge.h. */
#include "merge.h"

/* The end of a logical block, as a logical page. */
static uint32_t end_of(const struct ftl *ftl, uint32_t lbn)
{
	const uint64_t end = ((uint64_t)lbn + 1) * ftl->flash.pages;

	return end < ftl->pages ? (uint32_t)end : ftl->pages;
}

static int is_in(const struct ftl *ftl, uint32_t logical, uint32_t block)
{
	return ftl->where[logical] != FLASH_NONE && flash_block_of(&ftl->flash, ftl->where[logical]) == block;
}

int merge_in_place(struct ftl *ftl, uint32_t logical)
{
	const uint32_t lbn = flash_block_of(&ftl->flash, logical);
	const uint32_t index = logical - lbn * ftl->flash.pages;

	if (ftl->data[lbn] == FLASH_NONE)
		ftl->data[lbn] = flash_take(&ftl->flash);
	else if (index < ftl->flash.info[ftl->data[lbn]].next)
		return 0;
	ftl_place(ftl, ftl->data[lbn], index, logical);
	return 1;
}

/* Put another block in the place of the data block, which has nothing live any more. */
static void replace_data(struct ftl *ftl, uint32_t lbn, uint32_t block)
{
	if (ftl->data[lbn] != FLASH_NONE)
		flash_erase(&ftl->flash, ftl->data[lbn]);
	ftl->data[lbn] = block;
}

void merge_full(struct ftl *ftl, uint32_t lbn)
{
	const uint32_t first = lbn * ftl->flash.pages;
	const uint32_t block = flash_take(&ftl->flash);

	for (uint32_t page = first; page < end_of(ftl, lbn); page++)
		if (ftl->where[page] != FLASH_NONE)
			ftl_copy(ftl, block, page - first, page);
	replace_data(ftl, lbn, block);
	ftl->counts.full++;
}

void merge_sequential(struct ftl *ftl, uint32_t lbn, uint32_t block)
{
	const uint32_t first = lbn * ftl->flash.pages;
	const uint32_t next = first + ftl->flash.info[block].next;
	const uint64_t copies = ftl->counts.copies;

	for (uint32_t page = first; page < next && ftl->data[lbn] != FLASH_NONE; page++) {
		if (is_in(ftl, page, ftl->data[lbn])) {
			merge_all_of(ftl, block);
			return;
		}
	}
	for (uint32_t page = next; page < end_of(ftl, lbn) && ftl->data[lbn] != FLASH_NONE; page++)
		if (is_in(ftl, page, ftl->data[lbn]))
			ftl_copy(ftl, block, page - first, page);
	replace_data(ftl, lbn, block);
	if (ftl->counts.copies == copies)
		ftl->counts.switches++;
	else
		ftl->counts.partial++;
}

void merge_all_of(struct ftl *ftl, uint32_t block)
{
	const uint32_t *owner = ftl->flash.owner + (size_t)block * ftl->flash.pages;

	if (ftl->flash.info[block].live == 0)
		ftl->counts.dead++;
	for (uint32_t i = 0; i < ftl->flash.info[block].next; i++)
		if (owner[i] != FLASH_NONE)
			merge_full(ftl, flash_block_of(&ftl->flash, owner[i]));
	flash_erase(&ftl->flash, block);
}

void merge_trim(struct ftl *ftl, uint32_t logical)
{
	const uint32_t block = flash_block_of(&ftl->flash, ftl->where[logical]);
	const uint32_t lbn = flash_block_of(&ftl->flash, logical);

	flash_kill(&ftl->flash, ftl->where[logical]);
	ftl->where[logical] = FLASH_NONE;
	if (ftl->data[lbn] == block && ftl->flash.info[block].live == 0) {
		flash_erase(&ftl->flash, block);
		ftl->data[lbn] = FLASH_NONE;
	}
}
