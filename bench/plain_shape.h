/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shapes: an inode that the library wrote, with its blocks of entries, to be copied under other numbers. All inodes of
 * one level of a regular tree are the same but for these.
 */
#ifndef F2FSKIT_BENCH_PLAIN_SHAPE_H
#define F2FSKIT_BENCH_PLAIN_SHAPE_H

#include <f2fskit/f2fskit.h>

#define SHAPE_BLOCK 4096u
#define SHAPE_BLOCKS 32u /* most blocks of entries */
#define SHAPE_DIGITS 3	 /* a name is the number of the inode among its siblings */
#define PLAIN_LEVELS 4u	 /* the root, groups, directories, files */

struct shape {
	uint8_t inode[SHAPE_BLOCK];
	uint8_t blocks[SHAPE_BLOCKS][SHAPE_BLOCK];
	uint16_t slots[SHAPE_BLOCKS]; /* pointers of the inode that lead to them */
	uint32_t count;		      /* blocks of entries; 0: a file, or the entries are in the inode */
};

/* Numbers of a copy. */
struct family {
	f2fs_nid_t ino, parent;
	f2fs_nid_t first; /* first child; the others follow */
	uint32_t name;	  /* among its siblings */
};

/*
 * Make a small volume in memory and take a shape of each level from it. A directory of level i has fanout[i] entries,
 * at most 1000.
 */
int shapes_make(struct f2fs_context *ctx, const uint32_t *fanout, struct shape *shapes);
/* Copy an inode. addr: block that it will be in; entries: the first of its blocks, in the order of the shape. */
void shape_inode(const struct shape *shape, const struct f2fs_geometry *geo, const struct family *family,
		 f2fs_blk_t addr, f2fs_blk_t entries, uint8_t *out);
/* Copy block i of entries. */
void shape_entries(const struct shape *shape, const struct f2fs_geometry *geo, const struct family *family, uint32_t i,
		   uint8_t *out);

#endif
