/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The extra fields before the pointers of an inode and the room for attributes after them say how many pointers it
 * has, and so which block of the file is the first one of its nodes (FORMAT files 3). If their size is wrong and zeros
 * are there, nothing in the inode contradicts it, but all blocks below its nodes are shifted. Two witnesses know the
 * right places: i_size, as a file has no written blocks past its end, and the extent, which names a block and its
 * address. Verity files have blocks past the end.
 */
#include "facts/facts.h"
#include "format/xattr.h"
#include "witness/witness.h"
#include "witness/witness_shift.h"

static uint64_t end_by_size(const struct checker *c, uint64_t size)
{
	return (size + c->geo->block_size - 1) >> c->geo->block_bits;
}

bool shift_is_likely(const struct checker *c, const struct inode_fact *inode)
{
	const uint64_t end = end_by_size(c, inode->size);

	if (inode->type != F2FS_TYPE_REGULAR || inode_fact_is_inline(inode) || inode->end_found <= inode->slots ||
	    (inode->state & (INODE_ASKED | INODE_ALIAS | INODE_RETYPED | INODE_HIDDEN)) ||
	    (inode->advise & FLAG_i_advise_verity))
		return false;
	return (inode->ext_len != 0 && inode->ext_seen == 0) ||
	       (inode->end_found > end && inode->end_found - end <= INODE_DEFAULT_XATTR_WORDS);
}

/* The block of the file that has an address, by its summary; false: nothing says it. */
static bool number_of(struct checker *c, const struct inode_fact *inode, const struct inode_layout *layout,
		      f2fs_blk_t addr, uint64_t *number, int *err)
{
	struct block_view view;
	const struct nid_fact *node;

	if (!geometry_is_main(c->geo, addr))
		return false;
	*err = witness_view_tables(c, addr, &view);
	node = !*err && view.has_sum && !view.is_node_sum ? facts_nid(&c->facts, view.sum_nid) : NULL;
	if (!node || node->ino != inode->ino || (view.sum_nid != inode->ino && node->kind != FACT_DIRECT))
		return false;
	*number = node_first_block(c->geo, layout->slots, layout->node_slots, node->offset) + view.sum_slot;
	return true;
}

enum extent_voice { EXTENT_SILENT, EXTENT_FITS, EXTENT_MISSES };

/* Are the first and the last block of the extent where it says that they are? */
static enum extent_voice hear_extent(struct checker *c, const struct inode_fact *inode,
				     const struct inode_layout *layout, int *err)
{
	const uint32_t last = inode->ext_len - 1;
	uint64_t from = 0, to = 0;

	if (inode->ext_len == 0 || !number_of(c, inode, layout, inode->ext_blk, &from, err) ||
	    !number_of(c, inode, layout, inode->ext_blk + last, &to, err))
		return EXTENT_SILENT;
	return from == inode->ext_fofs && to == (uint64_t)inode->ext_fofs + last ? EXTENT_FITS : EXTENT_MISSES;
}

/* A field that says where the pointers begin or end, and the value that it has in nearly all inodes. */
struct border {
	const char *name;
	uint32_t at, width, found, other;
};

static struct border end_of_pointers(const struct checker *c, const uint8_t *block)
{
	const uint8_t flags = inode_i_inline(block);

	if (geometry_has(c->geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR))
		return (struct border){ "i_inline_xattr_size", INODE_ADDR_OFFSET + extra_OFS_i_inline_xattr_size, 2,
					extra_i_inline_xattr_size(inode_extra(block)), INODE_DEFAULT_XATTR_WORDS };
	return (struct border){ "i_inline", inode_OFS_i_inline, 1, flags,
				flags ^ (uint8_t)FLAG_i_inline_inline_xattr };
}

/* common: the number of pointers that most files have */
static struct border start_of_pointers(const uint8_t *block, const struct inode_layout *now, uint32_t common)
{
	const bool has_extra = inode_has_inline(block, FLAG_i_inline_extra_attr);
	const uint32_t found = has_extra ? extra_i_extra_isize(inode_extra(block)) : 0;
	const int64_t other = found && common ? (int64_t)found + ((int64_t)now->slots - common) * 4 : 0;

	return (struct border){ "i_extra_isize", INODE_ADDR_OFFSET + extra_OFS_i_extra_isize, 2, found,
				other > 0 && other <= extra_SIZE ? (uint32_t)other : found };
}

static void move_border(uint8_t *block, const struct border *border)
{
	if (border->width == 1)
		block[border->at] = (uint8_t)border->other;
	else
		put_le16(block + border->at, (uint16_t)border->other);
}

/* May the inode be divided like this: does the moved border leave zeros, or attributes where they belong? */
static bool is_possible(const struct checker *c, const uint8_t *block, f2fs_nid_t ino, const struct inode_layout *now,
			const struct inode_layout *then)
{
	const uint32_t first = now->slot_offset < then->slot_offset ? now->slot_offset : then->slot_offset;
	const uint32_t last = now->slot_offset + then->slot_offset - first;
	const uint8_t *room = block + then->xattr_offset;

	return inode_check(&c->plain, block, ino, 0) == RULE_NONE && is_zero(block + first, last - first) &&
	       (is_zero(room, then->xattr_words * 4) ||
		(then->xattr_size >= xhead_SIZE && get_le32(room) == XATTR_MAGIC));
}

/* Try another value of a field. The book keeps it if the size of the file or its extent speaks for it. */
static int try_border(struct checker *c, const struct inode_fact *inode, f2fs_blk_t addr,
		      const struct inode_layout *now, const struct border *border)
{
	struct inode_layout then;
	bool ends_there;
	int err = 0;

	move_border(c->scratch, border);
	inode_layout(c->geo, c->scratch, &then);
	if (then.slots == now->slots || !is_possible(c, c->scratch, inode->ino, now, &then))
		return 0;
	/* a truncation to a larger size leaves a hole at the end, so only blocks past the end speak */
	ends_there = then.slots < now->slots &&
		     inode->end_found - now->slots + then.slots == end_by_size(c, inode->size);
	if (!ends_there && (hear_extent(c, inode, now, &err) != EXTENT_MISSES ||
			    hear_extent(c, inode, &then, &err) != EXTENT_FITS))
		return err;
	return err ? err
		   : witness_amend_bytes(c, addr, border->at, border->width, border->other,
					 &(struct finding){ .problem = P_INODE_FIELD,
							    .nid = inode->ino,
							    .ino = inode->ino,
							    .has_block = 1,
							    .block = addr,
							    .has_values = 1,
							    .found = border->found,
							    .expected = border->other,
							    .text = border->name,
							    .witnesses = WITNESS_SUMMARY | WITNESS_CONTENTS });
}

int witness_shift(struct checker *c, const struct inode_fact *inode, uint32_t common)
{
	const f2fs_blk_t addr = facts_nid(&c->facts, inode->ino)->addr;
	struct inode_layout now;
	struct border start, end;
	bool is_readable;
	int err = witness_copy_block(c, addr, &is_readable);

	if (err || !is_readable)
		return err;
	inode_layout(c->geo, c->scratch, &now);
	start = start_of_pointers(c->scratch, &now, common);
	end = end_of_pointers(c, c->scratch);
	err = try_border(c, inode, addr, &now, &end);
	if (err || c->must_restart || start.found == start.other)
		return err;
	end.other = end.found;
	move_border(c->scratch, &end);
	return try_border(c, inode, addr, &now, &start);
}
