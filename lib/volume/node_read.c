/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a node by its id, with the checks that keep a damaged NAT from handing out somebody else's block.
 */
#include <string.h>

#include "base/error.h"
#include "format/node.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"
#include "volume/volume.h"

/* Point at a node's block: the transaction's, or the one on the device. */
static int point_at_node(struct f2fs_volume *vol, const struct f2fs_nat_info *entry, const uint8_t **out)
{
	*out = vol->ops.running ? vol->ops.running->find_node(vol, entry->nid) : NULL;
	if (*out)
		return 0;
	if (!geometry_is_main(&vol->geo, entry->block_addr))
		return volume_corrupt(vol, RULE_NAT_BLOCK, entry->table_block, entry->nid, "block_addr is %u",
				      (unsigned)entry->block_addr);
	return volume_peek(vol, entry->block_addr, out);
}

int node_load_at(struct f2fs_volume *vol, const struct f2fs_nat_info *entry, f2fs_nid_t ino, uint8_t *block)
{
	const f2fs_nid_t nid = entry->nid;
	const uint8_t *cached, *footer;
	int err;

	work_note(vol->ctx);
	if (!geometry_is_nid(&vol->geo, nid))
		return volume_corrupt(vol, RULE_NAT_NID, F2FS_NO_BLOCK, nid, "ids go from %u to %u",
				      (unsigned)vol->geo.root_ino, (unsigned)vol->geo.max_nid - 1);
	if (entry->block_addr == 0)
		return volume_corrupt(vol, RULE_NAT_FREE, entry->table_block, nid, "block_addr is 0");
	err = point_at_node(vol, entry, &cached);
	if (err)
		return err;
	memcpy(block, cached, vol->geo.block_size);
	footer = node_footer(&vol->geo, block);
	if (footer_nid(footer) != nid)
		return volume_corrupt(vol, RULE_NODE_NID, entry->block_addr, nid, "the footer says %u",
				      (unsigned)footer_nid(footer));
	if (ino && footer_ino(footer) != ino)
		return volume_corrupt(vol, RULE_NODE_INO, entry->block_addr, nid, "the footer says %u, not %u",
				      (unsigned)footer_ino(footer), (unsigned)ino);
	return 0;
}

int node_load(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_nid_t ino, uint8_t *block, f2fs_blk_t *addr)
{
	struct f2fs_nat_info entry = { .nid = nid };
	int err = geometry_is_nid(&vol->geo, nid) ? nat_get(vol, nid, &entry) : 0;

	if (!err)
		err = node_load_at(vol, &entry, ino, block);
	if (!err && addr)
		*addr = entry.block_addr;
	return err;
}

int f2fs_node_read(struct f2fs_volume *vol, f2fs_nid_t nid, uint8_t *block)
{
	struct f2fs_nat_info entry;
	int err;

	error_clear(vol->ctx);
	err = nat_get(vol, nid, &entry);
	if (err)
		return err;
	if (entry.block_addr == 0 || nid < vol->geo.root_ino)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "node id %u is not in use", (unsigned)nid);
	return node_load(vol, nid, 0, block, NULL);
}
