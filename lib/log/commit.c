/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one commit: makes everything since the last checkpoint true at once (FORMAT volume 8).
 *
 * Why a power cut at any write leaves the volume as before or as after: until the last step nothing is overwritten that
 * the checkpoint in force refers to. Data and nodes went to blocks that are free in its SIT; NAT and SIT changes go to
 * the copies that its version bitmaps do not select; an SSA block is written for a segment that was free, or keeps the
 * entries of all blocks that were valid; the pack goes to the other pack's place, without its last block. Then a flush
 * makes all that durable, and only then the last block of the pack is written, and flushed. Until that one is there,
 * whole, a reader takes the old pack (pack.c).
 *
 * All that only holds as long as nobody else writes. So the packs are read once more first: a commit on top of another
 * one's would destroy that.
 */
#include <string.h>

#include "device/device.h"
#include "log/commit.h"
#include "log/discard.h"
#include "log/filler.h"
#include "log/free_count.h"
#include "log/heads.h"
#include "log/nat_write.h"
#include "log/nodes.h"
#include "log/pack.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/sit_write.h"
#include "log/streams.h"
#include "log/txn.h"
#include "log/txn_state.h"
#include "volume/counters.h"
#include "volume/roots.h"

static uint32_t log_entries(const struct txn *txn, unsigned type)
{
	const struct head *head = &txn->heads[type];

	return !head->sums	       ? checkpoint_log_blkoff(txn->vol->view->cp, type)
	       : head->alloc_type == ALLOC_HOLES ? F2FS_SEGMENT_BLOCKS
				       : head->blkoff;
}

/* A checkpoint must not leave a log at offset 512: a log whose segment is full moves to the place of its next block. */
static int need_room_in_logs(struct txn *txn)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		int err = txn->heads[i].sums ? head_need_room(txn, i) : 0;

		if (err)
			return err;
	}
	return 0;
}

static void describe_logs(const struct txn *txn, struct pack *pack)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const struct head *head = &txn->heads[i];

		pack->logs[i] = (struct pack_log){ .segno = head->segno,
						   .blkoff = (uint16_t)head->blkoff,
						   .alloc_type = head->alloc_type,
						   .sums = head->sums,
						   .sum_count = F2FS_SEGMENT_BLOCKS,
						   .entries = log_entries(txn, i) };
	}
}

/* Give the checkpoint the layout of its new flags. The transaction changes its bitmaps no more. */
static int follow_flags(struct txn *txn, uint32_t flags)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const size_t size = (size_t)(1 + geo->cp_payload) << geo->block_bits;
	uint8_t *from;

	if (!((cp_ckpt_flags(txn->cp) ^ flags) & FLAG_ckpt_flags_large_nat_bitmap))
		return 0;
	from = mem_alloc(txn->vol->ctx, size);
	if (!from)
		return F2FS_ERR_NOMEM;
	memcpy(from, txn->cp, size);
	checkpoint_move_bitmaps(txn->cp, from, geo, (flags & FLAG_ckpt_flags_large_nat_bitmap) != 0);
	mem_free(txn->vol->ctx, from);
	return 0;
}

static int follow_form(struct txn *txn, struct pack *pack)
{
	const struct commit_form *form = txn->form;
	uint8_t *cp = txn->cp;

	pack->flags = (pack->flags | form->flags) & ~form->cleared;
	cp_set_free_segment_count(cp, (uint32_t)((int64_t)cp_free_segment_count(cp) + form->free_change));
	if (form->has_room) {
		cp_set_user_block_count(cp, form->user_blocks);
		cp_set_rsvd_segment_count(cp, form->reserved_segments);
		cp_set_overprov_segment_count(cp, form->overprovision_segments);
	}
	return follow_flags(txn, pack->flags);
}

/* Everything but the checkpoint pack is stored: fill in the pack. */
static int describe(struct txn *txn, struct pack *pack)
{
	/* numbers that a resize left stay so until it, or a repair, settles them */
	const bool settles = txn->is_derived || (txn->form && txn->form->has_room);
	const uint32_t keep = FLAG_ckpt_flags_large_nat_bitmap | FLAG_ckpt_flags_quota_need_fsck |
			      (txn->is_derived ? 0 : FLAG_ckpt_flags_fsck) |
			      (settles ? 0 : FLAG_ckpt_flags_resizefs);
	uint8_t *cp = txn->cp;

	pack->ctx = txn->vol->ctx;
	pack->geo = &txn->vol->geo;
	pack->vol = txn->vol;
	pack->cp = cp;
	pack->version = cp_checkpoint_ver(cp) + 1;
	pack->flags = (cp_ckpt_flags(cp) & keep) | FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_crc;
	pack->nat_maps = txn->has_nat_bits ? txn->nat_full : NULL;
	pack->orphans = txn->orphans.items;
	pack->orphan_count = txn->orphans.count;
	describe_logs(txn, pack);
	cp_set_elapsed_time(cp, txn->now);
	cp_set_free_segment_count(cp, free_count_committed(txn));
	cp_set_valid_block_count(cp, txn->valid_blocks);
	cp_set_valid_node_count(cp, txn->valid_nodes);
	cp_set_valid_inode_count(cp, txn->valid_inodes);
	cp_set_next_free_nid(cp, txn->nid_cursor);
	return txn->form ? follow_form(txn, pack) : 0;
}

/*
 * Write the last block of the pack and flush: the step that makes the commit permanent. When it fails, the device may
 * have the block, in a cache that can still be lost. The pack can only be ruled out when it reads as incomplete after a
 * write that failed. Otherwise uncertain_addr stays set, and the step is all that a further commit repeats.
 */
static int seal(struct txn *txn, f2fs_blk_t addr)
{
	struct f2fs_volume *vol = txn->vol;
	bool is_written = vol->uncertain_addr != 0;
	int err = volume_write(vol, F2FS_WRITE_PACK, (uint64_t)addr << vol->geo.block_bits, txn->cp,
			       vol->geo.block_size);

	if (err && !is_written)
		is_written = !volume_is_unfinished(vol);
	if (!err) {
		is_written = true;
		err = volume_flush(vol);
	}
	vol->uncertain_addr = err && is_written ? addr : 0;
	return err && is_written ? txn_uncertain_commit(vol, err) : err;
}

static int write_pack(struct txn *txn, struct pack *pack)
{
	struct f2fs_volume *vol = txn->vol;
	const f2fs_blk_t start = volume_pack_start(vol, 3 - vol->view->pack);
	int err = pack_build(pack);

	if (!err)
		err = pack_write(pack, vol->cache, start);
	if (!err)
		err = volume_flush(vol);
	return err ? err : seal(txn, pack_seal_addr(pack, start));
}

/* Write everything that waits in memory to places that the checkpoint in force does not use. */
static int store(struct txn *txn, uint8_t *nat_journal, uint8_t *sit_journal)
{
	int err;

	txn->is_committing = true;
	txn_tick(txn);
	err = txn->ops ? txn->ops->prepare(txn) : 0;
	/* the orphans are known now; nat_bits are dropped if both do not fit into the pack */
	if (!pack_holds_maps(&txn->vol->geo, txn->orphans.count))
		txn->has_nat_bits = false;
	if (!err)
		err = nodes_flush(txn);
	if (!err)
		err = fillers_close(txn);
	if (!err)
		err = need_room_in_logs(txn);
	if (!err)
		err = heads_flush(txn);
	if (!err)
		err = nat_store(txn, nat_journal);
	return err ? err : sit_store(txn, sit_journal);
}

/* Read back the state in force, as opening would. */
static int reload(struct f2fs_volume *vol)
{
	vol->txn->is_done = true;
	txn_drop(vol);
	vol->files.owns_orphans = true;
	return volume_reload(vol);
}

/* The commit is permanent: continue from it. */
static int finish(struct txn *txn)
{
	txn->vol->counters.commits++;
	discard_freed(txn);
	streams_settle(txn->vol);
	return reload(txn->vol);
}

int txn_commit(struct f2fs_volume *vol)
{
	return txn_commit_as(vol, NULL);
}

int txn_commit_as(struct f2fs_volume *vol, const struct commit_form *form)
{
	const struct f2fs_geometry *geo = &vol->geo;
	struct txn *txn = vol->txn;
	struct pack pack = { 0 };
	uint8_t *journals;
	int err;

	if (!txn && vol->uncertain_addr)
		return txn_uncertain_commit(vol, 0);
	if (!txn)
		return 0;
	if (vol->uncertain_addr) {
		err = seal(txn, vol->uncertain_addr);
		return err ? err : finish(txn);
	}
	err = txn_need_sound(txn);
	if (!err)
		err = volume_check_roots(vol);
	if (err)
		return err;
	txn->form = form;
	txn->failed = true; /* until it is done, there is no way back into the transaction */
	journals = mem_zalloc(vol->ctx, (size_t)geo->journal_size * 2);
	if (!journals)
		return F2FS_ERR_NOMEM;
	txn->failed = false;
	err = store(txn, journals, journals + geo->journal_size);
	txn->failed = true;
	if (!err) {
		pack.nat_journal = journals;
		pack.sit_journal = journals + geo->journal_size;
		err = describe(txn, &pack);
		if (!err)
			err = write_pack(txn, &pack);
		pack_free(&pack);
	}
	mem_free(vol->ctx, journals);
	if (err) {
		txn_fail(txn);
		volume_note_unfinished(vol);
		return err;
	}
	return finish(txn);
}

/* Make the last block of the pack one of no checkpoint, so that a reader takes the other pack. */
static void withdraw(struct f2fs_volume *vol)
{
	uint8_t *block = mem_zalloc(vol->ctx, vol->geo.block_size);
	int err;

	if (!block)
		return;
	cp_set_checksum_offset(block, cp_checksum_offset(vol->view->cp)); /* a wrong checksum, as a torn block has */
	err = volume_write(vol, F2FS_WRITE_PACK, (uint64_t)vol->uncertain_addr << vol->geo.block_bits, block,
			   vol->geo.block_size);
	if (!err)
		err = volume_flush(vol);
	mem_free(vol->ctx, block);
	if (err)
		return;
	vol->uncertain_addr = 0;
	volume_note_unfinished(vol);
}

void txn_roll_back(struct f2fs_volume *vol)
{
	const struct f2fs_error_detail detail = vol->ctx->error;

	if (vol->uncertain_addr)
		withdraw(vol);
	txn_drop(vol);
	vol->ctx->error = detail;
}
