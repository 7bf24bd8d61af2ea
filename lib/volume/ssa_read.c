/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Summaries: from the SSA for closed segments, from the checkpoint pack or the nodes' footers for the six current ones
 * (FORMAT volume 7.3).
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "format/node.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"
#include "volume/ssa_read.h"
#include "volume/volume.h"

static int read_block(struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t *block)
{
	return volume_device_read(vol, vol->dev, (uint64_t)addr * vol->geo.block_size, block, vol->geo.block_size);
}

/* Which log is this segment current in? F2FS_LOG_COUNT for none. */
static unsigned log_of_segment(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	const bool has_two = volume_lacks_ssa(vol);
	unsigned i;

	for (i = 0; i < F2FS_LOG_COUNT; i++) {
		if (has_two && i != F2FS_HOT_DATA && i != F2FS_HOT_NODE)
			continue;
		if (checkpoint_log_segno(vol->view->cp, i) == segno)
			break;
	}
	return i;
}

/* Entries that the compact form holds for a data log. */
static uint32_t compact_entries(const struct f2fs_volume *vol, unsigned type)
{
	const uint8_t *cp = vol->view->cp;

	return cp_alloc_type(cp, type) == ALLOC_HOLES ? F2FS_SEGMENT_BLOCKS : checkpoint_log_blkoff(cp, type);
}

static int load_compact(struct f2fs_volume *vol, unsigned type, uint8_t *entries, uint8_t *block)
{
	uint32_t first = 0, loaded = UINT32_MAX, n = compact_entries(vol, type);

	for (unsigned t = 0; t < type; t++)
		first += compact_entries(vol, t);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b, offset;

		summary_compact_position(&vol->geo, first + i, &b, &offset);
		if (b != loaded) {
			f2fs_blk_t addr = volume_pack_in_use(vol) + vol->view->layout.data_start + b;
			int err;

			if (vol->view->layout.data_start + b >= F2FS_SEGMENT_BLOCKS)
				return volume_corrupt(vol, RULE_CP_PACK_SIZE, addr, 0,
						      "compact summaries are past the pack's end");
			err = read_block(vol, addr, block);
			if (err)
				return err;
			loaded = b;
		}
		memcpy(entries + (size_t)i * sum_SIZE, block + offset, sum_SIZE);
	}
	return 0;
}

/* Load summaries from the footers of the segment's nodes, when the pack has none (FORMAT volume 7.3). */
static int load_from_footers(struct f2fs_volume *vol, unsigned type, uint8_t *entries)
{
	f2fs_blk_t start = geometry_segment_start(&vol->geo, checkpoint_log_segno(vol->view->cp, type));

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		const uint8_t *block;
		int err = volume_peek(vol, start + i, &block);

		if (err)
			return err;
		sum_set_nid(entries + (size_t)i * sum_SIZE, footer_nid(node_footer(&vol->geo, block)));
	}
	return 0;
}

static int load_log(struct f2fs_volume *vol, unsigned type, uint8_t *entries, uint8_t *block, int *source)
{
	const struct pack_layout *layout = &vol->view->layout;
	uint32_t at;
	int err;

	*source = F2FS_SUMMARY_PACK;
	if (type < F2FS_HOT_NODE && layout->compact)
		return load_compact(vol, type, entries, block);
	if (type >= F2FS_HOT_NODE && !layout->has_nodes) {
		*source = F2FS_SUMMARY_FOOTERS;
		return load_from_footers(vol, type, entries);
	}
	at = type < F2FS_HOT_NODE ? layout->data_start + type : layout->node_start + type - F2FS_HOT_NODE;
	err = read_block(vol, volume_pack_in_use(vol) + at, block);
	if (!err)
		memcpy(entries, block, SUMMARY_BYTES);
	return err;
}

/* Keep the summary of a current segment. */
static int need_log(struct f2fs_volume *vol, unsigned type)
{
	uint8_t *entries, *block;
	int err;

	if (vol->log_sums[type])
		return 0;
	entries = mem_zalloc(vol->ctx, SUMMARY_BYTES);
	block = mem_alloc(vol->ctx, vol->geo.block_size);
	err = entries && block ? load_log(vol, type, entries, block, &vol->log_sum_source[type]) : F2FS_ERR_NOMEM;
	mem_free(vol->ctx, block);
	if (err) {
		mem_free(vol->ctx, entries);
		return err;
	}
	vol->log_sums[type] = entries;
	return 0;
}

/* Point at a segment's entries: kept ones or the SSA block in the cache. NULL entries: the volume has no SSA. */
static int point_at(struct f2fs_volume *vol, f2fs_seg_t segno, const uint8_t **entries, uint8_t *entry_type,
		    int *source)
{
	unsigned log = log_of_segment(vol, segno);
	const uint8_t *block;
	uint32_t offset;
	f2fs_blk_t addr;
	int err;

	if (segno >= vol->geo.segment_count_main)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "segment %u is not below %u", (unsigned)segno,
				 (unsigned)vol->geo.segment_count_main);
	if (log < F2FS_LOG_COUNT) {
		err = need_log(vol, log);
		if (err)
			return err;
		*entries = vol->log_sums[log];
		*entry_type = log >= F2FS_HOT_NODE ? SUMMARY_OF_NODES : SUMMARY_OF_DATA;
		*source = vol->log_sum_source[log];
		return 0;
	}
	if (volume_lacks_ssa(vol)) {
		*entries = NULL;
		*entry_type = SUMMARY_OF_DATA;
		*source = F2FS_SUMMARY_NONE;
		return 0;
	}
	addr = geometry_ssa_block(&vol->geo, segno, &offset);
	err = volume_peek(vol, addr, &block);
	if (err)
		return err;
	*entries = block + offset;
	*entry_type = sumfoot_entry_type(summary_footer_of(&vol->geo, block + offset));
	*source = F2FS_SUMMARY_SSA;
	return 0;
}

int ssa_read(struct f2fs_volume *vol, f2fs_seg_t segno, uint8_t *entries, uint8_t *entry_type, int *source)
{
	const uint8_t *from;
	int err;

	err = point_at(vol, segno, &from, entry_type, source);
	if (err)
		return err;
	if (from)
		memcpy(entries, from, SUMMARY_BYTES);
	else
		memset(entries, 0, SUMMARY_BYTES);
	return 0;
}

int f2fs_ssa_read(struct f2fs_volume *vol, f2fs_seg_t segno, uint8_t *entries, uint8_t *entry_type, int *source)
{
	error_clear(vol->ctx);
	return ssa_read(vol, segno, entries, entry_type, source);
}

int ssa_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out)
{
	int source;

	return ssa_entry(vol, segno, offset, out, &source);
}

int ssa_entry(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out, int *source)
{
	const uint8_t *entries;
	uint8_t entry_type;
	int err;

	if (offset >= F2FS_SEGMENT_BLOCKS)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "a segment has 512 blocks, there is no offset %u",
				 (unsigned)offset);
	err = point_at(vol, segno, &entries, &entry_type, source);
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->is_node = entry_type;
	if (entries) {
		const uint8_t *raw = entries + (size_t)offset * sum_SIZE;

		out->nid = sum_nid(raw);
		out->version = sum_version(raw);
		out->ofs_in_node = sum_ofs_in_node(raw);
	}
	return 0;
}

int f2fs_ssa_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out)
{
	error_clear(vol->ctx);
	return ssa_lookup(vol, segno, offset, out);
}
