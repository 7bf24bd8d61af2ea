/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of files that were changed in memory and wait to be written: directory blocks above all, which change many
 * times before a commit, parts of blocks, and small writes over old contents. Other whole blocks of file contents go to
 * the log at once (data_append).
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "file/crypto.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "format/inode.h"
#include "log/nodes.h"
#include "log/space.h"
#include "volume/block_read.h"
#include "volume/counters.h"

int slot_reserve(struct winode *w, struct slot_ref *slot)
{
	int err;

	if (get_le32(slot->raw) != F2FS_NULL_ADDR)
		return 0;
	err = space_take(w->txn, 1);
	if (err)
		return err;
	put_le32(slot->raw, F2FS_NEW_ADDR);
	node_dirty(w->txn, slot->node);
	return winode_count(w, 1);
}

static int read_old(struct winode *w, uint64_t file_block, f2fs_blk_t addr, uint8_t *page)
{
	int err = volume_read(w->txn->vol, addr, 0, page, w->txn->vol->geo.block_size);

	return err ? err : crypto_open_blocks_of(w, file_block, page, 1);
}

/* The first contents of a page that begins to wait. */
enum page_start { PAGE_OLD, PAGE_ZEROS, PAGE_ANY };

/* known: NULL, or what slot_find() said of the block. */
static int get_page(struct winode *w, uint64_t file_block, const struct slot_ref *known, enum page_start start,
		    uint8_t **out)
{
	struct f2fs_volume *vol = w->txn->vol;
	struct slot_ref slot = known ? *known : (struct slot_ref){ 0 };
	struct file_pages *file;
	f2fs_blk_t old;
	uint8_t *page;
	int err;

	*out = (uint8_t *)(uintptr_t)page_find(vol, w->node->nid, file_block);
	if (*out) { /* then its slot was found and reserved */
		vol->generation++;
		return 0;
	}
	err = slot.node ? 0 : slot_make(w, file_block, &slot);
	if (!err)
		err = slots_need_own(w, &slot, 1);
	if (err)
		return err;
	old = get_le32(slot.raw);
	err = slot_reserve(w, &slot);
	if (!err)
		err = file_pages_need(w->txn, w->node->nid, &file);
	if (err)
		return err;
	page = page_new(w->txn);
	if (!page)
		return F2FS_ERR_NOMEM;
	if (start == PAGE_OLD && geometry_is_main(&vol->geo, old))
		err = read_old(w, file_block, old, page);
	else if (start != PAGE_ANY)
		memset(page, 0, vol->geo.block_size);
	if (!err)
		err = map32_set(&file->blocks, (uint32_t)file_block, (uintptr_t)page);
	if (err) {
		page_free(w->txn, page);
		return err;
	}
	w->txn->waiting_blocks++;
	vol->generation++;
	*out = page;
	return 0;
}

int page_read(struct winode *w, uint64_t file_block, bool fresh, uint8_t *block)
{
	struct slot_ref slot;
	int err = fresh ? 0 : slot_find(w, file_block, &slot);

	memset(block, 0, w->txn->vol->geo.block_size);
	if (err || fresh || !slot.node || !geometry_is_main(&w->txn->vol->geo, get_le32(slot.raw)))
		return err;
	return read_old(w, file_block, get_le32(slot.raw), block);
}

int page_get(struct winode *w, uint64_t file_block, bool fresh, uint8_t **out)
{
	return get_page(w, file_block, NULL, fresh ? PAGE_ZEROS : PAGE_OLD, out);
}

int page_put(struct winode *w, uint64_t file_block, const struct slot_ref *known, const uint8_t *data, uint8_t **out)
{
	int err = get_page(w, file_block, known, PAGE_ANY, out);

	if (!err)
		memcpy(*out, data, w->txn->vol->geo.block_size);
	return err;
}

int pages_put(struct winode *w, uint64_t offset, const uint8_t *data, size_t length, uint64_t size)
{
	const uint32_t bits = w->txn->vol->geo.block_bits, bs = w->txn->vol->geo.block_size;
	int err = 0;

	while (!err && length > 0) {
		uint64_t index = offset >> bits;
		size_t within = (size_t)(offset & (bs - 1)), n = bs - within < length ? bs - within : length;
		uint8_t *page;

		err = page_get(w, index, n == bs || index << bits >= size, &page);
		if (err)
			break;
		memcpy(page + within, data, n);
		offset += n;
		data += n;
		length -= n;
	}
	return err;
}
