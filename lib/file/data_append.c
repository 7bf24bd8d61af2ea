/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of contents on their way to the device: where they go (a stream, a log, their old place) and what their slots
 * say then.
 */
#include <string.h>

#include "device/device.h"
#include "file/crypto.h"
#include "file/data_append.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/place.h"
#include "file/quota_count.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "format/inode.h"
#include "log/chain.h"
#include "log/heads.h"
#include "log/nodes.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "volume/counters.h"

/* Temperature of a file's data (FORMAT files 10.2); directories are hot. */
static unsigned log_of_data(const struct txn *txn, const uint8_t *inode)
{
	if (txn->log_count == 4 && !txn->vol->write.cold_apart && (inode_i_mode(inode) & MODE_TYPE) != MODE_DIR)
		return F2FS_COLD_DATA;
	if ((inode_i_mode(inode) & MODE_TYPE) == MODE_DIR || (inode_i_advise(inode) & FLAG_i_advise_hot))
		return F2FS_HOT_DATA;
	if ((inode_i_advise(inode) & FLAG_i_advise_cold) || (inode_i_flags(inode) & FLAG_i_flags_compr))
		return F2FS_COLD_DATA;
	return F2FS_WARM_DATA;
}

/* Blocks of a file that are written at once, up to which the kernel takes them for hot (its min_hot_blocks). */
#define FEW_BLOCKS 16u

/* How many blocks of the file are written at once: a run, or what waited. */
static uint32_t blocks_at_once(const struct winode *w, uint32_t count)
{
	const struct file_pages *file = file_pages_find(w->txn, w->node->nid);

	return file && file->blocks.count > count ? (uint32_t)file->blocks.count : count;
}

/* The log of blocks of which one has that slot: the rule of temperatures decides where the file does not. */
static unsigned log_of_block(const struct winode *w, const uint8_t *raw, uint32_t at_once)
{
	const unsigned log = log_of_data(w->txn, winode_block(w)), rule = w->txn->vol->write.temperature;

	if (log != F2FS_WARM_DATA || (inode_i_mode(winode_block(w)) & MODE_TYPE) != MODE_REG)
		return log;
	if (rule == F2FS_TEMPERATURE_SLIDES && !geometry_is_main(&w->txn->vol->geo, get_le32(raw)))
		return F2FS_COLD_DATA;
	return rule == F2FS_TEMPERATURE_KERNEL && at_once <= FEW_BLOCKS ? F2FS_HOT_DATA : log;
}

/* Fail for want of a block before anything is changed: in whichever log it will be. */
static int need_room_in_logs(const struct winode *w)
{
	const unsigned log = log_of_data(w->txn, winode_block(w)), rule = w->txn->vol->write.temperature;
	int err = head_need_room(w->txn, head_of(w->txn, log));

	if (!err && log == F2FS_WARM_DATA && rule != F2FS_TEMPERATURE_TABLE)
		err = head_need_room(w->txn, head_of(w->txn, rule == F2FS_TEMPERATURE_SLIDES ? F2FS_COLD_DATA
											   : F2FS_HOT_DATA));
	return err;
}

/*
 * Are contents of this file overwritten in place? Pinned files always are, since they must not move. Directories, quota
 * files and compressed files never are. For other files the options decide. (A block of a pinned file that the last
 * checkpoint uses is only overwritten if the options allow it: write.c.)
 */
static int is_in_place(struct winode *w, bool *out)
{
	const uint8_t *block = winode_block(w);
	int err = 0;

	if (geometry_has(&w->txn->vol->geo, F2FS_FEAT_BLKZONED)) { /* zones are appended to */
		*out = false;
		return 0;
	}
	*out = inode_has_inline(block, FLAG_i_inline_pin_file);
	if (*out || (inode_i_mode(block) & MODE_TYPE) != MODE_REG || w->layout.is_compressed ||
	    quota_is_file(w->txn->vol, w->node->nid))
		return 0;
	if (winode_in_place(w) == F2FS_IN_PLACE_FULL)
		err = segment_needs_holes(w->txn, out);
	else
		*out = winode_in_place(w) == F2FS_IN_PLACE_ALWAYS;
	return err;
}

/* Slots get the new addresses of a run. */
static int repoint(struct winode *w, const struct placed_run *run, f2fs_blk_t addr, uint32_t count)
{
	struct f2fs_counters *counters = &w->txn->vol->counters;

	for (uint32_t i = 0; i < count; i++) {
		uint8_t *raw = run->slot.raw + (size_t)i * 4;
		const f2fs_blk_t old = get_le32(raw);
		const bool is_update = geometry_is_main(&w->txn->vol->geo, old);
		int err = is_update ? segment_mark(w->txn, old, false) : 0;

		if (err)
			return err;
		(is_update ? counters->log_updated : counters->log_new)[run->log]++;
		put_le32(raw, addr + i);
		if (placement_of(w->txn->vol))
			place_written(w, run->file_block + i, old, addr + i);
	}
	return 0;
}

/* Overwrite blocks that follow each other on the device. *got is 0 when the first slot has no block. */
static int overwrite(struct winode *w, const uint8_t *slots, const uint8_t *data, uint32_t count, uint32_t *done)
{
	struct f2fs_volume *vol = w->txn->vol;
	f2fs_blk_t addr = get_le32(slots);
	uint32_t n = 1;
	int err;

	if (!geometry_is_main(&vol->geo, addr))
		return 0;
	while (n < count && get_le32(slots + (size_t)n * 4) == addr + n)
		n++;
	err = vol->ops.running->write_out(vol, addr, n);
	if (!err)
		err = volume_write(vol, F2FS_WRITE_DATA, (uint64_t)addr << vol->geo.block_bits, data,
				   (size_t)n << vol->geo.block_bits);
	*done = n;
	return err;
}

/* Write a run to its stream or its log: *got blocks of it. */
static int append_part(struct winode *w, struct placed_run *run, f2fs_blk_t *addr, uint32_t *got)
{
	const uint32_t at_once = blocks_at_once(w, run->count);
	uint32_t n = 1;
	int err = 0;

	if (placement_of(w->txn->vol))
		err = place_append(w, run, addr, got);
	if (err || *got > 0) /* streams are of warm data */
		return err;
	run->log = (uint8_t)log_of_block(w, run->slot.raw, at_once);
	if (w->txn->vol->write.temperature != F2FS_TEMPERATURE_SLIDES)
		n = run->count; /* the other placements distinguish files and writes, not blocks */
	while (n < run->count && log_of_block(w, run->slot.raw + (size_t)n * 4, at_once) == run->log)
		n++;
	return head_append(w->txn, run->log, slot_owner(&run->slot, 0), n, run->data, addr, got);
}

/* Write count blocks in their stored form, for consecutive slots of one node. */
static int append_stored(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data,
			 uint32_t count)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	bool in_place, is_moved = false;
	int err = is_in_place(w, &in_place);

	for (uint32_t done = 0, got = 0; done < count && !err; done += got) {
		struct placed_run run = { .slot = { .node = slot->node,
						    .raw = slot->raw + (size_t)done * 4,
						    .ofs_in_node = slot->ofs_in_node + done },
					  .log = F2FS_WARM_DATA,
					  .file_block = file_block + done,
					  .count = count - done,
					  .data = data + ((size_t)done << bits) };
		f2fs_blk_t addr = 0;

		got = 0;
		if (in_place)
			err = overwrite(w, run.slot.raw, run.data, run.count, &got);
		if (!err && got > 0)
			err = chain_note(w->txn, w->node->nid, CHAIN_UNFLUSHED);
		if (err || got > 0)
			continue;
		is_moved = true;
		err = append_part(w, &run, &addr, &got);
		if (!err)
			err = repoint(w, &run, addr, got);
	}
	if (is_moved)
		node_dirty(w->txn, slot->node);
	return err;
}

int data_append_run(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data, uint32_t count)
{
	const uint8_t *sealed;
	int err = crypto_seal(w, file_block, data, count, &sealed);

	if (err)
		return err;
	err = append_stored(w, slot, file_block, sealed, count);
	crypto_sealed_free(w, sealed, data);
	return err;
}

int data_append_again(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *stored,
		      uint32_t count)
{
	const f2fs_nid_t before = w->txn->file->elsewhere;
	int err = need_room_in_logs(w);

	w->txn->file->elsewhere = w->node->nid;
	if (!err)
		err = append_stored(w, slot, file_block, stored, count);
	w->txn->file->elsewhere = before;
	return err;
}

int data_append(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	int room = need_room_in_logs(w);

	if (room)
		return room;
	while (count > 0) {
		struct slot_ref slot;
		uint32_t n, fresh = 0;
		int err = slot_make(w, file_block, &slot);

		if (err)
			return err;
		n = slot.count < count ? slot.count : count;
		err = slots_need_own(w, &slot, n);
		if (err)
			return err;
		for (uint32_t i = 0; i < n; i++)
			fresh += get_le32(slot.raw + (size_t)i * 4) == F2FS_NULL_ADDR;
		err = space_take(w->txn, fresh);
		if (err)
			return err;
		err = winode_count(w, fresh);
		if (err)
			return err;
		pages_forget_range(w->txn, w->node->nid, file_block, n);
		err = data_append_run(w, &slot, file_block, data, n);
		if (err)
			return err;
		file_block += n;
		data += (size_t)n << bits;
		count -= n;
	}
	return 0;
}
