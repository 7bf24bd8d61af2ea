/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes of a transaction: kept in memory while they change, written to the node logs before the commit or when there
 * are too many of them.
 */
#include <string.h>

#include "format/inode.h"
#include "log/chain.h"
#include "log/heads.h"
#include "log/nat_write.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/space.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"

static struct node *find_node(const struct txn *txn, f2fs_nid_t nid)
{
	uint64_t *slot = map32_find(&txn->nodes, nid);

	return slot ? (struct node *)(uintptr_t)*slot : NULL;
}

/* Memory for a node, which the transaction does not know yet. */
static struct node *make_node(struct txn *txn, f2fs_nid_t nid)
{
	struct node *node = txn->unused;

	if (node)
		txn->unused = node->next_dirty;
	else
		node = mem_alloc(txn->vol->ctx, sizeof(*node) + txn->vol->geo.block_size);
	if (!node)
		return NULL;
	memset(node, 0, sizeof(*node));
	node->nid = nid;
	node->block = (uint8_t *)(node + 1);
	return node;
}

/* Let the transaction know a node; without memory it is freed. */
static int keep_node(struct txn *txn, struct node *node)
{
	int err = map32_set(&txn->nodes, node->nid, (uintptr_t)node);

	if (err)
		mem_free(txn->vol->ctx, node);
	else
		txn->node_count++;
	return err;
}

/* Put a node into the list of dirty nodes, as the newest. */
static void list_add(struct txn *txn, struct node *node)
{
	node->prev_dirty = NULL;
	node->next_dirty = txn->dirty;
	*(txn->dirty ? &txn->dirty->prev_dirty : &txn->dirty_last) = node;
	txn->dirty = node;
	txn->dirty_count++;
}

static void list_remove(struct txn *txn, struct node *node)
{
	*(node->prev_dirty ? &node->prev_dirty->next_dirty : &txn->dirty) = node->next_dirty;
	*(node->next_dirty ? &node->next_dirty->prev_dirty : &txn->dirty_last) = node->prev_dirty;
	node->next_dirty = node->prev_dirty = NULL;
	txn->dirty_count--;
}

static void forget_node(struct txn *txn, struct node *node)
{
	map32_remove(&txn->nodes, node->nid);
	txn->node_count--;
	if (node->is_dirty)
		list_remove(txn, node);
	mem_free(txn->vol->ctx, node);
}

int node_get(struct txn *txn, f2fs_nid_t nid, struct node **out)
{
	struct node *node = find_node(txn, nid);
	struct f2fs_nat_info entry = { .nid = nid };
	int err;

	if (node) {
		*out = node;
		return 0;
	}
	node = make_node(txn, nid);
	if (!node)
		return F2FS_ERR_NOMEM;
	/* not known while it is read, since the reader would find it there, and an id that no node can have never is */
	err = geometry_is_nid(&txn->vol->geo, nid) ? nat_get(txn->vol, nid, &entry) : 0;
	if (!err)
		err = node_load_at(txn->vol, &entry, 0, node->block);
	if (err) {
		mem_free(txn->vol->ctx, node);
		return err;
	}
	node->version = entry.version;
	err = keep_node(txn, node);
	if (err)
		return err;
	*out = node;
	return 0;
}

void node_dirty(struct txn *txn, struct node *node)
{
	txn->vol->generation++;
	if (node->is_dirty)
		return;
	node->is_dirty = true;
	list_add(txn, node);
}

/* Make the node of an id that was free; its block is counted already. */
static int install(struct txn *txn, f2fs_nid_t nid, f2fs_nid_t ino, uint32_t node_offset, bool is_directory,
		   struct node **out)
{
	struct f2fs_nat_info entry;
	struct node *node;
	uint8_t *footer;
	int err = nat_get(txn->vol, nid, &entry); /* keeps the version that nid_alloc() left */

	if (err)
		return err;
	entry.block_addr = F2FS_NEW_ADDR;
	entry.ino = ino;
	err = nat_set(txn, &entry);
	if (err)
		return err;
	node = make_node(txn, nid);
	err = node ? keep_node(txn, node) : F2FS_ERR_NOMEM;
	if (err)
		return err;
	node->version = entry.version;
	memset(node->block, 0, txn->vol->geo.block_size);
	footer = node_footer_w(&txn->vol->geo, node->block);
	footer_set_nid(footer, nid);
	footer_set_ino(footer, ino);
	footer_set_flag(footer, node_offset << 3 | !is_directory);
	node_dirty(txn, node);
	txn->valid_nodes++;
	if (ino == nid)
		txn->valid_inodes++;
	*out = node;
	return 0;
}

int node_new(struct txn *txn, f2fs_nid_t ino, uint32_t node_offset, bool is_directory, struct node **out)
{
	f2fs_nid_t nid;
	int err = space_take(txn, 1);

	if (err)
		return err;
	err = nid_alloc(txn, &nid);
	if (err) {
		space_give(txn, 1);
		return err;
	}
	return install(txn, nid, ino ? ino : nid, node_offset, is_directory, out);
}

int node_new_at(struct txn *txn, f2fs_nid_t ino, struct node **out)
{
	int err = space_take(txn, 1);

	return err ? err : install(txn, ino, ino, 0, false, out);
}

int node_free(struct txn *txn, f2fs_nid_t nid)
{
	struct node *node = find_node(txn, nid);
	struct f2fs_nat_info entry;
	int err = nat_get(txn->vol, nid, &entry);

	if (err)
		return err;
	if (entry.block_addr == F2FS_NULL_ADDR)
		return volume_corrupt(txn->vol, RULE_NAT_FREE, entry.table_block, nid, "a node to be freed");
	if (!geometry_is_nid(&txn->vol->geo, entry.ino))
		return volume_corrupt(txn->vol, RULE_NAT_NID, entry.table_block, nid, "of inode %u",
				      (unsigned)entry.ino);
	if (entry.block_addr != F2FS_NEW_ADDR) {
		if (entry.ino != nid)
			err = chain_note(txn, entry.ino, CHAIN_NODE_FREED);
		if (!err)
			err = segment_mark(txn, entry.block_addr, false);
		if (err)
			return err;
		entry.version++; /* the version goes up only if the node was on the device */
	}
	if (entry.ino == nid)
		txn->valid_inodes--;
	txn->valid_nodes--;
	space_give(txn, 1);
	entry.block_addr = F2FS_NULL_ADDR;
	err = nat_set(txn, &entry);
	txn->vol->generation++;
	if (node)
		forget_node(txn, node);
	return err;
}

/* Which log a node belongs to (FORMAT files 10.2). */
static unsigned log_of_node(const struct txn *txn, const uint8_t *block)
{
	const uint8_t *footer = node_footer(&txn->vol->geo, block);
	uint32_t offset = node_offset_of(footer);

	if (offset != XATTR_NODE_OFFSET && !node_offset_is_direct(&txn->vol->geo, offset))
		return F2FS_COLD_NODE;
	return (footer_flag(footer) & NODE_MARK_COLD) ? F2FS_WARM_NODE : F2FS_HOT_NODE;
}

int node_place(struct txn *txn, struct node *node, uint32_t marks, f2fs_blk_t *addr)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint8_t *footer = node_footer_w(geo, node->block);
	unsigned type = log_of_node(txn, node->block);
	struct f2fs_nat_info entry;
	f2fs_blk_t next;
	int err = nat_get(txn->vol, node->nid, &entry);

	if (!err)
		err = head_take_node(txn, type, node->nid, addr, &next);
	if (err)
		return err;
	(entry.block_addr != F2FS_NEW_ADDR ? txn->vol->counters.log_updated : txn->vol->counters.log_new)[type]++;
	if (entry.block_addr != F2FS_NEW_ADDR) {
		err = segment_mark(txn, entry.block_addr, false);
		if (err)
			return err;
	}
	footer_set_flag(footer, (footer_flag(footer) & ~(NODE_MARK_FSYNC | NODE_MARK_DENTRY)) | marks);
	footer_set_cp_ver(footer, checkpoint_node_version(txn->vol->view->cp));
	footer_set_next_blkaddr(footer, next);
	if (footer_nid(footer) == footer_ino(footer) && inode_has_checksum(geo, node->block))
		extra_set_i_inode_checksum(node->block + INODE_ADDR_OFFSET,
					   inode_checksum(geo, node->block, txn->vol->checksum_seed));
	entry.block_addr = *addr;
	return nat_set(txn, &entry);
}

static int write_node(struct txn *txn, struct node *node)
{
	f2fs_blk_t addr;
	int err = node_place(txn, node, 0, &addr);

	return err ? err : head_queue(txn, log_of_node(txn, node->block), addr, node->block);
}

/* Is this a node that the fsync chain carries? */
static bool is_of_file(const struct txn *txn, const struct node *node, f2fs_nid_t ino)
{
	const uint8_t *footer = node_footer(&txn->vol->geo, node->block);
	uint32_t offset = node_offset_of(footer);

	return footer_ino(footer) == ino &&
	       (offset == XATTR_NODE_OFFSET || node_offset_is_direct(&txn->vol->geo, offset));
}

struct node *nodes_detach(struct txn *txn, f2fs_nid_t ino)
{
	struct node *list = NULL;

	for (struct node *node = txn->dirty, *next; node; node = next) {
		next = node->next_dirty;
		if (!is_of_file(txn, node, ino))
			continue;
		list_remove(txn, node);
		node->next_dirty = list;
		list = node;
	}
	return list;
}

void nodes_attach(struct txn *txn, struct node *list)
{
	while (list) {
		struct node *next = list->next_dirty;

		list_add(txn, list);
		list = next;
	}
}

int nodes_flush(struct txn *txn)
{
	while (txn->dirty_last) { /* oldest first; unwritten ones stay dirty */
		struct node *node = txn->dirty_last;
		int err = write_node(txn, node);

		if (err)
			return err;
		list_remove(txn, node);
		node->is_dirty = false;
	}
	return 0;
}

static int note_unmarked(struct txn *txn)
{
	int err = 0;

	for (const struct node *node = txn->dirty; node && !err; node = node->next_dirty)
		err = chain_note(txn, footer_ino(node_footer(&txn->vol->geo, node->block)), CHAIN_UNMARKED);
	return err;
}

/* Drop all nodes, which are written, and keep their memory: giving it back and getting it again costs the host more
 * than the nodes cost here. */
static void drop_all(struct txn *txn)
{
	uint32_t key;
	uint64_t value;

	for (size_t at = 0; map32_each(&txn->nodes, &at, &key, &value);) {
		struct node *node = (struct node *)(uintptr_t)value;

		node->next_dirty = txn->unused;
		txn->unused = node;
	}
	map32_fini(&txn->nodes);
	txn->node_count = 0;
	txn->dirty = txn->dirty_last = NULL;
	txn->dirty_count = 0;
}

int nodes_trim(struct txn *txn)
{
	int err;

	if (txn->node_count <= NODES_IN_MEMORY)
		return 0;
	/* a node that is written before the commit becomes part of the fsync chain */
	segment_hold_all(txn);
	err = note_unmarked(txn);
	if (!err)
		err = nodes_flush(txn);
	if (err)
		return err;
	drop_all(txn);
	return 0;
}

void nodes_end(struct txn *txn)
{
	drop_all(txn);
	while (txn->unused) {
		struct node *next = txn->unused->next_dirty;

		mem_free(txn->vol->ctx, txn->unused);
		txn->unused = next;
	}
}
