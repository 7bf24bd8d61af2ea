/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a quota file: a correct hidden inode, and in it a tree of the remaining limits (FORMAT files 9.3). Usage is put
 * in by quota_adjust().
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
#define FIRST_NIDS 3u	   /* after the root, which formatting gives to quota files */

static const struct inode_spec hidden = { .mode = MODE_REG | 0600 };

static int need_inode(struct txn *txn, f2fs_nid_t ino, struct winode *w)
{
	struct f2fs_nat_info entry;
	int err = nat_get(txn->vol, ino, &entry);

	w->txn = txn;
	if (!err && entry.block_addr != F2FS_NULL_ADDR)
		return winode_get(txn->vol, ino, w);
	if (!err)
		err = node_new_at(txn, ino, &w->node);
	return err ? err : inode_fill_hidden(w, &hidden);
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

/* One of the first node ids, where everything else looks for quota files, if one is free. */
static int make_node(struct txn *txn, struct node **node)
{
	const f2fs_nid_t root = txn->vol->geo.root_ino;
	struct f2fs_nat_info entry;

	for (f2fs_nid_t nid = root + 1; nid <= root + FIRST_NIDS; nid++) {
		int err = nat_get(txn->vol, nid, &entry);

		if (err)
			return err;
		if (entry.block_addr == F2FS_NULL_ADDR)
			return node_new_at(txn, nid, node);
	}
	return node_new(txn, 0, 0, false, node);
}

int quota_add(struct txn *txn, unsigned kind)
{
	struct winode w = { .txn = txn };
	int err = make_node(txn, &w.node);

	if (err)
		return err;
	sb_set_qf_ino(txn->vol->sb, kind, w.node->nid); /* before its blocks are counted: no one owns them */
	err = inode_fill_hidden(&w, &hidden);
	if (err)
		return err;
	empty_inode(&w);
	return quota_fill(&w, kind, NULL);
}
