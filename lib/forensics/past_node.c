/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a block a node of this volume, of whatever time?
 */
#include <string.h>

#include "forensics/past.h"
#include "forensics/past_node.h"

static bool all_addresses_fit(const struct f2fs_geometry *geo, const uint8_t *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t addr = get_le32(at + (size_t)i * 4);

		if (addr != F2FS_NULL_ADDR && addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR &&
		    !geometry_is_main(geo, addr))
			return false;
	}
	return true;
}

static bool all_nids_fit(const struct f2fs_geometry *geo, const uint8_t *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const f2fs_nid_t nid = get_le32(at + (size_t)i * 4);

		if (nid != 0 && !geometry_is_nid(geo, nid))
			return false;
	}
	return true;
}

/* Do the contents of a block fit its place in a file? */
static bool contents_fit(const struct f2fs_volume *vol, const uint8_t *block, f2fs_nid_t nid, uint32_t place)
{
	const struct f2fs_geometry *geo = &vol->geo;

	if (place == 0)
		return inode_check(geo, block, nid, vol->checksum_seed) == RULE_NONE && inode_i_namelen(block) <= 255 &&
		       all_nids_fit(geo, node_footer(geo, block) - 20, 5);
	if (place == XATTR_NODE_OFFSET)
		return true;
	if (node_offset_is_direct(geo, place))
		return all_addresses_fit(geo, block, geo->addrs_per_block);
	return all_nids_fit(geo, block, geo->nids_per_block);
}

bool past_is_node(struct f2fs_past *past, const uint8_t *block, f2fs_blk_t addr, struct past_node *out)
{
	const struct f2fs_geometry *geo = &past->vol->geo;
	const uint8_t *footer = node_footer(geo, block);
	const f2fs_nid_t nid = footer_nid(footer), ino = footer_ino(footer);
	const uint32_t place = node_offset_of(footer);

	if (!geometry_is_nid(geo, nid) || !geometry_is_nid(geo, ino) || (nid == ino) != (place == 0) ||
	    footer_next_blkaddr(footer) < geo->main_blkaddr || !contents_fit(past->vol, block, nid, place))
		return false;
	out->age = past->newest - (uint32_t)footer_cp_ver(footer);
	if (past->has_newest && (int32_t)out->age < 0) {
		past->stat.foreign++;
		return false;
	}
	out->addr = addr;
	out->nid = nid;
	out->ino = ino;
	out->place = place == 0 ? inode_i_generation(block) : place;
	return true;
}
