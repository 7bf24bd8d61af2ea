/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the place of a node in a file's tree by its offset, and put nodes that no pointer leads to into free places.
 */
#include "base/error.h"
#include "volume/block_read.h"
#include "witness/further_parents.h"
#include "witness/witness.h"
#include "witness/witness_tree.h"

/* The way from an inode to a node: pointer after pointer, at most three. */
struct tree_way {
	unsigned depth;
	uint32_t index[NODE_LEVELS];  /* [0]: which i_nid, 5: i_xattr_nid; then the entry of the node of that level */
	uint32_t offset[NODE_LEVELS]; /* of the node that the pointer leads to */
};

static void way_add(struct tree_way *way, uint32_t index, uint32_t offset)
{
	way->index[way->depth] = index;
	way->offset[way->depth++] = offset;
}

/* Find the way to a node of this offset; false when no tree has one. */
static bool find_way(const struct f2fs_geometry *geo, uint32_t offset, struct tree_way *way)
{
	const uint32_t n = geo->nids_per_block;
	uint32_t at;

	way->depth = 0;
	if (offset == XATTR_NODE_OFFSET) {
		way_add(way, INODE_NIDS, offset);
		return true;
	}
	if (offset == 0)
		return false;
	if (offset <= 2) {
		way_add(way, offset - 1, offset);
		return true;
	}
	if (offset < 5 + 2 * n) {
		at = (offset - 3) / (n + 1);
		way_add(way, 2 + at, 3 + at * (n + 1));
		if (offset > way->offset[0])
			way_add(way, offset - way->offset[0] - 1, offset);
		return true;
	}
	at = offset - 5 - 2 * n;
	way_add(way, 4, 5 + 2 * n);
	if (at == 0)
		return true;
	at = (at - 1) / (n + 1);
	if (at >= n)
		return false;
	way_add(way, at, 6 + 2 * n + at * (n + 1));
	if (offset > way->offset[1])
		way_add(way, offset - way->offset[1] - 1, offset);
	return true;
}

/* Is this a node of the inode with this offset? */
static bool is_node_of(const struct nid_fact *fact, f2fs_nid_t ino, uint32_t offset)
{
	return fact && fact->kind >= FACT_DIRECT && fact->ino == ino && fact->offset == offset && fact->nid != ino;
}

static bool has_tree(const struct inode_fact *inode, uint32_t offset)
{
	if (offset == XATTR_NODE_OFFSET)
		return true;
	return inode_fact_has_contents(inode) && !inode_fact_is_inline(inode) && !(inode->state & INODE_ALIAS);
}

static uint32_t byte_of(const struct f2fs_geometry *geo, unsigned level, uint32_t index)
{
	if (level > 0)
		return index * 4;
	return index == INODE_NIDS ? (uint32_t)inode_OFS_i_xattr_nid : inode_nids_offset(geo) + index * 4;
}

int tree_find_place(struct checker *c, f2fs_nid_t ino, uint32_t offset, struct tree_place *out)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	struct nid_fact room;
	const struct nid_fact *node = inode ? facts_find_nid(&c->facts, ino, &room) : NULL;
	struct tree_way way;

	out->state = PLACE_NONE;
	if (!inode || !find_way(c->geo, offset, &way) || !has_tree(inode, offset))
		return 0;
	for (unsigned level = 0; level < way.depth && node; level++) {
		const uint8_t *block;
		int err = volume_peek(c->vol, node->addr, &block);

		if (err == F2FS_ERR_IO) {
			error_clear(c->ctx);
			return 0;
		}
		if (err)
			return err;
		out->parent = node->nid;
		out->addr = node->addr;
		out->slot = way.index[level];
		out->byte = byte_of(c->geo, level, way.index[level]);
		out->value = get_le32(block + out->byte);
		node = facts_find_nid(&c->facts, out->value, &room);
		if (level + 1 == way.depth)
			out->state = is_node_of(node, ino, offset) ? PLACE_TAKEN : PLACE_FREE;
		else if (!is_node_of(node, ino, way.offset[level]))
			node = NULL;
	}
	return 0;
}

bool node_hangs(const struct checker *c, const struct nid_fact *fact)
{
	const struct nid_fact *parent = fact->parent ? facts_nid(&c->facts, fact->parent) : NULL;

	return parent && parent->kind >= FACT_INODE && parent->ino == fact->ino && fact->place == fact->offset;
}

bool node_hangs_further(const struct checker *c, const struct nid_fact *fact)
{
	for (size_t i = further_parents_of(c, fact->nid); i < c->further_parents.count; i++) {
		const struct further_parent *further = vec_at(&c->further_parents, i);
		const struct nid_fact *parent = facts_nid(&c->facts, further->parent);

		if (further->nid != fact->nid)
			break;
		if (parent && parent->kind >= FACT_INODE && parent->ino == fact->ino && further->place == fact->offset)
			return true;
	}
	return false;
}

static bool is_same_place(const struct loose_node *a, const struct loose_node *b)
{
	return a->ino == b->ino && a->offset == b->offset;
}

/* Put the pointer to a loose node back, when its block is its own by the tables and its place is free. */
static int hang(struct checker *c, const struct loose_node *loose)
{
	const struct nid_fact *fact = facts_nid(&c->facts, loose->nid);
	struct tree_place place;
	struct block_view view;
	unsigned witnesses = WITNESS_NAT | WITNESS_FOOTER;
	int err = witness_view_tables(c, fact->addr, &view);

	if (err)
		return err;
	if (view.has_sum && view.sum_nid == fact->nid)
		witnesses |= WITNESS_SUMMARY;
	if (view.is_in_sit)
		witnesses |= WITNESS_SIT;
	if (!(witnesses & (WITNESS_SUMMARY | WITNESS_SIT)))
		return 0;
	err = tree_find_place(c, loose->ino, loose->offset, &place);
	if (err || place.state != PLACE_FREE || place.value == loose->nid)
		return err;
	return witness_amend_bytes(c, place.addr, place.byte, 4, loose->nid,
				   &(struct finding){ .problem = P_NODE_POINTER,
						      .nid = place.parent,
						      .ino = loose->ino,
						      .has_block = 1,
						      .block = place.addr,
						      .has_slot = 1,
						      .slot = place.slot,
						      .has_values = 1,
						      .found = place.value,
						      .expected = loose->nid,
						      .witnesses = (uint16_t)witnesses });
}

int tree_hang_loose(struct checker *c, const struct vec *loose)
{
	int err = 0;

	for (size_t i = 0, end; i < loose->count && !err; i = end) {
		const struct loose_node *first = vec_at(loose, i);

		for (end = i + 1; end < loose->count && is_same_place(first, vec_at(loose, end));)
			end++;
		if (end == i + 1) /* of several that claim one place none can be chosen */
			err = hang(c, first);
	}
	return err;
}

int loose_compare_places(const void *a, const void *b)
{
	const struct loose_node *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}
