/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reserving and dropping a range of blocks: what fallocate in all its forms is made of (FORMAT files 4).
 */
#include "file/change_trim.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/range.h"
#include "file/range_blocks.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "volume/block_read.h"

#define STEP_BLOCKS 65536u /* between two looks at how much memory is in use */

/* A block that is in use becomes a reserved one. */
static int forget_block(struct winode *w, const struct slot_ref *slot)
{
	f2fs_blk_t addr = get_le32(slot->raw);
	int err;

	if (!geometry_is_main(&w->txn->vol->geo, addr))
		return volume_corrupt(w->txn->vol, RULE_NODE_ADDR, F2FS_NO_BLOCK, w->node->nid, "a block at %u",
				      (unsigned)addr);
	err = segment_mark(w->txn, addr, false);
	put_le32(slot->raw, F2FS_NEW_ADDR);
	node_dirty(w->txn, slot->node);
	return err;
}

int range_reserve(struct winode *w, uint64_t first, uint64_t end, bool fresh)
{
	struct slot_ref run;

	for (uint64_t at = first; at < end; at += run.count) {
		int err = winode_breathe(w);

		if (!err && fresh)
			pages_forget_range(w->txn, w->node->nid, at, end - at < STEP_BLOCKS ? end - at : STEP_BLOCKS);
		if (!err)
			err = slot_make(w, at, &run);
		if (err)
			return err;
		if (run.count > end - at)
			run.count = (uint32_t)(end - at);
		if (fresh)
			err = slots_need_own(w, &run, run.count);
		for (uint32_t i = 0; i < run.count && !err; i++) {
			struct slot_ref one = { run.node, run.raw + (size_t)i * 4, run.ofs_in_node + i, 1 };
			f2fs_blk_t old = get_le32(one.raw);

			if (old == F2FS_NULL_ADDR)
				err = slot_reserve(w, &one);
			else if (fresh && old != F2FS_NEW_ADDR)
				err = forget_block(w, &one);
		}
		if (err)
			return err;
	}
	return 0;
}

int range_punch(struct winode *w, uint64_t first, uint64_t end)
{
	for (uint64_t at = first; at < end; at += STEP_BLOCKS) {
		int err = winode_breathe(w);

		if (!err)
			err = map_punch(w, at, end - at < STEP_BLOCKS ? end : at + STEP_BLOCKS);
		if (err)
			return err;
	}
	return 0;
}
