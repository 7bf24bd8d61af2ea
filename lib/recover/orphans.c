/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Delete orphans: inodes that were unlinked while open (FORMAT files 12.2). Those that a directory names stay.
 */
#include "file/inode_free.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "recover/orphans.h"
#include "recover/replay.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

/* Inodes that the volume needs are never orphans, even if listed. */
static bool is_precious(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	if (ino == vol->geo.root_ino)
		return true;
	for (unsigned kind = 0; kind < 3; kind++)
		if (sb_qf_ino(vol->sb, kind) == ino)
			return true;
	return false;
}

static int finish_one(struct replay *r, f2fs_nid_t ino)
{
	struct f2fs_nat_info entry;
	struct winode w;
	int err;

	if (!geometry_is_nid(&r->vol->geo, ino) || is_precious(r->vol, ino))
		return volume_corrupt(r->vol, RULE_NAT_NID, F2FS_NO_BLOCK, ino, "an orphan that cannot be one");
	err = nat_get(r->vol, ino, &entry);
	if (err)
		return err;
	if (entry.block_addr == F2FS_NULL_ADDR) { /* listed twice, or gone: nothing is left to be deleted */
		log_message(r->vol->ctx, F2FS_LOG_WARNING, "orphan inode %u is free already", (unsigned)ino);
		return 0;
	}
	err = winode_get(r->vol, ino, &w);
	if (!err && footer_ino(node_footer(&r->vol->geo, winode_block(&w))) != ino)
		err = volume_corrupt(r->vol, RULE_INODE_FOOTER, entry.block_addr, ino, "an orphan is no inode");
	if (!err)
		err = inode_free(&w);
	if (!err)
		err = nodes_trim(r->txn);
	r->result.orphans++;
	return err;
}

int orphans_finish(struct replay *r)
{
	int err = 0;

	for (size_t i = 0; i < chain_orphans(r->vol) && !err; i++) {
		const f2fs_nid_t ino = *(f2fs_nid_t *)vec_at(&r->vol->view->orphans, i);

		if (r->is_checked && !geometry_is_nid(&r->vol->geo, ino))
			continue;
		if (!map32_find(&r->plan->linked, ino) && !replay_leaves(r, ino))
			err = finish_one(r, ino);
	}
	if (!err)
		r->at = 0;
	return err;
}
