/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find lost direct nodes without a pointer, and their blocks of data. The NAT entry of such a node names its inode, and
 * the summaries of its blocks name the slots. Nothing names its place in the file. The names in a directory's blocks
 * come back without the blocks.
 */
#include "witness/lost_branches.h"

#include "base/bitmap.h"
#include "facts/finding.h"
#include "facts/inode_digest.h"
#include "witness/lost_inodes.h"
#include "witness/witness.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_unclaimed.h"

struct branches {
	struct map32 misplaced;
	struct map32 nodes; /* nid -> 1 */
};

/* May the blocks of an inode be kept without it? */
static bool is_file(const struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);

	return (!inode || inode->type == F2FS_TYPE_REGULAR) && !inode_is_hidden(c, ino) && !lost_is_orphan(c, ino);
}

static int list_nodes(struct checker *c, struct branches *b)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		bool is_due = false;

		if (fact->kind == FACT_BAD && fact->ino != fact->nid && !(fact->flags & FACT_CLAIMED) &&
		    is_file(c, fact->ino))
			err = rebuild_is_due(c, &b->misplaced, fact, &is_due);
		if (!err && is_due)
			err = map32_set(&b->nodes, fact->nid, 1);
	}
	return err;
}

static int is_of_branch(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted)
{
	const struct branches *b = user;

	*is_wanted = geometry_is_nid(c->geo, block->nid) && map32_find(&b->nodes, block->nid) &&
		     facts_nid(&c->facts, block->nid)->version == block->version &&
		     block->slot < c->geo->addrs_per_block;
	return 0;
}

/* Note a block. Of several blocks for one slot none can be chosen. */
static int note_blocks(struct checker *c, const struct vec *blocks, struct vec *out)
{
	for (size_t i = 0, end; i < blocks->count; i = end) {
		const struct unclaimed *one = vec_at(blocks, i);
		const struct nid_fact *fact = facts_nid(&c->facts, one->nid);
		struct branch_block *kept;

		end = unclaimed_end(blocks, i);
		if (end != i + 1)
			continue;
		kept = vec_push(out, 1);
		if (!kept)
			return F2FS_ERR_NOMEM;
		*kept = (struct branch_block){
			.nid = fact->nid, .ino = fact->ino, .node = fact->addr, .addr = one->addr, .slot = one->slot,
			.version = one->version
		};
	}
	return 0;
}

int lost_branches_find(struct checker *c, struct vec *out)
{
	struct branches b;
	struct vec blocks;
	int err;

	map32_init(&b.misplaced, c->ctx);
	map32_init(&b.nodes, c->ctx);
	vec_init(&blocks, c->ctx, sizeof(struct unclaimed));
	out->count = 0;
	err = rebuild_note_misplaced(c, &b.misplaced);
	if (!err)
		err = list_nodes(c, &b);
	if (!err && b.nodes.count)
		err = witness_unclaimed(c, is_of_branch, &b, &blocks);
	if (!err)
		err = note_blocks(c, &blocks, out);
	vec_fini(&blocks);
	map32_fini(&b.misplaced);
	map32_fini(&b.nodes);
	return err;
}

size_t lost_branch_end(const struct vec *blocks, size_t first)
{
	const f2fs_nid_t nid = ((const struct branch_block *)vec_at(blocks, first))->nid;

	while (first < blocks->count && ((const struct branch_block *)vec_at(blocks, first))->nid == nid)
		first++;
	return first;
}

/* Forget blocks that are in use by nodes which a search found. */
static void drop_claimed(struct checker *c)
{
	struct vec *blocks = &c->book->branches;
	size_t count = 0;

	for (size_t i = 0; i < blocks->count; i++) {
		const struct branch_block one = *(const struct branch_block *)vec_at(blocks, i);
		const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, one.addr));
		const uint32_t offset = geometry_offset_of(c->geo, one.addr);

		if (!seg || !(msb_test(seg->data_map, offset) || msb_test(seg->node_map, offset)))
			*(struct branch_block *)vec_at(blocks, count++) = one;
	}
	blocks->count = count;
}

/* Count the blocks as in use. */
static int claim_all(struct checker *c)
{
	const struct vec *blocks = &c->book->branches;
	int err = 0;

	for (size_t i = 0; i < blocks->count && !err; i++) {
		const struct branch_block *one = vec_at(blocks, i);
		const struct nid_fact node = { .nid = one->nid, .version = one->version };

		err = facts_claim(&c->facts, one->addr, CLAIM_DATA, &node, one->slot);
		c->result->blocks++;
	}
	return err;
}

int lost_branches(struct checker *c)
{
	const struct vec *blocks = &c->book->branches;
	int err = 0;

	if (!c->vol->rescue && witness_has_newest_tables(c) && !c->cut_end)
		err = lost_branches_find(c, &c->book->branches);
	drop_claimed(c);
	if (!err)
		err = claim_all(c);
	for (size_t i = 0, end; i < blocks->count && !err; i = end) {
		const struct branch_block *one = vec_at(blocks, i);

		end = lost_branch_end(blocks, i);
		err = problem_raise(c, &(struct finding){ .problem = P_NODE_UNPLACED,
							  .nid = one->nid,
							  .ino = one->ino,
							  .has_block = 1,
							  .block = one->node,
							  .has_values = 1,
							  .found = end - i });
	}
	return err;
}
