/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freeing an inode within the transaction, with all that it has.
 */
#include "file/dir_filing.h"
#include "file/handle_list.h"
#include "file/inode_free.h"
#include "file/map_cut.h"
#include "file/page_store.h"
#include "file/quota_count.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "log/space.h"
#include "volume/block_read.h"

/* The blocks of a device that a file stands for become free blocks of the volume. */
static int free_alias(struct winode *w)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const f2fs_blk_t addr = inode_i_ext_blk(winode_block(w));
	const uint32_t count = inode_i_ext_len(winode_block(w));
	int err = 0;

	if (count > 0 && (!geometry_is_main(geo, addr) || count > geo->end_blkaddr - addr))
		return volume_corrupt(w->txn->vol, RULE_INODE_EXTENT, F2FS_NO_BLOCK, w->node->nid, "%u blocks from %u",
				      (unsigned)count, (unsigned)addr);
	for (uint32_t i = 0; i < count && !err; i++)
		err = block_free(w->txn, addr + i);
	if (!err)
		err = winode_count(w, -(int64_t)count);
	inode_set_i_ext_len(winode_block(w), 0);
	return err;
}

int inode_free(struct winode *w)
{
	f2fs_nid_t xattr_nid = inode_i_xattr_nid(winode_block(w));
	bool inside = inode_has_inline(winode_block(w), FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry);
	unsigned type = inode_i_mode(winode_block(w)) & MODE_TYPE;
	int err = 0;

	filing_forget(w->txn->vol, w->node->nid);
	handles_freed(w->txn->vol, w->node->nid);
	if (geometry_has(&w->txn->vol->geo, F2FS_FEAT_DEVICE_ALIAS) &&
	    (inode_i_flags(winode_block(w)) & FLAG_i_flags_device_alias))
		err = free_alias(w);
	else if (!inside && (type == MODE_REG || type == MODE_DIR || type == MODE_LNK))
		err = map_truncate(w, 0);
	else
		pages_forget(w->txn, w->node->nid, 0);
	if (!err && xattr_nid)
		err = winode_free_node(w, xattr_nid, XATTR_NODE_OFFSET);
	if (!err)
		err = quota_charge(w, 0, -1);
	return err ? err : node_free(w->txn, w->node->nid);
}
