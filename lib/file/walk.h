/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walk a tree of directories.
 */
#ifndef F2FSKIT_FILE_WALK_H
#define F2FSKIT_FILE_WALK_H

#include "file/object.h"

/* Levels of a tree whose directories stay open while a walk is below them. Those further up are opened again when it
 * comes back, so that a level costs little, however many there are. */
#define NEAR_LEVELS 32u

/* f2fs_walk() without forgetting the last error. */
int walk_tree(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry), void *user);

#endif
