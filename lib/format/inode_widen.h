/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give an inode block extra attributes of full size, or take them away (FORMAT files 2.2).
 */
#ifndef F2FSKIT_FORMAT_INODE_WIDEN_H
#define F2FSKIT_FORMAT_INODE_WIDEN_H

#include "format/inode.h"

/* Does the inode have room for all extra attributes that are known? */
bool inode_is_wide(const uint8_t *block);
/*
 * Give the inode all extra attributes, with zeros in the new ones. Slots and inline contents move within the block, and
 * each file block keeps its slot. So this works only when no node is below the inode, and when its contents need none
 * of the words that the attributes take. Otherwise returns false, and the block is unchanged. scratch has room for a
 * block.
 */
bool inode_widen(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch);
/* Take the extra attributes away, in the same way. What they say is lost: times of creation, checksum, project. */
bool inode_narrow(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch);
/*
 * The same for an inode with nodes, to bytes (extra_SIZE or 0) of extra attributes. File blocks change: the last slots
 * must be empty before the inode loses them, and new ones are empty. The caller moves the slots of the nodes
 * (file/slots_shift.h).
 */
bool inode_resize_extra(const struct f2fs_geometry *geo, uint8_t *block, uint8_t *scratch, uint32_t bytes);

#endif
