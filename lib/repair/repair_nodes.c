/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patch nodes. All kept nodes are read in device order, and the right contents of each are computed on a copy. If they
 * differ, the copy becomes the transaction's node. Nodes in segments that also hold data move out of them.
 */
#include <string.h>

#include "base/error.h"
#include "facts/node_digest.h"
#include "facts/sweep.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "log/nodes.h"
#include "repair/repair.h"
#include "repair/repair_inode.h"
#include "repair/repair_left.h"
#include "repair/repair_nodes.h"
#include "witness/witness.h"
#include "witness/witness_swaps.h"

/* Sweeps pass the checker to their functions; this finds the repair that runs on it. */
static struct repair *repair_of(const struct checker *c)
{
	return c->repair;
}

static bool moves_out(const struct repair *r, const struct nid_fact *fact)
{
	const struct seg_fact *seg = facts_seg(&r->c->facts, geometry_segment_of(r->geo, fact->addr));

	return seg && !is_zero(seg->data_map, sizeof(seg->data_map));
}

static void patch_footer(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode,
			 uint8_t *block)
{
	uint8_t *footer = node_footer_w(r->geo, block);
	uint32_t flag = footer_flag(footer);

	footer_set_ino(footer, fact->ino);
	if (fact->ino == fact->nid && repair_wanted(r, P_NODE_OFFSET, fact->nid))
		flag &= 7;
	if (inode->type != F2FS_TYPE_UNKNOWN && !(inode->state & (INODE_HIDDEN | INODE_ALIAS)) &&
	    repair_wanted(r, P_NODE_COLD, fact->nid))
		flag = (flag & ~1u) | (inode->type != F2FS_TYPE_DIRECTORY);
	footer_set_flag(footer, flag);
}

static void patch_children(const struct repair *r, const struct nid_fact *fact, uint8_t *block)
{
	const uint32_t n = r->geo->nids_per_block, step = fact->kind == FACT_DOUBLE ? n + 1 : 1;

	for (uint32_t k = 0; k < n; k++) {
		uint8_t *raw = block + (size_t)k * 4;

		if (get_le32(raw) && !repair_keeps_child(r, fact, k, get_le32(raw), fact->offset + 1 + k * step))
			put_le32(raw, 0);
	}
}

static int put_node(struct repair *r, const struct nid_fact *fact, const uint8_t *block)
{
	struct node *node;
	int err = node_get(r->txn, fact->nid, &node);

	if (err)
		return err;
	memcpy(node->block, block, r->geo->block_size);
	node_dirty(r->txn, node);
	r->is_changed = true;
	return nodes_trim(r->txn);
}

static int patch_node(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	struct repair *r = repair_of(c);
	const struct nid_fact *fact = facts_nid(&c->facts, item->tag);
	const struct inode_fact *inode = facts_owner(&c->facts, fact);
	uint8_t *copy = r->block;

	(void)judged;
	if (fact->kind == FACT_INODE && !repair_may_write(r, fact->nid))
		return witness_is_exchanged(c, fact->addr) ? put_node(r, fact, block) : 0;
	memcpy(copy, block, r->geo->block_size);
	switch (fact->kind) {
	case FACT_INODE:
		repair_inode_block(r, fact, inode, copy);
		break;
	case FACT_DIRECT:
		repair_slots(r, fact, inode, copy, inode->node_slots);
		break;
	case FACT_INDIRECT:
	case FACT_DOUBLE:
		patch_children(r, fact, copy);
		break;
	default:
		break;
	}
	patch_footer(r, fact, inode, copy);
	if (memcmp(copy, block, r->geo->block_size) == 0 && !moves_out(r, fact) &&
	    !witness_amends_node(c, fact) &&
	    !(fact->kind == FACT_INODE && (inode->state & INODE_BAD_SUM)))
		return 0;
	return put_node(r, fact, copy);
}

int repair_nodes(struct repair *r)
{
	static const struct sweep sweep = { "patch nodes", NULL, patch_node, node_is_gone, node_is_same };

	return sweep_kept(r->c, &sweep);
}

/* Bytes of inline contents up to the last that is not zero. */
static uint64_t inline_end(const struct repair *r, const uint8_t *block)
{
	struct inode_layout layout;
	uint32_t end;

	inode_layout(r->geo, block, &layout);
	for (end = layout.inline_size; end > 0 && block[layout.inline_offset + end - 1] == 0;)
		end--;
	return end;
}

/*
 * The size of a file whose last block is known and whose size cannot be: if one bit is wrong, without it, else the
 * end.
 */
static uint64_t likely_size(uint64_t size, uint64_t end, uint32_t block_bits)
{
	for (unsigned bit = block_bits; bit < 64; bit++) {
		const uint64_t other = size ^ (uint64_t)1 << bit;

		if (end > 0 && other <= end && other > end - ((uint64_t)1 << block_bits))
			return other;
	}
	return end;
}

/* Replace an impossible size. */
static int cut_size(struct repair *r, f2fs_nid_t ino, uint64_t size)
{
	struct f2fs_inode *inode;
	struct f2fs_file_extent extent;
	struct node *node;
	uint64_t at = 0, end = 0;
	int err = inode_open(r->vol, ino, &inode);

	if (err == F2FS_ERR_CORRUPT) { /* other rules are mended first, the size in the next round */
		error_clear(r->ctx);
		return 0;
	}
	if (err)
		return err;
	while (!err && at < node_max_file_blocks(r->geo, r->geo->addrs_per_block)) {
		err = map_extent(inode, at, UINT64_MAX, &extent);
		if (err || extent.count == 0)
			break;
		at = extent.file_block + extent.count;
		if (extent.kind != F2FS_EXTENT_HOLE)
			end = at;
	}
	f2fs_inode_close(inode);
	if (err) /* the rest of the tree is damaged or unreadable: the size ends at the last block that was found */
		error_clear(r->ctx);
	err = node_get(r->txn, ino, &node);
	if (err)
		return err;
	if (inode_has_inline(node->block, FLAG_i_inline_inline_data))
		inode_set_i_size(node->block, inline_end(r, node->block));
	else
		inode_set_i_size(node->block,
				 likely_size(size, end << r->geo->block_bits, r->geo->block_bits));
	node_dirty(r->txn, node);
	return 0;
}

int repair_sizes(struct repair *r)
{
	int err = 0;

	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		const struct inode_fact *inode = f->problem == P_INODE_SIZE ? facts_inode(&r->c->facts, f->ino) : NULL;

		if (inode && inode->type == F2FS_TYPE_REGULAR && !f->is_left && repair_may_write(r, f->ino))
			err = cut_size(r, f->ino, f->found);
	}
	return err;
}
