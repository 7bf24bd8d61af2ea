/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT: journal first, then the current copy of the NAT block (FORMAT volume 5).
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "volume/amends.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/rescue.h"
#include "volume/rescue_nat.h"
#include "volume/table_entries.h"

static f2fs_blk_t current_block(const struct f2fs_volume *vol, uint32_t k, unsigned *copy)
{
	*copy = msb_test(vol->view->nat_bitmap, k);
	return geometry_nat_block(&vol->geo, k, *copy);
}

static const uint8_t *find_in_journal(const struct f2fs_volume *vol, f2fs_nid_t nid)
{
	uint64_t *index = map32_find(&vol->view->nat_journal_index, nid);

	return index ? journal_nat_entry(vol->view->nat_journal, (unsigned)*index) : NULL;
}

static void fill_entry(struct f2fs_nat_info *out, f2fs_nid_t nid, const uint8_t *raw)
{
	out->nid = nid;
	out->version = nat_version(raw);
	out->ino = nat_ino(raw);
	out->block_addr = nat_block_addr(raw);
}

/* Say which block of the table has an entry, and from which of the two copies that is. */
static void begin_entry(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	unsigned copy;

	out->table_block = current_block(vol, nid / vol->geo.nat_per_block, &copy);
	out->source = (uint8_t)copy;
}

int nat_get(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	if (!vol->ops.running || !vol->ops.running->find_nat(vol, nid, out))
		return nat_get_stored(vol, nid, out);
	begin_entry(vol, nid, out);
	return 0;
}

int nat_get_table(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const uint8_t *block;
	int err;

	begin_entry(vol, nid, out);
	err = volume_peek(vol, out->table_block, &block);
	if (!err)
		fill_entry(out, nid, block + (size_t)(nid % vol->geo.nat_per_block) * nat_SIZE);
	return err;
}

static int check_nid(struct f2fs_volume *vol, f2fs_nid_t nid)
{
	return nid < vol->geo.max_nid ? 0
				      : error_set(vol->ctx, F2FS_ERR_RANGE, "node id %u is not below %u", (unsigned)nid,
						  (unsigned)vol->geo.max_nid);
}

int nat_get_written(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const uint8_t *journal = find_in_journal(vol, nid);
	int err = check_nid(vol, nid);

	if (err)
		return err;
	if (!journal)
		return nat_get_table(vol, nid, out);
	begin_entry(vol, nid, out);
	fill_entry(out, nid, journal + natj_OFS_version);
	out->source = F2FS_FROM_JOURNAL;
	return 0;
}

int nat_get_stored(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const struct f2fs_nat_info *amended = amends_entry(vol->amends, nid);
	int err = check_nid(vol, nid);

	if (err)
		return err;
	if (!amended && (!vol->rescue || !vol->rescue->is_ready))
		return nat_get_written(vol, nid, out);
	begin_entry(vol, nid, out);
	if (!amended) {
		rescue_nat_get(vol, nid, out);
		return 0;
	}
	out->nid = nid;
	out->ino = amended->ino;
	out->block_addr = amended->block_addr;
	out->version = amended->version;
	return 0;
}

int f2fs_nat_lookup(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	error_clear(vol->ctx);
	return nat_get(vol, nid, out);
}

/* Smallest node id >= nid that the journal or an amended entry has in use, or max_nid. */
static f2fs_nid_t next_in_journal(const struct f2fs_volume *vol, f2fs_nid_t nid)
{
	f2fs_nid_t best = vol->geo.max_nid;

	for (unsigned i = 0; i < journal_count(vol->view->nat_journal); i++) {
		const uint8_t *raw = journal_nat_entry(vol->view->nat_journal, i);

		if (natj_block_addr(raw) != 0 && natj_nid(raw) >= nid && natj_nid(raw) < best)
			best = natj_nid(raw);
	}
	for (size_t i = 0; vol->amends && i < vol->amends->entries.count; i++) {
		const struct f2fs_nat_info *amended = vec_at(&vol->amends->entries, i);

		if (amended->block_addr != 0 && amended->nid >= nid && amended->nid < best)
			best = amended->nid;
	}
	return best;
}

uint32_t nat_hole_blocks(struct f2fs_volume *vol, uint32_t k)
{
	uint32_t bs = vol->geo.block_size, n = 0;
	uint64_t length;
	int is_hole;

	while ((k + n) / 512 == k / 512 && k + n < vol->geo.nat_blocks) {
		unsigned copy;
		f2fs_blk_t addr = current_block(vol, k + n, &copy);
		uint32_t run;

		if (device_extent(vol->dev, (uint64_t)addr * bs, &length, &is_hole) != 0 || !is_hole || length < bs)
			break;
		/* the run counts only as far as the blocks are of the same copy */
		for (run = 1; run < length / bs && (k + n + run) / 512 == k / 512; run++)
			if (msb_test(vol->view->nat_bitmap, k + n + run) != copy)
				break;
		n += run;
	}
	return n;
}

int nat_next(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	f2fs_nid_t stop = next_in_journal(vol, nid);
	uint32_t per_block = vol->geo.nat_per_block, looked_at = UINT32_MAX;

	if (vol->rescue && vol->rescue->is_ready)
		return rescue_nat_next(vol, nid, out);
	while (nid < stop) {
		uint32_t k = nid / per_block, skip = 0;
		const uint8_t *block;
		unsigned copy;
		int err;

		/* within a block the last call has just read it */
		if (k / 512 != looked_at && nid % per_block == 0) {
			skip = nat_hole_blocks(vol, k);
			looked_at = skip ? UINT32_MAX : k / 512;
		}
		if (skip) { /* the last block may hold numbers beyond 32 bits */
			if ((uint64_t)(k + skip) * per_block >= stop)
				break;
			nid = (k + skip) * per_block;
			continue;
		}
		err = volume_peek(vol, current_block(vol, k, &copy), &block);
		if (err)
			return err;
		for (; nid < stop && nid / per_block == k; nid++) {
			const uint8_t *raw = block + (size_t)(nid % per_block) * nat_SIZE;

			if (nat_block_addr(raw) != 0 && !find_in_journal(vol, nid))
				return nat_get(vol, nid, out);
		}
	}
	if (stop < vol->geo.max_nid)
		return nat_get(vol, stop, out);
	return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "no further node id is in use");
}

int f2fs_nat_next(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	error_clear(vol->ctx);
	return nat_next(vol, nid, out);
}

/* Put an amended entry among those of count node ids from first on, if it is one of them. */
static void put_amended(const struct f2fs_nat_info *amended, f2fs_nid_t first, uint32_t count, uint8_t *entries)
{
	uint8_t *raw = entries + (size_t)(amended->nid - first) * nat_SIZE;

	if (amended->nid < first || amended->nid - first >= count)
		return;
	nat_set_version(raw, amended->version);
	nat_set_ino(raw, amended->ino);
	nat_set_block_addr(raw, amended->block_addr);
}

int nat_read(struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries)
{
	const struct table_kind nat = { "node ids", vol->geo.max_nid, vol->geo.nat_per_block, nat_SIZE, current_block };
	int err = table_check_range(vol, &nat, first, count);

	if (err)
		return err;
	if (vol->rescue && vol->rescue->is_ready) {
		rescue_nat_read(vol, first, count, entries);
		return 0;
	}
	err = table_copy(vol, &nat, first, count, entries);
	if (err)
		return err;
	for (unsigned i = 0; i < journal_count(vol->view->nat_journal); i++) {
		const uint8_t *raw = journal_nat_entry(vol->view->nat_journal, i);

		if (natj_nid(raw) >= first && natj_nid(raw) - first < count)
			memcpy(entries + (size_t)(natj_nid(raw) - first) * nat_SIZE, raw + natj_OFS_version, nat_SIZE);
	}
	for (size_t i = 0; vol->amends && i < vol->amends->entries.count; i++)
		put_amended(vec_at(&vol->amends->entries, i), first, count, entries);
	return 0;
}

int f2fs_nat_read(struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries)
{
	error_clear(vol->ctx);
	return nat_read(vol, first, count, entries);
}
