/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on pointers to blocks that are not theirs. The SIT has the block free, or another slot holds it by right. Its
 * summary does not name the pointer, and the inode counts exactly that number of blocks less. Then the slot was empty
 * before.
 */
#include <string.h>

#include "base/bitmap.h"
#include "facts/claims.h"
#include "witness/witness.h"
#include "witness/witness_ghosts.h"
#include "witness/witness_layout.h"
#include "witness/witness_slots.h"

/* A pointer that may be wrong. */
struct ghost {
	uint32_t inode; /* index of its inode_fact */
	f2fs_nid_t nid;
	uint32_t slot;
	f2fs_blk_t addr;
	unsigned witnesses;
};

static int compare_ghosts(const void *a, const void *b)
{
	const struct ghost *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode > y->inode ? 1 : -1;
	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Mark segments with blocks that are claimed and free in the SIT, or claimed twice. Returns false if there are none. */
static bool mark_segments(struct checker *c)
{
	bool is_any = false;

	for (size_t i = 0; i < c->facts.segs.count; i++) {
		struct seg_fact *seg = vec_at(&c->facts.segs, i);
		bool is_odd = (seg->flags & SEG_CONFLICT) != 0;

		for (unsigned k = 0; k < sizeof(seg->sit_map); k++)
			is_odd |= (seg->data_map[k] & ~seg->sit_map[k]) != 0;
		if (is_odd && !(seg->flags & SEG_ALIAS))
			seg->flags |= SEG_WITNESS;
		is_any |= is_odd;
	}
	return is_any;
}

/* Does one of the claims on a block agree with its summary? Without one, a node is what a segment of nodes holds. */
static bool is_held(const struct vec *claims, size_t first, size_t end, const struct block_view *view)
{
	for (size_t i = first; i < end; i++) {
		const struct claim *claim = vec_at(claims, i);

		if (view->has_sum ? claim->nid == view->sum_nid && (claim->is_node || claim->slot == view->sum_slot)
				  : claim->is_node)
			return true;
	}
	return false;
}

static int add_ghost(struct checker *c, struct vec *ghosts, const struct claim *claim, const struct block_view *view)
{
	const struct nid_fact *fact = facts_nid(&c->facts, claim->nid);
	const struct inode_fact *inode = facts_owner(&c->facts, fact);
	struct ghost *ghost;
	int err;

	if (claim->is_node || inode->blocks >= inode->blocks_found || inode->cluster_blocks)
		return 0;
	err = witness_layout(c, fact->ino); /* are these slots at all? */
	if (err || c->must_restart ||
	    (inode->state & (INODE_ODD | INODE_MENDED | INODE_RETYPED | INODE_GUESSED)))
		return err;
	if (view->has_sum && claim->nid == view->sum_nid && claim->slot == view->sum_slot)
		return 0;
	ghost = vec_push(ghosts, 1);
	if (!ghost)
		return F2FS_ERR_NOMEM;
	*ghost = (struct ghost){ .inode = fact->inode,
				 .nid = claim->nid,
				 .slot = claim->slot,
				 .addr = claim->addr,
				 .witnesses = WITNESS_COUNT };
	if (view->has_sum)
		ghost->witnesses |= WITNESS_SUMMARY;
	if (!view->is_in_sit || !view->has_sum)
		ghost->witnesses |= WITNESS_SIT;
	return 0;
}

/* Does the SIT have nodes in a block's segment? Their summaries may be made of their footers. */
static bool is_of_nodes(const struct checker *c, f2fs_blk_t addr)
{
	const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, addr));

	return seg && seg->sit_type >= F2FS_HOT_NODE && seg->sit_type < F2FS_LOG_COUNT;
}

/* All claims on one block. */
static int look_at(struct checker *c, struct vec *ghosts, const struct vec *claims, size_t first, size_t end)
{
	struct block_view view;
	int err = witness_view_tables(c, ((const struct claim *)vec_at(claims, first))->addr, &view);

	if (err || (!view.has_sum && !is_of_nodes(c, view.addr)) ||
	    (view.is_in_sit && (end == first + 1 || !is_held(claims, first, end, &view))))
		return err;
	for (size_t i = first; i < end && !err; i++)
		err = add_ghost(c, ghosts, vec_at(claims, i), &view);
	return err;
}

static int collect(struct checker *c, struct vec *ghosts)
{
	f2fs_seg_t from = 0;
	int err = 0;

	while (from < c->geo->segment_count_main && !err) {
		struct vec claims;

		err = claims_collect(c, SEG_WITNESS, &from, &claims);
		for (size_t i = 0, end; i < claims.count && !err; i = end) {
			const f2fs_blk_t addr = ((const struct claim *)vec_at(&claims, i))->addr;

			for (end = i + 1; end < claims.count; end++)
				if (((const struct claim *)vec_at(&claims, end))->addr != addr)
					break;
			err = look_at(c, ghosts, &claims, i, end);
		}
		vec_fini(&claims);
	}
	vec_sort(ghosts, compare_ghosts);
	return err;
}

static int clear(struct checker *c, const struct ghost *ghost)
{
	struct slot_view slot;
	int err = witness_find_slot(c, ghost->nid, ghost->slot, &slot);

	if (err || !slot.is_there || slot.value != ghost->addr)
		return err;
	return witness_amend_slot(c, &slot, F2FS_NULL_ADDR, ghost->witnesses);
}

int witness_ghosts(struct checker *c)
{
	struct vec ghosts;
	int err;

	if (!mark_segments(c))
		return 0;
	vec_init(&ghosts, c->ctx, sizeof(struct ghost));
	err = collect(c, &ghosts);
	for (size_t i = 0, end; i < ghosts.count && !err && !c->must_restart; i = end) {
		const struct ghost *first = vec_at(&ghosts, i);
		const struct inode_fact *inode = facts_inode_at(&c->facts, first->inode);

		for (end = i + 1; end < ghosts.count; end++)
			if (((const struct ghost *)vec_at(&ghosts, end))->inode != first->inode)
				break;
		for (size_t k = i; k < end && !err && inode->blocks_found - inode->blocks == end - i; k++)
			err = clear(c, vec_at(&ghosts, k));
	}
	vec_fini(&ghosts);
	return err;
}
