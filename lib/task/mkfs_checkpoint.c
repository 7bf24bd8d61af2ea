/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first checkpoint, written into both packs (FORMAT volume 4, 7.5, 11). The second pack is as complete as the first
 * and one version older: when the first is lost, the volume is still whole. (A second pack that is valid but has no
 * summaries, as f2fs-tools leaves it, makes a volume with a damaged first pack unmountable.)
 *
 * Blocks of a pack: checkpoint, payload, compact data summaries, node summaries, checkpoint; at the end of the segment
 * the maps of full and empty NAT blocks.
 */
#include <string.h>

#include "base/bitmap.h"
#include "device/device.h"
#include "format/checkpoint.h"
#include "format/summary.h"
#include "task/mkfs.h"

#define DATA_BLOCKS 1u
#define NODE_BLOCKS 3u

static uint32_t pack_blocks(const struct mkfs *m)
{
	return 2 + m->geo->cp_payload + DATA_BLOCKS + NODE_BLOCKS;
}

static void fill_heads(const struct mkfs *m, uint8_t *cp)
{
	for (unsigned i = 0; i < cp_COUNT_cur_node_segno; i++) {
		bool used = i < 3;
		const struct mkfs_log *node = used ? &m->logs[F2FS_HOT_NODE + i] : NULL;
		const struct mkfs_log *data = used ? &m->logs[F2FS_HOT_DATA + i] : NULL;

		cp_set_cur_node_segno(cp, i, used ? m->layout->logs[F2FS_HOT_NODE + i] : NULL_SEGNO);
		cp_set_cur_data_segno(cp, i, used ? m->layout->logs[F2FS_HOT_DATA + i] : NULL_SEGNO);
		cp_set_cur_node_blkoff(cp, i, node ? (uint16_t)node->count : 0);
		cp_set_cur_data_blkoff(cp, i, data ? (uint16_t)data->count : 0);
	}
}

static uint32_t checkpoint_flags(const struct mkfs *m)
{
	uint32_t flags = FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_compacted_summary;

	if (m->layout->nat_bits)
		flags |= FLAG_ckpt_flags_nat_bits;
	if (m->layout->large_nat)
		flags |= FLAG_ckpt_flags_large_nat_bitmap;
	if (m->result.trimmed)
		flags |= FLAG_ckpt_flags_trimmed;
	return flags;
}

/* The version bitmaps stay zero: the first copies are in force. */
static void fill_checkpoint(const struct mkfs *m, uint8_t *cp, uint64_t version)
{
	cp_set_checkpoint_ver(cp, version);
	cp_set_user_block_count(cp, m->layout->user_blocks);
	cp_set_valid_block_count(cp, m->result.valid_blocks);
	cp_set_rsvd_segment_count(cp, m->layout->reserved_segments);
	cp_set_overprov_segment_count(cp, m->layout->overprovision_segments);
	cp_set_free_segment_count(cp, m->layout->free_segments);
	fill_heads(m, cp);
	cp_set_ckpt_flags(cp, checkpoint_flags(m));
	cp_set_cp_pack_total_block_count(cp, pack_blocks(m));
	cp_set_cp_pack_start_sum(cp, 1 + m->geo->cp_payload);
	cp_set_valid_node_count(cp, m->result.valid_nodes);
	cp_set_valid_inode_count(cp, m->result.valid_nodes);
	cp_set_next_free_nid(cp, m->next_nid);
	cp_set_sit_ver_bitmap_bytesize(cp, m->layout->sit_bitmap_bytes);
	cp_set_nat_ver_bitmap_bytesize(cp, m->layout->nat_bitmap_bytes);
	cp_set_checksum_offset(cp, m->layout->checksum_offset);
	put_le32(cp + m->layout->checksum_offset, checkpoint_crc(cp, m->geo->block_size));
}

static void fill_nat_journal(const struct mkfs *m, uint8_t *journal)
{
	put_le16(journal, (uint16_t)m->node_count);
	for (unsigned i = 0; i < m->node_count; i++) {
		uint8_t *entry = journal + 2 + (size_t)i * natj_SIZE;

		natj_set_nid(entry, m->nodes[i].nid);
		natj_set_ino(entry, m->nodes[i].nid);
		natj_set_block_addr(entry, m->nodes[i].addr);
	}
}

static void fill_sit_entry(const struct mkfs *m, uint8_t *entry, unsigned log)
{
	sitj_set_segno(entry, m->layout->logs[log]);
	sitj_set_vblocks(entry, (uint16_t)(log << 10 | m->logs[log].count));
	for (uint32_t i = 0; i < m->logs[log].count; i++)
		msb_set(sitj_valid_map_w(entry), i);
}

/* One entry per log; a read-only volume has two. */
static void fill_sit_journal(const struct mkfs *m, uint8_t *journal)
{
	bool is_ro = geometry_has(m->geo, F2FS_FEATURE_RO);
	unsigned n = 0;

	for (unsigned log = 0; log < F2FS_LOG_COUNT; log++)
		if (!is_ro || log == F2FS_HOT_DATA || log == F2FS_HOT_NODE)
			fill_sit_entry(m, journal + 2 + (size_t)n++ * sitj_SIZE, log);
	put_le16(journal, (uint16_t)n);
}

/* NAT journal, SIT journal, then the entries of the data logs; only the hot one has any. */
static void fill_data_summaries(const struct mkfs *m, uint8_t *block)
{
	const struct mkfs_log *hot = &m->logs[F2FS_HOT_DATA];

	fill_nat_journal(m, block);
	fill_sit_journal(m, block + m->geo->journal_size);
	memcpy(block + 2 * (size_t)m->geo->journal_size, hot->summaries, (size_t)hot->count * sum_SIZE);
}

static void fill_node_summary(const struct mkfs *m, uint8_t *block, unsigned log)
{
	memcpy(block, m->logs[log].summaries, (size_t)m->logs[log].count * sum_SIZE);
	sumfoot_set_entry_type(block + m->geo->sum_size - sumfoot_SIZE, 1);
}

static void fill_pack(const struct mkfs *m, uint8_t *pack, uint64_t version)
{
	const size_t bs = m->geo->block_size;
	uint8_t *at = pack + (1 + (size_t)m->geo->cp_payload) * bs;

	fill_checkpoint(m, pack, version);
	fill_data_summaries(m, at);
	for (unsigned i = 0; i < NODE_BLOCKS; i++)
		fill_node_summary(m, at + (DATA_BLOCKS + i) * bs, F2FS_HOT_NODE + i);
	memcpy(pack + (pack_blocks(m) - 1) * bs, pack, bs);
}

/* No NAT block is full; all but the first are empty, where node id 0 counts as used (FORMAT volume 4.8). */
static void fill_nat_bits(const struct mkfs *m, uint8_t *bits, const uint8_t *cp)
{
	const uint32_t bytes = m->geo->nat_blocks / 8;

	put_le64(bits, cp_checkpoint_ver(cp) | (uint64_t)checkpoint_stored_crc(cp) << 32);
	memset(bits + 8 + bytes, 0xFF, bytes);
	lsb_clear(bits + 8 + bytes, 0);
}

static int write_pack(struct mkfs *m, unsigned number, uint64_t version)
{
	const f2fs_blk_t start = m->geo->cp_blkaddr + (number - 1) * F2FS_SEGMENT_BLOCKS;
	const size_t bs = m->geo->block_size;
	uint8_t *pack = mem_calloc(m->ctx, pack_blocks(m) + m->geo->nat_bits_blocks, bs), *bits;
	int rc;

	if (!pack)
		return F2FS_ERR_NOMEM;
	fill_pack(m, pack, version);
	rc = device_write(m->whole, mkfs_byte(m, start), pack, pack_blocks(m) * bs);
	if (!rc && m->layout->nat_bits) {
		bits = pack + pack_blocks(m) * bs;
		fill_nat_bits(m, bits, pack);
		rc = device_write(m->whole, mkfs_byte(m, start + F2FS_SEGMENT_BLOCKS - m->geo->nat_bits_blocks), bits,
				  m->geo->nat_bits_blocks * bs);
	}
	mem_free(m->ctx, pack);
	return rc;
}

int mkfs_write_packs(struct mkfs *m)
{
	const uint64_t version = m->result.checkpoint_version;
	int rc = write_pack(m, 2, version - 1);

	return rc ? rc : write_pack(m, 1, version);
}
