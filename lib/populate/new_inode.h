/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inodes as items describe them.
 */
#ifndef F2FSKIT_POPULATE_NEW_INODE_H
#define F2FSKIT_POPULATE_NEW_INODE_H

#include "populate/run.h"

/* Fill in the first fields of a new inode for an item. */
void populate_fill_new(const struct populate *p, const struct source_item *item, struct f2fs_new *spec);
/* Give an inode that is complete its item's flags and project id: they may forbid further changes. */
int populate_set_flags(struct populate *p, struct f2fs_inode *inode, const struct source_item *item);
/* Remember an inode of this run, where an item may come twice. */
int populate_note_made(struct populate *p, f2fs_nid_t ino);
/* Make a directory from an item and a list of attributes. */
int populate_make_dir(struct populate *p, struct f2fs_inode *parent, const char *name, size_t length,
		      const struct source_item *item, const struct vec *attributes, struct f2fs_inode **out);
/* Give an inode that exists an item's owner, mode, times and attributes. */
int populate_update(struct populate *p, struct f2fs_inode *inode, const struct source_item *item,
		    const struct vec *attributes);

#endif
