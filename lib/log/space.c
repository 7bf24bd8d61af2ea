/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's count of blocks in use: users never get more than their share, so that GC always has room (FORMAT
 * volume 4.2). Also decide whether freed blocks are needed: blocks of the last checkpoint stay in use until the commit,
 * so a long transaction may find no room on a volume that is not full.
 */
#include <f2fskit/gc.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "log/free_sections.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "log/zoned_logs.h"
#include "volume/block_read.h"

#define LOOK_BLOCKS 64u	   /* freed between two looks at all segments */
#define LEAST_FOR_GC 4u	   /* free sections that GC of one section may take: for data and three logs of nodes */
#define MOST_TO_WIN 4u	   /* free sections that GC wins besides those that a change needs, */
#define WINNABLE_EACH 4u   /* one for this many winnable ones */

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
		if (placement_of(txn->vol) && placement_of(txn->vol)->freed)
			placement_of(txn->vol)->freed(placement_of(txn->vol)->user, addr);
	}
	space_give(txn, 1);
	return 0;
}

/* Count the holes in partly used segments, of data and of nodes. with_logs: count the logs' own segments, too, although
 * other logs cannot use these. */
static int count_holes(struct txn *txn, bool with_logs, uint64_t *data, uint64_t *nodes)
{
	int err = segment_load_all(txn);

	*data = *nodes = 0;
	if (txn_is_zoned(txn) || txn->lacks_ssa)
		return 0; /* those are only appended to */
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main && !err; i++) {
		struct segment *s;
		unsigned used = 0;

		err = segment_get(txn, i, &s);
		if (err || segment_is_free(s) || s->is_barred ||
		    (!with_logs && (segment_is_current(txn, i) || stream_is_in(txn->vol, i))))
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
	int err = count_holes(txn, false, &out->data_holes, &out->node_holes);

	out->free_sections = 0;
	return err ? err : sections_count_free(txn, UINT32_MAX, &out->free_sections);
}

/* Return the segments that blocks need after their log's present one, or after the next one when that is full. */
static uint32_t segments_beyond(const struct txn *txn, unsigned type, size_t blocks)
{
	uint32_t room = F2FS_SEGMENT_BLOCKS - txn->heads[type].blkoff;

	if (room == 0)
		room = F2FS_SEGMENT_BLOCKS;
	return blocks < room ? 0 : (uint32_t)((blocks - room) / F2FS_SEGMENT_BLOCKS) + 1;
}

size_t space_to_come(const struct txn *txn)
{
	return (txn->is_flushing ? 0 : txn->waiting_blocks) + txn->dirty_count;
}

uint32_t space_reserved_sections(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;

	return (cp_rsvd_segment_count(txn->vol->view->cp) + sps - 1) / sps;
}

uint32_t segment_commit_sections(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const size_t blocks = space_to_come(txn);

	if (txn->lacks_ssa)
		return (segments_beyond(txn, F2FS_HOT_NODE, txn->dirty_count) +
			segments_beyond(txn, F2FS_HOT_DATA, txn->waiting_blocks) + sps - 1) /
		       sps;
	/* each log may need a section to end in */
	return (uint32_t)((blocks / F2FS_SEGMENT_BLOCKS + sps) / sps) + F2FS_LOG_COUNT;
}

uint32_t segment_kept_sections(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec, kept = segment_commit_sections(txn),
		       reserved = cp_rsvd_segment_count(txn->vol->view->cp) / sps;

	/* GC has no holes to fill either: it needs its reserve */
	if (!txn->is_flushing && txn->vol->write.logging == F2FS_LOGGING_NORMAL && kept < reserved)
		return space_kept_sections(txn, reserved);
	return kept;
}

uint32_t space_kept_sections(const struct txn *txn, uint32_t reserved)
{
	const struct f2fs_volume *vol = txn->vol;
	const uint32_t least = segment_commit_sections(txn) + LEAST_FOR_GC;

	return vol->ops.reclaim && vol->gc.freed_ever < vol->gc.retry_at && least < reserved ? least : reserved;
}

/* With fewer free sections than that, data may find none: those that are kept from it, and one that the change begins.
 */
static uint32_t least_sections(const struct txn *txn)
{
	const uint32_t section_blocks = txn->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;

	if (!txn_is_zoned(txn) && !txn->vol->gc.options->like_kernel &&
	    txn->vol->write.logging != F2FS_LOGGING_NORMAL)
		return segment_commit_sections(txn) + 1;
	return space_reserved_sections(txn) + (uint32_t)(space_to_come(txn) / section_blocks) + 2;
}

bool space_lets_wait(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const uint64_t reserved = txn_is_zoned(txn) ? space_reserved_sections(txn) : 0,
		       needed = segment_kept_sections(txn) + reserved + 2;

	/* free segments may be in sections that are in use */
	return txn->free_segments / sps > (sps > 1 ? 2 : 1) * needed;
}

/* Count the sections that packing the valid blocks would win. */
static uint32_t count_winnable(struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint64_t unused[2] = { 0, 0 }; /* of data, of nodes */

	for (f2fs_seg_t i = 0; i < geo->segment_count_main; i++) {
		struct segment *s;

		if (segment_get(txn, i, &s) != 0)
			return 0;
		if (s->valid > 0 && !segment_is_current(txn, i))
			unused[s->type >= F2FS_HOT_NODE] += F2FS_SEGMENT_BLOCKS - s->valid;
	}
	return (uint32_t)(unused[0] / F2FS_SEGMENT_BLOCKS / geo->segs_per_sec +
			  unused[1] / F2FS_SEGMENT_BLOCKS / geo->segs_per_sec);
}

/* Return the free sections that GC wins beyond those that a change needs. Space kept free is missing in the used
 * sections, so each of these has more blocks to move. Where little is unused it wins few sections, and more often. */
static uint32_t sections_to_win(struct txn *txn)
{
	const uint32_t set = txn->vol->gc.options->free_goal, share = set ? 0 : count_winnable(txn) / WINNABLE_EACH;

	if (set)
		return set;
	return share < 1 ? 1 : share < MOST_TO_WIN ? share : MOST_TO_WIN;
}

/*
 * Are clearly more than `least` sections free? Streams leave many free segments in sections that are in use. So on a
 * zoned volume with a placement the sections are counted, each time that the number of free segments changes. Some
 * more are counted than are needed now, as blocks that wait will need more.
 */
static int has_plenty(struct txn *txn, uint32_t least, bool *plenty)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	int err;

	*plenty = txn->free_segments / sps > (sps > 1 ? 2 : 1) * (uint64_t)least;
	if (!*plenty || !txn_is_zoned(txn) || sps == 1 || !txn->vol->streams)
		return 0;
	if (txn->looked_segments != txn->free_segments ||
	    (txn->looked_sections > txn->looked_most && txn->looked_sections <= least)) {
		txn->looked_most = 2 * least;
		err = sections_count_free(txn, txn->looked_most, &txn->looked_sections);
		if (err)
			return err;
		txn->looked_segments = txn->free_segments;
	}
	*plenty = txn->looked_sections > least;
	return 0;
}

int space_wants_cleaning(struct txn *txn, uint32_t more, uint32_t *enough, uint32_t *goal)
{
	const struct f2fs_volume *vol = txn->vol;
	const uint32_t least = least_sections(txn) + more;
	const bool fills_holes = vol->write.logging != F2FS_LOGGING_NORMAL && !txn_is_zoned(txn) &&
				 !vol->gc.options->like_kernel && more == 0;
	struct space_view view;
	bool plenty;
	int err = has_plenty(txn, least, &plenty);

	*goal = 0;
	*enough = least + 1;
	if (err)
		return err;
	/* free segments may be in sections that are in use */
	if (plenty ||
	    (more == 0 && vol->gc.freed_ever < vol->gc.retry_at) ||
	    txn->lacks_ssa)
		return 0;
	err = space_look(txn, &view);
	if (err || view.free_sections > least ||
	    (fills_holes && view.data_holes >= 2 * SPACE_STEP_BLOCKS && view.node_holes >= SPACE_STEP_BLOCKS))
		return err;
	*goal = least + sections_to_win(txn);
	return 0;
}

int space_explain(struct txn *txn)
{
	struct f2fs_context *ctx = txn->vol->ctx;
	struct f2fs_error_detail detail = ctx->error;
	/* what GC said some time ago may be true no more */
	const bool is_told = txn->vol->gc.note[0] && txn->vol->gc.freed_ever < txn->vol->gc.retry_at;
	const uint32_t sections = is_told ? 0 : count_winnable(txn);

	ctx->error = detail;
	if (is_told)
		error_append(ctx, "; %s", txn->vol->gc.note);
	else if (sections > 0)
		error_append(ctx, "; GC could free up to %u sections, but %s", (unsigned)sections,
			     !txn->vol->ops.reclaim ? "is not done by itself here (f2fs_volume_set_gc)"
			     : txn->vol->write.commit_when_full
				     ? "it can only work between two changes, and this one is too large"
				     : "would commit earlier changes, which is not allowed (commit_when_full)");
	return F2FS_ERR_NOSPC;
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
	err = count_holes(txn, true, &holes, &node_holes);
	/* a commit takes blocks itself, so the more room there is, the longer it can wait */
	*wanted = !err && (holes < 2 * SPACE_STEP_BLOCKS || txn->freed > holes / 2);
	return err;
}
