/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replace a damaged quota file: a correct hidden inode, and in it a tree of the remaining limits (FORMAT files 9.3).
 * Usage is put in by quota_adjust().
 */
#include <string.h>

#include "file/inode_new.h"
#include "file/quota_make.h"
#include "file/quota_write.h"
#include "file/winode.h"
#include "format/quota.h"
#include "log/nodes.h"
#include "volume/nat_read.h"

#define HIDDEN_FLAGS 0x90u /* immutable, no access time */

static int need_inode(struct txn *txn, f2fs_nid_t ino, struct winode *w)
{
	const struct inode_spec spec = { .mode = MODE_REG | 0600 };
	struct f2fs_nat_info entry;
	int err = nat_get(txn->vol, ino, &entry);

	w->txn = txn;
	if (!err && entry.block_addr != F2FS_NULL_ADDR)
		return winode_get(txn->vol, ino, w);
	if (!err)
		err = node_new_at(txn, ino, &w->node);
	return err ? err : inode_fill_hidden(w, &spec);
}

/*
 * Nothing is kept of the old contents. Their blocks are not freed here, for what leads to them may be damaged: they are
 * no longer claimed, and the next round of the repair frees them.
 */
static void empty_inode(struct winode *w)
{
	uint8_t *block = winode_block(w);

	inode_set_i_inline(block,
			   inode_i_inline(block) & (uint8_t) ~(FLAG_i_inline_inline_data | FLAG_i_inline_data_exist |
							       FLAG_i_inline_inline_dentry));
	inode_set_i_mode(block, MODE_REG | 0600);
	inode_set_i_links(block, 1);
	inode_set_i_flags(block, HIDDEN_FLAGS);
	inode_set_i_ext_len(block, 0);
	inode_set_i_blocks(block, inode_i_xattr_nid(block) ? 2 : 1);
	winode_touch(w);
	memset(block + w->layout.slot_offset, 0, (size_t)w->layout.slots * 4);
	for (unsigned i = 0; i < 5; i++)
		inode_set_nid(&w->txn->vol->geo, block, i, 0);
}

int quota_make(struct txn *txn, unsigned kind, const struct quota_rescue *kept)
{
	struct winode w;
	int err = need_inode(txn, sb_qf_ino(txn->vol->sb, kind), &w);

	if (err)
		return err;
	empty_inode(&w);
	return quota_fill(&w, kind, kept);
}
