/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start and drop a transaction, and show the read side its state while it runs.
 */
#include "log/run.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "format/evidence.h"
#include "log/adopt.h"
#include "log/chain.h"
#include "log/derive.h"
#include "log/filler.h"
#include "log/free_count.h"
#include "log/heads.h"
#include "log/heads_renew.h"
#include "log/holes.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/txn.h"
#include "log/write_behind.h"
#include "log/zoned_logs.h"
#include "volume/counters.h"
#include "volume/heads_read.h"
#include "volume/newest_pack.h"
#include "volume/roots.h"
#include "volume/zone_map.h"

/* The read side asks here first: NAT entries and nodes of the running transaction. */
static bool find_nat(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	return nat_changes_find(&vol->txn->nat, nid, out);
}

static const uint8_t *find_node(const struct f2fs_volume *vol, f2fs_nid_t nid)
{
	uint64_t *slot = map32_find(&vol->txn->nodes, nid);

	return slot ? ((const struct node *)(uintptr_t)*slot)->block : NULL;
}

/* Blocks that still wait in a log are written before they are read. */
static int write_out(struct f2fs_volume *vol, f2fs_blk_t addr, uint64_t count)
{
	int err;

	if ((uint64_t)addr + count <= vol->geo.main_blkaddr) /* tables do not wait */
		return 0;
	err = heads_write_out(vol->txn, addr, count);
	if (!err)
		err = fillers_write_out(vol->txn, addr, count);
	return err ? err : behind_wait(vol->txn, addr, count);
}

static const uint8_t *find_waiting(const struct f2fs_volume *vol, f2fs_blk_t addr)
{
	const uint8_t *block = heads_find(vol->txn, addr);

	return block ? block : fillers_find(vol->txn, addr);
}

static void count_use(const struct f2fs_volume *vol, struct volume_counts *out)
{
	const struct txn *txn = vol->txn;

	out->user_blocks = txn->user_blocks;
	out->valid_blocks = txn->valid_blocks;
	out->valid_nodes = txn->valid_nodes;
	out->valid_inodes = txn->valid_inodes;
	out->free_segments = txn->free_segments;
}

static const struct volume_running running = { .find_nat = find_nat,
					   .find_node = find_node,
					   .write_out = write_out,
					   .find_waiting = find_waiting,
					   .count = count_use,
					   .drop = txn_drop };

/* What does it, of the programs: not all of them have that option. */
#define RECOVERS "(fsck.f2fs -y, or --recover of f2fs -w, sload.f2fs and resize.f2fs)"

/* Is there something that has to be finished before the volume can be changed? */
static int check_finished(struct f2fs_volume *vol)
{
	uint64_t pending;
	int err;

	if (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_disabled)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "checkpointing is disabled on this volume: recovering it " RECOVERS " enables it");
	if (vol->view->orphans.count > 0 && !vol->files.owns_orphans)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "%u orphan inodes wait for recovery: recover the volume first " RECOVERS,
				 (unsigned)vol->view->orphans.count);
	err = volume_pending(vol, &pending);
	if (err)
		return err;
	if (pending > 0)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "%llu fsynced nodes wait for recovery: recover the volume first " RECOVERS,
				 (unsigned long long)pending);
	return 0;
}

/* May this volume be written, as it is? */
static int check_state(struct f2fs_volume *vol)
{
	const uint32_t flags = cp_ckpt_flags(vol->view->cp);
	int err;

	if (vol->as_of)
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "a view of an earlier checkpoint cannot be changed");
	if (vol->is_view)
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the recovered view of a volume cannot be changed");
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_WRITE))
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the device was opened read-only");
	if (vol->rescue)
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "a volume opened for rescue cannot be written");
	if (vol->uncertain_addr)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "whether the last commit is permanent is not known: roll it back, or open again");
	if (vol->is_outdated)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "the last commit could not be read back: open the volume again first");
	err = volume_check_roots(vol);
	if (!err)
		err = volume_check_newest(vol);
	if (err)
		return err;
	if (flags & FLAG_ckpt_flags_error)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "the checkpoint carries the error flag: check the volume first");
	if (vol->is_doubted)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "the two superblocks say different things: check the volume first");
	if (vol->geo.feature & ~FEATURES_KNOWN)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "the volume has features that are not known (bits 0x%x): it can only be read",
				 (unsigned)(vol->geo.feature & ~FEATURES_KNOWN));
	return zones_check_fit(vol);
}

/* nat_bits are kept only when the pack has valid ones: the head says so (FORMAT volume 4.8). */
static int load_nat_bits(struct txn *txn)
{
	struct f2fs_volume *vol = txn->vol;
	const uint32_t bits = vol->geo.block_bits, bytes = vol->geo.nat_blocks / 8;
	f2fs_blk_t at = volume_pack_in_use(vol) + F2FS_SEGMENT_BLOCKS - vol->geo.nat_bits_blocks;
	uint8_t head[8];
	int err;

	if (!(cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_nat_bits))
		return 0;
	err = device_read(vol->dev, (uint64_t)at << bits, head, sizeof(head));
	if (err)
		return err;
	if (get_le64(head) != (cp_checkpoint_ver(vol->view->cp) | (uint64_t)checkpoint_stored_crc(vol->view->cp) << 32))
		return 0;
	txn->nat_full = mem_alloc(vol->ctx, (size_t)bytes * 2);
	if (!txn->nat_full)
		return F2FS_ERR_NOMEM;
	txn->nat_empty = txn->nat_full + bytes;
	txn->has_nat_bits = true;
	return device_read(vol->dev, ((uint64_t)at << bits) + 8, txn->nat_full, (size_t)bytes * 2);
}

static int copy_checkpoint(struct txn *txn)
{
	const struct f2fs_volume *vol = txn->vol;
	size_t size = (size_t)(1 + vol->geo.cp_payload) << vol->geo.block_bits;

	txn->cp = mem_alloc(vol->ctx, size);
	txn->scratch = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!txn->cp || !txn->scratch)
		return F2FS_ERR_NOMEM;
	memcpy(txn->cp, vol->view->cp, size);
	txn->sit_bitmap = txn->cp + (vol->view->sit_bitmap - vol->view->cp);
	txn->nat_bitmap = txn->cp + (vol->view->nat_bitmap - vol->view->cp);
	return 0;
}

/* A resize that was stopped has left the count of another size in the checkpoint. */
static int count_free(struct txn *txn)
{
	struct sit_usage usage;
	int err;

	if (!(cp_ckpt_flags(txn->vol->view->cp) & FLAG_ckpt_flags_resizefs))
		return 0;
	err = sit_usage_count(txn->vol, &usage);
	if (!err)
		txn->free_before = usage.free_segments;
	return err;
}

static int fill(struct txn *txn, const struct txn_truth *truth)
{
	const uint8_t *cp = txn->vol->view->cp;
	int err = 0;

	txn->free_before = cp_free_segment_count(cp);
	if (!truth)
		err = sit_usage_check(txn->vol);
	if (!err && !truth)
		err = count_free(txn);
	if (err)
		return err;
	txn->user_blocks = cp_user_block_count(cp);
	txn->valid_blocks = cp_valid_block_count(cp);
	txn->valid_nodes = cp_valid_node_count(cp);
	txn->valid_inodes = cp_valid_inode_count(cp);
	txn->free_segments = (uint32_t)sub_or_zero(txn->free_before, txn->vol->barred.free);
	txn->nid_cursor = cp_next_free_nid(cp);
	txn->log_count = txn->vol->write.logs ? txn->vol->write.logs : F2FS_LOG_COUNT;
	txn->chunks = mem_calloc(txn->vol->ctx, txn->vol->geo.sit_blocks_used, sizeof(struct segment *));
	if (!txn->chunks)
		return F2FS_ERR_NOMEM;
	err = copy_checkpoint(txn);
	if (err)
		return err;
	if (truth)
		return derive_fill(txn, truth);
	if (txn->vol->files.owns_orphans)
		err = vec_append(&txn->orphans, &txn->vol->view->orphans);
	if (!err)
		err = heads_begin(txn);
	if (!err)
		chain_begin(txn);
	return err ? err : load_nat_bits(txn);
}

static int begin(struct f2fs_volume *vol, const struct txn_ops *ops, const struct txn_truth *truth, bool renews)
{
	struct txn *txn;
	int err = volume_flush_once(vol);

	if (err)
		return err;
	txn = mem_zalloc(vol->ctx, sizeof(*txn));
	if (!txn)
		return F2FS_ERR_NOMEM;
	txn->vol = vol;
	txn->ops = ops;
	txn->lacks_ssa = volume_lacks_ssa(vol);
	txn_tick(txn);
	map32_init(&txn->nodes, vol->ctx);
	nat_changes_init(&txn->nat, vol->ctx);
	map32_init(&txn->chain.inodes, vol->ctx);
	map32_init(&txn->chain.unmarked, vol->ctx);
	map32_init(&txn->chain.sizes, vol->ctx);
	map32_init(&txn->adopted, vol->ctx);
	map32_init(&txn->stream_users, vol->ctx);
	vec_init(&txn->orphans, vol->ctx, sizeof(f2fs_nid_t));
	vol->txn = txn;
	err = ops ? ops->start(txn) : 0;
	if (!err)
		err = fill(txn, truth);
	if (!err && renews && txn_is_zoned(txn))
		err = heads_renew(txn);
	if (!err && renews && txn_is_zoned(txn))
		err = sections_tidy(txn);
	if (err) {
		struct f2fs_error_detail detail = vol->ctx->error;

		txn_drop(vol);
		vol->ctx->error = detail;
		return err;
	}
	vol->ops.running = &running;
	txn->begun = vol->generation;
	return 0;
}

/* Has the feature ro been turned on? The logs stay where they are until it is off. */
static int check_unlocked(struct f2fs_volume *vol)
{
	return volume_is_locked(vol) ? error_set(vol->ctx, F2FS_ERR_READ_ONLY,
						 "the feature ro was turned on: turn it off before changes (-O ^ro of "
						 "tune.f2fs, or f2fs feature -ro)") :
				       0;
}

int txn_begin(struct f2fs_volume *vol, const struct txn_ops *ops)
{
	int err = vol->txn ? 0 : check_unlocked(vol);

	return err ? err : txn_begin_locked(vol, ops);
}

int txn_begin_locked(struct f2fs_volume *vol, const struct txn_ops *ops)
{
	int err;

	if (vol->txn)
		return 0;
	if (vol->gc.is_choosing)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a GC policy must not change the volume");
	err = check_state(vol);
	if (!err)
		err = check_finished(vol);
	return err ? err : begin(vol, ops, NULL, true);
}

int txn_begin_recovery(struct f2fs_volume *vol, const struct txn_ops *ops)
{
	int err;

	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	err = check_unlocked(vol);
	if (!err)
		err = check_state(vol);
	/* the places of the logs are known once recovery's kept blocks are (heads_pass_kept) */
	return err ? err : begin(vol, ops, NULL, false);
}

int txn_begin_from(struct f2fs_volume *vol, const struct txn_ops *ops, const struct txn_truth *truth)
{
	int err;

	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a transaction is running");
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_WRITE))
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the device was opened read-only");
	if (geometry_has(&vol->geo, F2FS_FEAT_RO))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "repairing read-only volumes is not supported");
	err = volume_check_roots(vol);
	if (!err)
		err = zones_check_fit(vol);
	return err ? err : begin(vol, ops, truth, false);
}

void txn_drop(struct f2fs_volume *vol)
{
	struct txn *txn = vol->txn;

	if (!txn)
		return;
	if (txn_is_zoned(txn) && !txn->is_done && vol->generation != txn->begun) {
		vol->zones.is_tidy = false;
		vol->is_flushed = false; /* write pointers are read next */
	}
	if (txn->is_done)
		marks_remove(&vol->dropped, &vol->written);
	else
		marks_join(&vol->dropped, &vol->written);
	marks_fini(&vol->written);
	if (txn->ops)
		txn->ops->forget(txn);
	map32_fini(&txn->chain.inodes);
	map32_fini(&txn->chain.unmarked);
	map32_fini(&txn->chain.sizes);
	adopted_end(txn);
	nodes_end(txn);
	fillers_forget(txn);
	heads_end(txn);
	holes_end(txn);
	nat_changes_fini(&txn->nat);
	map32_fini(&txn->stream_users);
	vec_fini(&txn->orphans);
	for (uint32_t k = 0; txn->chunks && k < vol->geo.sit_blocks_used; k++)
		mem_free(vol->ctx, txn->chunks[k]);
	mem_free(vol->ctx, txn->chunks);
	mem_free(vol->ctx, txn->nat_full);
	mem_free(vol->ctx, txn->cp);
	mem_free(vol->ctx, txn->scratch);
	mem_free(vol->ctx, txn);
	vol->txn = NULL;
	vol->ops.running = NULL;
	vol->generation++;
}
