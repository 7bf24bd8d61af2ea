/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The blocks that compressing one cluster saves: counted, given back, reserved again (FORMAT files 8.5).
 */
#include "file/cluster_saved.h"
#include "file/map_write.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "log/space.h"

void cluster_count_saved(struct winode *w, int64_t change)
{
	uint8_t *extra = winode_block(w) + INODE_ADDR_OFFSET;
	uint64_t saved = extra_i_compr_blocks(extra);

	extra_set_i_compr_blocks(extra, change < 0 && (uint64_t)-change > saved ? 0 : saved + (uint64_t)change);
	node_dirty(w->txn, w->node);
}

int cluster_convert(struct winode *w, uint64_t first, bool reserve, uint64_t *change)
{
	const f2fs_blk_t from = reserve ? F2FS_NULL_ADDR : F2FS_NEW_ADDR, to = reserve ? F2FS_NEW_ADDR : F2FS_NULL_ADDR;
	uint8_t *extra = winode_block(w) + INODE_ADDR_OFFSET;
	struct slot_ref slot;
	uint64_t saved;
	uint32_t n = 1;
	int err = slot_make(w, first, &slot);

	if (err || get_le32(slot.raw) != F2FS_COMPRESS_ADDR)
		return err;
	for (uint32_t i = 1; i < w->layout.cluster_blocks; i++)
		n += get_le32(slot.raw + (size_t)i * 4) == from;
	if (reserve)
		err = space_take(w->txn, n);
	else
		space_give(w->txn, n);
	for (uint32_t i = 1; i < w->layout.cluster_blocks && !err; i++)
		if (get_le32(slot.raw + (size_t)i * 4) == from)
			put_le32(slot.raw + (size_t)i * 4, to);
	node_dirty(w->txn, slot.node);
	if (err)
		return err;
	*change += n;
	saved = extra_i_compr_blocks(extra);
	extra_set_i_compr_blocks(extra, reserve ? saved + n : saved > n ? saved - n : 0);
	return winode_count(w, reserve ? (int64_t)n : -(int64_t)n);
}
