/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the directories of the volume on the path of the current item.
 */
#ifndef F2FSKIT_POPULATE_PLACE_H
#define F2FSKIT_POPULATE_PLACE_H

#include "populate/run.h"

void populate_noted_free(struct populate_noted *noted);
/* Open the target and make it the first level. */
int populate_place_open(struct populate *p);
/*
 * Find or make the directory for the current item. *name is the last component of its path. The directory stays the
 * stack's, and is about to be changed.
 */
int populate_place_parent(struct populate *p, struct f2fs_inode **dir, const char **name);
/* The current item has become the directory dir (taken over) in the parent from populate_place_parent(): enter it. */
int populate_place_enter(struct populate *p, struct f2fs_inode *dir);
/* The current item is a directory to be made as soon as one of its entries is. */
int populate_place_note(struct populate *p, const struct source_item *item);
/* The current item is the top: give the target its attributes. */
int populate_place_top(struct populate *p, const struct source_item *item);
/* End after the last item: leave all directories, and delete surplus entries. */
int populate_place_end(struct populate *p);
/* Find the inode that a path below the target is in the volume, links not followed. When that fails *out is the last
 * one that was found on the way. */
int populate_place_find(struct populate *p, const char *path, f2fs_nid_t *out);
/* The same, and open it. */
int populate_place_lookup(struct populate *p, const char *path, struct f2fs_inode **out);

#endif
