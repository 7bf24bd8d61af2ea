/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's count of blocks in use: nothing is taken beyond what users may have, so that cleaning always has room
 * (FORMAT volume 4.2). And whether what was freed is needed: blocks that the last checkpoint has rest until the commit,
 * so that a long transaction may find no room on a volume that is not full.
 */
#include "base/bitmap.h"
#include "log/log.h"

#define LOOK_BLOCKS 64u /* freed between two looks at all segments */

int space_need(const struct txn *txn, uint64_t blocks)
{
	const uint64_t room = txn->user_blocks > txn->valid_blocks ? txn->user_blocks - txn->valid_blocks : 0;

	if (blocks <= room)
		return 0;
	return error_set(txn->vol->ctx, F2FS_ERR_NOSPC,
			 "the volume has no room for %llu more blocks: %llu of its %llu are free",
			 (unsigned long long)blocks, (unsigned long long)room, (unsigned long long)txn->user_blocks);
}

int space_take(struct txn *txn, uint64_t n)
{
	int err = space_need(txn, n);

	if (err)
		return err;
	txn->valid_blocks += n;
	txn->chain.taken += n;
	txn->vol->generation++;
	return 0;
}

void space_give(struct txn *txn, uint64_t n)
{
	txn->valid_blocks = n < txn->valid_blocks ? txn->valid_blocks - n : 0;
}

int block_free(struct txn *txn, f2fs_blk_t addr)
{
	if (addr == F2FS_NULL_ADDR)
		return 0;
	if (addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR) {
		int err;

		if (!geometry_is_main(&txn->vol->geo, addr))
			return volume_corrupt(txn->vol, RULE_NODE_ADDR, F2FS_NO_BLOCK, 0, "a block to be freed is %u",
					      (unsigned)addr);
		err = segment_mark(txn, addr, false);
		if (err)
			return err;
	}
	space_give(txn, 1);
	return 0;
}

/* Blocks that logs may take in partly used segments, of data and of nodes. */
static int count_holes(struct txn *txn, uint64_t *data, uint64_t *nodes)
{
	int err = segment_load_all(txn);

	*data = *nodes = 0;
	if (txn_is_zoned(txn) || txn->vol->geo.segment_count_ssa == 0)
		return 0; /* those are only appended to */
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main && !err; i++) {
		struct segment *s;
		unsigned used = 0;

		err = segment_get(txn, i, &s);
		if (err || segment_is_free(s) || s->is_barred)
			continue;
		for (unsigned b = 0; b < sizeof(s->cur); b++) {
			const uint8_t both = s->cur[b] | s->ckpt[b];

			used += bitmap_popcount(&both, 1);
		}
		*(s->type >= F2FS_HOT_NODE ? nodes : data) += F2FS_SEGMENT_BLOCKS - used;
	}
	return err;
}

int space_look(struct txn *txn, struct space_view *out)
{
	int err = count_holes(txn, &out->data_holes, &out->node_holes);

	out->free_sections = 0;
	for (uint32_t s = 0; s < txn->vol->geo.section_count && !err; s++) {
		bool is_free;

		err = segment_section_is_free(txn, s, &is_free);
		out->free_sections += !err && is_free;
	}
	return err;
}

int space_wants_commit(struct txn *txn, bool *wanted)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	uint64_t holes, node_holes;
	int err;

	*wanted = false;
	if (txn->freed < txn->freed_seen + LOOK_BLOCKS || txn->free_segments / sps > segment_commit_sections(txn) + 1)
		return 0;
	txn->freed_seen = txn->freed;
	/* nodes have the sections that data leaves to the commit */
	err = count_holes(txn, &holes, &node_holes);
	/* a commit takes some blocks itself: the more room there is the longer it can wait */
	*wanted = !err && (holes < 2 * SPACE_STEP_BLOCKS || txn->freed > holes / 2);
	return err;
}
