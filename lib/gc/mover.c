/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the valid blocks of a section (FORMAT files 11.4). Data is copied as stored on the device, which is right for
 * compressed, encrypted and sealed contents alike, and its slot gets the new address. Nodes are only marked as changed:
 * the commit writes them to their own logs.
 */
#include <string.h>

#include "base/bitmap.h"
#include "gc/gc.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "format/inode.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/streams.h"
#include "volume/block_read.h"

/* Read a segment's blocks in use into buffer, which is as long as a segment: all at once when most are, else by runs.
 */
static int read_segment(struct f2fs_volume *vol, f2fs_seg_t segno, const struct segment *s, uint8_t *buffer)
{
	const f2fs_blk_t start = geometry_segment_start(&vol->geo, segno);
	const uint32_t bits = vol->geo.block_bits;
	const bool takes_all = s->valid > F2FS_SEGMENT_BLOCKS / 2;

	for (uint32_t at = 0, end; at < F2FS_SEGMENT_BLOCKS; at = end) {
		int err;

		end = at + 1;
		if (!msb_test(s->cur, at))
			continue;
		while (end < F2FS_SEGMENT_BLOCKS && (takes_all || msb_test(s->cur, end)))
			end++;
		while (!msb_test(s->cur, end - 1))
			end--;
		err = volume_read_twice(vol, start + at, end - at, buffer + ((size_t)at << bits));
		if (err)
			return err;
		if (takes_all)
			break;
	}
	return 0;
}

/* The kernel's cached extent may not name a block that has moved away. */
static int forget_extent(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t addr)
{
	struct node *inode;
	const uint8_t *block;
	int err = node_get(txn, ino, &inode);

	if (err)
		return err;
	block = inode->block;
	if (inode_i_ext_len(block) == 0 || addr < inode_i_ext_blk(block) ||
	    addr - inode_i_ext_blk(block) >= inode_i_ext_len(block))
		return 0;
	inode_set_i_ext_len(inode->block, 0);
	node_dirty(txn, inode);
	return 0;
}

int live_repoint(struct txn *txn, const struct live_block *b, f2fs_blk_t to)
{
	struct node *node;
	uint8_t *slot;
	int err = forget_extent(txn, b->ino, b->addr);

	if (!err)
		err = node_get(txn, b->nid, &node);
	if (err)
		return err;
	slot = node->block;
	if (b->nid == b->ino) {
		struct inode_layout layout;

		inode_layout(&txn->vol->geo, node->block, &layout);
		slot += layout.slot_offset;
	}
	slot += (size_t)b->ofs * 4;
	put_le32(slot, to);
	node_dirty(txn, node);
	if (placement_of(txn->vol) && placement_of(txn->vol)->moved)
		placement_of(txn->vol)->moved(placement_of(txn->vol)->user, b->addr, to);
	return segment_mark(txn, b->addr, false);
}

/* How many blocks from list on follow each other both on the device and in the slots of a node? */
static uint32_t run_length(const struct live_block *list, uint32_t count)
{
	uint32_t n = 1;

	while (n < count && list[n].nid == list[0].nid && list[n].ofs == list[0].ofs + n &&
	       list[n].addr == list[0].addr + n)
		n++;
	return n;
}

/* Move data blocks of one segment, whose contents are in buffer. */
static int move_data(struct txn *txn, const struct move_target *target, const struct live_block *list, uint32_t count,
		     const uint8_t *buffer)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t got;

	for (uint32_t i = 0; i < count; i += got) {
		const uint32_t at = geometry_offset_of(geo, list[i].addr);
		f2fs_blk_t to = 0;
		int err = target->put(target->user, &list[i], run_length(list + i, count - i),
				      buffer + ((size_t)at << geo->block_bits), &to, &got);

		for (uint32_t k = 0; k < got && !err; k++)
			err = live_repoint(txn, &list[i + k], to + k);
		if (err)
			return err;
	}
	return 0;
}

static int move_nodes(struct txn *txn, const struct live_block *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct node *node;
		int err = node_get(txn, list[i].nid, &node);

		if (err)
			return err;
		node_dirty(txn, node);
	}
	return 0;
}

/* Move the valid blocks of one segment: count blocks, data first. */
static int move_segment(struct live *live, const struct live_block *list, uint32_t count, uint8_t *buffer,
			bool *could_read)
{
	struct txn *txn = live->vol->txn;
	const struct move_target *target = live->target;
	struct segment *s = NULL;
	uint32_t data = 0;
	int err = segment_get(txn, list[0].segno, &s);

	if (err)
		return err;

	while (data < count && !list[data].is_node)
		data++;
	if (!err && data > 0 && !target->is_rehearsal && !target->reads) {
		err = read_segment(live->vol, list[0].segno, s, buffer);
		if (err == F2FS_ERR_IO) {
			*could_read = false;
			return 0;
		}
	}
	txn->moved_mtime = live->keeps_age ? s->mtime : 0;
	if (!err)
		err = move_data(txn, target, list, data, buffer);
	txn->moved_mtime = 0;
	return err ? err : move_nodes(txn, list + data, count - data);
}

int live_move(struct live *live, uint8_t *buffer, bool *could_read)
{
	const struct live_block *list = live->blocks.items;
	uint32_t n;

	*could_read = true;
	for (size_t i = 0; i < live->blocks.count && *could_read; i += n) {
		int err;

		for (n = 1; i + n < live->blocks.count && list[i + n].segno == list[i].segno;)
			n++;
		err = move_segment(live, list + i, n, buffer, could_read);
		if (err)
			return err;
	}
	return 0;
}
