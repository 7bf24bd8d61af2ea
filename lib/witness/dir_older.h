/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take entries of a directory from an older copy of their block.
 */
#ifndef F2FSKIT_WITNESS_DIR_OLDER_H
#define F2FSKIT_WITNESS_DIR_OLDER_H

#include "facts/run.h"

/*
 * For each block of a directory that holds no right entry, look for older copies of it in free blocks. An entry of a
 * copy comes back if its inode lacks a name. Needs the facts about entries. Call it only if some inode lacks a name.
 */
int dirs_take_older(struct checker *c);

#endif
