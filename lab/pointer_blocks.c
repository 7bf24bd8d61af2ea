/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of a file (FORMAT files 1.4): slots of the inode, two direct nodes, two indirect nodes, a double indirect
 * node.
 */
#include "lab/pointer_blocks.h"

enum { INODE_SLOTS = 923, NODE_SLOTS = 1018, SHORT_PATHS = 2 };

uint64_t lab_pointer_blocks(uint64_t first, uint64_t last)
{
	uint64_t n = 0;

	if (last < INODE_SLOTS)
		return 0;
	/* direct nodes, from 0; the first two hang on the inode */
	first = first < INODE_SLOTS ? 0 : (first - INODE_SLOTS) / NODE_SLOTS;
	last = (last - INODE_SLOTS) / NODE_SLOTS;
	n += last - first + 1;
	if (last < SHORT_PATHS)
		return n;
	/* indirect nodes above them; again the first two hang on the inode, the others on the double indirect one */
	first = first < SHORT_PATHS ? 0 : (first - SHORT_PATHS) / NODE_SLOTS;
	last = (last - SHORT_PATHS) / NODE_SLOTS;
	n += last - first + 1;
	return n + (last >= SHORT_PATHS);
}
