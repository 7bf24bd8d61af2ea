/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refresh a handle's copy of an inode, and the results cached from it, after changes.
 */
#include <stdio.h>

#include "base/error.h"
#include "file/cluster_shown.h"
#include "file/inode_caches.h"
#include "file/inode_life.h"
#include "file/inode_sync.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"

int inode_corrupt(struct f2fs_inode *inode, enum rule rule, const char *format, ...)
{
	char detail[200];
	va_list args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	return volume_corrupt(inode->vol, rule, inode->addr, inode->ino, "%s", detail);
}

/* If the clusters contradict the inode, they count: correct the handle's copy. */
static int read_by_clusters(struct f2fs_inode *inode)
{
	struct f2fs_volume *vol = inode->vol;
	const uint8_t *extra = inode_extra(inode->block);
	bool is_changed;
	int err = packing_correct(vol, inode->block, &is_changed);

	if (err || !is_changed)
		return err;
	log_message(vol->ctx, F2FS_LOG_WARNING, "inode %u: its clusters show %s in %u blocks, and are read so",
		    (unsigned)inode->ino, comp_name(extra_i_compress_algorithm(extra)),
		    1u << extra_i_log_cluster_size(extra));
	if (inode_has_checksum(&vol->geo, inode->block))
		extra_set_i_inode_checksum(inode->block + INODE_ADDR_OFFSET,
					   inode_checksum(&vol->geo, inode->block, vol->checksum_seed));
	return 0;
}

int inode_load(struct f2fs_inode *inode)
{
	struct f2fs_volume *vol = inode->vol;
	struct f2fs_nat_info entry;
	enum rule rule;
	int err;

	if (!geometry_is_nid(&vol->geo, inode->ino))
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "there is no inode %u", (unsigned)inode->ino);
	err = nat_get(vol, inode->ino, &entry);
	if (err)
		return err;
	if (entry.block_addr == 0)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "inode %u is not in use", (unsigned)inode->ino);
	err = node_load_at(vol, &entry, 0, inode->block);
	if (err)
		return err;
	inode->addr = entry.block_addr;
	if (footer_ino(node_footer(&vol->geo, inode->block)) != inode->ino) {
		if (entry.ino != inode->ino)
			return error_set(vol->ctx, F2FS_ERR_NOT_FOUND,
					 "node id %u is not an inode but a node of inode %u", (unsigned)inode->ino,
					 (unsigned)entry.ino);
		return inode_corrupt(inode, RULE_INODE_FOOTER, "the footer says %u",
				     (unsigned)footer_ino(node_footer(&vol->geo, inode->block)));
	}
	/* a node that is being changed gets its checksum when it is written */
	if (vol->ops.running && vol->ops.running->find_node(vol, inode->ino) &&
	    inode_has_checksum(&vol->geo, inode->block))
		extra_set_i_inode_checksum(inode->block + INODE_ADDR_OFFSET,
					   inode_checksum(&vol->geo, inode->block, vol->checksum_seed));
	rule = inode_check(&vol->geo, inode->block, inode->ino, vol->checksum_seed);
	if ((rule == RULE_NONE || rule == RULE_INODE_COMPRESS) && packing_is_doubtful(&vol->geo, inode->block)) {
		err = read_by_clusters(inode);
		if (err)
			return err;
		rule = inode_check(&vol->geo, inode->block, inode->ino, vol->checksum_seed);
	}
	if (rule && !inode_is_readable(inode->block, rule))
		return inode_corrupt(inode, rule, "inode %u", (unsigned)inode->ino);
	inode_layout(&vol->geo, inode->block, &inode->layout);
	inode->generation = vol->generation;
	return 0;
}

void xattr_unload(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct xattr_set *set = inode->xattrs;

	if (!set)
		return;
	for (size_t i = 0; i < set->items.count; i++) {
		struct xattr_item *item = vec_at(&set->items, i);

		mem_free(ctx, item->name);
		mem_free(ctx, item->converted);
	}
	vec_fini(&set->items);
	mem_free(ctx, set->string);
	mem_free(ctx, set);
	inode->xattrs = NULL;
}

void compress_unload(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct cluster_cache *cache = inode->cluster;

	if (!cache)
		return;
	comp_fini(&cache->codec);
	mem_free(ctx, cache->stored);
	mem_free(ctx, cache->data);
	mem_free(ctx, cache);
	inode->cluster = NULL;
}

int inode_sync(struct f2fs_inode *inode)
{
	int err;

	if (inode->is_past)
		return 0;
	err = inode_need_live(inode);
	if (err || inode->generation == inode->vol->generation)
		return err;
	xattr_unload(inode);
	compress_unload(inode);
	err = inode_load(inode);
	return err ? err : inode_check_life(inode);
}
