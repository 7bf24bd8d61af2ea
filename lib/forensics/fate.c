/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What became of a block that an old slot pointed to. A block that the SIT has belongs to the owner that its summary
 * names. A free one was last written by the owner that its summary names: summaries stay until the segment is filled
 * again. Where a log is in the segment, the summary on the device is of the round before, and holds for what the log
 * has not come to yet.
 */
#include "forensics/past.h"

#include <string.h>

#include "base/bitmap.h"

/* The summaries that lie on the device for a segment, whatever logs say. */
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
		if (checkpoint_log_segno(vol->cp, i) == segno && cp_alloc_type(vol->cp, i) == 0)
			return checkpoint_log_blkoff(vol->cp, i);
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
	if (segment->has_summaries && segment->tail < F2FS_SEGMENT_BLOCKS && past->vol->geo.segment_count_ssa)
		err = load_stored(past, segno, segment->tail_entries, &segment->tail_type);
	segment->is_loaded = !err;
	return err;
}

/* Does the node still belong to the use of the inode number that the version is of? */
static bool is_same_owner(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, bool *is_free)
{
	struct f2fs_volume *vol = past->vol;
	struct f2fs_nat_entry entry;
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

	/* the same id may have belonged to another file at the same place meanwhile */
	if (!is_same_owner(past, time, nid, &is_free) && (!is_free || time->is_succeeded))
		return FATE_UNTOLD;
	/* where the next writes go to, they may have gone to, unseen */
	if (!past->is_clean && (segment->sit.valid_blocks == 0 || offset >= segment->tail))
		return FATE_UNTOLD;
	return FATE_INTACT;
}

static enum fate judge(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t ofs_in_node,
		       f2fs_blk_t addr)
{
	const struct fate_segment *segment = past->segment;
	const uint32_t offset = (addr - past->vol->geo.main_blkaddr) % F2FS_SEGMENT_BLOCKS;
	const bool is_tail = offset >= segment->tail;
	const uint8_t *raw = (is_tail ? segment->tail_entries : segment->entries) + (size_t)offset * sum_SIZE;
	const uint8_t type = is_tail ? segment->tail_type : segment->type;
	const bool names_slot = type == 0 && sum_nid(raw) == nid && sum_ofs_in_node(raw) == ofs_in_node;
	bool is_free;

	if (msb_test(segment->sit.valid_map, offset))
		return segment->has_summaries && names_slot && is_same_owner(past, time, nid, &is_free)
			       ? FATE_CURRENT
			       : FATE_OVERWRITTEN;
	if (map32_find(&past->claims, addr))
		return FATE_OVERWRITTEN;
	if (!segment->has_summaries || (type == 0 && sum_nid(raw) == 0))
		return FATE_UNTOLD;
	return names_slot ? judge_free(past, time, nid, offset) : FATE_OVERWRITTEN;
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
	err = load_segment(past, geometry_segment_of(&past->vol->geo, addr));
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) { /* no table, no evidence */
		error_clear(ctx);
		*out = FATE_UNTOLD;
		return 0;
	}
	*out = judge(past, time, nid, ofs_in_node, addr);
	error_clear(ctx);
	return 0;
}

/* Does the next version have the same block at the same place of the file? */
static bool is_shared(struct f2fs_inode *newer, uint64_t file_block, f2fs_blk_t addr)
{
	struct map_run run = { 0 };

	return newer && map_find(newer, file_block, &run) == 0 && run.slots && get_le32(run.slots) == addr;
}

static int count_slot(struct f2fs_inode *inode, const struct map_run *run, uint64_t i, struct f2fs_remains *out)
{
	const f2fs_blk_t addr = get_le32(run->slots + i * 4);
	enum fate fate;
	int err;

	if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR || addr == F2FS_COMPRESS_ADDR)
		return 0;
	out->blocks++;
	err = past_judge(inode, run->nid, run->ofs_in_node + (uint32_t)i, addr, &fate);
	if (err)
		return err;
	out->current += fate == FATE_CURRENT;
	out->intact += fate == FATE_INTACT;
	out->untold += fate == FATE_UNTOLD;
	out->overwritten += fate == FATE_OVERWRITTEN;
	out->bad += fate == FATE_BAD;
	return 0;
}

static int count_run(struct f2fs_inode *inode, struct f2fs_inode *newer, uint64_t at, const struct map_run *run,
		     struct f2fs_remains *out)
{
	int err = 0;

	for (uint64_t i = 0; i < run->count && run->slots && !err; i++) {
		const uint64_t before = out->blocks;

		err = count_slot(inode, run, i, out);
		if (!err && out->blocks != before)
			out->shared += is_shared(newer, at + i, get_le32(run->slots + i * 4));
	}
	if (!err && run->slots)
		err = progress_tick(inode->vol->ctx, "judge", run->count * 64);
	return err;
}

/* Does the inode have slots at all? */
static bool has_slots(const struct f2fs_inode *inode)
{
	const unsigned type = inode_type(inode);

	return (type == MODE_REG || type == MODE_DIR || type == MODE_LNK) && !inode_is_alias(inode) &&
	       !inode_has_inline(inode->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry);
}

int fate_count(struct f2fs_inode *inode, struct f2fs_inode *newer, struct f2fs_remains *out)
{
	const uint32_t bits = inode->vol->geo.block_bits;
	const uint64_t size = inode_i_size(inode->block), blocks = (size >> bits) + ((size & ((1u << bits) - 1)) != 0);
	uint64_t at = 0;
	int err = 0;

	memset(out, 0, sizeof(*out));
	out->nodes = 1;
	if (inode_is_alias(inode)) /* a range of the device: no slot tells */
		out->blocks = out->untold = inode_i_ext_len(inode->block);
	if (!has_slots(inode))
		return 0;
	if (newer && !has_slots(newer))
		newer = NULL;
	past_count_into(inode, out);
	while (!err) {
		struct map_run run = { 0 };

		err = map_find(inode, at, &run);
		if (err == F2FS_ERR_NOT_FOUND) { /* the end of the tree */
			err = 0;
			break;
		}
		if (err == F2FS_ERR_NOMEM || run.count == 0)
			break;
		if (err && at < blocks)
			out->lost += run.count < blocks - at ? run.count : blocks - at;
		err = err ? 0 : count_run(inode, newer, at, &run, out);
		at += run.count;
	}
	past_count_into(inode, NULL);
	if (!err)
		error_clear(inode->vol->ctx);
	return err;
}
