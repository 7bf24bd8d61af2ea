/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find files whose blocks are all shifted, because the inode has a wrong number of pointers.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_SHIFT_H
#define F2FSKIT_WITNESS_WITNESS_SHIFT_H

#include "facts/run.h"

/* Does something in the facts say that the blocks in a file's nodes are at wrong places? */
bool shift_is_likely(const struct checker *c, const struct inode_fact *inode);
/*
 * Examine such a file. Amends the inode when the size of the file or its extent says which division is right. common:
 * the number of pointers that most files have (fresh_layout.h).
 */
int witness_shift(struct checker *c, const struct inode_fact *inode, uint32_t common);

#endif
