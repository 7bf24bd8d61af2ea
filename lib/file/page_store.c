/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of files that wait in memory: finding them, and forgetting them.
 */
#include <string.h>

#include "file/page_store.h"
#include "file/pages.h"
#include "file/run.h"

uint8_t *page_new(struct txn *txn)
{
	const size_t size = txn->vol->geo.block_size;
	uint8_t *page = txn->file->unused_pages;

	if (page)
		memcpy(&txn->file->unused_pages, page, sizeof(uint8_t *));
	else
		page = mem_alloc(txn->vol->ctx, size + 1); /* after the block: rounds that it waits */
	if (page)
		page[size] = 0;
	return page;
}

void page_free(struct txn *txn, uint8_t *page)
{
	memcpy(page, &txn->file->unused_pages, sizeof(uint8_t *));
	txn->file->unused_pages = page;
}

/* Give the pages that nothing waits in back to the host. */
static void free_unused(struct txn *txn)
{
	while (txn->file->unused_pages) {
		uint8_t *page = txn->file->unused_pages;

		memcpy(&txn->file->unused_pages, page, sizeof(uint8_t *));
		mem_free(txn->vol->ctx, page);
	}
}

struct file_pages *file_pages_find(const struct txn *txn, f2fs_nid_t ino)
{
	uint64_t *slot = txn->file ? map32_find(&txn->file->pages, ino) : NULL;

	return slot ? (struct file_pages *)(uintptr_t)*slot : NULL;
}

int file_pages_need(struct txn *txn, f2fs_nid_t ino, struct file_pages **out)
{
	*out = file_pages_find(txn, ino);
	if (*out)
		return 0;
	*out = mem_zalloc(txn->vol->ctx, sizeof(**out));
	if (!*out)
		return F2FS_ERR_NOMEM;
	(*out)->ino = ino;
	map32_init(&(*out)->blocks, txn->vol->ctx);
	if (map32_set(&txn->file->pages, ino, (uintptr_t)*out) == 0)
		return 0;
	mem_free(txn->vol->ctx, *out);
	return F2FS_ERR_NOMEM;
}

const uint8_t *page_find(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block)
{
	struct file_pages *file = vol->txn ? file_pages_find(vol->txn, ino) : NULL;
	uint64_t *slot = file && file_block < UINT32_MAX ? map32_find(&file->blocks, (uint32_t)file_block) : NULL;

	return slot ? (const uint8_t *)(uintptr_t)*slot : NULL;
}

bool pages_exist(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	return vol->txn && file_pages_find(vol->txn, ino);
}

uint64_t pages_gap(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block, uint64_t count)
{
	const struct file_pages *file = vol->txn ? file_pages_find(vol->txn, ino) : NULL;
	uint64_t value, n = 0;
	uint32_t index;

	if (!file)
		return count;
	if (count <= file->blocks.count) { /* the fewer look-ups */
		while (n < count && !page_find(vol, ino, file_block + n))
			n++;
		return n;
	}
	for (size_t at = 0; map32_each(&file->blocks, &at, &index, &value);)
		if (index >= file_block && index - file_block < count)
			count = index - file_block;
	return count;
}

/* Free a file's waiting blocks, not its place in the table. */
static void free_file(struct txn *txn, struct file_pages *file)
{
	uint32_t index;
	uint64_t value;

	for (size_t at = 0; map32_each(&file->blocks, &at, &index, &value);) {
		page_free(txn, (uint8_t *)(uintptr_t)value);
		txn->waiting_blocks--;
	}
	map32_fini(&file->blocks);
	mem_free(txn->vol->ctx, file);
}

/* Drop a file's waiting blocks in a range. */
static void forget_among(struct txn *txn, struct file_pages *file, uint64_t first, uint64_t count)
{
	uint32_t index;
	uint64_t value;

	for (size_t at = 0; map32_each(&file->blocks, &at, &index, &value);) {
		if (index < first || index - first >= count)
			continue;
		page_free(txn, (uint8_t *)(uintptr_t)value);
		map32_remove(&file->blocks, index);
		txn->waiting_blocks--;
		at--; /* removal may have moved another one here */
	}
}

void pages_forget(struct txn *txn, f2fs_nid_t ino, uint64_t first)
{
	struct file_pages *file = file_pages_find(txn, ino);

	if (!file)
		return;
	if (first > 0) {
		forget_among(txn, file, first, UINT64_MAX - first);
		return;
	}
	map32_remove(&txn->file->pages, ino);
	free_file(txn, file);
}

void pages_forget_range(struct txn *txn, f2fs_nid_t ino, uint64_t first, uint64_t count)
{
	struct file_pages *file = file_pages_find(txn, ino);

	if (file && count > file->blocks.count) { /* the fewer look-ups */
		forget_among(txn, file, first, count);
		return;
	}
	for (uint64_t i = 0; file && i < count; i++) {
		uint64_t *slot = map32_find(&file->blocks, (uint32_t)(first + i));

		if (!slot)
			continue;
		page_free(txn, (uint8_t *)(uintptr_t)*slot);
		map32_remove(&file->blocks, (uint32_t)(first + i));
		txn->waiting_blocks--;
	}
}

void page_delay(struct txn *txn, uint8_t *page, unsigned level)
{
	page[txn->vol->geo.block_size] = (uint8_t)level;
	txn->file->has_delayed = txn->file->has_delayed || level > 0;
}

void pages_forget_all(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;

	for (size_t at = 0; map32_each(&txn->file->pages, &at, &ino, &value);)
		free_file(txn, (struct file_pages *)(uintptr_t)value);
	map32_fini(&txn->file->pages);
}

void pages_drop(struct txn *txn)
{
	pages_forget_all(txn);
	free_unused(txn);
}
