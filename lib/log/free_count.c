/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count free segments: at the start of a repair's transaction, and for a commit. Between them segments_count_free()
 * follows each change. Also count from the SIT alone, without keeping it.
 */
#include <string.h>

#include "log/free_count.h"
#include "log/run.h"
#include "log/segments.h"
#include "volume/block_read.h"
#include "volume/sit_read.h"
#include "volume/zone_map.h"

#define RUN_BYTES (256u << 10) /* of the SIT that are read at once */

uint32_t free_count_derived(const struct txn *txn)
{
	uint32_t n = 0;

	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++)
		n += segment_is_free(segment_loaded(txn, i)) && !segment_loaded(txn, i)->is_barred &&
		     !segment_is_current(txn, i) && zones_usable(txn->vol, i) > 0;
	return n;
}

/* Count in a derived transaction: all segments are loaded, and the old count is worthless. */
static uint32_t count_all(const struct txn *txn)
{
	uint32_t n = 0;

	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++)
		n += segment_loaded(txn, i)->valid == 0 && !segment_is_current(txn, i) && zones_usable(txn->vol, i) > 0;
	return n;
}

/* Of any other: the old count, and what changed in the segments that are loaded. */
static uint32_t count_changes(const struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	int64_t change = 0;

	for (uint32_t k = 0; k < geo->sit_blocks_used; k++) {
		for (uint32_t i = 0; txn->chunks[k] && i < geo->sit_per_block; i++) {
			f2fs_seg_t segno = k * geo->sit_per_block + i;
			const struct segment *s;
			bool was_log = false;

			if (segno >= geo->segment_count_main)
				break;
			s = &txn->chunks[k][i];
			for (unsigned t = 0; t < F2FS_LOG_COUNT; t++)
				was_log = was_log || checkpoint_log_segno(txn->vol->view->cp, t) == segno;
			change += (s->valid == 0 && !segment_is_current(txn, segno)) - (s->was_free && !was_log);
		}
	}
	return (uint32_t)(txn->free_before + change);
}

uint32_t free_count_committed(const struct txn *txn)
{
	return txn->is_derived ? count_all(txn) : count_changes(txn);
}

/* Of n segments, those that can hold something. */
static uint32_t count_usable(const struct f2fs_volume *vol, f2fs_seg_t first, uint32_t n)
{
	uint32_t count = 0;

	if (!vol->zones.sequential)
		return n;
	for (uint32_t i = 0; i < n; i++)
		count += zones_usable(vol, first + i) > 0;
	return count;
}

/* Count the segments of one SIT block. */
static void count_block(const struct f2fs_volume *vol, f2fs_seg_t first, const uint8_t *entries, struct sit_usage *out)
{
	const uint32_t rest = vol->geo.segment_count_main - first;

	for (uint32_t i = 0; i < vol->geo.sit_per_block && i < rest; i++) {
		const uint32_t vblocks = sit_vblocks(entries + (size_t)i * sit_SIZE), valid = vblocks & 0x3ff;

		*(vblocks >> 10 >= F2FS_HOT_NODE ? &out->node_blocks : &out->data_blocks) += valid;
		out->free_segments += valid == 0 && zones_usable(vol, first + i) > 0;
	}
}

/* Count from SIT block k on; *count: how many blocks it were. */
static int count_run(struct f2fs_volume *vol, uint32_t k, uint8_t *blocks, uint32_t *count, struct sit_usage *out)
{
	const uint32_t per_block = vol->geo.sit_per_block;
	int err;

	*count = sit_hole_blocks(vol, k);
	if (*count > 0) {
		const uint32_t rest = vol->geo.segment_count_main - k * per_block;
		const uint64_t n = (uint64_t)*count * per_block;

		out->free_segments += count_usable(vol, k * per_block, n < rest ? (uint32_t)n : rest);
		return 0;
	}
	*count = RUN_BYTES >> vol->geo.block_bits;
	err = sit_read_blocks(vol, k, count, blocks);
	for (uint32_t i = 0; i < *count && !err; i++)
		count_block(vol, (k + i) * per_block, blocks + ((size_t)i << vol->geo.block_bits), out);
	return err;
}

int sit_usage_count(struct f2fs_volume *vol, struct sit_usage *out)
{
	uint8_t *blocks = mem_alloc(vol->ctx, RUN_BYTES);
	uint32_t n;
	int err = blocks ? 0 : F2FS_ERR_NOMEM;

	memset(out, 0, sizeof(*out));
	for (uint32_t k = 0; k < vol->geo.sit_blocks_used && !err; k += n)
		err = count_run(vol, k, blocks, &n, out);
	mem_free(vol->ctx, blocks);
	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++) {
		struct f2fs_segment_info entry;

		err = sit_lookup(vol, checkpoint_log_segno(vol->view->cp, i), &entry);
		out->free_segments -= !err && entry.valid_blocks == 0 && out->free_segments > 0;
	}
	return err;
}

int sit_usage_check(struct f2fs_volume *vol)
{
	const uint32_t nodes = cp_valid_node_count(vol->view->cp);
	const uint64_t blocks = cp_valid_block_count(vol->view->cp);
	struct sit_usage usage;
	int err = vol->sit_agrees ? 0 : sit_usage_count(vol, &usage);

	if (err || vol->sit_agrees)
		return err;
	if (usage.node_blocks != nodes || usage.node_blocks + usage.data_blocks > blocks)
		return volume_corrupt(vol, RULE_SIT_SUM, vol->geo.sit_blkaddr, 0,
				      "%llu node and %llu data blocks, the checkpoint counts %u nodes and %llu blocks: "
				      "check the volume first",
				      (unsigned long long)usage.node_blocks, (unsigned long long)usage.data_blocks,
				      (unsigned)nodes, (unsigned long long)blocks);
	vol->sit_agrees = true;
	return 0;
}
