/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Delete entries that the source does not have.
 */
#ifndef F2FSKIT_POPULATE_DELETE_H
#define F2FSKIT_POPULATE_DELETE_H

#include "populate/run.h"

/* Note that the source has a name in a directory, and that a directory is one of the source's. */
int populate_saw(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
int populate_visited(struct populate *p, const struct f2fs_inode *dir);
/*
 * May the directory with the name of the current item be deleted, with all entries? NOT_EMPTY: some of them stay,
 * because patterns leave them out or they could not be read.
 */
int populate_may_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
/* Remove a name and, of a directory, all that is in it. */
int populate_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
/* Remove entries that the source does not have from all directories that it has. */
int populate_delete(struct populate *p);

#endif
