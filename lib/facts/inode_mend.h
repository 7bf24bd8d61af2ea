/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Correct the field of an inode that breaks a rule.
 */
#ifndef F2FSKIT_FACTS_INODE_MEND_H
#define F2FSKIT_FACTS_INODE_MEND_H

#include <stdbool.h>

#include "format/rules.h"

/* Correct the field that breaks the rule, in a copy of an inode's block. Returns false when no field can be corrected.
 */
bool inode_mend(const struct f2fs_geometry *geo, uint8_t *block, f2fs_nid_t nid, enum rule rule);
/*
 * Is an inode marked as holding data or entries inside although it has pointers to blocks? Returns the rule about the
 * type that cannot be inside. The kernel accepts such a file and follows the pointers. In such a directory it finds
 * nothing.
 */
enum rule inode_misread(const struct f2fs_geometry *geo, const uint8_t *block);
void inode_mend_misread(uint8_t *block);

/* Can this be the size of an inline directory? That is the size of the inode's room for entries, a multiple of 4 bytes.
 */
static inline bool dir_size_inside(const struct f2fs_geometry *geo, uint64_t size)
{
	return size != 0 && size % 4 == 0 && size <= geo->block_size;
}

#endif
