/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signs in an inode itself that its fields divide it wrongly. The contents begin or end where none should.
 */
#include "base/bitmap.h"
#include "facts/layout_signs.h"
#include "format/dentry.h"
#include "format/xattr.h"

bool layout_is_nearly_zero(const uint8_t *bytes, size_t length)
{
	return bitmap_popcount(bytes, length) <= 1;
}

bool layout_hides_attributes(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint32_t words = geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR)
				       ? extra_i_inline_xattr_size(inode_extra(block))
				       : INODE_DEFAULT_XATTR_WORDS;

	return words >= INODE_LEAST_XATTR_WORDS && words <= inode_most_xattr_words(geo) &&
	       get_le32(block + INODE_ADDR_OFFSET + (size_t)(geo->addrs_per_inode - words) * 4) == XATTR_MAGIC;
}

static bool has_data_after_end(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint64_t size = inode_i_size(block);
	struct inode_layout layout;

	if (!inode_has_inline(block, FLAG_i_inline_inline_data))
		return false;
	inode_layout(geo, block, &layout);
	return size < layout.inline_size &&
	       !is_zero(block + layout.inline_offset + size, layout.inline_size - (size_t)size);
}

bool layout_lacks_own_dot(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;
	struct dentry_area area;

	if (!inode_has_inline(block, FLAG_i_inline_inline_dentry))
		return false;
	inode_layout(geo, block, &layout);
	dentry_area_of_inode(block, &layout, &area);
	return !dentry_has_own_dot(&area, footer_nid(node_footer(geo, block)));
}

/* Are there attributes, in the inode or in a node, but no list of them begins where the room for them does? */
static bool lacks_magic(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;
	const uint8_t *room;

	inode_layout(geo, block, &layout);
	room = block + layout.xattr_offset;
	return layout.xattr_size >= xhead_SIZE && get_le32(room) != XATTR_MAGIC &&
	       (inode_i_xattr_nid(block) != 0 || !layout_is_nearly_zero(room, layout.xattr_size));
}

bool layout_lacks_target(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;

	if (f2fs_type_of_mode(inode_i_mode(block)) != F2FS_TYPE_SYMLINK || inode_i_size(block) == 0 ||
	    !inode_has_inline(block, FLAG_i_inline_inline_data) || (inode_i_advise(block) & FLAG_i_advise_encrypt))
		return false;
	inode_layout(geo, block, &layout);
	return block[layout.inline_offset] == 0;
}

bool inode_is_device(const uint8_t *block)
{
	const unsigned type = f2fs_type_of_mode(inode_i_mode(block));

	return type == F2FS_TYPE_CHARACTER || type == F2FS_TYPE_BLOCK;
}

bool layout_has_more_than_number(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;

	if (!inode_is_device(block))
		return false;
	inode_layout(geo, block, &layout);
	return layout.slots > 2 && !is_zero(block + layout.slot_offset + 8, (size_t)(layout.slots - 2) * 4);
}

bool layout_is_odd(const struct f2fs_geometry *geo, const uint8_t *block)
{
	return layout_lacks_own_dot(geo, block) || lacks_magic(geo, block) || layout_lacks_target(geo, block) ||
	       (!inode_has_inline(block, FLAG_i_inline_inline_xattr) && layout_hides_attributes(geo, block)) ||
	       has_data_after_end(geo, block) || layout_has_more_than_number(geo, block);
}
