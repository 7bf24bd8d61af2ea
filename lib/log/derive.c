/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A transaction built on the facts that a check found about a volume, not on its SIT, NAT and counters: for repair.
 *
 * Why it is as safe as any other: blocks to which the checkpoint in force leads must not be overwritten before the
 * commit. These are blocks that its SIT marks valid or that nodes refer to; a block is handed out only when it is
 * neither. A SIT entry that contradicts itself (the count differs from the bits) is ignored, and only the nodes count.
 * If that leaves too little room, blocks are handed out that the SIT has in use but no node refers to; on the volume as
 * it was they belonged to nothing. The logs continue in free segments, so faults of the old ones do not matter; the
 * summaries of the old ones, which only the pack had, are written to the SSA by the caller. NAT and SIT go to their
 * idle copies, the pack to the idle place, as in every commit.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "format/overprovision.h"
#include "log/chain.h"
#include "log/derive.h"
#include "log/free_count.h"
#include "log/heads_renew.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/zoned_logs.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"
#include "volume/zone_map.h"

/* With fewer free segments than that, besides those of the logs, blocks that only the SIT marks valid are handed out,
 * too. */
#define WANTED_FREE 8u

static void load_segment(struct txn *txn, const struct txn_truth *truth, f2fs_seg_t segno, struct segment *s)
{
	struct f2fs_segment_info entry;
	bool sane = sit_lookup(txn->vol, segno, &entry) == 0 && entry.type < F2FS_LOG_COUNT &&
		    bitmap_popcount(entry.valid_map, sizeof(entry.valid_map)) == entry.valid_blocks;

	s->type = sane ? entry.type : F2FS_WARM_DATA;
	s->mtime = sane ? entry.mtime : txn->now;
	truth->segment(truth->user, segno, s->cur, &s->type);
	s->valid = (uint16_t)bitmap_popcount(s->cur, sizeof(s->cur));
	memcpy(s->ckpt, s->cur, sizeof(s->ckpt));
	s->is_dirty = !sane || entry.type != s->type || memcmp(s->cur, entry.valid_map, sizeof(s->cur)) != 0;
	for (size_t i = 0; sane && i < sizeof(s->ckpt); i++)
		s->ckpt[i] |= entry.valid_map[i];
	s->ckpt_valid = (uint16_t)bitmap_popcount(s->ckpt, sizeof(s->ckpt));
	s->was_free = segment_is_free(s);
}

static struct segment *segment_at(struct txn *txn, f2fs_seg_t segno)
{
	return &txn->chunks[segno / txn->vol->geo.sit_per_block][segno % txn->vol->geo.sit_per_block];
}

static int load_segments(struct txn *txn, const struct txn_truth *truth)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	for (uint32_t k = 0; k < geo->sit_blocks_used; k++) {
		txn->chunks[k] = mem_calloc(txn->vol->ctx, geo->sit_per_block, sizeof(struct segment));
		if (!txn->chunks[k])
			return F2FS_ERR_NOMEM;
	}
	for (f2fs_seg_t i = 0; i < geo->segment_count_main; i++)
		load_segment(txn, truth, i, segment_at(txn, i));
	for (f2fs_seg_t i = txn->vol->barred.first; i < txn->vol->barred.end; i++)
		segment_at(txn, i)->is_barred = true;
	txn->all_loaded = true;
	return 0;
}

/* Free the blocks that the SIT marks valid but no node refers to. */
static void give_up_strays(struct txn *txn)
{
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++) {
		struct segment *s = segment_at(txn, i);

		memcpy(s->ckpt, s->cur, sizeof(s->ckpt));
		s->ckpt_valid = s->valid;
	}
}

/* Find a free segment, in a free section if possible; on a zoned volume only there. */
static bool find_segment(struct txn *txn, f2fs_seg_t *out)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	for (unsigned whole = 2; whole-- > (txn_is_zoned(txn) ? 1u : 0u);)
		for (f2fs_seg_t i = 0; i < geo->segment_count_main; i += whole ? geo->segs_per_sec : 1) {
			bool fits = true;

			for (uint32_t k = 0; k < (whole ? geo->segs_per_sec : 1) && fits; k++)
				fits = i + k < geo->segment_count_main && segment_is_free(segment_at(txn, i + k)) &&
				       !segment_at(txn, i + k)->is_barred && !segment_is_current(txn, i + k);
			if (fits) {
				*out = i;
				return true;
			}
		}
	return false;
}

/* Can the log continue at its place in the checkpoint? */
static bool is_usable_log(struct txn *txn, unsigned type, const struct f2fs_log_head *at)
{
	const struct segment *s;

	if (at->segno >= txn->vol->geo.segment_count_main || at->blkoff >= F2FS_SEGMENT_BLOCKS ||
	    at->alloc_type > ALLOC_HOLES || segment_is_current(txn, at->segno))
		return false;
	s = segment_at(txn, at->segno);
	if (s->is_barred)
		return false;
	if (s->valid > 0 && (s->type >= F2FS_HOT_NODE) != (type >= F2FS_HOT_NODE))
		return false;
	for (uint32_t i = at->blkoff; i < (at->alloc_type == ALLOC_HOLES ? at->blkoff + 1u : F2FS_SEGMENT_BLOCKS); i++)
		if (msb_test(s->cur, i) || msb_test(s->ckpt, i))
			return false;
	return true;
}

/* Find the segment with the most holes among those that the log may fill. */
static bool find_holes(struct txn *txn, unsigned type, struct f2fs_log_head *at)
{
	uint32_t most = 0;

	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main && !txn_is_zoned(txn); i++) {
		const struct segment *s = segment_at(txn, i);
		uint32_t holes = 0, first = 0;

		if (s->is_barred || segment_is_current(txn, i) ||
		    (s->type >= F2FS_HOT_NODE) != (type >= F2FS_HOT_NODE))
			continue;
		for (uint32_t k = F2FS_SEGMENT_BLOCKS; k-- > 0;)
			if (!msb_test(s->cur, k) && !msb_test(s->ckpt, k)) {
				holes++;
				first = k;
			}
		if (holes <= most)
			continue;
		most = holes;
		*at = (struct f2fs_log_head){ .segno = i, .blkoff = (uint16_t)first, .alloc_type = ALLOC_HOLES };
	}
	return most > 0;
}

static int place_log(struct txn *txn, unsigned type)
{
	struct f2fs_volume *vol = txn->vol;
	struct f2fs_log_head at;
	struct segment *s;
	uint8_t entry_type, *sums = mem_zalloc(vol->ctx, vol->geo.sum_size);
	f2fs_seg_t segno = 0;
	int source, err = 0;

	if (!sums)
		return F2FS_ERR_NOMEM;
	f2fs_volume_log(vol, type, &at);
	if (find_segment(txn, &segno)) {
		at.segno = segno;
		at.blkoff = 0;
		at.alloc_type = ALLOC_APPEND;
	} else if (is_usable_log(txn, type, &at) || find_holes(txn, type, &at)) {
		err = ssa_read(vol, at.segno, sums, &entry_type, &source);
	} else {
		err = error_set(vol->ctx, F2FS_ERR_NOSPC, "no segment is free for %s", f2fs_log_type_name(type));
	}
	if (err) {
		mem_free(vol->ctx, sums);
		return err;
	}
	txn->heads[type].sums = sums;
	txn->heads[type].segno = at.segno;
	txn->heads[type].blkoff = at.blkoff;
	txn->heads[type].alloc_type = at.alloc_type;
	s = segment_at(txn, at.segno);
	s->type = (uint8_t)type;
	s->is_dirty = true;
	return 0;
}

/* The maps of full and empty NAT blocks, kept up to date as entries are stored. */
static int make_nat_bits(struct txn *txn, const struct txn_truth *truth)
{
	const uint32_t bytes = txn->vol->geo.nat_blocks / 8;

	if (!truth->nat_maps || !(cp_ckpt_flags(txn->vol->view->cp) & FLAG_ckpt_flags_nat_bits))
		return 0;
	txn->nat_full = mem_alloc(txn->vol->ctx, (size_t)bytes * 2);
	if (!txn->nat_full)
		return F2FS_ERR_NOMEM;
	memcpy(txn->nat_full, truth->nat_maps, (size_t)bytes * 2);
	txn->nat_empty = txn->nat_full + bytes;
	txn->has_nat_bits = true;
	return 0;
}

/* More blocks are in use than users may have, so that number is wrong, and no checkpoint may say so: take that of a new
 * volume, or as many as there are. */
static void make_user_room(struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const struct overprovision_input in = { .section_blocks = zones_section_blocks(txn->vol),
						.main = geo->segment_count_main,
						.sections = geo->section_count,
						.segs_per_sec = geo->segs_per_sec,
						.is_ro = geometry_has(geo, F2FS_FEAT_RO) };
	struct overprovision_output out = { .user_blocks = 0 };

	if (txn->valid_blocks <= txn->user_blocks)
		return;
	txn->user_blocks = txn->valid_blocks;
	if (overprovision_compute(&in, &out) && out.user_blocks > txn->valid_blocks) {
		txn->user_blocks = out.user_blocks;
		cp_set_rsvd_segment_count(txn->cp, out.reserved);
		cp_set_overprov_segment_count(txn->cp, out.overprovision);
	}
	cp_set_user_block_count(txn->cp, txn->user_blocks);
}

int derive_fill(struct txn *txn, const struct txn_truth *truth)
{
	int err = load_segments(txn, truth);

	txn->is_derived = true;
	txn->nat_is_whole = truth->nat_is_whole;
	txn->valid_blocks = truth->valid_blocks;
	txn->valid_nodes = truth->valid_nodes;
	txn->valid_inodes = truth->valid_inodes;
	make_user_room(txn);
	if (err)
		return err;
	if (free_count_derived(txn) < F2FS_LOG_COUNT + WANTED_FREE)
		give_up_strays(txn);
	if (truth->keep)
		err = truth->keep->keep(truth->keep->user, txn);
	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++)
		err = place_log(txn, i);
	txn->free_segments = free_count_derived(txn);
	chain_begin(txn);
	if (!err && txn_is_zoned(txn))
		err = heads_renew(txn);
	return err ? err : make_nat_bits(txn, truth);
}
