/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fsync chain: direct nodes of files in the order of the warm node log, each naming the place of the next, which a
 * recovery follows from where the last checkpoint left that log (FORMAT files 12.3).
 *
 * Why a power cut leaves each fsync done or not done: only the last node of an fsync carries the mark, and recovery
 * takes nothing of a file after its last mark. Blocks that the node refers to, and all nodes before it, are flushed
 * before the last sector of the marked node is written. That sector holds the footer: without it the chain ends in
 * front of the node, since no other node of this checkpoint ever was there (segment_hold_all). So neither a write that
 * came too early nor a torn one counts.
 */
#include "device/device.h"
#include "format/node.h"
#include "log/chain.h"
#include "log/chain_write.h"
#include "log/heads.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/txn_state.h"
#include "volume/counters.h"

/* Write the marked node, its last sector after everything else. On a device of larger sectors, or with zones, whose
 * blocks must be written whole, write the node at once. */
static int write_marked(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t addr, const uint8_t *block)
{
	struct f2fs_volume *vol = txn->vol;
	const uint32_t bs = txn->vol->geo.block_size, sector = f2fs_device_info(txn->vol->dev)->sector_size;
	const uint64_t at = (uint64_t)addr << txn->vol->geo.block_bits;
	const bool in_parts = sector < bs && !(f2fs_device_info(txn->vol->dev)->caps & F2FS_DEVICE_ZONED);
	const uint32_t first = in_parts ? bs - sector : 0;
	int err = heads_flush_for(txn, ino);

	if (!err && first)
		err = volume_write(vol, F2FS_WRITE_CHAIN, at, block, first);
	if (!err)
		err = volume_flush(vol);
	if (!err) {
		err = volume_write(vol, F2FS_WRITE_CHAIN, at + first, block + first, bs - first);
		if (!err)
			err = volume_flush(vol);
		if (err) /* a recovery may find the mark, or not */
			err = txn_uncertain_fsync(vol, err);
	}
	if (err)
		txn_fail(txn);
	return err;
}

/* The chain is in the warm node log: a node whose footer says by mistake that it is a directory's goes there, too. */
static int place(struct txn *txn, struct node *node, uint32_t marks, f2fs_blk_t *addr)
{
	uint8_t *footer = node_footer_w(&txn->vol->geo, node->block);

	footer_set_flag(footer, footer_flag(footer) | NODE_MARK_COLD);
	return node_place(txn, node, marks, addr);
}

static int write_before(struct txn *txn, struct node *node)
{
	f2fs_blk_t addr;
	int err = place(txn, node, 0, &addr);

	return err ? err : head_queue(txn, F2FS_WARM_NODE, addr, node->block);
}

int chain_write(struct txn *txn, f2fs_nid_t ino, struct node *list, bool with_name)
{
	f2fs_blk_t addr = F2FS_NULL_ADDR;
	int err;

	segment_hold_all(txn);
	err = with_name ? chain_reserve_base(txn, ino) : 0;
	if (!err)
		err = chain_note(txn, ino, CHAIN_UNMARKED);
	while (!err && list->next_dirty) {
		struct node *node = list;

		err = write_before(txn, node);
		if (err)
			break;
		list = node->next_dirty;
		node->next_dirty = NULL;
		node->is_dirty = false;
	}
	if (!err)
		err = place(txn, list, NODE_MARK_FSYNC | (with_name ? NODE_MARK_DENTRY : 0), &addr);
	if (!err)
		err = write_marked(txn, ino, addr, list->block);
	if (err) { /* unwritten nodes stay dirty */
		nodes_attach(txn, list);
		return err;
	}
	list->is_dirty = false;
	chain_unnote(txn, ino, CHAIN_UNMARKED | CHAIN_UNFLUSHED);
	if (with_name)
		chain_set_base(txn, ino, addr);
	return 0;
}
