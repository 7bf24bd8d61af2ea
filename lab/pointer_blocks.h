/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the pointer blocks above blocks of a file, in the tree of F2FS: direct, indirect and double indirect nodes. A
 * log-structured file system whose pointers are addresses writes all of them with the blocks ("wandering tree").
 */
#ifndef F2FSKIT_LAB_POINTER_BLOCKS_H
#define F2FSKIT_LAB_POINTER_BLOCKS_H

#include <stdint.h>

/* Pointer blocks above the blocks first to last of a file, without the inode; each counts once. */
uint64_t lab_pointer_blocks(uint64_t first, uint64_t last);

#endif
