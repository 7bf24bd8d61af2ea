/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on pointers to data. A block may be in use in the SIT although no pointer leads to it. It is given back to the
 * slot that its summary names, when the slot's present value cannot be right.
 */
#include "base/bitmap.h"
#include "witness/witness.h"
#include "witness/witness_clusters.h"
#include "witness/witness_data.h"
#include "witness/witness_ghosts.h"
#include "witness/witness_layout.h"
#include "witness/witness_slots.h"
#include "witness/witness_unclaimed.h"

#define MOST_OF_PACK 1u /* slots that the summaries in the pack may contradict and be right */

/* Return the inode of a node with slots, if its slots are where its block puts them. */
static const struct inode_fact *owner_of(const struct checker *c, const struct nid_fact *fact, struct inode_fact *room)
{
	const struct inode_fact *inode;

	if (!fact || !(fact->flags & FACT_KEPT) || fact->inode == NO_INODE ||
	    (fact->kind != FACT_INODE && fact->kind != FACT_DIRECT))
		return NULL;
	inode = facts_find_owner(&c->facts, fact, room);
	if (!inode_fact_has_contents(inode) || inode_fact_is_inline(inode) ||
	    (inode->state & (INODE_ALIAS | INODE_MENDED | INODE_RETYPED | INODE_GUESSED)))
		return NULL;
	return inode;
}

/* Has an inode this slot, as it is divided? */
static bool has_slot(const struct checker *c, const struct nid_fact *fact, uint32_t slot)
{
	const struct inode_fact *inode = facts_owner(&c->facts, fact);

	return inode_fact_has_contents(inode) && !inode_fact_is_inline(inode) && slot < inode->slots;
}

/* Could the slot that the block's summary names be meant to point to the block? */
static int is_offer(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted)
{
	const struct nid_fact *fact = facts_nid(&c->facts, block->nid);
	struct inode_fact room;

	(void)user;
	if (!fact || fact->version != block->version)
		return 0;
	if (fact->kind == FACT_INODE && !has_slot(c, fact, block->slot))
		return witness_layout(c, fact->nid);
	*is_wanted = owner_of(c, fact, &room) != NULL;
	return 0;
}

/* Is a block a node by the NAT and by its footer? */
static bool is_node(const struct checker *c, f2fs_blk_t addr)
{
	const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, addr));

	return seg && msb_test(seg->node_map, geometry_offset_of(c->geo, addr));
}

/* Is just one claimed block free in the SIT? More of them may mean that the SIT is an old one. */
static bool is_only_one_free(const struct checker *c)
{
	uint32_t count = 0;

	for (size_t s = 0; s < c->facts.segs.count && count < 2; s++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, s);

		for (unsigned k = 0; k < sizeof(seg->sit_map); k++)
			for (unsigned x = (seg->data_map[k] | seg->node_map[k]) & ~seg->sit_map[k]; x; x &= x - 1)
				count++;
	}
	return count == 1;
}

/* Does a slot's value hold a block by right: one whose summary names this slot, or one in use of unknown owner? */
static int holds_by_right(struct checker *c, const struct unclaimed *o, f2fs_blk_t value, bool *out)
{
	struct block_view view;
	int err = witness_view_tables(c, value, &view);

	*out = !err && (view.has_sum ? view.sum_nid == o->nid && view.sum_slot == o->slot
				     : view.is_in_sit && !is_node(c, value));
	/* the block before was this slot's, too */
	if (*out && !view.is_in_sit && o->is_counted && is_only_one_free(c))
		*out = false;
	return err;
}

/* Can the slot's value be wrong? Adds the witnesses against it to *witnesses. */
static int is_wrong(struct checker *c, const struct unclaimed *o, const struct inode_fact *inode, f2fs_blk_t value,
		    unsigned *witnesses, bool *out)
{
	bool is_right;
	int err;

	switch (value) {
	case F2FS_NULL_ADDR: /* a hole, unless the inode counts more blocks than there are */
		if (inode->blocks > inode->blocks_found)
			*witnesses |= WITNESS_COUNT;
		*out = inode->blocks > inode->blocks_found || (inode->blocks != inode->blocks_found && o->is_counted);
		return 0;
	case F2FS_NEW_ADDR: /* reserved, and not written, unless the SIT is right in two ways */
		*out = o->is_counted;
		return 0;
	case F2FS_COMPRESS_ADDR:
		*out = inode->cluster_blocks == 0 || o->slot % inode->cluster_blocks != 0;
		return 0;
	default:
		*out = true;
		if (!geometry_is_main(c->geo, value))
			return 0;
		err = holds_by_right(c, o, value, &is_right);
		*out = !is_right;
		return err;
	}
}

/* A block, and the slot that should lead to it. */
struct offer {
	struct slot_view slot;
	f2fs_blk_t addr;
	unsigned witnesses;
	bool is_of_pack; /* the summary is, and the slot leads to another block */
};

/* Note the slot of a block, if what stands there is wrong. */
static int note_offer(struct checker *c, const struct unclaimed *o, struct vec *offers)
{
	struct inode_fact room;
	const struct inode_fact *inode = owner_of(c, facts_nid(&c->facts, o->nid), &room);
	struct offer one = { .addr = o->addr,
			     .witnesses = WITNESS_SUMMARY | WITNESS_SIT }, *kept;
	bool wrong = false;
	int err = witness_find_slot(c, o->nid, o->slot, &one.slot);

	if (err || !one.slot.is_there)
		return err;
	err = is_wrong(c, o, inode, one.slot.value, &one.witnesses, &wrong);
	if (err || !wrong)
		return err;
	kept = vec_push(offers, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	one.is_of_pack = o->is_of_pack && geometry_is_main(c->geo, one.slot.value);
	*kept = one;
	return 0;
}

/*
 * Amend the slots. Summaries in the checkpoint pack and the journal of the SIT are in one block. When they contradict
 * many slots that lead to other blocks, that block is of another checkpoint, and the nodes are right.
 */
static int take_offers(struct checker *c, const struct vec *offers)
{
	size_t of_pack = 0;
	int err = 0;

	for (size_t i = 0; i < offers->count; i++)
		of_pack += ((const struct offer *)vec_at(offers, i))->is_of_pack;
	for (size_t i = 0; i < offers->count && !err; i++) {
		const struct offer *one = vec_at(offers, i);

		if (!one->is_of_pack || of_pack <= MOST_OF_PACK)
			err = witness_amend_slot(c, &one->slot, one->addr, one->witnesses);
	}
	return err;
}

int witness_data(struct checker *c)
{
	struct vec blocks, offers;
	int err;

	if (!witness_may_vote(c))
		return 0;
	vec_init(&blocks, c->ctx, sizeof(struct unclaimed));
	vec_init(&offers, c->ctx, sizeof(struct offer));
	err = witness_unclaimed(c, is_offer, NULL, &blocks);
	for (size_t i = 0, end; i < blocks.count && !err; i = end) {
		end = unclaimed_end(&blocks, i);
		if (end == i + 1) /* of several candidates none can be chosen */
			err = note_offer(c, vec_at(&blocks, i), &offers);
	}
	if (!err)
		err = take_offers(c, &offers);
	vec_fini(&blocks);
	vec_fini(&offers);
	if (!err && !c->must_restart)
		err = witness_clusters(c);
	if (!err && !c->must_restart)
		err = witness_ghosts(c);
	c->book->votes += c->must_restart;
	return err;
}
