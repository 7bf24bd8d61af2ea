/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: inodes that lose their last name while handles are open, or are made without one, stay readable and
 * writable through those. A commit lists them in the checkpoint pack; if the volume is mounted before they are closed,
 * the mount deletes them (FORMAT volume 4.7). They are freed by the first change or commit after their last handle was
 * closed: closing itself cannot fail.
 */
#include "base/error.h"
#include "file/handle_list.h"
#include "file/inode_free.h"
#include "file/name.h"
#include "file/orphan.h"
#include "file/winode.h"
#include "log/nodes.h"

int orphans_need_room(const struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	/* the pack also holds two checkpoint blocks and six summaries */
	const uint64_t most = (uint64_t)(F2FS_SEGMENT_BLOCKS - 8 - geo->cp_payload) * geo->orphans_per_block;

	if (txn->orphans.count < most)
		return 0;
	return error_set(txn->vol->ctx, F2FS_ERR_NOSPC, "no more than %llu files without a name can be open",
			 (unsigned long long)most);
}

int orphan_make(struct winode *w)
{
	f2fs_nid_t *place = vec_push(&w->txn->orphans, 1);

	if (!place)
		return F2FS_ERR_NOMEM;
	*place = w->node->nid;
	inode_set_i_links(winode_block(w), 0);
	if (winode_is_dir(w))
		inode_set_i_size(winode_block(w), 0);
	node_dirty(w->txn, w->node);
	return 0;
}

bool orphan_is_unnamed(const struct winode *w)
{
	return inode_i_links(winode_block(w)) == 0 && inode_i_namelen(winode_block(w)) == 0;
}

void orphan_end(struct winode *w)
{
	f2fs_nid_t *list = w->txn->orphans.items;
	size_t kept = 0;

	for (size_t i = 0; i < w->txn->orphans.count; i++)
		if (list[i] != w->node->nid)
			list[kept++] = list[i];
	w->txn->orphans.count = kept;
}

static int free_one(struct txn *txn, f2fs_nid_t ino)
{
	struct winode w;
	int err = nodes_trim(txn);

	if (!err)
		err = winode_get(txn->vol, ino, &w);
	return err ? err : inode_free(&w);
}

int orphans_free(struct txn *txn)
{
	f2fs_nid_t *list = txn->orphans.items;
	size_t kept = 0;

	if (!txn->vol->files.look_for_orphans || txn->orphans.count == 0)
		return 0;
	for (size_t i = 0; i < txn->orphans.count; i++) {
		int err = 0;

		if (inode_is_open(txn->vol, list[i]))
			list[kept++] = list[i];
		else
			err = free_one(txn, list[i]);
		if (err)
			return err;
	}
	txn->orphans.count = kept;
	txn->vol->files.look_for_orphans = false;
	return 0;
}
