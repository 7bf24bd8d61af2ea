/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one writer of checkpoint packs (FORMAT volume 4, 7.5): checkpoint, payload, orphans, summaries of the logs with
 * the journals in them, the checkpoint again; at the end of the segment the maps of full and empty NAT blocks.
 *
 * A reader takes a pack when, and only when, both its first and its last block are there with the same version and
 * right checksums. So pack_write() puts everything there but the last block, and pack_seal() that one; a torn last
 * block fails its checksum. A caller that replaces a pack in force (commit.c) writes to the other pack's place, flushes
 * between the two calls and after them: at any time one of the packs is whole, the old one until the last write is
 * done. A new volume (mkfs) needs no order among the blocks of its packs: nothing finds them before the superblocks are
 * there, which follow after a flush.
 */
#include "log/pack.h"

#include <string.h>

#include "device/device.h"
#include "format/node.h"
#include "volume/counters.h"

#define DATA_LOGS 3u
#define NODE_LOGS 3u
#define SUMMARY_BLOCKS (DATA_LOGS + NODE_LOGS) /* at most */

static uint32_t orphan_blocks(const struct f2fs_geometry *geo, size_t orphans)
{
	return (uint32_t)((orphans + geo->orphans_per_block - 1) / geo->orphans_per_block);
}

bool pack_holds_maps(const struct f2fs_geometry *geo, size_t orphans)
{
	return 2 + geo->cp_payload + orphan_blocks(geo, orphans) + SUMMARY_BLOCKS <=
	       F2FS_SEGMENT_BLOCKS - geo->nat_bits_blocks;
}

static uint8_t *block_at(const struct pack *pack, uint32_t n)
{
	return pack->blocks + ((size_t)n << pack->geo->block_bits);
}

/* Inodes that nothing names any more, but that somebody has open (FORMAT volume 4.7). */
static void put_orphans(const struct pack *pack, uint32_t blocks)
{
	const struct f2fs_geometry *geo = pack->geo;

	for (uint32_t b = 0; b < blocks; b++) {
		uint8_t *block = block_at(pack, b), *tail = block + geo->block_size - orphan_SIZE;
		const size_t first = (size_t)b * geo->orphans_per_block;
		size_t n = pack->orphan_count - first;

		if (n > geo->orphans_per_block)
			n = geo->orphans_per_block;
		for (size_t i = 0; i < n; i++)
			put_le32(block + i * 4, pack->orphans[first + i]);
		orphan_set_blk_addr(tail, (uint16_t)(b + 1));
		orphan_set_blk_count(tail, (uint16_t)blocks);
		orphan_set_entry_count(tail, (uint32_t)n);
	}
}

/* Blocks that the entries of the data logs take in the compact form. */
static uint32_t compact_blocks(const struct pack *pack)
{
	uint32_t total = 0, block, offset;

	for (unsigned t = 0; t < DATA_LOGS; t++)
		total += pack->logs[t].entries;
	summary_compact_position(pack->geo, total ? total - 1 : 0, &block, &offset);
	return block + 1;
}

static void put_compact(const struct pack *pack, uint8_t *blocks)
{
	const struct f2fs_geometry *geo = pack->geo;
	uint32_t block, offset, index = 0;

	memcpy(blocks, pack->nat_journal, geo->journal_size);
	memcpy(blocks + geo->journal_size, pack->sit_journal, geo->journal_size);
	for (unsigned t = 0; t < DATA_LOGS; t++)
		for (uint32_t i = 0; i < pack->logs[t].entries; i++, index++) {
			summary_compact_position(geo, index, &block, &offset);
			if (pack->logs[t].sums)
				memcpy(blocks + ((size_t)block << geo->block_bits) + offset,
				       pack->logs[t].sums + (size_t)i * sum_SIZE, sum_SIZE);
		}
}

/* The summary of one log as a block of its own. */
static void put_summary(const struct pack *pack, unsigned t, uint8_t *block)
{
	const struct f2fs_geometry *geo = pack->geo;

	if (pack->logs[t].sums)
		memcpy(block, pack->logs[t].sums, (size_t)pack->logs[t].sum_count * sum_SIZE);
	if (t == F2FS_HOT_DATA)
		memcpy(block + geo->journal_offset, pack->nat_journal, geo->journal_size);
	if (t == F2FS_COLD_DATA)
		memcpy(block + geo->journal_offset, pack->sit_journal, geo->journal_size);
	if (t >= F2FS_HOT_NODE)
		sumfoot_set_entry_type(summary_footer_w(geo, block), SUMMARY_OF_NODES);
}

/* Compact summaries when the entries of the data logs fit into two blocks, else three whole ones. */
static uint32_t put_summaries(const struct pack *pack, uint32_t at)
{
	uint32_t data = compact_blocks(pack);

	if (data < DATA_LOGS) {
		put_compact(pack, block_at(pack, at));
	} else {
		data = DATA_LOGS;
		for (unsigned t = 0; t < DATA_LOGS; t++)
			put_summary(pack, t, block_at(pack, at + t));
	}
	for (unsigned t = 0; t < NODE_LOGS; t++)
		put_summary(pack, F2FS_HOT_NODE + t, block_at(pack, at + data + t));
	return data;
}

static void put_logs(const struct pack *pack)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const struct pack_log *log = &pack->logs[i];

		if (!log->sums)
			continue;
		if (i < F2FS_HOT_NODE) {
			cp_set_cur_data_segno(pack->cp, i, log->segno);
			cp_set_cur_data_blkoff(pack->cp, i, log->blkoff);
		} else {
			cp_set_cur_node_segno(pack->cp, i - F2FS_HOT_NODE, log->segno);
			cp_set_cur_node_blkoff(pack->cp, i - F2FS_HOT_NODE, log->blkoff);
		}
		cp_set_alloc_type(pack->cp, i, log->alloc_type);
	}
}

static void put_checkpoint(const struct pack *pack, uint32_t orphans, uint32_t data)
{
	const uint32_t payload = pack->geo->cp_payload;
	uint32_t flags = pack->flags;

	if (data < DATA_LOGS)
		flags |= FLAG_ckpt_flags_compacted_summary;
	if (pack->nat_maps)
		flags |= FLAG_ckpt_flags_nat_bits;
	if (orphans)
		flags |= FLAG_ckpt_flags_orphan_inodes;
	put_logs(pack);
	cp_set_checkpoint_ver(pack->cp, pack->version);
	cp_set_ckpt_flags(pack->cp, flags);
	cp_set_cp_pack_start_sum(pack->cp, 1 + payload + orphans);
	cp_set_cp_pack_total_block_count(pack->cp, 2 + payload + pack->block_count);
	put_le32(pack->cp + cp_checksum_offset(pack->cp), checkpoint_crc(pack->cp, pack->geo->block_size));
}

/* The maps carry version and checksum of the checkpoint that they belong to (FORMAT volume 4.8). */
static int put_maps(struct pack *pack)
{
	const struct f2fs_geometry *geo = pack->geo;

	if (!pack->nat_maps)
		return 0;
	pack->maps = mem_zalloc(pack->ctx, (size_t)geo->nat_bits_blocks << geo->block_bits);
	if (!pack->maps)
		return F2FS_ERR_NOMEM;
	put_le64(pack->maps, cp_checkpoint_ver(pack->cp) | (uint64_t)checkpoint_stored_crc(pack->cp) << 32);
	memcpy(pack->maps + 8, pack->nat_maps, (size_t)geo->nat_blocks / 8 * 2);
	return 0;
}

int pack_build(struct pack *pack)
{
	const uint32_t orphans = orphan_blocks(pack->geo, pack->orphan_count);
	uint32_t data;

	pack->blocks = mem_zalloc(pack->ctx, (size_t)(orphans + SUMMARY_BLOCKS) << pack->geo->block_bits);
	if (!pack->blocks)
		return F2FS_ERR_NOMEM;
	put_orphans(pack, orphans);
	data = put_summaries(pack, orphans);
	pack->block_count = orphans + data + NODE_LOGS;
	put_checkpoint(pack, orphans, data);
	return put_maps(pack);
}

static int write_blocks(const struct pack *pack, struct f2fs_device *dev, f2fs_blk_t addr, const uint8_t *from,
			uint32_t n)
{
	const uint32_t bits = pack->geo->block_bits;

	if (pack->vol)
		counters_add(pack->vol, F2FS_WRITE_PACK, (uint64_t)addr << bits, (uint64_t)n << bits);
	return device_write(dev, (uint64_t)addr << bits, from, (size_t)n << bits);
}

int pack_write(const struct pack *pack, struct f2fs_device *dev, f2fs_blk_t start)
{
	const uint32_t head = 1 + pack->geo->cp_payload, maps = pack->geo->nat_bits_blocks;
	int err = pack->maps ? write_blocks(pack, dev, start + F2FS_SEGMENT_BLOCKS - maps, pack->maps, maps) : 0;

	if (!err)
		err = write_blocks(pack, dev, start, pack->cp, head);
	return err ? err : write_blocks(pack, dev, start + head, pack->blocks, pack->block_count);
}

f2fs_blk_t pack_seal_addr(const struct pack *pack, f2fs_blk_t start)
{
	return start + 1 + pack->geo->cp_payload + pack->block_count;
}

int pack_seal(const struct pack *pack, struct f2fs_device *dev, f2fs_blk_t start)
{
	return write_blocks(pack, dev, pack_seal_addr(pack, start), pack->cp, 1);
}

void pack_free(struct pack *pack)
{
	mem_free(pack->ctx, pack->blocks);
	mem_free(pack->ctx, pack->maps);
	pack->blocks = pack->maps = NULL;
}
