/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give an inode that is built again attributes that the kernel keeps.
 */
#ifndef F2FSKIT_WITNESS_INODE_ATTRIBUTE_H
#define F2FSKIT_WITNESS_INODE_ATTRIBUTE_H

#include "format/geometry.h"
#include "format/xattr.h"

/* An attribute whose name is one character. */
struct inode_attribute {
	enum xattr_index index;
	char name;
	const uint8_t *value;
	uint32_t size;
};

/* Add an attribute after those inside the inode. false: it does not fit there. */
bool inode_add_attribute(const struct f2fs_geometry *geo, uint8_t *block, const struct inode_attribute *attribute);

#endif
