/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT changes of a transaction: kept in memory, handed out node ids, and at the commit stored in the journal when they
 * fit, else in the idle copies of their blocks (FORMAT volume 5, 8.1).
 */
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "device/device.h"
#include "log/nat_write.h"
#include "log/pack.h"
#include "log/run.h"
#include "volume/block_read.h"
#include "volume/counters.h"
#include "volume/nat_read.h"

int nat_set(struct txn *txn, const struct f2fs_nat_info *entry)
{
	int err = nat_changes_set(&txn->nat, entry);

	if (!err)
		txn->vol->generation++;
	return err;
}

/* Is this id free, in the last checkpoint and in this transaction? A freed id rests until the commit. */
static int is_free(struct txn *txn, f2fs_nid_t nid, bool *free_now, uint8_t *version)
{
	struct f2fs_nat_info entry;
	int err;

	*free_now = false;
	if (nat_changes_find(&txn->nat, nid, NULL))
		return 0;
	err = nat_get_stored(txn->vol, nid, &entry);
	if (err)
		return err;
	*free_now = entry.block_addr == F2FS_NULL_ADDR;
	*version = entry.version;
	return 0;
}

int nid_alloc(struct txn *txn, f2fs_nid_t *nid)
{
	const uint32_t first = txn->vol->geo.root_ino + 1, end = txn->vol->geo.max_nid;
	struct f2fs_nat_info entry = { 0 };
	f2fs_nid_t at = txn->nid_cursor;

	for (uint32_t i = 0; i < end - first; i++, at++) {
		bool free_now;
		int err;

		if (at >= end || at < first)
			at = first;
		err = is_free(txn, at, &free_now, &entry.version);
		if (err)
			return err;
		if (!free_now)
			continue;
		entry.nid = at;
		entry.block_addr = F2FS_NEW_ADDR;
		err = nat_set(txn, &entry);
		if (err)
			return err;
		txn->nid_cursor = at + 1;
		*nid = at;
		return 0;
	}
	return error_set(txn->vol->ctx, F2FS_ERR_NOSPC, "all %u node ids are in use", (unsigned)(end - first));
}

/* Count the entries of the journal that the transaction did not change. */
static int adopt_journal(struct txn *txn)
{
	for (unsigned i = 0; i < journal_count(txn->vol->view->nat_journal); i++) {
		const uint8_t *raw = journal_nat_entry(txn->vol->view->nat_journal, i);
		struct f2fs_nat_info entry = { .nid = natj_nid(raw),
					       .ino = natj_ino(raw),
					       .block_addr = natj_block_addr(raw),
					       .version = natj_version(raw) };
		int err = nat_changes_find(&txn->nat, entry.nid, NULL) ? 0 : nat_set(txn, &entry);

		if (err)
			return err;
	}
	return 0;
}

static void put_entry(uint8_t *raw, const struct f2fs_nat_info *entry)
{
	nat_set_version(raw, entry->version);
	nat_set_ino(raw, entry->ino);
	nat_set_block_addr(raw, entry->block_addr);
}

void journal_add_nat(uint8_t *journal, const struct f2fs_nat_info *entry)
{
	const unsigned n = journal_count(journal);
	uint8_t *raw = journal + 2 + (size_t)n * natj_SIZE;

	natj_set_nid(raw, entry->nid);
	put_entry(raw + natj_OFS_version, entry);
	put_le16(journal, (uint16_t)(n + 1));
}

/* nat_bits: is a NAT block full, or empty? Id 0 counts as in use (FORMAT volume 4.8). */
static void update_nat_bits(struct txn *txn, uint32_t k, const uint8_t *block)
{
	uint32_t used = k == 0;

	if (!txn->has_nat_bits)
		return;
	for (uint32_t i = k == 0; i < txn->vol->geo.nat_per_block; i++)
		used += nat_block_addr(block + (size_t)i * nat_SIZE) != 0;
	lsb_clear(txn->nat_full, k);
	lsb_clear(txn->nat_empty, k);
	if (used == txn->vol->geo.nat_per_block)
		lsb_set(txn->nat_full, k);
	else if (used == 0)
		lsb_set(txn->nat_empty, k);
}

/* Write the entries of one NAT block to its idle copy. *entry: the first of them, then that of the next block. *more:
 * is there a next block? */
static int store_block(struct txn *txn, struct nat_changes_walk *walk, uint8_t *block, struct f2fs_nat_info *entry,
		       bool *more)
{
	struct f2fs_volume *vol = txn->vol;
	const struct f2fs_geometry *geo = &vol->geo;
	const uint32_t k = entry->nid / geo->nat_per_block;
	unsigned copy = msb_test(vol->view->nat_bitmap, k);
	const uint8_t *old;
	int err = txn->nat_is_whole ? 0 : volume_peek(vol, geometry_nat_block(geo, k, copy), &old);

	if (err)
		return err;
	if (txn->nat_is_whole)
		memset(block, 0, geo->block_size);
	else
		memcpy(block, old, geo->block_size);
	do {
		put_entry(block + (size_t)(entry->nid % geo->nat_per_block) * nat_SIZE, entry);
		*more = nat_changes_walk_next(walk, entry);
	} while (*more && entry->nid / geo->nat_per_block == k);
	err = volume_write(vol, F2FS_WRITE_NAT, (uint64_t)geometry_nat_block(geo, k, !copy) << geo->block_bits, block,
			   geo->block_size);
	if (err)
		return err;
	if (copy)
		msb_clear(txn->nat_bitmap, k);
	else
		msb_set(txn->nat_bitmap, k);
	update_nat_bits(txn, k, block);
	return 0;
}

/* Store all entries in the idle copies of their blocks. */
static int store_blocks(struct txn *txn, struct nat_changes_walk *walk)
{
	uint8_t *block = mem_alloc(txn->vol->ctx, txn->vol->geo.block_size);
	struct f2fs_nat_info entry;
	bool more = nat_changes_walk_next(walk, &entry);
	int err = block ? 0 : F2FS_ERR_NOMEM;

	while (more && !err)
		err = store_block(txn, walk, block, &entry, &more);
	mem_free(txn->vol->ctx, block);
	return err;
}

int nat_store(struct txn *txn, uint8_t *journal)
{
	struct nat_changes_walk walk;
	struct f2fs_nat_info entry;
	int err = txn->nat_is_whole ? 0 : adopt_journal(txn);

	if (err)
		return err;
	memset(journal, 0, txn->vol->geo.journal_size);
	err = nat_changes_walk_begin(&walk, &txn->nat);
	/* a repair rewrites the entries in the block, too: the kernel judges them even if the journal overrides them */
	if (!err && (txn->nat.count > txn->vol->geo.nat_journal_max || txn->has_nat_bits || txn->is_derived))
		err = store_blocks(txn, &walk);
	else
		while (!err && nat_changes_walk_next(&walk, &entry))
			journal_add_nat(journal, &entry);
	nat_changes_walk_end(&walk);
	return err;
}
