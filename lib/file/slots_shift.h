/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the slots of a file in its node tree, because its inode gets more of them or fewer.
 */
#ifndef F2FSKIT_FILE_SLOTS_SHIFT_H
#define F2FSKIT_FILE_SLOTS_SHIFT_H

#include "file/winode.h"

/*
 * Move all slots from first on by distance towards the end. The slots in front of them are empty then. Afterwards the
 * inode is to lose that many slots, which makes each block the file block that it was.
 */
int slots_shift_up(struct winode *w, uint64_t first, uint32_t distance);
/* The reverse, after the inode has got that many empty slots before first; nodes at the end that are empty go. */
int slots_shift_down(struct winode *w, uint64_t first, uint32_t distance);

#endif
