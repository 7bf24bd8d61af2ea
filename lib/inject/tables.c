/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find entries of NAT, SIT and SSA, of the journals, and orphans on the volume.
 */
#include "base/bitmap.h"
#include "inject/finder.h"
#include "inject/run.h"
#include "inject/tables.h"

/* ---- the pack in force ---- */

static uint64_t pack_byte(const struct f2fs_inject *inject, uint32_t index)
{
	return (uint64_t)(volume_pack_in_use(inject->vol) + index) * inject->geo.block_size;
}

/* Where a journal begins: the block of the pack and the byte in it (FORMAT volume 7.4). */
static void find_journal(const struct f2fs_inject *inject, bool is_sit, struct place *out)
{
	const struct pack_layout *layout = &inject->vol->view->layout;
	const bool compact = layout->compact;

	out->at[0] = pack_byte(inject, layout->data_start + (is_sit && !compact ? F2FS_COLD_DATA : 0));
	out->copies = 1;
	out->size = inject->geo.block_size;
	out->base = !compact ? inject->geo.journal_offset : is_sit ? inject->geo.journal_size : 0;
}

static int place_journal(struct f2fs_inject *inject, const struct address *address, bool is_sit, struct place *out)
{
	const uint32_t max = is_sit ? inject->geo.sit_journal_max : inject->geo.nat_journal_max;
	const uint32_t entry = is_sit ? sitj_SIZE : natj_SIZE;
	uint64_t i = 0;
	int err = need_volume(inject);

	if (err)
		return err;
	find_journal(inject, is_sit, out);
	place_add_array(out, "count", out->base, 1, 2);
	if (address->bracket_count == 0)
		return 0;
	err = need_number(inject, address, 0, max, &i);
	out->base += 2 + (uint32_t)i * entry;
	place_add_scope(out, is_sit ? "sit_journal_entry" : "nat_journal_entry", out->base, entry, NULL);
	return err;
}

int place_nat_journal(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	return place_journal(inject, address, false, out);
}

int place_sit_journal(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	return place_journal(inject, address, true, out);
}

/* ---- NAT, SIT ---- */

/* The entry of the journal that overrides number n, if there is one. */
static bool find_override(struct f2fs_inject *inject, bool is_sit, uint32_t n, struct place *out)
{
	const uint8_t *journal = is_sit ? inject->vol->view->sit_journal : inject->vol->view->nat_journal;
	const uint32_t entry = is_sit ? sitj_SIZE : natj_SIZE;

	for (unsigned i = journal_count(journal); i-- > 0;) {
		const uint8_t *raw = journal + 2 + (size_t)i * entry;

		if (get_le32(raw) != n)
			continue;
		find_journal(inject, is_sit, out);
		out->base += 2 + i * entry;
		place_add_scope(out, is_sit ? "sit_journal_entry" : "nat_journal_entry", out->base, entry, NULL);
		return true;
	}
	return false;
}

static int place_entry(struct f2fs_inject *inject, const struct address *address, bool is_sit, uint64_t limit,
		       struct place *out)
{
	const uint32_t per_block = is_sit ? inject->geo.sit_per_block : inject->geo.nat_per_block;
	const uint32_t entry = is_sit ? sit_SIZE : nat_SIZE;
	unsigned copy = address->bracket_count ? address->brackets[0].copy : 0;
	uint64_t n = 0;
	uint32_t k;
	int err = need_number(inject, address, 0, limit, &n);

	if (!err && copy == 0)
		err = need_volume(inject);
	if (err)
		return err;
	if (copy == 0 && find_override(inject, is_sit, (uint32_t)n, out))
		return 0;
	k = (uint32_t)n / per_block;
	if (copy == 0)
		copy = 1 + msb_test(is_sit ? inject->vol->view->sit_bitmap : inject->vol->view->nat_bitmap, k);
	err = place_take_block(inject,
			       is_sit ? geometry_sit_block(&inject->geo, k, copy - 1)
				      : geometry_nat_block(&inject->geo, k, copy - 1),
			       out);
	out->base = (uint32_t)n % per_block * entry;
	place_add_scope(out, is_sit ? "sit_entry" : "nat_entry", out->base, entry, NULL);
	return err;
}

int place_nat(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	int err = need_geometry(inject);

	return err ? err : place_entry(inject, address, false, inject->geo.max_nid, out);
}

int place_sit(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	int err = need_geometry(inject);

	return err ? err : place_entry(inject, address, true, inject->geo.segment_count_main, out);
}

/* ---- SSA ---- */

int place_ssa(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint64_t segno = 0, entry = 0;
	uint32_t offset;
	f2fs_blk_t addr;
	int err = need_geometry(inject);

	if (!err)
		err = need_number(inject, address, 0, inject->geo.segment_count_main, &segno);
	if (!err && address->bracket_count > 1)
		err = need_number(inject, address, 1, F2FS_SEGMENT_BLOCKS, &entry);
	if (err)
		return err;
	addr = geometry_ssa_block(&inject->geo, (f2fs_seg_t)segno, &offset);
	err = place_take_block(inject, addr, out);
	out->base = offset + (uint32_t)entry * sum_SIZE;
	if (address->bracket_count > 1)
		place_add_scope(out, "summary_entry", out->base, sum_SIZE, NULL);
	else
		place_add_scope(out, "summary_footer", offset + inject->geo.sum_size - sumfoot_SIZE, sumfoot_SIZE,
				NULL);
	return err;
}

/* ---- orphans ---- */

static int take_orphan_block(struct f2fs_inject *inject, const struct address *address, uint64_t per_block,
			     struct place *out, uint64_t *n)
{
	const struct pack_layout *layout;
	int err = need_volume(inject);

	if (err)
		return err;
	layout = &inject->vol->view->layout;
	err = need_number(inject, address, 0, layout->orphan_blocks * per_block, n);
	if (err)
		return err;
	out->at[0] = pack_byte(inject, layout->orphan_start + (uint32_t)(*n / per_block));
	out->copies = 1;
	out->size = inject->geo.block_size;
	return 0;
}

int place_orphan(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint64_t n = 0;
	int err = take_orphan_block(inject, address, inject->geo.orphans_per_block, out, &n);

	if (!err)
		place_add_array(out, "ino", (uint32_t)(n % inject->geo.orphans_per_block) * 4, 1, 4);
	return err;
}

int place_orphan_block(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint64_t n = 0;
	int err = take_orphan_block(inject, address, 1, out, &n);

	if (!err)
		place_add_scope(out, "orphan_tail", inject->geo.block_size - orphan_SIZE, orphan_SIZE, NULL);
	return err;
}
