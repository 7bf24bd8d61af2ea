/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The nodes of a file below its inode that are left, old and in use: what each was in the tree, and how much it holds.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "forensics/past.h"
#include "forensics/past_node.h"
#include "format/node.h"
#include "volume/beside.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

const char *f2fs_node_version_kind_name(int kind)
{
	static const char *const names[] = { "direct", "indirect", "double-indirect", "xattr" };

	return kind >= 0 && kind <= F2FS_NODE_VERSION_XATTR ? names[kind] : "?";
}

static int kind_of(const struct f2fs_geometry *geo, uint32_t place)
{
	if (place == XATTR_NODE_OFFSET)
		return F2FS_NODE_VERSION_XATTR;
	if (place == 5 + 2 * geo->nids_per_block)
		return F2FS_NODE_VERSION_DOUBLE;
	return node_offset_is_direct(geo, place) ? F2FS_NODE_VERSION_DIRECT : F2FS_NODE_VERSION_INDIRECT;
}

/* How the tree is divided, by the inode in use or the newest that is left; false: none is. */
static bool find_layout(struct f2fs_past *past, f2fs_nid_t ino, struct inode_layout *out)
{
	struct f2fs_volume *vol = past->vol;
	struct f2fs_nat_info entry;
	struct past_node found;
	const uint8_t *block;
	size_t count;
	const struct past_node *nodes = past_find(past, ino, ino, &count);
	f2fs_blk_t addr = count ? nodes[count - 1].addr : F2FS_NULL_ADDR;

	if (nat_get(vol, ino, &entry) == 0 && geometry_is_main(&vol->geo, entry.block_addr))
		addr = entry.block_addr;
	if (addr == F2FS_NULL_ADDR || volume_peek(vol, addr, &block) != 0 || !past_is_node(past, block, addr, &found) ||
	    found.nid != ino || found.ino != ino)
		return false;
	inode_layout(&vol->geo, block, out);
	return true;
}

/* The first file block below a node: an indirect one begins where its first direct one does. */
static uint64_t first_block(const struct f2fs_geometry *geo, const struct inode_layout *layout, uint32_t place,
			    int kind)
{
	if (!layout || kind == F2FS_NODE_VERSION_XATTR)
		return F2FS_NO_BLOCK;
	return node_first_block(geo, layout->slots, layout->node_slots, place + (uint32_t)kind);
}

static uint32_t count_used(const struct f2fs_geometry *geo, const uint8_t *block, int kind)
{
	const uint32_t slots = kind == F2FS_NODE_VERSION_DIRECT ? geo->addrs_per_block : geo->nids_per_block;
	uint32_t used = 0;

	for (uint32_t i = 0; kind != F2FS_NODE_VERSION_XATTR && i < slots; i++)
		used += get_le32(block + (size_t)i * 4) != 0;
	return used;
}

/* Describe one and hand it over; unreadable blocks and former nodes are left out. */
static int visit_one(struct f2fs_past *past, const struct past_node *node, const struct inode_layout *layout,
		     int (*visit)(void *user, const struct f2fs_node_version *version), void *user)
{
	struct f2fs_volume *vol = past->vol;
	struct f2fs_node_version out = { .ino = node->ino, .nid = node->nid, .addr = node->addr, .age = node->age };
	struct f2fs_nat_info entry;
	struct past_node found;
	const uint8_t *block;
	int err = volume_peek(vol, node->addr, &block);

	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	if (err || !past_is_node(past, block, node->addr, &found) || found.nid != node->nid || found.ino != node->ino)
		return 0;
	out.cp_ver = past->newest - node->age;
	out.node_offset = found.place;
	out.kind = kind_of(&vol->geo, found.place);
	out.file_block = first_block(&vol->geo, layout, found.place, out.kind);
	out.used = count_used(&vol->geo, block, out.kind);
	out.flags = node->age == 0 ? F2FS_VERSION_RECENT : 0u;
	if (nat_get(vol, node->nid, &entry) == 0 && entry.ino == node->ino && entry.block_addr == node->addr)
		out.flags |= F2FS_VERSION_CURRENT;
	return visit(user, &out);
}

int f2fs_past_list_nodes(struct f2fs_past *past, f2fs_nid_t ino,
			 int (*visit)(void *user, const struct f2fs_node_version *version), void *user)
{
	struct f2fs_volume *vol = past->vol;
	const struct past_node *nodes;
	struct inode_layout layout;
	bool has_layout;
	size_t count;
	int err;

	error_clear(vol->ctx);
	err = past_need_inode(past, ino);
	if (err)
		return err;
	has_layout = find_layout(past, ino, &layout);
	nodes = past_find_all(past, ino, &count);
	for (size_t i = 0; i < count && !err; i++)
		if (nodes[i].nid != ino && !past_is_beyond(past, &nodes[i]) && !beside_is_lost(vol, nodes[i].addr))
			err = visit_one(past, &nodes[i], has_layout ? &layout : NULL, visit, user);
	if (!err)
		error_clear(vol->ctx);
	return err;
}
