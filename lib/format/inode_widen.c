/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move what an inode has behind its extra attributes, to make room for more of them. Slots count from the end of the
 * attributes, so summaries and other nodes stay true.
 */
#include "format/inode_widen.h"

#include <string.h>

#include "format/dentry.h"

enum { WIDE_WORDS = extra_SIZE / 4 };

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

/* Slots from the last that stays on must be empty. */
static bool move_slots(uint8_t *block, const struct inode_layout *from, const struct inode_layout *to)
{
	const size_t kept = (size_t)to->slots * 4;

	if (!is_zero(block + from->slot_offset + kept, (size_t)(from->slots - to->slots) * 4))
		return false;
	memmove(block + to->slot_offset, block + from->slot_offset, kept);
	return true;
}

static bool move_data(uint8_t *block, const struct inode_layout *from, const struct inode_layout *to)
{
	if (inode_i_size(block) > to->inline_size || get_le32(block + from->slot_offset) != 0)
		return false;
	memmove(block + to->inline_offset, block + from->inline_offset, to->inline_size);
	memset(block + to->slot_offset, 0, 4);
	return true;
}

/* Write the entries into a smaller area, one behind the other. */
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

bool inode_widen(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch)
{
	const uint32_t had = inode_extra_size(block);
	struct inode_layout from, to;
	bool is_done;

	if (inode_is_wide(block))
		return true;
	if (has_nodes(geo, block))
		return false;
	memcpy(scratch, block, geo->block_size);
	inode_layout(geo, block, &from);
	inode_set_i_inline(scratch, inode_i_inline(scratch) | FLAG_i_inline_extra_attr);
	extra_set_i_extra_isize(scratch + INODE_ADDR_OFFSET, extra_SIZE);
	inode_layout(geo, scratch, &to);
	if (to.extra_words != WIDE_WORDS || to.xattr_words != from.xattr_words)
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
	memset(block + INODE_ADDR_OFFSET + had, 0, extra_SIZE - had);
	inode_set_i_inline(block, inode_i_inline(block) | FLAG_i_inline_extra_attr);
	extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, extra_SIZE);
	return true;
}
