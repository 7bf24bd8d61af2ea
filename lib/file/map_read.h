/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the blocks of files.
 */
#ifndef F2FSKIT_FILE_MAP_READ_H
#define F2FSKIT_FILE_MAP_READ_H

#include "file/object.h"

/* Judge the blocks at addr and after, of file blocks from file_block on: do they still hold their old data? */
int inode_judge(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t count);

/* A run of slots found by map_find(). */
struct map_run {
	const uint8_t *slots; /* raw words, valid until the next map_find() on the inode; NULL: a hole */
	uint64_t count;	      /* slots, or file blocks of the hole */
	f2fs_nid_t nid;	      /* node that holds the slots */
	uint32_t ofs_in_node; /* of the first */
};
/* Find the slot of a file block; NOT_FOUND beyond the end of the tree. When a node cannot be read, slots is NULL and
 * count is the number of file blocks lost with it. */
int map_find(struct f2fs_inode *inode, uint64_t file_block, struct map_run *out);

/*
 * Find the content of a file block, for all readers: like f2fs_inode_extent(), but the extent may end early once it has
 * the wanted number of blocks. When a node cannot be read, out->count is the number of file blocks lost with it. Slots
 * alone (map_find) do not know of blocks that wait in memory.
 */
int map_extent(struct f2fs_inode *inode, uint64_t file_block, uint64_t wanted, struct f2fs_file_extent *out);

#endif
