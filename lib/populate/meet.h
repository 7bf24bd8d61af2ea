/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply the policy to a name that already exists in the volume.
 */
#ifndef F2FSKIT_POPULATE_MEET_H
#define F2FSKIT_POPULATE_MEET_H

#include "populate/run.h"

/* An entry that had the name of the current item and waits under another name until the item is made. */
struct populate_aside {
	char name[32]; /* "": there is nothing */
	bool is_tree;  /* a directory that is deleted with all its entries */
};

/*
 * An entry in dir has the name of the current item: set it aside, or leave it (*done), or refuse, by the policy.
 * populate_end_meet() must follow when it was neither left nor refused.
 */
int populate_meet(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item, bool *done,
		  struct populate_aside *aside);
/*
 * End after the item was made, or not (err, which is returned unless this fails, too): remove the entry set aside, or
 * put it back.
 */
int populate_end_meet(struct populate *p, struct f2fs_inode *dir, const char *name, const struct populate_aside *aside,
		      int err);

#endif
