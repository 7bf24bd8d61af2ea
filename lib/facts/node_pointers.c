/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process the pointers of a node: claim blocks, give further nodes their parent and place, judge clusters by their
 * form, and note the blocks of directories and symlinks for later passes.
 */
#include <string.h>

#include "base/error.h"
#include "facts/alias.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/node_pointers.h"
#include "facts/run.h"
#include "facts/sweep.h"
#include "format/cluster.h"
#include "format/superblock.h"
#include "volume/block_read.h"

static int raise_pointer(struct checker *c, enum problem problem, const struct nid_fact *fact, uint32_t slot,
			 uint64_t found)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = fact->nid,
						   .ino = fact->ino,
						   .has_block = 1,
						   .block = fact->addr,
						   .has_slot = 1,
						   .slot = slot,
						   .has_values = 1,
						   .found = found });
}

static int note_dir_block(struct checker *c, uint32_t inode, f2fs_blk_t addr, uint64_t number)
{
	struct sweep_item *item = vec_push(&c->dir_addrs, 1);
	struct dir_block *block = vec_push(&c->dir_blocks, 1);

	if (!item || !block)
		return F2FS_ERR_NOMEM;
	item->addr = addr;
	item->tag = (uint32_t)c->dir_blocks.count - 1;
	block->inode = inode;
	block->number = (uint32_t)number;
	return 0;
}

static int note_target(struct checker *c, f2fs_nid_t ino, f2fs_blk_t addr)
{
	struct sweep_item *item = vec_push(&c->targets, 1);

	if (!item)
		return F2FS_ERR_NOMEM;
	item->addr = addr;
	item->tag = ino;
	return 0;
}

/* Is the target of a symlink text that a check can read, and that Linux wants? */
static bool has_plain_target(const struct inode_fact *inode)
{
	return inode->type == F2FS_TYPE_SYMLINK && inode->links != 0 && inode->size != 0 &&
	       !(inode->advise & FLAG_i_advise_encrypt);
}

/* A real address, or nothing that can be. */
static int take_address(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, uint32_t slot,
			f2fs_blk_t addr, uint64_t number)
{
	int err;

	if (cut_is_lost(c, addr))
		return cut_take_blocks(c, fact->ino, 1);
	if (!geometry_is_main(c->geo, addr))
		return raise_pointer(c, P_ADDRESS, fact, slot, addr);
	fact->owned++;
	if (number >= inode->ext_fofs && number - inode->ext_fofs < inode->ext_len &&
	    addr == inode->ext_blk + (number - inode->ext_fofs))
		inode->ext_seen++;
	err = facts_claim(&c->facts, addr, CLAIM_DATA, fact, slot);
	if (!err && inode->type == F2FS_TYPE_DIRECTORY)
		err = note_dir_block(c, fact->inode, addr, number);
	else if (!err && number == 0 && has_plain_target(inode))
		err = note_target(c, inode->ino, addr);
	return err;
}

static int take_cluster(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *slots,
			uint32_t first, uint64_t number)
{
	struct cluster_shape shape;
	const bool is_released = (inode->inlines & FLAG_i_inline_compress_released) != 0;
	int err = 0;

	if (cut_is_cluster(c, slots, inode->cluster_blocks))
		return cut_take_blocks(c, fact->ino, inode->cluster_blocks);
	cluster_classify(c->geo, slots, inode->cluster_blocks, &shape);
	if (shape.kind == CLUSTER_ILLEGAL)
		err = raise_pointer(c, P_CLUSTER, fact, first + shape.problem_slot,
				    get_le32(slots + (size_t)shape.problem_slot * 4));
	if (shape.kind == CLUSTER_COMPRESSED && !is_released)
		inode->compr_found += inode->cluster_blocks - shape.stored;
	for (uint32_t i = 0; i < inode->cluster_blocks && !err; i++) {
		const uint32_t value = get_le32(slots + (size_t)i * 4);

		if (value == F2FS_COMPRESS_ADDR)
			fact->owned = (uint16_t)(fact->owned + !is_released);
		else if (value == F2FS_NEW_ADDR)
			fact->owned++;
		else if (value != F2FS_NULL_ADDR)
			err = take_address(c, fact, inode, first + i, value, number + i);
	}
	return err;
}

static bool is_written(uint32_t addr)
{
	return addr != F2FS_NULL_ADDR && addr != F2FS_NEW_ADDR;
}

/* The file has a block in the last of these slots that leads to one. */
static void note_end(struct inode_fact *inode, const uint8_t *slots, uint32_t count, uint64_t number)
{
	while (count > 0 && !is_written(get_le32(slots + (size_t)(count - 1) * 4)))
		count--;
	if (inode->type == F2FS_TYPE_REGULAR && count > 0 && number + count > inode->end_found)
		inode->end_found = (uint32_t)(number + count);
}

static int take_slots(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *slots,
		      uint32_t count, uint64_t number)
{
	int err = 0;

	fact->owned = 0;
	note_end(inode, slots, count, number);
	if (inode->cluster_blocks) {
		for (uint32_t i = 0; i + inode->cluster_blocks <= count && !err; i += inode->cluster_blocks)
			err = take_cluster(c, fact, inode, slots + (size_t)i * 4, i, number + i);
		return err;
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		const uint32_t value = get_le32(slots + (size_t)i * 4);

		if (value == F2FS_NEW_ADDR)
			fact->owned++;
		else if (value != F2FS_NULL_ADDR)
			err = take_address(c, fact, inode, i, value, number + i);
	}
	return err;
}

/* Is a child an inode? If the NAT calls it one and it was not read yet, its footer decides. */
static bool is_inode(struct checker *c, const struct nid_fact *child)
{
	const uint8_t *block;

	if (child->ino != child->nid || child->kind != FACT_UNSEEN)
		return child->ino == child->nid && child->kind == FACT_INODE;
	if (volume_peek(c->vol, child->addr, &block) != 0) {
		error_clear(c->ctx);
		return true;
	}
	return footer_ino(node_footer(c->geo, block)) == child->nid;
}

/* Pointer slot of a node leads to node nid, which stands for this place in the file. */
static int take_child(struct checker *c, const struct nid_fact *fact, uint32_t slot, f2fs_nid_t nid, uint32_t place)
{
	const struct nid_fact *child;
	struct nid_fact *claimed;

	if (nid == 0 || c->is_recount)
		return 0;
	if (!geometry_is_nid(c->geo, nid) || nid == fact->ino)
		return raise_pointer(c, P_NODE_CHILD_RANGE, fact, slot, nid);
	child = facts_nid(&c->facts, nid);
	if (!child)
		return raise_pointer(c, P_NODE_CHILD_FREE, fact, slot, nid);
	if (is_inode(c, child))
		return raise_pointer(c, P_NODE_CHILD_OWNER, fact, slot, nid);
	if (child->flags & FACT_CLAIMED) {
		struct further_parent *further = vec_push(&c->further_parents, 1);

		if (!further)
			return F2FS_ERR_NOMEM;
		further->nid = nid;
		further->parent = fact->nid;
		further->place = place;
		return problem_raise(c, &(struct finding){ .problem = P_NODE_TWICE,
							   .nid = nid,
							   .ino = child->ino,
							   .has_slot = 1,
							   .slot = slot,
							   .has_values = 1,
							   .found = child->parent });
	}
	claimed = facts_edit_nid(&c->facts, nid);
	if (!claimed)
		return F2FS_ERR_NOMEM;
	claimed->flags |= FACT_CLAIMED;
	claimed->parent = fact->nid;
	claimed->place = place;
	return 0;
}

static int take_children(struct checker *c, const struct nid_fact *fact, const uint8_t *block)
{
	int err = take_child(c, fact, 5, inode_i_xattr_nid(block), XATTR_NODE_OFFSET);

	for (unsigned i = 0; i < 5 && !err; i++)
		err = take_child(c, fact, i, inode_nid(c->geo, block, i), node_offset_below_inode(c->geo, i));
	return err;
}

bool node_has_children(const struct f2fs_geometry *geo, const uint8_t *block)
{
	for (unsigned i = 0; i < 5; i++)
		if (inode_nid(geo, block, i) != 0)
			return true;
	return false;
}

static int raise_inside(struct checker *c, enum problem problem, const struct nid_fact *fact, uint64_t found)
{
	return raise_pointer(c, problem, fact, 0, found);
}

/* An inode that has its data or entries inside: the word in front is zero, nodes there are none. */
static int take_inside(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *block)
{
	const uint8_t *payload;
	struct inode_layout layout;
	uint32_t word;
	int err = 0;

	inode_layout(c->geo, block, &layout);
	payload = block + layout.inline_offset;
	word = get_le32(block + layout.slot_offset);
	if (word != 0)
		err = raise_inside(c, P_INLINE_WORD, fact, word);
	if (!err && node_has_children(c->geo, block))
		err = raise_inside(c, P_INLINE_NODES, fact, 0);
	if (!err && inode->type == F2FS_TYPE_DIRECTORY)
		err = note_dir_block(c, fact->inode, fact->addr, 0);
	else if (!err && !(inode->inlines & FLAG_i_inline_data_exist) && layout.inline_size > 0 &&
		 (payload[0] != 0 || memcmp(payload, payload + 1, layout.inline_size - 1) != 0))
		err = raise_inside(c, P_DATA_EXIST, fact, 0);
	if (!err && has_plain_target(inode) && layout.inline_size > 0 && payload[0] == 0)
		err = raise_inside(c, P_SYMLINK_TARGET, fact, 0);
	return err ? err : take_child(c, fact, 5, inode_i_xattr_nid(block), XATTR_NODE_OFFSET);
}

/* A device alias owns the blocks of a whole device by its extent (FORMAT volume 9.4). */
static int take_alias(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *block)
{
	const uint32_t offset = inode->ext_blk - c->geo->main_blkaddr;
	int err = take_child(c, fact, 5, inode_i_xattr_nid(block), XATTR_NODE_OFFSET);

	if (!err && !c->is_recount)
		err = alias_check(c, inode, block);
	for (uint32_t i = 0; i < inode->ext_len && !err; i++) {
		if (i % F2FS_SEGMENT_BLOCKS == 0) {
			struct seg_fact *seg = facts_seg_add(&c->facts, (offset + i) / F2FS_SEGMENT_BLOCKS);

			if (!seg)
				return F2FS_ERR_NOMEM;
			seg->flags |= SEG_ALIAS;
		}
		err = facts_claim(&c->facts, inode->ext_blk + i, CLAIM_DATA, fact, 0);
	}
	return err;
}

static int digest_inode_pointers(struct checker *c, struct nid_fact *fact, struct inode_fact *inode,
				 const uint8_t *block)
{
	struct inode_layout layout;
	int err;

	if (inode->state & INODE_ALIAS)
		return take_alias(c, fact, inode, block);
	if (!inode_fact_has_contents(inode)) {
		err = inode->type != F2FS_TYPE_UNKNOWN && node_has_children(c->geo, block)
			      ? raise_inside(c, P_SPECIAL_NODES, fact, 0)
			      : 0;
		return err ? err : take_child(c, fact, 5, inode_i_xattr_nid(block), XATTR_NODE_OFFSET);
	}
	if (inode_fact_is_inline(inode))
		return take_inside(c, fact, inode, block);
	inode_layout(c->geo, block, &layout);
	err = take_slots(c, fact, inode, block + layout.slot_offset, layout.slots, 0);
	return err ? err : take_children(c, fact, block);
}

int pointers_digest(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *block)
{
	int err = 0;

	switch (fact->kind) {
	case FACT_INODE:
		return digest_inode_pointers(c, fact, inode, block);
	case FACT_DIRECT:
		return take_slots(c, fact, inode, block, inode->node_slots,
				  node_first_block(c->geo, inode->slots, inode->node_slots, fact->offset));
	case FACT_DOUBLE:
	case FACT_INDIRECT:
		break;
	default:
		return 0;
	}
	for (uint32_t k = 0; k < c->geo->nids_per_block && !err; k++)
		err = take_child(c, fact, k, get_le32(block + (size_t)k * 4),
				 node_offset_below(c->geo, fact->offset, k));
	return err;
}
