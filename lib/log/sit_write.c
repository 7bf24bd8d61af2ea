/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SIT changes of a transaction, stored at the commit: in the journal when they fit, else in the idle copies of their
 * blocks (FORMAT volume 6, 8.1).
 */
#include <string.h>

#include "base/bitmap.h"
#include "device/device.h"
#include "log/commit.h"
#include "log/pack.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/sit_write.h"
#include "volume/counters.h"

static void put_entry(uint8_t *raw, const struct segment *s)
{
	sit_set_vblocks(raw, (uint16_t)(s->valid | (unsigned)s->type << 10));
	memcpy(sit_valid_map_w(raw), s->cur, 64);
	sit_set_mtime(raw, s->mtime);
}

/* The entries of the old journal must be stored again: load their segments and mark them as changed. */
static int adopt_journal(struct txn *txn)
{
	for (unsigned i = 0; i < journal_count(txn->vol->view->sit_journal); i++) {
		struct segment *s;
		int err = segment_get(txn, sitj_segno(journal_sit_entry(txn->vol->view->sit_journal, i)), &s);

		if (err)
			return err;
		s->is_dirty = true;
	}
	return 0;
}

/* Number of segments of chunk k, and how many of them changed. */
static uint32_t chunk_size(const struct txn *txn, uint32_t k)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t left = geo->segment_count_main - k * geo->sit_per_block;

	return left < geo->sit_per_block ? left : geo->sit_per_block;
}

static uint32_t count_dirty(const struct txn *txn, uint32_t k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; txn->chunks[k] && i < chunk_size(txn, k); i++)
		n += txn->chunks[k][i].is_dirty;
	return n;
}

void journal_add_sit(uint8_t *journal, f2fs_seg_t segno, const struct segment *s)
{
	const unsigned n = journal_count(journal);
	uint8_t *raw = journal + 2 + (size_t)n * sitj_SIZE;

	sitj_set_segno(raw, segno);
	put_entry(raw + sitj_OFS_vblocks, s);
	put_le16(journal, (uint16_t)(n + 1));
}

static void store_in_journal(struct txn *txn, uint8_t *journal)
{
	for (uint32_t k = 0; k < txn->vol->geo.sit_blocks_used; k++)
		for (uint32_t i = 0; txn->chunks[k] && i < chunk_size(txn, k); i++)
			if (txn->chunks[k][i].is_dirty)
				journal_add_sit(journal, k * txn->vol->geo.sit_per_block + i, &txn->chunks[k][i]);
}

/* Rebuild a SIT block completely in its idle copy: all of a chunk is in memory. */
static int store_block(struct txn *txn, uint32_t k, uint8_t *block)
{
	struct f2fs_volume *vol = txn->vol;
	const struct f2fs_geometry *geo = &vol->geo;
	unsigned copy = msb_test(vol->view->sit_bitmap, k);
	int err;

	memset(block, 0, geo->block_size);
	for (uint32_t i = 0; i < chunk_size(txn, k); i++)
		put_entry(block + (size_t)i * sit_SIZE, &txn->chunks[k][i]);
	err = volume_write(vol, F2FS_WRITE_SIT, (uint64_t)geometry_sit_block(geo, k, !copy) << geo->block_bits, block,
			   geo->block_size);
	if (err)
		return err;
	if (copy)
		msb_clear(txn->sit_bitmap, k);
	else
		msb_set(txn->sit_bitmap, k);
	return 0;
}

int sit_store(struct txn *txn, uint8_t *journal)
{
	uint32_t total = 0;
	uint8_t *block;
	int err = adopt_journal(txn);

	if (err)
		return err;
	memset(journal, 0, txn->vol->geo.journal_size);
	for (uint32_t k = 0; k < txn->vol->geo.sit_blocks_used; k++)
		total += count_dirty(txn, k);
	/* a repair rewrites bad entries in the block, too: the kernel checks them even if the journal overrides them */
	if (total <= txn->vol->geo.sit_journal_max && !txn->is_derived && !(txn->form && txn->form->whole_sit)) {
		store_in_journal(txn, journal);
		return 0;
	}
	block = mem_alloc(txn->vol->ctx, txn->vol->geo.block_size);
	if (!block)
		return F2FS_ERR_NOMEM;
	for (uint32_t k = 0; k < txn->vol->geo.sit_blocks_used && !err; k++)
		if (count_dirty(txn, k) > 0)
			err = store_block(txn, k, block);
	mem_free(txn->vol->ctx, block);
	return err;
}
