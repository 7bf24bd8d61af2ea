/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one commit: makes everything since the last checkpoint true at once (FORMAT volume 8).
 *
 * Why a power cut at any write leaves the volume as before or as after: until the last step nothing is overwritten that
 * the checkpoint in force refers to. Data and nodes went to blocks that are free in its SIT; NAT and SIT changes go to
 * the copies that its version bitmaps do not select; an SSA block is written for a segment that was free, or keeps the
 * entries of all blocks that were valid; the pack goes to the other pack's place, without its last block. Then a flush
 * makes all that durable, and only then the last block of the pack is written, and flushed: a reader takes the new pack
 * when, and only when, both its first and its last block are there with the same version. A torn last block fails its
 * checksum and leaves the old pack in force.
 */
#include <string.h>

#include "device/device.h"
#include "log/log.h"

#define SUMMARY_BLOCKS 6u /* of the logs, at most */

/* What goes into the pack besides the checkpoint block. */
struct pack {
	uint8_t *orphans; /* blocks of orphan inodes; what follows them up to the last block is behind them */
	uint8_t *blocks;  /* start_sum and what follows */
	uint32_t orphan_blocks, data_blocks, node_blocks;
	uint8_t *nat_journal, *sit_journal;
};

static uint32_t log_entries(const struct txn *txn, unsigned type)
{
	const struct head *head = &txn->heads[type];

	return !head->sums	       ? checkpoint_log_blkoff(txn->vol->cp, type)
	       : head->alloc_type == 1 ? F2FS_SEGMENT_BLOCKS
				       : head->blkoff;
}

/* A log must not end on offset 512: it moves on to where its next block will be. */
static int settle_logs(struct txn *txn)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		int err = txn->heads[i].sums ? head_settle(txn, i) : 0;

		if (err)
			return err;
	}
	return 0;
}

/* Compact summaries when the entries of the data logs fit into two blocks, else three whole ones (FORMAT volume 7.5).
 */
static void put_data_summaries(struct txn *txn, struct pack *pack)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t total = 0, block, offset, index = 0;

	for (unsigned t = 0; t < 3; t++)
		total += log_entries(txn, t);
	summary_compact_position(geo, total ? total - 1 : 0, &block, &offset);
	if (block < 2) {
		pack->data_blocks = block + 1;
		memcpy(pack->blocks, pack->nat_journal, geo->journal_size);
		memcpy(pack->blocks + geo->journal_size, pack->sit_journal, geo->journal_size);
		for (unsigned t = 0; t < 3; t++)
			for (uint32_t i = 0; i < log_entries(txn, t); i++, index++) {
				summary_compact_position(geo, index, &block, &offset);
				if (txn->heads[t].sums)
					memcpy(pack->blocks + ((size_t)block << geo->block_bits) + offset,
					       txn->heads[t].sums + (size_t)i * sum_SIZE, sum_SIZE);
			}
		return;
	}
	pack->data_blocks = 3;
	for (unsigned t = 0; t < 3; t++) {
		uint8_t *summary = pack->blocks + ((size_t)t << geo->block_bits);

		if (txn->heads[t].sums)
			memcpy(summary, txn->heads[t].sums, SUMMARY_BYTES);
		if (t == F2FS_HOT_DATA)
			memcpy(summary + geo->journal_offset, pack->nat_journal, geo->journal_size);
		if (t == F2FS_COLD_DATA)
			memcpy(summary + geo->journal_offset, pack->sit_journal, geo->journal_size);
	}
}

static void put_node_summaries(struct txn *txn, struct pack *pack)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	pack->node_blocks = 3;
	for (unsigned t = 0; t < 3; t++) {
		uint8_t *summary = pack->blocks + ((size_t)(pack->data_blocks + t) << geo->block_bits);

		if (txn->heads[F2FS_HOT_NODE + t].sums)
			memcpy(summary, txn->heads[F2FS_HOT_NODE + t].sums, SUMMARY_BYTES);
		sumfoot_set_entry_type(summary + geo->sum_size - sumfoot_SIZE, 1);
	}
}

/* Inodes that nothing names any more, but that somebody has open (FORMAT volume 4.7). */
static void put_orphans(const struct txn *txn, const struct pack *pack)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	for (uint32_t b = 0; b < pack->orphan_blocks; b++) {
		uint8_t *block = pack->orphans + ((size_t)b << geo->block_bits);
		uint8_t *tail = block + geo->block_size - orphan_SIZE;
		size_t first = (size_t)b * geo->orphans_per_block, n = txn->orphans.count - first;

		if (n > geo->orphans_per_block)
			n = geo->orphans_per_block;
		for (size_t i = 0; i < n; i++)
			put_le32(block + i * 4, *(const f2fs_nid_t *)vec_at(&txn->orphans, first + i));
		orphan_set_blk_addr(tail, (uint16_t)(b + 1));
		orphan_set_blk_count(tail, (uint16_t)pack->orphan_blocks);
		orphan_set_entry_count(tail, (uint32_t)n);
	}
}

static void put_logs(struct txn *txn, uint8_t *cp)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const struct head *head = &txn->heads[i];

		if (!head->sums)
			continue;
		if (i < F2FS_HOT_NODE) {
			cp_set_cur_data_segno(cp, i, head->segno);
			cp_set_cur_data_blkoff(cp, i, (uint16_t)head->blkoff);
		} else {
			cp_set_cur_node_segno(cp, i - F2FS_HOT_NODE, head->segno);
			cp_set_cur_node_blkoff(cp, i - F2FS_HOT_NODE, (uint16_t)head->blkoff);
		}
		cp_set_alloc_type(cp, i, head->alloc_type);
	}
}

/* Segments without a valid block that are no log: counted when all are known, else followed from the old count. */
static uint32_t count_free(struct txn *txn)
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
				was_log = was_log || checkpoint_log_segno(txn->vol->cp, t) == segno;
			change += (s->valid == 0 && !segment_is_current(txn, segno)) - (s->was_free && !was_log);
		}
	}
	return (uint32_t)((int64_t)cp_free_segment_count(txn->vol->cp) + change);
}

static void put_checkpoint(struct txn *txn, const struct pack *pack, uint8_t *cp)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t keep = FLAG_ckpt_flags_large_nat_bitmap | FLAG_ckpt_flags_quota_need_fsck |
			      (txn->is_derived ? 0 : FLAG_ckpt_flags_fsck);
	uint32_t flags = (cp_ckpt_flags(cp) & keep) | FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_crc;

	if (pack->data_blocks < 3)
		flags |= FLAG_ckpt_flags_compacted_summary;
	if (txn->has_nat_bits)
		flags |= FLAG_ckpt_flags_nat_bits;
	if (pack->orphan_blocks)
		flags |= FLAG_ckpt_flags_orphan_inodes;
	cp_set_free_segment_count(cp, txn->is_derived ? derive_free_segments(txn)
						      : count_free(txn)); /* before the logs move */
	put_logs(txn, cp);
	cp_set_checkpoint_ver(cp, cp_checkpoint_ver(cp) + 1);
	cp_set_valid_block_count(cp, txn->valid_blocks);
	cp_set_valid_node_count(cp, txn->valid_nodes);
	cp_set_valid_inode_count(cp, txn->valid_inodes);
	cp_set_next_free_nid(cp, txn->nid_cursor);
	cp_set_ckpt_flags(cp, flags);
	cp_set_cp_pack_start_sum(cp, 1 + geo->cp_payload + pack->orphan_blocks);
	cp_set_cp_pack_total_block_count(cp, 2 + geo->cp_payload + pack->orphan_blocks + pack->data_blocks +
						     pack->node_blocks);
	put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, geo->block_size));
}

static int write_nat_bits(struct txn *txn, f2fs_blk_t start)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	size_t size = (size_t)geo->nat_bits_blocks << geo->block_bits;
	uint8_t *buffer;
	int err;

	if (!txn->has_nat_bits)
		return 0;
	buffer = mem_zalloc(txn->vol->ctx, size);
	if (!buffer)
		return F2FS_ERR_NOMEM;
	put_le64(buffer, cp_checkpoint_ver(txn->cp) | (uint64_t)checkpoint_stored_crc(txn->cp) << 32);
	memcpy(buffer + 8, txn->nat_full, (size_t)geo->nat_blocks / 8 * 2);
	err = device_write(txn->vol->cache,
			   (uint64_t)(start + F2FS_SEGMENT_BLOCKS - geo->nat_bits_blocks) << geo->block_bits, buffer,
			   size);
	mem_free(txn->vol->ctx, buffer);
	return err;
}

static int write_pack(struct txn *txn, const struct pack *pack)
{
	struct f2fs_volume *vol = txn->vol;
	const uint32_t bits = vol->geo.block_bits;
	f2fs_blk_t start = volume_pack_start(vol, 3 - vol->pack),
		   last = start + cp_cp_pack_total_block_count(txn->cp) - 1;
	int err = write_nat_bits(txn, start);

	if (!err)
		err = device_write(vol->cache, (uint64_t)start << bits, txn->cp,
				   (size_t)(1 + vol->geo.cp_payload) << bits);
	if (!err)
		err = device_write(vol->cache, (uint64_t)(start + 1 + vol->geo.cp_payload) << bits, pack->orphans,
				   (size_t)(pack->orphan_blocks + pack->data_blocks + pack->node_blocks) << bits);
	if (!err)
		err = device_flush(vol->cache);
	if (!err)
		err = device_write(vol->cache, (uint64_t)last << bits, txn->cp, (size_t)1 << bits);
	return err ? err : device_flush(vol->cache);
}

/* Memory for the pack, now that the orphans are known; nat_bits go where they would leave no room for them. */
static int make_pack(struct txn *txn, struct pack *pack)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const size_t n = txn->orphans.count;

	pack->orphan_blocks = (uint32_t)((n + geo->orphans_per_block - 1) / geo->orphans_per_block);
	if (2 + geo->cp_payload + pack->orphan_blocks + SUMMARY_BLOCKS > F2FS_SEGMENT_BLOCKS - geo->nat_bits_blocks)
		txn->has_nat_bits = false;
	pack->orphans = mem_zalloc(txn->vol->ctx, (size_t)(pack->orphan_blocks + SUMMARY_BLOCKS) << geo->block_bits);
	if (!pack->orphans)
		return F2FS_ERR_NOMEM;
	pack->blocks = pack->orphans + ((size_t)pack->orphan_blocks << geo->block_bits);
	put_orphans(txn, pack);
	return 0;
}

static int store(struct txn *txn, struct pack *pack)
{
	int err;

	txn->is_committing = true;
	err = txn->prepare ? txn->prepare(txn) : 0;
	if (!err)
		err = make_pack(txn, pack);
	if (!err)
		err = nodes_flush(txn);
	if (!err)
		err = settle_logs(txn);
	if (!err)
		err = heads_flush(txn);
	if (!err)
		err = nat_store(txn, pack->nat_journal);
	if (!err)
		err = sit_store(txn, pack->sit_journal);
	if (err)
		return err;
	put_data_summaries(txn, pack);
	put_node_summaries(txn, pack);
	put_checkpoint(txn, pack, txn->cp);
	return write_pack(txn, pack);
}

/* Read back what is in force now, as an opening would. */
static int reload(struct f2fs_volume *vol)
{
	txn_drop(vol);
	vol->owns_orphans = true;
	return volume_reload(vol);
}

int txn_commit(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = &vol->geo;
	struct txn *txn = vol->txn;
	struct pack pack = { 0 };
	int err;

	if (!txn)
		return 0;
	if (txn->failed)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a write failed before; the changes can only be dropped");
	txn->failed = true; /* until it is done, there is no way back into the transaction */
	pack.nat_journal = mem_zalloc(vol->ctx, (size_t)geo->journal_size * 2);
	err = pack.nat_journal ? 0 : F2FS_ERR_NOMEM;
	if (!err) {
		txn->failed = false;
		pack.sit_journal = pack.nat_journal + geo->journal_size;
		err = store(txn, &pack);
		txn->failed = true;
	}
	mem_free(vol->ctx, pack.orphans);
	mem_free(vol->ctx, pack.nat_journal);
	if (err)
		return err;
	discard_freed(txn);
	return reload(vol);
}
