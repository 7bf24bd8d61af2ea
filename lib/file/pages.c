/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of files that were changed in memory and wait to be written: directory blocks above all, which change many
 * times before a commit, and parts of blocks. Whole blocks of file contents go to the log at once (data_append).
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "file/crypto.h"
#include "format/inode.h"
#include "volume/counters.h"

/* Waiting blocks of one file. */
struct file_pages {
	f2fs_nid_t ino;
	struct map32 blocks; /* file block -> uint8_t * */
};

static struct file_pages *find_file(const struct txn *txn, f2fs_nid_t ino)
{
	uint64_t *slot = txn->file ? map32_find(&txn->file->pages, ino) : NULL;

	return slot ? (struct file_pages *)(uintptr_t)*slot : NULL;
}

static int need_file(struct txn *txn, f2fs_nid_t ino, struct file_pages **out)
{
	*out = find_file(txn, ino);
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
	struct file_pages *file = vol->txn ? find_file(vol->txn, ino) : NULL;
	uint64_t *slot = file && file_block < UINT32_MAX ? map32_find(&file->blocks, (uint32_t)file_block) : NULL;

	return slot ? (const uint8_t *)(uintptr_t)*slot : NULL;
}

bool pages_exist(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	return vol->txn && find_file(vol->txn, ino);
}

uint64_t pages_gap(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block, uint64_t count)
{
	const struct file_pages *file = vol->txn ? find_file(vol->txn, ino) : NULL;
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

int page_get(struct winode *w, uint64_t file_block, bool fresh, uint8_t **out)
{
	struct f2fs_volume *vol = w->txn->vol;
	struct file_pages *file;
	struct slot_ref slot;
	f2fs_blk_t old;
	uint8_t *page;
	int err = slot_make(w, file_block, &slot);

	if (err)
		return err;
	*out = (uint8_t *)(uintptr_t)page_find(vol, w->node->nid, file_block);
	if (*out) {
		vol->generation++;
		return 0;
	}
	old = get_le32(slot.raw);
	err = slot_reserve(w, &slot);
	if (!err)
		err = need_file(w->txn, w->node->nid, &file);
	if (err)
		return err;
	page = mem_zalloc(vol->ctx, (size_t)vol->geo.block_size + 1); /* behind the block: rounds that it waits */
	if (!page)
		return F2FS_ERR_NOMEM;
	if (!fresh && geometry_is_main(&vol->geo, old))
		err = read_old(w, file_block, old, page);
	if (!err)
		err = map32_set(&file->blocks, (uint32_t)file_block, (uintptr_t)page);
	if (err) {
		mem_free(vol->ctx, page);
		return err;
	}
	w->txn->waiting_blocks++;
	vol->generation++;
	*out = page;
	return 0;
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

/* Free a file's waiting blocks, not its place in the table. */
static void free_file(struct txn *txn, struct file_pages *file)
{
	uint32_t index;
	uint64_t value;

	for (size_t at = 0; map32_each(&file->blocks, &at, &index, &value);) {
		mem_free(txn->vol->ctx, (void *)(uintptr_t)value);
		txn->waiting_blocks--;
	}
	map32_fini(&file->blocks);
	mem_free(txn->vol->ctx, file);
}

/* Forget those of a file's waiting blocks that lie in a range. */
static void forget_among(struct txn *txn, struct file_pages *file, uint64_t first, uint64_t count)
{
	uint32_t index;
	uint64_t value;

	for (size_t at = 0; map32_each(&file->blocks, &at, &index, &value);) {
		if (index < first || index - first >= count)
			continue;
		mem_free(txn->vol->ctx, (void *)(uintptr_t)value);
		map32_remove(&file->blocks, index);
		txn->waiting_blocks--;
		at--; /* removal may have moved another one here */
	}
}

void pages_forget(struct txn *txn, f2fs_nid_t ino, uint64_t first)
{
	struct file_pages *file = find_file(txn, ino);

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
	struct file_pages *file = find_file(txn, ino);

	if (file && count > file->blocks.count) { /* the fewer look-ups */
		forget_among(txn, file, first, count);
		return;
	}
	for (uint64_t i = 0; file && i < count; i++) {
		uint64_t *slot = map32_find(&file->blocks, (uint32_t)(first + i));

		if (!slot)
			continue;
		mem_free(txn->vol->ctx, (void *)(uintptr_t)*slot);
		map32_remove(&file->blocks, (uint32_t)(first + i));
		txn->waiting_blocks--;
	}
}

/* Temperature of a file's data (FORMAT files 10.2); directories are hot. */
static unsigned log_of_data(const struct txn *txn, const uint8_t *inode)
{
	if (txn->log_count == 4 && (inode_i_mode(inode) & MODE_TYPE) != MODE_DIR)
		return F2FS_COLD_DATA;
	if ((inode_i_mode(inode) & MODE_TYPE) == MODE_DIR || (inode_i_advise(inode) & FLAG_i_advise_hot))
		return F2FS_HOT_DATA;
	if ((inode_i_advise(inode) & FLAG_i_advise_cold) || (inode_i_flags(inode) & FLAG_i_flags_compr))
		return F2FS_COLD_DATA;
	return F2FS_WARM_DATA;
}

/*
 * Are contents of this file written where they are? As the options say, but those of pinned files, which must not move,
 * in any case, and those of directories, quota files and compressed files never. (Blocks of pinned files that the last
 * checkpoint has are not changed at all unless the options allow it: data_write.c.)
 */
static int is_in_place(struct winode *w, bool *out)
{
	const uint8_t *block = winode_block(w);
	int err = 0;

	if (geometry_has(&w->txn->vol->geo, F2FS_FEATURE_BLKZONED)) { /* zones are appended to */
		*out = false;
		return 0;
	}
	*out = inode_has_inline(block, FLAG_i_inline_pin_file);
	if (*out || (inode_i_mode(block) & MODE_TYPE) != MODE_REG || w->layout.is_compressed ||
	    quota_is_file(w->txn->vol, w->node->nid))
		return 0;
	if (winode_in_place(w) == F2FS_IN_PLACE_FULL)
		err = segment_needs_holes(w->txn, out);
	else
		*out = winode_in_place(w) == F2FS_IN_PLACE_ALWAYS;
	return err;
}

/* Overwrite blocks that follow each other on the device; none when the first slot has none. */
static int overwrite(struct winode *w, const uint8_t *slots, const uint8_t *data, uint32_t count, uint32_t *done)
{
	struct f2fs_volume *vol = w->txn->vol;
	f2fs_blk_t addr = get_le32(slots);
	uint32_t n = 1;
	int err;

	if (!geometry_is_main(&vol->geo, addr))
		return 0;
	while (n < count && get_le32(slots + (size_t)n * 4) == addr + n)
		n++;
	err = vol->hooks->settle(vol, addr, n);
	if (!err)
		err = volume_write(vol, F2FS_WRITE_DATA, (uint64_t)addr << vol->geo.block_bits, data,
				   (size_t)n << vol->geo.block_bits);
	*done = n;
	return err;
}

/* Write a run to its stream or its log: *got blocks of it. */
static int append_part(struct winode *w, const struct placed_run *run, f2fs_blk_t *addr, uint32_t *got)
{
	int err = 0;

	if (placement_of(w->txn->vol))
		err = place_append(w, run, addr, got);
	if (err || *got > 0)
		return err;
	return head_append(w->txn, log_of_data(w->txn, winode_block(w)), run->slot.node->nid, run->version,
			   (uint16_t)run->slot.ofs_in_node, run->count, run->data, addr, got);
}

/* Slots get the new addresses of a run. */
static int repoint(struct winode *w, const struct placed_run *run, f2fs_blk_t addr, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *raw = run->slot.raw + (size_t)i * 4;
		const f2fs_blk_t old = get_le32(raw);
		int err = geometry_is_main(&w->txn->vol->geo, old) ? segment_mark(w->txn, old, false) : 0;

		if (err)
			return err;
		put_le32(raw, addr + i);
		if (placement_of(w->txn->vol))
			place_written(w, run->file_block + i, old, addr + i);
	}
	return 0;
}

/* Write count blocks, as they are to lie there, for slots that follow each other in one node. */
static int append_stored(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data,
			 uint32_t count)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	struct f2fs_nat_entry entry;
	bool in_place;
	int err = nat_get(w->txn->vol, slot->node->nid, &entry);

	if (!err)
		err = is_in_place(w, &in_place);
	for (uint32_t done = 0, got = 0; done < count && !err; done += got) {
		const struct placed_run run = { .slot = { .node = slot->node,
							  .raw = slot->raw + (size_t)done * 4,
							  .ofs_in_node = slot->ofs_in_node + done },
						.version = entry.version,
						.file_block = file_block + done,
						.count = count - done,
						.data = data + ((size_t)done << bits) };
		f2fs_blk_t addr = 0;

		got = 0;
		if (in_place)
			err = overwrite(w, run.slot.raw, run.data, run.count, &got);
		if (err || got > 0)
			continue;
		err = append_part(w, &run, &addr, &got);
		if (!err)
			err = repoint(w, &run, addr, got);
	}
	node_dirty(w->txn, slot->node);
	return err;
}

/* Write count blocks of contents from file_block on. */
static int append_run(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data, uint32_t count)
{
	const uint8_t *sealed;
	int err = crypto_seal(w, file_block, data, count, &sealed);

	if (err)
		return err;
	err = append_stored(w, slot, file_block, sealed, count);
	crypto_sealed_free(w, sealed, data);
	return err;
}

int data_append(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	/* where there is no block to be had nothing must have changed yet */
	int room = head_settle(w->txn, head_of(w->txn, log_of_data(w->txn, winode_block(w))));

	if (room)
		return room;
	while (count > 0) {
		struct slot_ref slot;
		uint32_t n, fresh = 0;
		int err = slot_make(w, file_block, &slot);

		if (err)
			return err;
		n = slot.count < count ? slot.count : count;
		for (uint32_t i = 0; i < n; i++)
			fresh += get_le32(slot.raw + (size_t)i * 4) == F2FS_NULL_ADDR;
		err = space_take(w->txn, fresh);
		if (err)
			return err;
		err = winode_count(w, fresh);
		if (err)
			return err;
		pages_forget_range(w->txn, w->node->nid, file_block, n);
		err = append_run(w, &slot, file_block, data, n);
		if (err)
			return err;
		file_block += n;
		data += (size_t)n << bits;
		count -= n;
	}
	return 0;
}

static int compare_indices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void page_delay(struct txn *txn, uint8_t *page, unsigned level)
{
	page[txn->vol->geo.block_size] = (uint8_t)level;
	txn->file->has_delayed = txn->file->has_delayed || level > 0;
}

/* The file's waiting blocks in their order, all or those that are due; of the others one round is over. */
static int sort_blocks(struct txn *txn, struct file_pages *file, bool all, struct vec *order)
{
	uint64_t value;
	uint32_t key;

	vec_init(order, file->blocks.ctx, sizeof(uint32_t));
	if (vec_reserve(order, file->blocks.count) != 0)
		return F2FS_ERR_NOMEM;
	for (size_t at = 0; map32_each(&file->blocks, &at, &key, &value);) {
		uint8_t *rounds = (uint8_t *)(uintptr_t)value + txn->vol->geo.block_size;

		if (all || *rounds == 0)
			*(uint32_t *)vec_push(order, 1) = key; /* reserved */
		else
			--*rounds;
	}
	vec_sort(order, compare_indices);
	return 0;
}

/* Does a whole cluster that lies within the file start here? */
static bool is_whole_cluster(const struct winode *w, const uint32_t *indices, size_t count)
{
	const uint32_t n = w->layout.cluster_blocks;
	const uint64_t end =
		(inode_i_size(winode_block(w)) + w->txn->vol->geo.block_size - 1) >> w->txn->vol->geo.block_bits;

	return w->layout.is_compressed && count >= n && indices[0] % n == 0 && indices[n - 1] == indices[0] + n - 1 &&
	       indices[n - 1] < end;
}

/* Write some of a file's waiting blocks. */
static int flush_blocks(struct txn *txn, const struct file_pages *file, const struct vec *order)
{
	struct winode w;
	int err = winode_get(txn->vol, file->ino, &w);

	for (size_t i = 0; !err && i < order->count;) {
		const uint32_t *indices = vec_at(order, i);
		struct slot_ref slot;
		bool stored = false;

		if (is_whole_cluster(&w, indices, order->count - i))
			err = cluster_flush(&w, indices[0], &stored);
		if (!err && !stored)
			err = slot_make(&w, indices[0], &slot);
		if (!err && !stored)
			err = append_run(&w, &slot, indices[0], page_find(txn->vol, file->ino, indices[0]), 1);
		i += stored ? w.layout.cluster_blocks : 1;
	}
	return err;
}

/* Write one file's waiting blocks. */
static int flush_file(struct txn *txn, struct file_pages *file)
{
	struct vec order;
	int err;

	if (file->blocks.count == 0)
		return 0;
	err = sort_blocks(txn, file, true, &order);
	if (!err)
		err = flush_blocks(txn, file, &order);
	vec_fini(&order);
	return err;
}

/* Write, and forget, those of a file's blocks that are due. */
static int flush_due(struct txn *txn, struct file_pages *file)
{
	struct vec order;
	int err = sort_blocks(txn, file, false, &order);

	if (!err && order.count > 0)
		err = flush_blocks(txn, file, &order);
	for (size_t i = 0; !err && i < order.count; i++)
		pages_forget_range(txn, file->ino, *(uint32_t *)vec_at(&order, i), 1);
	vec_fini(&order);
	return err;
}

static int end_round(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;
	int err = 0;

	for (size_t at = 0; !err && map32_each(&txn->file->pages, &at, &ino, &value);)
		err = flush_due(txn, (struct file_pages *)(uintptr_t)value);
	return err;
}

int pages_end_rounds(struct txn *txn, size_t most)
{
	int err = 0;

	if (!txn->file->has_delayed)
		return pages_flush(txn);
	for (unsigned i = 0; i <= F2FS_DELAY_MAX && !err && txn->waiting_blocks > most / 2; i++)
		err = end_round(txn);
	return err;
}

int pages_flush_file(struct txn *txn, f2fs_nid_t ino)
{
	struct file_pages *file = find_file(txn, ino);
	int err = file ? flush_file(txn, file) : 0;

	if (!err)
		pages_forget(txn, ino, 0);
	return err;
}

int pages_settle_pinned(struct winode *w)
{
	if (!inode_has_inline(winode_block(w), FLAG_i_inline_pin_file))
		return 0;
	return pages_flush_file(w->txn, w->node->nid);
}

void pages_drop(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;

	for (size_t at = 0; map32_each(&txn->file->pages, &at, &ino, &value);)
		free_file(txn, (struct file_pages *)(uintptr_t)value);
	map32_fini(&txn->file->pages);
}

int pages_flush(struct txn *txn)
{
	uint64_t value;
	uint32_t ino;

	for (size_t at = 0; map32_each(&txn->file->pages, &at, &ino, &value);) {
		int err = flush_file(txn, (struct file_pages *)(uintptr_t)value);

		if (err)
			return err;
	}
	pages_drop(txn);
	return 0;
}
