/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide whether an old block pointer still leads to its data. If the SIT marks the block valid, it belongs to the
 * owner in its summary. If it is free, the summary names the last writer, because a summary survives until its segment
 * is filled again. Where a log is in the segment, the summary on the device is of the round before, and holds for
 * blocks that the log has not reached yet.
 *
 * A free block that is blank was probably discarded: it proves nothing, whoever wrote it last. Only a digest of the
 * file can say that zeros are its contents (past_digest()). Where the file's map has no block, zeros are right, and
 * nobody asks here.
 */
#include "forensics/past.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "forensics/blank.h"
#include "forensics/fate.h"
#include "volume/beside.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"
#include "volume/nat_read.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"

/* Load the summaries stored on the device for a segment, whatever logs say. */
static int load_stored(struct f2fs_past *past, f2fs_seg_t segno, uint8_t *entries, uint8_t *type)
{
	struct f2fs_volume *vol = past->vol;
	const uint8_t *block;
	uint32_t offset;
	int err = volume_peek(vol, geometry_ssa_block(&vol->geo, segno, &offset), &block);

	if (err)
		return err;
	memcpy(entries, block + offset, SUMMARY_BYTES);
	*type = sumfoot_entry_type(summary_footer_of(&vol->geo, block + offset));
	return 0;
}

/* From which offset on has no log written in this round? */
static uint32_t tail_of(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (checkpoint_log_segno(vol->view->cp, i) == segno && cp_alloc_type(vol->view->cp, i) == ALLOC_APPEND)
			return checkpoint_log_blkoff(vol->view->cp, i);
	return F2FS_SEGMENT_BLOCKS;
}

static int load_segment(struct f2fs_past *past, f2fs_seg_t segno)
{
	struct fate_segment *segment = past->segment;
	int source, err;

	if (segment->is_loaded && segment->segno == segno)
		return 0;
	segment->is_loaded = false;
	segment->segno = segno;
	err = sit_lookup(past->vol, segno, &segment->sit);
	if (!err)
		err = ssa_read(past->vol, segno, segment->entries, &segment->type, &source);
	if (err)
		return err;
	segment->has_summaries = source != F2FS_SUMMARY_NONE;
	segment->tail = tail_of(past->vol, segno);
	if (segment->has_summaries && segment->tail < F2FS_SEGMENT_BLOCKS && !volume_lacks_ssa(past->vol))
		err = load_stored(past, segno, segment->tail_entries, &segment->tail_type);
	segment->is_loaded = !err;
	return err;
}

/* Does the node still belong to the use of the inode number that the version is of? */
static bool is_same_owner(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, bool *is_free)
{
	struct f2fs_volume *vol = past->vol;
	struct f2fs_nat_info entry;
	const uint8_t *block;

	*is_free = false;
	if (nat_get(vol, nid, &entry) != 0)
		return false;
	if (entry.block_addr == 0) {
		*is_free = true;
		return false;
	}
	if (entry.ino != time->ino || nat_get(vol, time->ino, &entry) != 0 ||
	    !geometry_is_main(&vol->geo, entry.block_addr) || volume_peek(vol, entry.block_addr, &block) != 0)
		return false;
	return footer_nid(node_footer(&vol->geo, block)) == time->ino && inode_i_generation(block) == time->generation;
}

/* Of a free block whose summary names the slot. */
static enum fate judge_free(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t offset)
{
	const struct fate_segment *segment = past->segment;
	bool is_free;

	/* the node id may have belonged to another file in between, with the same place in it */
	if (!is_same_owner(past, time, nid, &is_free) && (!is_free || time->is_succeeded))
		return FATE_UNKNOWN;
	/* the log writes here next, and may have done so after the last checkpoint */
	if (!past->is_clean && (segment->sit.valid_blocks == 0 || offset >= segment->tail))
		return FATE_UNKNOWN;
	return FATE_INTACT;
}

static enum fate judge(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t ofs_in_node,
		       f2fs_blk_t addr)
{
	const struct fate_segment *segment = past->segment;
	const uint32_t offset = geometry_offset_of(&past->vol->geo, addr);
	const bool is_tail = offset >= segment->tail;
	const uint8_t *raw = (is_tail ? segment->tail_entries : segment->entries) + (size_t)offset * sum_SIZE;
	const uint8_t type = is_tail ? segment->tail_type : segment->type;
	const bool names_slot =
		type == SUMMARY_OF_DATA && sum_nid(raw) == nid && sum_ofs_in_node(raw) == ofs_in_node;
	bool is_free;

	if (msb_test(segment->sit.valid_map, offset))
		return segment->has_summaries && names_slot && is_same_owner(past, time, nid, &is_free)
			       ? FATE_CURRENT
			       : FATE_OVERWRITTEN;
	if (map32_find(&past->claims, addr) || marks_has(&past->vol->dropped, &past->vol->geo, addr))
		return FATE_OVERWRITTEN;
	if (!segment->has_summaries || (type == SUMMARY_OF_DATA && sum_nid(raw) == 0))
		return FATE_UNKNOWN;
	return names_slot ? judge_free(past, time, nid, offset) : FATE_OVERWRITTEN;
}

/* What may be there by the tables is asked for its bytes. */
static int judge_bytes(struct f2fs_past *past, f2fs_blk_t addr, enum fate *fate)
{
	enum blank blank;
	int err;

	if (*fate != FATE_INTACT && *fate != FATE_UNKNOWN)
		return 0;
	err = blank_ask(past, addr, &blank);
	if (!err && blank == BLANK_YES)
		*fate = FATE_BLANK;
	else if (!err && blank == BLANK_UNREAD)
		*fate = FATE_UNKNOWN;
	return err;
}

int fate_judge(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t ofs_in_node,
	       f2fs_blk_t addr, enum fate *out)
{
	struct f2fs_context *ctx = past->vol->ctx;
	int err;

	work_note(ctx);
	if (!geometry_is_main(&past->vol->geo, addr)) {
		*out = FATE_BAD;
		return 0;
	}
	if (beside_is_lost(past->vol, addr)) {
		*out = FATE_OVERWRITTEN;
		return 0;
	}
	err = load_segment(past, geometry_segment_of(&past->vol->geo, addr));
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) { /* no table, no evidence */
		error_clear(ctx);
		*out = FATE_UNKNOWN;
		return judge_bytes(past, addr, out);
	}
	*out = judge(past, time, nid, ofs_in_node, addr);
	error_clear(ctx);
	return judge_bytes(past, addr, out);
}
