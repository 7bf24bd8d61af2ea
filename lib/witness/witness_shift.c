/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The room for attributes at the end of an inode says how many pointers it has, and so which block of the file is the
 * first one of its nodes (FORMAT files 3). If the room is wrong and holds only zeros, nothing in the inode contradicts
 * it, but all blocks below its nodes are shifted. Two witnesses know the right places: i_size, as a file seldom has
 * blocks past its end, and the extent, which names a block and its address.
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
	    (inode->state & (INODE_ASKED | INODE_ALIAS | INODE_RETYPED | INODE_HIDDEN)))
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

/* The field that says how large the room is, and the other value that it may have: what nearly all inodes have. */
struct room {
	const char *name;
	uint32_t at, width, found, other;
};

static struct room room_of(const struct checker *c, const uint8_t *block)
{
	const uint8_t flags = inode_i_inline(block);

	if (geometry_has(c->geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR))
		return (struct room){ "i_inline_xattr_size", INODE_ADDR_OFFSET + extra_OFS_i_inline_xattr_size, 2,
				      extra_i_inline_xattr_size(inode_extra(block)), INODE_DEFAULT_XATTR_WORDS };
	return (struct room){ "i_inline", inode_OFS_i_inline, 1, flags,
			      flags ^ (uint8_t)FLAG_i_inline_inline_xattr };
}

static void set_room(uint8_t *block, const struct room *room)
{
	if (room->width == 1)
		block[room->at] = (uint8_t)room->other;
	else
		put_le16(block + room->at, (uint16_t)room->other);
}

/* May the inode have this room: are there attributes in it, or zeros? */
static bool is_possible(const struct checker *c, const uint8_t *block, f2fs_nid_t ino,
			const struct inode_layout *layout)
{
	const uint8_t *room = block + layout->xattr_offset;
	const uint32_t size = layout->xattr_words * 4;

	return inode_check(&c->plain, block, ino, 0) == RULE_NONE &&
	       (is_zero(room, size) || (layout->xattr_size >= xhead_SIZE && get_le32(room) == XATTR_MAGIC));
}

int witness_shift(struct checker *c, const struct inode_fact *inode)
{
	const f2fs_blk_t addr = facts_nid(&c->facts, inode->ino)->addr;
	struct inode_layout now, then;
	struct room room;
	bool is_readable, ends_there;
	int err = witness_copy_block(c, addr, &is_readable);

	if (err || !is_readable)
		return err;
	room = room_of(c, c->scratch);
	inode_layout(c->geo, c->scratch, &now);
	set_room(c->scratch, &room);
	inode_layout(c->geo, c->scratch, &then);
	if (then.slots == now.slots || !is_possible(c, c->scratch, inode->ino, &then))
		return 0;
	/* who truncates a file to a larger size leaves a hole at its end, so only blocks past the end speak */
	ends_there = then.slots < now.slots &&
		     inode->end_found - now.slots + then.slots == end_by_size(c, inode->size);
	if (!ends_there && (hear_extent(c, inode, &now, &err) != EXTENT_MISSES ||
			    hear_extent(c, inode, &then, &err) != EXTENT_FITS))
		return err;
	return err ? err
		   : witness_amend_bytes(c, addr, room.at, room.width, room.other,
					 &(struct finding){ .problem = P_INODE_FIELD,
							    .nid = inode->ino,
							    .ino = inode->ino,
							    .has_block = 1,
							    .block = addr,
							    .has_values = 1,
							    .found = room.found,
							    .expected = room.other,
							    .text = room.name,
							    .witnesses = WITNESS_SUMMARY | WITNESS_CONTENTS });
}
