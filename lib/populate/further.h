/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Further names of a file.
 */
#ifndef F2FSKIT_POPULATE_FURTHER_H
#define F2FSKIT_POPULATE_FURTHER_H

#include "populate/run.h"

/* Remember whether an inode made of an item has capabilities by a list. */
int populate_note_capable(struct populate *p, const struct source_item *item, f2fs_nid_t ino);
/*
 * The current item is a further name of an inode: do lists and rules give it the same attributes? A difference is a
 * problem.
 */
int populate_check_further(struct populate *p, const struct source_item *item, struct f2fs_inode *first);

#endif
