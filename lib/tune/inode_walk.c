/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Visit the inodes of a volume as blocks. No object of file/ is made, so no rule that is to change can fail.
 */
#include "tune/inode_walk.h"

#include "base/error.h"
#include "device/device.h"
#include "format/node.h"
#include "log/superblocks.h"
#include "volume/block_read.h"

int inode_walk_read(struct inode_walk *walk, const struct f2fs_nat_info *nat)
{
	struct f2fs_volume *vol = walk->vol;
	const uint8_t *footer = node_footer(&vol->geo, walk->block);
	int err;

	if (!geometry_is_main(&vol->geo, nat->block_addr))
		return volume_corrupt(vol, RULE_NAT_BLOCK, F2FS_NO_BLOCK, nat->nid, "block %u",
				      (unsigned)nat->block_addr);
	err = device_read(vol->cache, (uint64_t)nat->block_addr * vol->geo.block_size, walk->block,
			  vol->geo.block_size);
	if (!err && (footer_nid(footer) != nat->nid || footer_ino(footer) != nat->nid))
		err = volume_corrupt(vol, RULE_NODE_NID, nat->block_addr, nat->nid, "the block is another node's");
	return err;
}

int inode_walk_each(struct inode_walk *walk, int (*visit)(void *user, const struct f2fs_nat_info *nat), void *user)
{
	struct f2fs_volume *vol = walk->vol;
	struct f2fs_progress progress = { walk->task, "inodes", "inodes", 0, cp_valid_inode_count(vol->view->cp) };
	struct f2fs_nat_info nat;
	int err = f2fs_nat_next(vol, 0, &nat);

	for (; !err; err = f2fs_nat_next(vol, nat.nid + 1, &nat)) {
		/* the first two are not nodes */
		if (nat.ino != nat.nid || nat.nid == NODE_INO || nat.nid == META_INO)
			continue;
		err = visit(user, &nat);
		if (!err && (++progress.done & 1023) == 0)
			err = progress_report(vol->ctx, &progress);
		if (err)
			return err;
	}
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(vol->ctx);
	return 0;
}

int inode_walk_ready(struct f2fs_volume *vol)
{
	uint64_t nodes = 0;
	int err = superblock_writable(vol);

	if (!err && vol->txn)
		err = error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that wait for a commit");
	if (!err)
		err = f2fs_volume_pending(vol, &nodes);
	if (!err && nodes)
		err = error_set(vol->ctx, F2FS_ERR_STATE,
				"the volume waits for recovery: mount it once, or recover it");
	return err;
}
