/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of the changes that a run makes.
 */
#ifndef F2FSKIT_POPULATE_COMPRESS_H
#define F2FSKIT_POPULATE_COMPRESS_H

#include "populate/run.h"

/* Make p->ways from the options. */
int populate_ways_set(struct populate *p);
/* Create an inode for the current item, compressed or not according to the options. */
int populate_create(struct populate *p, struct f2fs_inode *dir, const char *name, const struct source_item *item,
		    const struct f2fs_new *spec, struct f2fs_inode **out);
/* Open an inode whose changes go by p->ways. */
int populate_open(struct populate *p, f2fs_nid_t ino, struct f2fs_inode **out);
/* Complete a file: store its waiting clusters, and release the saved blocks if that is wanted. */
int populate_compress_file(struct populate *p, struct f2fs_inode *inode);

#endif
