/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the slots or contents after the extra attributes of an inode, to make room for more of them or to take theirs.
 * Slots count from the end of the attributes, so summaries and other nodes stay true.
 */
#include "format/inode_widen.h"

#include <string.h>

#include "format/dentry.h"

bool inode_is_wide(const uint8_t *block)
{
	return inode_extra_size(block) >= extra_SIZE;
}

static bool has_nodes(const struct f2fs_geometry *geo, const uint8_t *block)
{
	bool any = false;

	for (unsigned i = 0; i < 5; i++)
		any |= inode_nid(geo, block, i) != 0;
	return any;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Slots that the inode loses must be empty. */
static bool move_slots(uint8_t *block, const struct inode_layout *from, const struct inode_layout *to)
{
	const size_t kept = (size_t)smaller(from->slots, to->slots) * 4, had = (size_t)from->slots * 4;

	if (!is_zero(block + from->slot_offset + kept, had - kept))
		return false;
	memmove(block + to->slot_offset, block + from->slot_offset, kept);
	memset(block + to->slot_offset + kept, 0, (size_t)to->slots * 4 - kept);
	return true;
}

static bool move_data(uint8_t *block, const struct inode_layout *from, const struct inode_layout *to)
{
	const size_t kept = smaller(from->inline_size, to->inline_size);

	if (inode_i_size(block) > to->inline_size || get_le32(block + from->slot_offset) != 0)
		return false;
	memmove(block + to->inline_offset, block + from->inline_offset, kept);
	memset(block + to->inline_offset + kept, 0, to->inline_size - kept);
	memset(block + to->slot_offset, 0, 4);
	return true;
}

/* Write the entries into an area of another size, without gaps. */
static bool move_entries(uint8_t *block, const struct inode_layout *from, const struct inode_layout *to,
			 const uint8_t *before)
{
	struct dentry_inline_geometry g;
	struct dentry_area area;
	struct dentry_ref entry;
	enum dentry_scan scan;
	uint8_t *payload = block + to->inline_offset;
	uint32_t slot = 0, next = 0, used = 0;

	dentry_area_of_inode(before, from, &area);
	dentry_inline_geometry(to->inline_size, &g);
	while ((scan = dentry_next(&area, &slot, &entry)) == DENTRY_FOUND)
		used += dentry_slots_of(entry.name_len);
	if (scan == DENTRY_BAD || used > g.slots || get_le32(before + from->slot_offset) != 0)
		return false;
	memset(block + to->slot_offset, 0, 4 + (size_t)to->inline_size);
	for (slot = 0; dentry_next(&area, &slot, &entry) == DENTRY_FOUND;) {
		const uint32_t count = dentry_slots_of(entry.name_len);

		memcpy(payload + g.entry_offset + (size_t)next * dentry_SIZE,
		       area.entries + (size_t)entry.slot * dentry_SIZE, dentry_SIZE);
		memcpy(payload + g.name_offset + (size_t)next * DENTRY_SLOT_BYTES, entry.name, entry.name_len);
		for (uint32_t i = 0; i < count; i++)
			lsb_set(payload, next + i);
		next += count;
	}
	if (inode_i_size(block) == from->inline_size)
		inode_set_i_size(block, to->inline_size);
	return true;
}

bool inode_resize_extra(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch, uint32_t bytes)
{
	const uint32_t had = inode_extra_size(block), flag = FLAG_i_inline_extra_attr;
	const uint8_t set = (uint8_t)((inode_i_inline(block) & ~flag) | (bytes ? flag : 0));
	struct inode_layout from, to;
	bool is_done;

	memcpy(scratch, block, geo->block_size);
	inode_layout(geo, block, &from);
	inode_set_i_inline(scratch, set);
	if (bytes)
		extra_set_i_extra_isize(scratch + INODE_ADDR_OFFSET, (uint16_t)bytes);
	inode_layout(geo, scratch, &to);
	if (to.extra_words != bytes / 4 || to.xattr_words != from.xattr_words)
		return false;
	memcpy(scratch, block, geo->block_size);
	if (inode_has_inline(block, FLAG_i_inline_inline_data))
		is_done = move_data(block, &from, &to);
	else if (inode_has_inline(block, FLAG_i_inline_inline_dentry))
		is_done = move_entries(block, &from, &to, scratch);
	else
		is_done = move_slots(block, &from, &to);
	if (!is_done)
		return false;
	inode_set_i_inline(block, set);
	if (bytes) {
		memset(block + INODE_ADDR_OFFSET + had, 0, bytes - had);
		extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, (uint16_t)bytes);
	}
	return true;
}

bool inode_widen(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch)
{
	if (inode_is_wide(block))
		return true;
	return !has_nodes(geo, block) && inode_resize_extra(geo, block, scratch, extra_SIZE);
}

bool inode_narrow(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch)
{
	if (!inode_has_inline(block, FLAG_i_inline_extra_attr))
		return true;
	return !has_nodes(geo, block) && inode_resize_extra(geo, block, scratch, 0);
}
