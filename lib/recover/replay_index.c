/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay block pointers: each slot of an inode or direct node of the chain against the live one (FORMAT files 12.8).
 * Blocks stay where fsync wrote them and become part of the file there.
 */
#include <string.h>

#include "base/bitmap.h"
#include "file/map_write.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "log/adopt.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/space.h"
#include "recover/replay.h"
#include "recover/replay_index.h"
#include "volume/block_read.h"

/* A slot of the live node, and its coming change. */
struct slot_change {
	struct slot_ref ref;
	uint32_t i;	 /* slot */
	uint64_t file_block;
	f2fs_blk_t from, to;
};

static bool is_special(f2fs_blk_t addr)
{
	return addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR || addr == F2FS_COMPRESS_ADDR;
}

static uint8_t *slot_at(const struct slot_change *c)
{
	return c->ref.raw + (size_t)c->i * 4;
}

/* Empty a slot, with the block it held. */
static int free_slot(struct winode *w, struct node *node, uint8_t *raw)
{
	f2fs_blk_t old = get_le32(raw);
	int err;

	if (old == F2FS_NULL_ADDR)
		return 0;
	err = block_free(w->txn, old);
	if (err)
		return err;
	put_le32(raw, F2FS_NULL_ADDR);
	node_dirty(w->txn, node);
	return winode_count(w, -1);
}

static int reserve_slot(struct winode *w, struct node *node, uint8_t *raw)
{
	int err = space_take(w->txn, 1);

	if (err)
		return err;
	put_le32(raw, F2FS_NEW_ADDR);
	node_dirty(w->txn, node);
	return winode_count(w, 1);
}

/* Take a block away from the file that owned it, unless its old place is the new one. */
static int take_from_owner(struct replay *r, struct replay_step *step, struct slot_change *c)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const uint32_t offset = geometry_offset_of(geo, c->to);
	struct f2fs_block_owner owner;
	struct slot_ref ref;
	struct segment *s;
	struct node *node;
	struct winode w;
	uint32_t node_offset;
	int err = segment_get(r->txn, geometry_segment_of(geo, c->to), &s);

	if (err || !msb_test(s->cur, offset))
		return err;
	err = block_owner(r->txn, c->to, &owner);
	if (!err)
		err = node_get(r->txn, owner.nid, &node);
	if (err)
		return err;
	node_offset = node_offset_of(node_footer(geo, node->block));
	err = winode_get(r->vol, footer_ino(node_footer(geo, node->block)), &w);
	if (err)
		return err;
	if (!(node_offset == 0 || node_offset_is_direct(geo, node_offset)) ||
	    owner.ofs_in_node >= (node_offset ? w.layout.node_slots : w.layout.slots))
		return volume_corrupt(r->vol, RULE_NODE_OFFSET, c->to, owner.nid,
				      "the summary names slot %u, which is none", (unsigned)owner.ofs_in_node);
	if (w.node->nid == step->w.node->nid)
		w = step->w;
	err = slot_make(&w, node_first_block(geo, w.layout.slots, w.layout.node_slots, node_offset) + owner.ofs_in_node,
			&ref);
	if (err || get_le32(ref.raw) != c->to)
		return err;
	inode_set_i_ext_len(winode_block(&w), 0);
	return free_slot(&w, ref.node, ref.raw);
}

/* Make the block that fsync wrote the slot's. */
static int adopt(struct replay *r, struct replay_step *step, struct slot_change *c)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const struct owner owner = { .nid = c->ref.node->nid, .ofs = (uint16_t)c->i, .version = c->ref.node->version };
	struct segment *s;
	int err = 0;

	if (c->from == F2FS_NULL_ADDR)
		err = reserve_slot(&step->w, c->ref.node, slot_at(c));
	if (!err)
		err = take_from_owner(r, step, c);
	if (!err)
		err = segment_get(r->txn, geometry_segment_of(geo, c->to), &s);
	if (err)
		return err;
	if (msb_test(s->cur, geometry_offset_of(geo, c->to)))
		return volume_corrupt(r->vol, RULE_SIT_COUNT, c->to, c->ref.node->nid,
				      "a block of the fsync chain is in use");
	err = block_adopt(r->txn, c->to, owner, c->from == F2FS_NULL_ADDR);
	if (!err && geometry_is_main(geo, c->from))
		err = segment_mark(r->txn, c->from, false);
	if (err)
		return err;
	put_le32(slot_at(c), c->to);
	r->result.blocks++;
	return 0;
}

/* Does the live slot point to a block of its own? Else the block of another file would be freed. */
static int need_own_block(const struct slot_change *c, struct winode *w)
{
	struct slot_ref slot = c->ref;

	slot.raw = slot_at(c);
	slot.ofs_in_node += c->i;
	return slots_need_own(w, &slot, 1);
}

/*
 * Does the size of the file follow a slot past it? Not where blocks were reserved past the end. A written block is
 * before the end in any case: Linux writes none past it, but for clusters and trees of verity.
 */
static bool extends(const struct winode *w, const struct slot_change *c)
{
	const uint8_t advise = inode_i_advise(winode_block(w));

	return !(advise & FLAG_i_advise_keep_size) ||
	       (!is_special(c->to) && !(advise & FLAG_i_advise_verity) && !w->layout.cluster_blocks);
}

/* One slot that differs. */
static int change_slot(struct replay *r, struct replay_step *step, struct slot_change *c)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	struct winode *w = &step->w;
	uint8_t *block = winode_block(w);
	int err = need_own_block(c, w);

	if (err)
		return err;
	if ((!is_special(c->from) && !geometry_is_main(geo, c->from)) ||
	    (!is_special(c->to) && !geometry_is_main(geo, c->to)))
		return volume_corrupt(r->vol, RULE_NODE_ADDR, step->addr, c->ref.node->nid, "slot %u: %u, now %u",
				      (unsigned)c->i, (unsigned)c->to, (unsigned)c->from);
	inode_set_i_ext_len(block, 0);
	node_dirty(w->txn, w->node);
	node_dirty(w->txn, c->ref.node);
	if (c->to == F2FS_NULL_ADDR)
		return free_slot(w, c->ref.node, slot_at(c));
	if (extends(w, c) && inode_i_size(block) <= c->file_block << geo->block_bits)
		inode_set_i_size(block, (c->file_block + 1) << geo->block_bits);
	if (c->to == F2FS_COMPRESS_ADDR)
		return 0; /* the mark of a cluster is never rolled forward */
	if (c->to != F2FS_NEW_ADDR)
		return adopt(r, step, c);
	err = free_slot(w, c->ref.node, slot_at(c));
	return err ? err : reserve_slot(w, c->ref.node, slot_at(c));
}

int replay_indexes(struct replay *r, struct replay_step *step)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	struct winode *w = &step->w;
	const uint8_t *words = step->block + (step->is_inode ? w->layout.slot_offset : 0), *footer;
	uint32_t slots = step->is_inode ? w->layout.slots : w->layout.node_slots;
	struct slot_change c = { 0 };
	uint64_t first;
	int err;

	if (step->is_inode != (step->node_offset == 0) ||
	    (step->node_offset && !node_offset_is_direct(geo, step->node_offset)))
		return volume_corrupt(r->vol, RULE_NODE_OFFSET, step->addr, 0, "%u, in the fsync chain",
				      (unsigned)step->node_offset);
	first = node_first_block(geo, w->layout.slots, w->layout.node_slots, step->node_offset);
	err = slot_make(w, first, &c.ref);
	if (err)
		return err;
	footer = node_footer(geo, c.ref.node->block);
	if (node_offset_of(footer) != step->node_offset)
		return volume_corrupt(r->vol, RULE_NODE_OFFSET, step->addr, c.ref.node->nid, "it is %u, not %u",
				      (unsigned)node_offset_of(footer), (unsigned)step->node_offset);
	for (c.i = 0; c.i < slots && !err; c.i++) {
		c.from = get_le32(slot_at(&c));
		c.to = get_le32(words + (size_t)c.i * 4);
		c.file_block = first + c.i;
		if (c.from != c.to)
			err = change_slot(r, step, &c);
	}
	if (err)
		return err;
	footer_set_flag(node_footer_w(geo, c.ref.node->block),
			step->node_offset << 3 | (footer_flag(node_footer(geo, step->block)) & 1));
	node_dirty(w->txn, c.ref.node);
	return 0;
}
