/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build lost indirect nodes again to which no pointer leads, because the inode or the node above is lost as well. The
 * nodes below them say by their offsets which nodes there were between them and the inode. The NAT, the SIT and the
 * summaries say which lost nodes the inode has besides. An indirect node holds nothing but the numbers of the nodes
 * below, so that it makes no difference which of several lost ones takes which place.
 *
 * A direct node that is lost with all pointers to it has blocks of data, whose summaries name it (witness_direct.c).
 */
#include "witness/witness_unplaced.h"

#include <string.h>

#include "facts/node_digest.h"
#include "witness/witness.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_tree.h"
#include "witness/witness_unclaimed.h"

struct unplaced {
	struct checker *c;
	const struct vec *loose;
	struct map32 misplaced;
	struct vec nodes;  /* struct loose_node: lost ones, by inode and node id, without an offset */
	struct vec blocks; /* struct unclaimed: data of lost nodes */
	struct vec gaps;   /* uint32_t: offsets of the missing nodes of one inode */
	uint8_t *block;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct loose_node *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	return (x->nid > y->nid) - (x->nid < y->nid);
}

static int compare_inos(const void *a, const void *b)
{
	const struct loose_node *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* ---- lost nodes without a pointer */

static bool is_unplaced(const struct unplaced *u, const struct nid_fact *fact)
{
	const struct loose_node key = { .ino = fact->ino };

	return fact->kind == FACT_BAD && fact->ino != fact->nid && !(fact->flags & FACT_CLAIMED) &&
	       vec_find(u->loose, compare_inos, &key) != NULL;
}

static int is_data_of_unplaced(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted)
{
	const struct nid_fact *fact = geometry_is_nid(c->geo, block->nid) ? facts_nid(&c->facts, block->nid) : NULL;

	*is_wanted = fact && is_unplaced(user, fact);
	return 0;
}

static int list_nodes(struct unplaced *u)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next_whole(&u->c->facts, &walk)) != NULL) {
		struct loose_node *one;
		bool is_due = false;

		if (is_unplaced(u, fact))
			err = rebuild_is_due(u->c, &u->misplaced, fact, &is_due);
		if (err || !is_due)
			continue;
		one = vec_push(&u->nodes, 1);
		if (!one)
			return F2FS_ERR_NOMEM;
		*one = (struct loose_node){ .ino = fact->ino, .nid = fact->nid };
	}
	vec_sort(&u->nodes, compare_nodes);
	return err;
}

/* Forget the nodes to which blocks of data belong. */
static void drop_direct(struct unplaced *u)
{
	size_t count = 0;

	for (size_t i = 0; i < u->nodes.count; i++) {
		const struct loose_node one = *(const struct loose_node *)vec_at(&u->nodes, i);

		if (unclaimed_first(&u->blocks, one.nid) == u->blocks.count)
			*(struct loose_node *)vec_at(&u->nodes, count++) = one;
	}
	u->nodes.count = count;
}

/* ---- missing nodes */

/* List the missing nodes of an inode, those next to it first. */
static int list_gaps(struct unplaced *u, f2fs_nid_t ino)
{
	const struct loose_node key = { .ino = ino };
	size_t count = 0;

	u->gaps.count = 0;
	for (size_t i = vec_first(u->loose, compare_inos, &key); i < u->loose->count; i++) {
		const struct loose_node *loose = vec_at(u->loose, i);
		uint32_t gaps[TREE_MOST_GAPS], *room;
		unsigned found;
		int err;

		if (loose->ino != ino)
			break;
		err = tree_find_gaps(u->c, ino, loose->offset, gaps, &found);
		if (err)
			return err;
		if (found == 0)
			continue;
		room = vec_push(&u->gaps, found);
		if (!room)
			return F2FS_ERR_NOMEM;
		memcpy(room, gaps, found * sizeof(*gaps));
	}
	vec_sort(&u->gaps, compare_offsets);
	for (size_t i = 0; i < u->gaps.count; i++) {
		const uint32_t offset = *(const uint32_t *)vec_at(&u->gaps, i);
		const struct loose_node there = { .ino = ino, .offset = offset };
		const bool is_new = count == 0 || *(const uint32_t *)vec_at(&u->gaps, count - 1) != offset;

		if (is_new && !vec_find(u->loose, loose_compare_places, &there))
			*(uint32_t *)vec_at(&u->gaps, count++) = offset;
	}
	u->gaps.count = count;
	return 0;
}

/* ---- a node that takes a place */

static void point_to(struct unplaced *u, uint32_t parent, const struct loose_node *child)
{
	uint32_t slot;

	if (tree_parent_of(u->c->geo, child->offset, &slot) == parent)
		put_le32(u->block + (size_t)slot * 4, child->nid);
}

/* Write the pointers to the nodes below: loose ones, and those of nodes that take other places of the inode. */
static void fill(struct unplaced *u, const struct loose_node *nodes, const struct loose_node *node)
{
	const struct loose_node key = { .ino = node->ino };

	for (size_t i = vec_first(u->loose, compare_inos, &key), end; i < u->loose->count; i = end) {
		const struct loose_node *loose = vec_at(u->loose, i);

		if (loose->ino != node->ino)
			break;
		for (end = i + 1; end < u->loose->count && loose_compare_places(loose, vec_at(u->loose, end)) == 0;)
			end++;
		if (end == i + 1) /* of several that claim one place none can be chosen */
			point_to(u, node->offset, loose);
	}
	for (size_t i = 0; i < u->gaps.count && nodes[i].offset; i++)
		point_to(u, node->offset, &nodes[i]);
}

static int build(struct unplaced *u, const struct loose_node *nodes, const struct loose_node *node)
{
	struct checker *c = u->c;
	const struct inode_fact *inode = facts_inode(&c->facts, node->ino);
	const struct nid_fact *fact = facts_nid(&c->facts, node->nid);
	const struct finding why = { .problem = P_NODE_REBUILT,
				     .nid = node->nid,
				     .ino = node->ino,
				     .has_block = 1,
				     .block = fact->addr,
				     .text = "the offset of each node below it" };
	int err;

	memset(u->block, 0, c->geo->block_size);
	fill(u, nodes, node);
	rebuild_footer(c, fact, node->offset, inode->type == F2FS_TYPE_DIRECTORY, u->block);
	err = witness_amend_block(c, fact->addr, u->block, &why);
	return err ? err : tree_hang(c, node);
}

/* Let the lost nodes of an inode take its missing places. nodes: the first of them, which are count. */
static int take_places(struct unplaced *u, struct loose_node *nodes, size_t count)
{
	int err = list_gaps(u, nodes[0].ino);

	if (u->gaps.count > count)
		u->gaps.count = count;
	for (size_t i = 0; i < u->gaps.count && !err; i++)
		nodes[i].offset = *(const uint32_t *)vec_at(&u->gaps, i);
	for (size_t i = 0; i < u->gaps.count && !err; i++)
		err = build(u, nodes, &nodes[i]);
	return err;
}

static int place_all(struct unplaced *u)
{
	int err = rebuild_note_misplaced(u->c, &u->misplaced);

	if (!err)
		err = list_nodes(u);
	if (err || u->nodes.count == 0)
		return err;
	err = witness_unclaimed(u->c, is_data_of_unplaced, u, &u->blocks);
	if (!err)
		drop_direct(u);
	for (size_t i = 0, end; i < u->nodes.count && !err; i = end) {
		struct loose_node *first = vec_at(&u->nodes, i);

		for (end = i + 1; end < u->nodes.count && compare_inos(first, vec_at(&u->nodes, end)) == 0;)
			end++;
		err = take_places(u, first, end - i);
	}
	return err;
}

int witness_unplaced(struct checker *c, const struct vec *loose)
{
	struct unplaced u = { .c = c, .loose = loose };
	int err;

	if (loose->count == 0)
		return 0;
	vec_init(&u.nodes, c->ctx, sizeof(struct loose_node));
	vec_init(&u.blocks, c->ctx, sizeof(struct unclaimed));
	vec_init(&u.gaps, c->ctx, sizeof(uint32_t));
	map32_init(&u.misplaced, c->ctx);
	u.block = mem_alloc(c->ctx, c->geo->block_size);
	err = u.block ? place_all(&u) : F2FS_ERR_NOMEM;
	vec_fini(&u.nodes);
	vec_fini(&u.blocks);
	vec_fini(&u.gaps);
	map32_fini(&u.misplaced);
	mem_free(c->ctx, u.block);
	return err;
}
