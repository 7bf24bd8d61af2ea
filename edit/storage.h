/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change files one after the other.
 */
#ifndef F2FSKIT_EDIT_STORAGE_H
#define F2FSKIT_EDIT_STORAGE_H

#include "edit/run.h"

/* Run a change on each operand. Failure is reported. */
int edit_on_each(struct edit *e, const struct edit_call *call,
		 int (*change)(struct edit *e, struct f2fs_inode *inode, const char *name, void *user), void *user);

#endif
