/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the blocks written after the last checkpoint, which no table has yet. Fsynced nodes form a chain from the warm
 * node log on, each naming the next block. The blocks they took, and those that their slots name, are not free whatever
 * the SIT says.
 */
#include "forensics/past.h"
#include "forensics/past_claims.h"
#include "forensics/past_node.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"

/* The blocks that a node's slots name. */
static int claim_slots(struct f2fs_past *past, const uint8_t *block, bool is_inode)
{
	const struct f2fs_geometry *geo = &past->vol->geo;
	struct inode_layout layout;
	const uint8_t *at = block;
	uint32_t count = geo->addrs_per_block;
	int err = 0;

	if (is_inode) {
		if (inode_has_inline(block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry))
			return 0;
		inode_layout(geo, block, &layout);
		at = block + layout.slot_offset;
		count = layout.slots;
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		const f2fs_blk_t addr = get_le32(at + (size_t)i * 4);

		if (geometry_is_main(geo, addr))
			err = map32_set(&past->claims, addr, 1);
	}
	return err;
}

int past_claim(struct f2fs_past *past)
{
	struct f2fs_volume *vol = past->vol;
	const struct f2fs_geometry *geo = &vol->geo;
	const unsigned log = volume_lacks_ssa(vol) ? F2FS_HOT_NODE : F2FS_WARM_NODE;
	f2fs_blk_t addr;
	int err = 0;

	if (!past->has_newest || past->newest != (uint32_t)cp_checkpoint_ver(vol->view->cp) ||
	    checkpoint_log_segno(vol->view->cp, log) >= geo->segment_count_main)
		return 0;
	addr = geometry_segment_start(geo, checkpoint_log_segno(vol->view->cp, log)) +
	       checkpoint_log_blkoff(vol->view->cp, log);
	while (!err && geometry_is_main(geo, addr) && !map32_find(&past->claims, addr)) {
		const uint8_t *block, *footer;
		struct past_node node;

		if (volume_peek(vol, addr, &block) != 0)
			break;
		footer = node_footer(geo, block);
		if (!past_is_node(past, block, addr, &node) || node.age != 0)
			break;
		err = map32_set(&past->claims, addr, 1);
		if (!err && (node.nid == node.ino || node_offset_is_direct(geo, node.place)))
			err = claim_slots(past, block, node.nid == node.ino);
		addr = footer_next_blkaddr(footer);
		if (!err)
			err = progress_tick(vol->ctx, "search", geo->block_size);
	}
	return err;
}
