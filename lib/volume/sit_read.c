/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SIT: journal first, then the current copy of the SIT block (FORMAT volume 6).
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "volume/block_read.h"
#include "volume/sit_read.h"
#include "volume/table_entries.h"

static f2fs_blk_t current_block(const struct f2fs_volume *vol, uint32_t k, unsigned *copy)
{
	*copy = msb_test(vol->view->sit_bitmap, k);
	return geometry_sit_block(&vol->geo, k, *copy);
}

/* The journal may hold a segment twice in a damaged image: the last one counts, as when entries are applied in order.
 */
static const uint8_t *find_in_journal(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	for (unsigned i = journal_count(vol->view->sit_journal); i-- > 0;)
		if (sitj_segno(journal_sit_entry(vol->view->sit_journal, i)) == segno)
			return journal_sit_entry(vol->view->sit_journal, i);
	return NULL;
}

int sit_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, struct f2fs_segment_info *out)
{
	const uint8_t *raw = find_in_journal(vol, segno), *block;
	unsigned copy;

	if (segno >= vol->geo.segment_count_main)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "segment %u is not below %u", (unsigned)segno,
				 (unsigned)vol->geo.segment_count_main);
	out->table_block = current_block(vol, segno / vol->geo.sit_per_block, &copy);
	out->source = (uint8_t)copy;
	if (raw) {
		raw += sitj_OFS_vblocks;
		out->source = F2FS_FROM_JOURNAL;
	} else {
		int err = volume_peek(vol, out->table_block, &block);

		if (err)
			return err;
		raw = block + (size_t)(segno % vol->geo.sit_per_block) * sit_SIZE;
	}
	out->segno = segno;
	out->valid_blocks = sit_vblocks(raw) & 0x3ff;
	out->type = (uint8_t)(sit_vblocks(raw) >> 10);
	out->mtime = sit_mtime(raw);
	memcpy(out->valid_map, sit_valid_map(raw), sizeof(out->valid_map));
	return 0;
}

int f2fs_sit_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, struct f2fs_segment_info *out)
{
	error_clear(vol->ctx);
	return sit_lookup(vol, segno, out);
}

uint32_t sit_hole_blocks(struct f2fs_volume *vol, uint32_t k)
{
	const uint32_t bits = vol->geo.block_bits;
	uint32_t n = 0, most = vol->geo.sit_blocks_used - k;
	uint64_t length;
	unsigned copy;
	int is_hole;

	if (device_extent(vol->dev, (uint64_t)current_block(vol, k, &copy) << bits, &length, &is_hole) != 0) {
		error_clear(vol->ctx);
		return 0;
	}
	if (!is_hole)
		return 0;
	most = length >> bits < most ? (uint32_t)(length >> bits) : most;
	for (unsigned i = 0; i < journal_count(vol->view->sit_journal); i++) {
		const uint32_t at = sitj_segno(journal_sit_entry(vol->view->sit_journal, i)) / vol->geo.sit_per_block;

		if (at >= k && at - k < most)
			most = at - k;
	}
	/* as far as the blocks are of the same copy */
	while (n < most && msb_test(vol->view->sit_bitmap, k + n) == copy)
		n++;
	return n;
}

int sit_read(struct f2fs_volume *vol, f2fs_seg_t first, uint32_t count, uint8_t *entries)
{
	const struct table_kind sit = { "segments", vol->geo.segment_count_main, vol->geo.sit_per_block, sit_SIZE,
					current_block };
	int err = table_check_range(vol, &sit, first, count);

	if (!err)
		err = table_copy(vol, &sit, first, count, entries);
	if (err)
		return err;
	for (unsigned i = 0; i < journal_count(vol->view->sit_journal); i++) {
		const uint8_t *raw = journal_sit_entry(vol->view->sit_journal, i);

		if (sitj_segno(raw) >= first && sitj_segno(raw) - first < count)
			memcpy(entries + (size_t)(sitj_segno(raw) - first) * sit_SIZE, raw + sitj_OFS_vblocks,
			       sit_SIZE);
	}
	return 0;
}

int sit_read_blocks(struct f2fs_volume *vol, uint32_t k, uint32_t *count, uint8_t *blocks)
{
	const uint32_t bits = vol->geo.block_bits, per_block = vol->geo.sit_per_block;
	unsigned copy, other;
	const f2fs_blk_t start = current_block(vol, k, &copy);
	uint32_t n = 1;
	int err;

	while (n < *count && k + n < vol->geo.sit_blocks_used && current_block(vol, k + n, &other) == start + n)
		n++;
	err = volume_device_read(vol, vol->dev, (uint64_t)start << bits, blocks, (size_t)n << bits);
	if (err)
		return err;
	*count = n;
	for (unsigned i = 0; i < journal_count(vol->view->sit_journal); i++) {
		const uint8_t *raw = journal_sit_entry(vol->view->sit_journal, i);
		const uint32_t at = sitj_segno(raw) / per_block;

		if (at >= k && at - k < n)
			memcpy(blocks + ((size_t)(at - k) << bits) + (size_t)(sitj_segno(raw) % per_block) * sit_SIZE,
			       raw + sitj_OFS_vblocks, sit_SIZE);
	}
	return 0;
}

int f2fs_sit_read(struct f2fs_volume *vol, f2fs_seg_t first, uint32_t count, uint8_t *entries)
{
	error_clear(vol->ctx);
	return sit_read(vol, first, count, entries);
}
