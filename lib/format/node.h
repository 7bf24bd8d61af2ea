/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Node blocks: footer, node offsets, and the way from a file block to its slot (FORMAT files 1). Pure arithmetic.
 */
#ifndef F2FSKIT_FORMAT_NODE_H
#define F2FSKIT_FORMAT_NODE_H

#include <stdbool.h>

#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"

/* Levels of a file's node tree: inode, double indirect, indirect, direct. */
#define NODE_LEVELS 4

/* An inode ends with the ids of five nodes: two direct, two indirect, one double indirect. */
#define INODE_NIDS 5u
#define INODE_NIDS_SIZE (INODE_NIDS * 4)

/* Bytes of a node in front of its footer. */
static inline uint32_t node_bytes(const struct f2fs_geometry *geo)
{
	return geo->block_size - footer_SIZE;
}

/* Return the byte of an inode where i_nid begins. The bytes before it are the inode's own. */
static inline uint32_t inode_nids_offset(const struct f2fs_geometry *geo)
{
	return node_bytes(geo) - INODE_NIDS_SIZE;
}

static inline const uint8_t *node_footer(const struct f2fs_geometry *geo, const uint8_t *block)
{
	return block + node_bytes(geo);
}

static inline uint8_t *node_footer_w(const struct f2fs_geometry *geo, uint8_t *block)
{
	return block + node_bytes(geo);
}

/* Place of a node in its file, from the footer's flag word. */
static inline uint32_t node_offset_of(const uint8_t *footer)
{
	return footer_flag(footer) >> 3;
}

/* Was it written by fsync, for a recovery? */
static inline bool node_is_fsynced(const uint8_t *footer)
{
	return (footer_flag(footer) & 2) != 0;
}

/* Where i_nid[i] of an inode block is, and its value. */
static inline uint8_t *inode_nid_w(const struct f2fs_geometry *geo, uint8_t *block, unsigned i)
{
	return block + inode_nids_offset(geo) + (size_t)i * 4;
}

static inline f2fs_nid_t inode_nid(const struct f2fs_geometry *geo, const uint8_t *block, unsigned i)
{
	return get_le32(block + inode_nids_offset(geo) + (size_t)i * 4);
}

static inline void inode_set_nid(const struct f2fs_geometry *geo, uint8_t *block, unsigned i, f2fs_nid_t nid)
{
	put_le32(inode_nid_w(geo, block, i), nid);
}

/* The way from the inode to a slot. */
struct node_path {
	unsigned depth;		     /* nodes below the inode: 0..3 */
	uint32_t index[NODE_LEVELS]; /* [0]: which i_nid (depth > 0) or the inode's slot; [l]: entry in the level-l node
				      */
	uint32_t node_offset[NODE_LEVELS]; /* node offset of the level-l node */
};

/*
 * Find the way to a file block; ai and ab are the usable slots of the inode and of a direct node. False when the block
 * is beyond the end of the tree.
 */
bool node_path_of(const struct f2fs_geometry *geo, uint32_t ai, uint32_t ab, uint64_t file_block,
		  struct node_path *out);
/* File blocks from the path's slot to the end of the subtree whose root is at a level (1..depth). */
uint64_t node_path_rest(const struct f2fs_geometry *geo, uint32_t ab, const struct node_path *path, unsigned level);
/* Return the offset of the node that i_nid[i] of an inode leads to (FORMAT files 1.4); i < INODE_NIDS. */
uint32_t node_offset_below_inode(const struct f2fs_geometry *geo, unsigned i);
/* Return the offset of the node that pointer k of an indirect node of this offset leads to; k < nids_per_block. */
uint32_t node_offset_below(const struct f2fs_geometry *geo, uint32_t offset, uint32_t k);
/* Does a node with this offset hold data addresses? The xattr node does not. */
bool node_offset_is_direct(const struct f2fs_geometry *geo, uint32_t ofs);
/* First file block covered by a direct node of this offset. */
uint64_t node_first_block(const struct f2fs_geometry *geo, uint32_t ai, uint32_t ab, uint32_t ofs);
/* Largest file size in blocks (FORMAT files 1.5). */
uint64_t node_max_file_blocks(const struct f2fs_geometry *geo, uint32_t ab);

#endif
