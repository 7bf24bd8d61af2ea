/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give an inode that is built again attributes that the kernel keeps.
 */
#include "witness/inode_attribute.h"

#include <string.h>

#include "format/inode.h"

#define NAME_BYTES 1u

/* Find where the next attribute goes. false: the attributes before it cannot be read. */
static bool find_end(const uint8_t *string, uint32_t size, uint32_t *offset)
{
	struct xattr_ref ref;
	enum xattr_scan scan;

	*offset = 0;
	while ((scan = xattr_next(string, size, offset, &ref)) == XATTR_FOUND)
		;
	if (*offset == 0)
		*offset = xhead_SIZE;
	return scan == XATTR_END && *offset <= size;
}

bool inode_add_attribute(const struct f2fs_geometry *geo, uint8_t *block, const struct inode_attribute *attribute)
{
	const uint32_t bytes = (uint32_t)xentry_SIZE + NAME_BYTES + attribute->size;
	struct inode_layout layout;
	uint8_t *string, *entry;
	uint32_t offset;

	inode_layout(geo, block, &layout);
	string = block + layout.xattr_offset;
	if (!find_end(string, layout.xattr_size, &offset) || bytes > layout.xattr_size - offset)
		return false;
	xhead_set_h_magic(string, XATTR_MAGIC);
	xhead_set_h_refcount(string, 1);
	entry = string + offset;
	memset(entry, 0, layout.xattr_size - offset);
	xentry_set_e_name_index(entry, (uint8_t)attribute->index);
	xentry_set_e_name_len(entry, NAME_BYTES);
	xentry_set_e_value_size(entry, (uint16_t)attribute->size);
	entry[xentry_SIZE] = (uint8_t)attribute->name;
	memcpy(entry + xentry_SIZE + NAME_BYTES, attribute->value, attribute->size);
	return true;
}
