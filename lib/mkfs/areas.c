/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write the areas of a new volume. The old contents of the devices are discarded or reset. SIT and NAT, whose first
 * copies are valid, become empty except for the fixed entries (FORMAT volume 3.9, 9.4). SSA and main area need nothing.
 */
#include <string.h>

#include "device/device.h"
#include "format/summary.h"
#include "mkfs/run.h"
#include "device/zeros.h"
#include "mkfs/areas.h"

static int report(struct mkfs *m, const char *phase, uint64_t done, uint64_t total)
{
	const struct f2fs_progress progress = {
		.task = "mkfs", .phase = phase, .unit = "bytes", .done = done, .total = total
	};

	return progress_report(m->ctx, &progress);
}

/* Reset zones that are not empty: a zone's blocks must be written in order, from its start. */
static int reset_zones(struct mkfs *m, struct f2fs_device *dev, uint64_t size)
{
	enum { BATCH = 64 };
	const uint64_t zone_bytes = f2fs_device_info(dev)->zone_bytes;
	struct f2fs_zone zones[BATCH];
	unsigned found;

	for (uint64_t first = 0; first * zone_bytes < size; first += found) {
		int err = device_zones_quiet(dev, first, zones, BATCH, &found);

		if (!err && found == 0)
			err = F2FS_ERR_IO;
		for (unsigned i = 0; !err && i < found; i++)
			if (zones[i].type != F2FS_ZONE_CONVENTIONAL && !zones[i].empty)
				err = device_zone_reset_quiet(dev, zones[i].start);
		if (err)
			return device_report(dev, err, "reset the zones in", first * zone_bytes, zone_bytes);
		err = report(m, "resetting zones", first * zone_bytes, size);
		if (err)
			return err;
	}
	return 0;
}

/* A block device may take its time: go in steps that can be shown and stopped. */
static int discard_device(struct mkfs *m, struct f2fs_device *dev, uint64_t size)
{
	bool is_block = (f2fs_device_info(dev)->caps & F2FS_DEVICE_BLOCK) != 0;
	const uint64_t step = is_block ? (uint64_t)16 << 30 : size;

	for (uint64_t at = 0; at < size; at += step) {
		uint64_t n = size - at < step ? size - at : step;
		int err = report(m, "discarding", at, size);

		if (!err)
			err = device_discard(dev, at, n);
		if (err)
			return err;
	}
	return 0;
}

int mkfs_discard(struct mkfs *m)
{
	for (unsigned i = 0; i < m->device_count; i++) {
		const struct f2fs_layout_device *place = &m->layout->devices[i];
		int err;

		if (m->options->no_discard || place->is_alias)
			continue;
		if (place->zone_type)
			err = reset_zones(m, m->devices[i].device, place->size);
		else
			err = discard_device(m, m->devices[i].device, place->size);
		if (err == F2FS_ERR_CANCELED || (err && place->zone_type))
			return err;
		if (err) {
			log_message(m->ctx, F2FS_LOG_WARNING, "discard failed: %s", m->ctx->error.message);
			return 0;
		}
	}
	m->result.trimmed = !m->options->no_discard;
	return 0;
}

/* Make blocks read as zeros. Holes count where the device held nothing before. */
static int zero_blocks(struct mkfs *m, f2fs_blk_t addr, uint32_t count)
{
	const bool held_nothing = (f2fs_device_info(m->whole)->caps & F2FS_DEVICE_ZEROED) != 0;

	return (held_nothing ? zero_range : zero_bytes)(m->whole, mkfs_byte(m, addr), mkfs_byte(m, count));
}

static int clear_sit(struct mkfs *m)
{
	return zero_blocks(m, m->geo->sit_blkaddr, m->geo->sit_blocks);
}

/* The copies alternate per segment. */
static int clear_nat(struct mkfs *m)
{
	uint32_t segments = m->geo->segment_count_nat / 2;

	for (uint32_t i = 0; i < segments; i++) {
		int err = report(m, "clearing the NAT", (uint64_t)i * F2FS_SEGMENT_BLOCKS << m->geo->block_bits,
				(uint64_t)segments * F2FS_SEGMENT_BLOCKS << m->geo->block_bits);

		if (!err)
			err = zero_blocks(m, m->geo->nat_blkaddr + i * 2 * F2FS_SEGMENT_BLOCKS, F2FS_SEGMENT_BLOCKS);
		if (err)
			return err;
	}
	return 0;
}

/* Entries of the node ids that stand for in-memory address spaces. Real nodes are in the journal. */
static int write_nat_block(struct mkfs *m)
{
	uint8_t *block = mem_zalloc(m->ctx, m->geo->block_size);
	int err;

	if (!block)
		return F2FS_ERR_NOMEM;
	for (f2fs_nid_t nid = NODE_INO; nid <= META_INO; nid++) {
		nat_set_ino(block + (size_t)nid * nat_SIZE, nid);
		nat_set_block_addr(block + (size_t)nid * nat_SIZE, 1);
	}
	err = device_write(m->whole, mkfs_byte(m, m->geo->nat_blkaddr), block, m->geo->block_size);
	mem_free(m->ctx, block);
	return err;
}

static bool is_alias_segment(const struct mkfs *m, f2fs_seg_t segno)
{
	f2fs_blk_t addr = geometry_segment_start(m->geo, segno);

	for (unsigned i = 0; i < m->device_count; i++)
		if (m->layout->devices[i].is_alias && addr >= m->layout->devices[i].start &&
		    addr < m->layout->devices[i].end)
			return true;
	return false;
}

/* Fill SIT block number k: segments of alias devices are full. Returns whether there are any. */
static bool fill_sit_block(const struct mkfs *m, uint32_t k, uint8_t *block)
{
	uint32_t first = k * m->geo->sit_per_block;
	bool any = false;

	memset(block, 0, m->geo->block_size);
	for (uint32_t i = 0; i < m->geo->sit_per_block && first + i < m->geo->segment_count_main; i++) {
		uint8_t *entry = block + (size_t)i * sit_SIZE;

		if (!is_alias_segment(m, first + i))
			continue;
		sit_set_vblocks(entry, (uint16_t)(F2FS_COLD_DATA << 10 | F2FS_SEGMENT_BLOCKS));
		memset(sit_valid_map_w(entry), 0xFF, F2FS_SEGMENT_BLOCKS / 8);
		any = true;
	}
	return any;
}

static int write_alias_entries(struct mkfs *m)
{
	enum { BATCH = 64 };
	const uint32_t bs = m->geo->block_size;
	uint8_t *blocks;
	int err = 0;

	if (m->layout->alias_segments == 0)
		return 0;
	blocks = mem_calloc(m->ctx, BATCH, bs);
	if (!blocks)
		return F2FS_ERR_NOMEM;
	for (uint32_t k = 0; !err && k < m->geo->sit_blocks_used; k += BATCH) {
		uint32_t n = m->geo->sit_blocks_used - k < BATCH ? m->geo->sit_blocks_used - k : BATCH;
		bool any = false;

		for (uint32_t i = 0; i < n; i++)
			any = fill_sit_block(m, k + i, blocks + (size_t)i * bs) || any;
		if (any)
			err = device_write(m->whole, mkfs_byte(m, geometry_sit_block(m->geo, k, 0)), blocks,
					  (size_t)n * bs);
	}
	mem_free(m->ctx, blocks);
	return err;
}

/* Where the chain of fsynced nodes would begin must be nothing that looks like a node (FORMAT files 12.3). */
static int end_stale_chain(struct mkfs *m)
{
	f2fs_blk_t addr = geometry_segment_start(m->geo, m->layout->logs[F2FS_WARM_NODE]);

	if (geometry_has(m->geo, F2FS_FEAT_BLKZONED) || geometry_has(m->geo, F2FS_FEAT_RO))
		return 0;
	return zero_blocks(m, addr, 1);
}

int mkfs_write_areas(struct mkfs *m)
{
	int err = clear_sit(m);

	if (!err)
		err = clear_nat(m);
	if (!err)
		err = write_alias_entries(m);
	if (!err)
		err = write_nat_block(m);
	if (!err)
		err = end_stale_chain(m);
	return err;
}
