/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Old inodes: a handle over an inode block at any address. Its opener (forensics/) finds its nodes and judges its
 * blocks. All readers of this layer work on it as on any other; it cannot be changed.
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_life.h"
#include "file/inode_past.h"
#include "file/inode_sync.h"
#include "file/object.h"
#include "volume/block_read.h"
#include "volume/node_read.h"

/* Take the block over if it is an inode that can be divided. */
static int check_block(struct f2fs_inode *inode, const uint8_t *block)
{
	struct f2fs_volume *vol = inode->vol;
	const uint8_t *footer = node_footer(&vol->geo, block);
	enum rule rule;

	if (!geometry_is_nid(&vol->geo, footer_nid(footer)) || footer_nid(footer) != footer_ino(footer))
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "block %u does not hold an inode",
				 (unsigned)inode->addr);
	memcpy(inode->block, block, vol->geo.block_size);
	inode->ino = footer_nid(footer);
	rule = inode_check(&vol->geo, inode->block, inode->ino, vol->checksum_seed);
	if (rule && !inode_is_readable(inode->block, rule))
		return inode_corrupt(inode, rule, "inode %u", (unsigned)inode->ino);
	inode_layout(&vol->geo, inode->block, &inode->layout);
	return 0;
}

int inode_open_past(struct f2fs_volume *vol, f2fs_blk_t addr, const struct inode_past *past, struct f2fs_inode **out)
{
	struct f2fs_inode *inode;
	const uint8_t *block;
	int err;

	if (!geometry_is_main(&vol->geo, addr))
		return error_set(vol->ctx, F2FS_ERR_RANGE, "block %u is not in the main area", (unsigned)addr);
	inode = mem_zalloc(vol->ctx, sizeof(*inode) + vol->geo.block_size);
	if (!inode)
		return F2FS_ERR_NOMEM;
	inode->vol = vol;
	inode->addr = addr;
	inode->block = (uint8_t *)(inode + 1);
	inode->is_past = true;
	inode->past = *past;
	err = volume_peek(vol, addr, &block);
	if (!err)
		err = check_block(inode, block);
	if (err) {
		mem_free(vol->ctx, inode);
		return err;
	}
	*out = inode;
	return 0;
}

int inode_need_current(const struct f2fs_inode *inode)
{
	if (!inode->is_past)
		return inode_need_live(inode);
	return error_set(inode->vol->ctx, F2FS_ERR_READ_ONLY, "an old version of inode %u cannot be changed",
			 (unsigned)inode->ino);
}

int inode_load_node(const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t node_offset, uint8_t *block,
		    f2fs_blk_t *addr)
{
	if (inode->is_past)
		return inode->past.load(inode->past.user, inode, nid, node_offset, block, addr);
	return node_load(inode->vol, nid, inode->ino, block, addr);
}

int f2fs_inode_is_past(const struct f2fs_inode *inode)
{
	return inode->is_past;
}

f2fs_blk_t f2fs_inode_address(const struct f2fs_inode *inode)
{
	return inode->addr;
}
