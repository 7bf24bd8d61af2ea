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

/* Follow the way as far as it leads. *out: its last pointer, *level: the index of that, false in *is_read: none. */
static int follow(struct checker *c, f2fs_nid_t ino, const struct tree_way *way, struct tree_place *out,
		  unsigned *level, bool *is_read)
{
	struct nid_fact room;
	const struct nid_fact *node = facts_find_nid(&c->facts, ino, &room);

	*is_read = false;
	for (unsigned i = 0; i < way->depth && node; i++) {
		const uint8_t *block;
		int err = volume_peek(c->vol, node->addr, &block);

		*is_read = err == 0;
		if (err == F2FS_ERR_IO) {
			error_clear(c->ctx);
			return 0;
		}
		if (err)
			return err;
		*level = i;
		out->parent = node->nid;
		out->addr = node->addr;
		out->slot = way->index[i];
		out->byte = byte_of(c->geo, i, way->index[i]);
		out->value = get_le32(block + out->byte);
		node = facts_find_nid(&c->facts, out->value, &room);
		out->state = is_node_of(node, ino, way->offset[i]) ? PLACE_TAKEN : PLACE_FREE;
		if (out->state == PLACE_FREE)
			node = NULL;
	}
	return 0;
}

int tree_find_place(struct checker *c, f2fs_nid_t ino, uint32_t offset, struct tree_place *out)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	struct tree_way way;
	unsigned level = 0;
	bool is_read = false;
	int err = 0;

	out->state = PLACE_NONE;
	if (inode && find_way(c->geo, offset, &way) && has_tree(inode, offset)) {
		err = follow(c, ino, &way, out, &level, &is_read);
		if (!is_read || level + 1 != way.depth)
			out->state = PLACE_NONE;
	}
	return err;
}

int tree_find_gaps(struct checker *c, f2fs_nid_t ino, uint32_t offset, uint32_t gaps[TREE_MOST_GAPS], unsigned *count)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	const struct nid_fact *lost;
	struct tree_place last;
	struct tree_way way;
	unsigned level = 0;
	bool is_read;
	int err;

	*count = 0;
	if (!inode || !find_way(c->geo, offset, &way) || !has_tree(inode, offset))
		return 0;
	err = follow(c, ino, &way, &last, &level, &is_read);
	if (err || !is_read)
		return err;
	lost = geometry_is_nid(c->geo, last.value) ? facts_nid(&c->facts, last.value) : NULL;
	if (lost && node_is_lost_in_place(c, lost)) /* it is built again where it is, and the rest then has a way */
		return 0;
	for (; level + 1 < way.depth; level++)
		gaps[(*count)++] = way.offset[level];
	return 0;
}

uint32_t tree_parent_of(const struct f2fs_geometry *geo, uint32_t offset, uint32_t *slot)
{
	struct tree_way way;

	if (!find_way(geo, offset, &way))
		return 0;
	*slot = way.index[way.depth - 1];
	return way.depth > 1 ? way.offset[way.depth - 2] : 0;
}

bool node_hangs(const struct checker *c, const struct nid_fact *fact)
{
	const struct nid_fact *parent = fact->parent ? facts_nid(&c->facts, fact->parent) : NULL;

	return parent && parent->kind >= FACT_INODE && parent->ino == fact->ino && fact->place == fact->offset;
}

bool node_is_lost_in_place(const struct checker *c, const struct nid_fact *fact)
{
	const struct nid_fact *parent;

	if (fact->kind != FACT_BAD || fact->ino == fact->nid || !(fact->flags & FACT_CLAIMED) ||
	    fact->place == XATTR_NODE_OFFSET || further_parents_has(c, fact->nid))
		return false;
	parent = facts_nid(&c->facts, fact->parent);
	return parent && parent->kind >= FACT_INODE && parent->ino == fact->ino;
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

int tree_hang(struct checker *c, const struct loose_node *loose)
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
			err = tree_hang(c, first);
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
