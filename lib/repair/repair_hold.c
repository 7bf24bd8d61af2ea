/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep nodes that the facts drop, where the caller decided against the repair. They keep their NAT entries, the
 * pointers to them and the nodes below them. Their blocks stay in use and are counted, so that nothing overwrites them.
 * The exception is a segment that changed between node and data: then the owner of a block cannot be determined.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "repair/repair.h"
#include "repair/repair_hold.h"
#include "repair/repair_left.h"
#include "volume/block_read.h"

/* Is the node to be kept, by a finding of its own? */
static bool is_left(const struct repair *r, f2fs_nid_t nid)
{
	static const enum problem problems[] = { P_NODE_UNREADABLE, P_NODE_NID, P_NODE_OFFSET, P_NODE_LOST,
						 P_NODE_CHILD_OWNER, P_NAT_ADDRESS };

	for (unsigned i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
		if (!repair_wanted(r, problems[i], nid))
			return true;
	return false;
}

static bool is_held(const struct repair *r, f2fs_nid_t nid)
{
	const struct nid_fact *fact = nid ? facts_nid(&r->c->facts, nid) : NULL;

	return fact && (fact->flags & FACT_HELD);
}

/* Go from inodes down to direct nodes, so that a node that is held holds the nodes below it. */
static int mark_nodes(struct repair *r)
{
	static const uint8_t order[] = { FACT_UNSEEN, FACT_BAD, FACT_DOUBLE, FACT_INDIRECT, FACT_DIRECT, FACT_XATTR };

	for (unsigned o = 0; o < sizeof(order); o++) {
		struct facts_walk walk = { 0 };
		const struct nid_fact *fact;

		while ((fact = facts_next(&r->c->facts, &walk)) != NULL) {
			struct nid_fact *held;

			if (fact->kind != order[o] || (fact->flags & FACT_KEPT) ||
			    !(is_left(r, fact->nid) || is_held(r, fact->parent)))
				continue;
			held = facts_edit_nid(&r->c->facts, fact->nid);
			if (!held)
				return F2FS_ERR_NOMEM;
			held->flags |= FACT_HELD;
		}
	}
	return 0;
}

/* Mark a free block as in use, unless its segment holds blocks of the other class (node or data). */
static int take_block(struct repair *r, f2fs_blk_t addr, bool is_node)
{
	const uint32_t offset = geometry_offset_of(r->geo, addr);
	struct seg_fact *seg;

	if (!geometry_is_main(r->geo, addr))
		return 0;
	seg = facts_seg_add(&r->c->facts, geometry_segment_of(r->geo, addr));
	if (!seg)
		return F2FS_ERR_NOMEM;
	if (msb_test(seg->data_map, offset) || msb_test(seg->node_map, offset) ||
	    !is_zero(is_node ? seg->data_map : seg->node_map, 64))
		return 0;
	msb_set(is_node ? seg->node_map : seg->data_map, offset);
	r->held_blocks++;
	r->held_nodes += is_node;
	return 0;
}

static int take_data(struct repair *r, const struct nid_fact *fact)
{
	int err = volume_read(r->vol, fact->addr, 0, r->block, r->geo->block_size);

	if (err == F2FS_ERR_IO) {
		error_clear(r->ctx);
		return 0;
	}
	for (uint32_t i = 0; i < r->geo->addrs_per_block && !err; i++)
		err = take_block(r, get_le32(r->block + (size_t)i * 4), false);
	return err;
}

int repair_hold(struct repair *r)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err;

	if (r->left.count == 0)
		return 0;
	err = mark_nodes(r);
	while (!err && (fact = facts_next(&r->c->facts, &walk)) != NULL) {
		/* a block that is not this node's, or cannot be read, is not known to be anything */
		if (!(fact->flags & FACT_HELD) || fact->kind == FACT_UNSEEN || fact->kind == FACT_BAD)
			continue;
		err = take_block(r, fact->addr, true);
		if (!err && fact->kind == FACT_DIRECT)
			err = take_data(r, fact);
	}
	return err;
}
