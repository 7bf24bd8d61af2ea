/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build direct nodes again that are lost with all pointers to them. Summaries name the slots of their blocks, and the
 * rest of the file may show where the node was:
 *
 * - If the inode was not lost, i_size bounds the file. A pointer that is lost, because its node is built again or it
 *   leads to something else, is likelier than a zero in a sound node, which stands for a hole.
 * - An inode that was built again has no size of its own. There the node must fill the only gap of the file without a
 *   seam, or continue the file after its last block.
 *
 * Of several nodes or places none is chosen. Then the blocks become a file of their own (lost_branches.c).
 */
#include "witness/witness_direct.h"

#include <string.h>

#include "facts/node_digest.h"
#include "witness/lost_branches.h"
#include "witness/witness.h"
#include "witness/witness_inodes.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_tree.h"

#define MOST_PLACES 4096u /* of a file, 16 GiB with blocks of 4 KiB */

/* A lost node and its file. */
struct branch {
	struct nid_fact fact;
	struct inode_fact inode;
	const struct vec *blocks; /* struct branch_block */
	size_t first, end;	  /* the node's */
	bool is_rebuilt;	  /* the inode was lost, too */
	bool is_alone;		  /* no other node of the file is lost like this */
	uint32_t offset;	  /* its place, 0: unknown */
};

/* Places for a node. */
struct places {
	unsigned lost, free;	       /* whose pointers are lost, or are zero in a sound node */
	uint32_t lost_one, free_one;   /* the offset of one of them */
	uint32_t last;		       /* the offset of the last node of the file, 0: none */
	bool is_cut;		       /* a place has no node above it, or there are too many */
};

static const struct branch_block *block_of(const struct branch *b, size_t i)
{
	return vec_at(b->blocks, i);
}

static uint64_t first_block(const struct checker *c, const struct branch *b, uint32_t offset)
{
	return node_first_block(c->geo, b->inode.slots, b->inode.node_slots, offset);
}

/* Return the offset of the next direct node. */
static uint32_t next_direct(const struct f2fs_geometry *geo, uint32_t offset)
{
	do
		offset++;
	while (!node_offset_is_direct(geo, offset));
	return offset;
}

static uint32_t previous_direct(const struct f2fs_geometry *geo, uint32_t offset)
{
	do
		offset--;
	while (offset && !node_offset_is_direct(geo, offset));
	return offset;
}

/* Find the last direct node that the file has. */
static uint32_t find_last(const struct checker *c, f2fs_nid_t ino)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	uint32_t last = 0;

	while ((fact = facts_next_whole(&c->facts, &walk)) != NULL)
		if (fact->kind == FACT_DIRECT && fact->ino == ino && fact->offset > last && node_hangs(c, fact))
			last = fact->offset;
	return last;
}

/* Is the pointer to a free place lost? */
static bool is_pointer_lost(const struct checker *c, const struct tree_place *place)
{
	return place->value != 0 || amends_whole(&c->book->amends, place->addr) != NULL;
}

/* Look at the places of a file up to a block. */
static int find_places(struct checker *c, const struct branch *b, uint64_t end, struct places *out)
{
	const uint32_t reach = block_of(b, b->end - 1)->slot + 1;
	unsigned count = 0;
	int err = 0;

	*out = (struct places){ .last = find_last(c, b->fact.ino) };
	for (uint32_t offset = 1; !err && first_block(c, b, offset) < end; offset = next_direct(c->geo, offset)) {
		struct tree_place place;

		if (++count > MOST_PLACES) {
			out->is_cut = true;
			break;
		}
		err = tree_find_place(c, b->fact.ino, offset, &place);
		if (err || place.state == PLACE_TAKEN || first_block(c, b, offset) + reach > end)
			continue;
		out->is_cut |= place.state == PLACE_NONE;
		if (place.state == PLACE_FREE && is_pointer_lost(c, &place)) {
			out->lost++;
			out->lost_one = offset;
		} else if (place.state == PLACE_FREE) {
			out->free++;
			out->free_one = offset;
		}
	}
	return err;
}

/* Does a file have a block in the first or last slot of one of its nodes (0: the inode)? */
static int has_block(struct checker *c, const struct branch *b, uint32_t offset, bool is_last, bool *out)
{
	f2fs_blk_t addr = facts_nid(&c->facts, b->fact.ino)->addr;
	uint32_t byte = is_last ? b->inode.node_slots - 1u : 0;
	struct tree_place place;
	const uint8_t *block;
	int err = 0;

	*out = false;
	if (offset) {
		err = tree_find_place(c, b->fact.ino, offset, &place);
		if (err || place.state != PLACE_TAKEN)
			return err;
		addr = facts_nid(&c->facts, place.value)->addr;
	}
	err = witness_peek(c, addr, &block);
	if (err || !block)
		return err;
	byte *= 4;
	if (!offset) {
		struct inode_layout layout;

		inode_layout(c->geo, block, &layout);
		byte = layout.slot_offset + (is_last ? layout.slots - 1u : 0) * 4;
	}
	*out = get_le32(block + byte) != F2FS_NULL_ADDR;
	return 0;
}

/* Does the node fit there without a seam: no hole begins before it, or after it if the file continues? */
static int is_seamless(struct checker *c, const struct branch *b, uint32_t offset, bool continues, bool *out)
{
	const bool must_be_full = continues || !b->is_alone; /* another lost node follows at the end */
	bool has_before = false, has_after = !continues;
	int err = 0;

	*out = false;
	if (block_of(b, b->first)->slot != 0 || (must_be_full && b->end - b->first != b->inode.node_slots))
		return 0;
	err = has_block(c, b, previous_direct(c->geo, offset), true, &has_before);
	if (!err && continues)
		err = has_block(c, b, next_direct(c->geo, offset), false, &has_after);
	*out = !err && has_before && has_after;
	return err;
}

/* Find the one place for a node below a rebuilt inode. */
static int choose_without_size(struct checker *c, struct branch *b)
{
	const uint32_t last = find_last(c, b->fact.ino);
	struct places places = { 0 };
	struct tree_place place;
	uint32_t offset;
	bool fits = false;
	int err = last ? find_places(c, b, first_block(c, b, last), &places) : 0;

	if (err || places.is_cut || places.lost + places.free > 1)
		return err;
	offset = places.lost ? places.lost_one : places.free ? places.free_one : next_direct(c->geo, last);
	err = tree_find_place(c, b->fact.ino, offset, &place);
	if (!err && place.state == PLACE_FREE)
		err = is_seamless(c, b, offset, places.lost + places.free != 0, &fits);
	if (fits)
		b->offset = offset;
	return err;
}

/* Find the one place for a node below an inode with a size. */
static int choose_by_size(struct checker *c, struct branch *b)
{
	struct places places;
	int err = find_places(c, b, (b->inode.size + c->geo->block_size - 1) >> c->geo->block_bits, &places);

	if (err || places.is_cut || (!b->is_alone && places.lost + places.free != 1))
		return err;
	if (places.lost == 1)
		b->offset = places.lost_one;
	else if (places.lost == 0 && places.free == 1)
		b->offset = places.free_one;
	return 0;
}

/* Let a rebuilt inode end with the node's last block, if that is past its end. */
static int set_size(struct checker *c, const struct branch *b)
{
	const struct branch_block *last = block_of(b, b->end - 1);
	const uint64_t block = first_block(c, b, b->offset) + last->slot;
	uint32_t bytes;
	uint64_t size;
	int err;

	if (!b->is_rebuilt || b->inode.size > block << c->geo->block_bits)
		return 0;
	err = inode_bytes_in_last(c, last->addr, &bytes);
	if (err)
		return err;
	size = (block << c->geo->block_bits) + bytes;
	return witness_amend_instead(c, facts_nid(&c->facts, b->fact.ino)->addr, inode_OFS_i_size, 8, size);
}

static int build(struct checker *c, const struct branch *b)
{
	const struct loose_node node = { .ino = b->fact.ino, .nid = b->fact.nid, .offset = b->offset };
	const struct finding why = { .problem = P_NODE_REBUILT,
				     .nid = node.nid,
				     .ino = node.ino,
				     .has_block = 1,
				     .block = b->fact.addr,
				     .text = "the summaries of its blocks and the only place in the file" };
	uint8_t *block = mem_zalloc(c->ctx, c->geo->block_size);
	int err = block ? 0 : F2FS_ERR_NOMEM;

	for (size_t i = b->first; i < b->end && !err; i++)
		if (block_of(b, i)->slot < b->inode.node_slots)
			put_le32(block + (size_t)block_of(b, i)->slot * 4, block_of(b, i)->addr);
	if (!err) {
		rebuild_heads(block, b->inode.node_slots, b->inode.cluster_blocks);
		rebuild_footer(c, &b->fact, b->offset, false, block);
		err = witness_amend_block(c, b->fact.addr, block, &why);
	}
	if (!err)
		err = tree_hang(c, &node);
	if (!err)
		err = set_size(c, b);
	mem_free(c->ctx, block);
	return err;
}

static bool was_rebuilt(const struct checker *c, f2fs_nid_t ino)
{
	for (size_t i = 0; i < c->book->verdicts.count; i++) {
		const struct finding *verdict = vec_at(&c->book->verdicts, i);

		if (verdict->problem == P_INODE_REBUILT && verdict->ino == ino)
			return true;
	}
	return false;
}

static int choose(struct checker *c, struct branch *b)
{
	if (b->inode.type != F2FS_TYPE_REGULAR || inode_fact_is_inline(&b->inode) ||
	    (b->inode.state & (INODE_ALIAS | INODE_MENDED)))
		return 0;
	return b->is_rebuilt ? choose_without_size(c, b) : choose_by_size(c, b);
}

/* List the lost nodes. */
static int list_branches(struct checker *c, const struct vec *blocks, struct vec *branches)
{
	for (size_t i = 0; i < blocks->count; i = lost_branch_end(blocks, i)) {
		const struct branch_block *one = vec_at(blocks, i);
		const struct inode_fact *inode = facts_inode(&c->facts, one->ino);
		struct branch *b;

		if (!inode)
			continue;
		b = vec_push(branches, 1);
		if (!b)
			return F2FS_ERR_NOMEM;
		*b = (struct branch){ .fact = *facts_nid(&c->facts, one->nid),
				      .inode = *inode,
				      .blocks = blocks,
				      .first = i,
				      .end = lost_branch_end(blocks, i),
				      .is_rebuilt = was_rebuilt(c, one->ino) };
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->fact.ino != y->fact.ino)
		return x->fact.ino > y->fact.ino ? 1 : -1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Choose a place for each node. Nodes of the same file follow each other, without places. */
static int choose_all(struct checker *c, struct vec *branches)
{
	int err = 0;

	for (size_t i = 0, end; i < branches->count && !err; i = end) {
		const struct branch *first = vec_at(branches, i);

		for (end = i + 1; end < branches->count && compare_places(first, vec_at(branches, end)) == 0;)
			end++;
		for (size_t k = i; k < end; k++)
			((struct branch *)vec_at(branches, k))->is_alone = end == i + 1;
	}
	for (size_t i = 0; i < branches->count && !err; i++)
		err = choose(c, vec_at(branches, i));
	return err;
}

/* Build the nodes that have a place for themselves. The next vote places those that become the only ones by that. */
static int build_all(struct checker *c, struct vec *branches)
{
	int err = 0;

	vec_sort(branches, compare_places);
	for (size_t i = 0, end; i < branches->count && !err; i = end) {
		const struct branch *b = vec_at(branches, i);

		for (end = i + 1; end < branches->count && compare_places(b, vec_at(branches, end)) == 0;)
			end++;
		if (b->offset && end == i + 1)
			err = build(c, b);
	}
	return err;
}

int witness_direct(struct checker *c)
{
	struct vec blocks, branches;
	int err;

	vec_init(&blocks, c->ctx, sizeof(struct branch_block));
	vec_init(&branches, c->ctx, sizeof(struct branch));
	err = lost_branches_find(c, &blocks);
	if (!err)
		err = list_branches(c, &blocks, &branches);
	vec_sort(&branches, compare_places);
	if (!err)
		err = choose_all(c, &branches);
	if (!err)
		err = build_all(c, &branches);
	vec_fini(&blocks);
	vec_fini(&branches);
	return err;
}
