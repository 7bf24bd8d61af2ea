/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stage deleted files outside the volume until it may change.
 */
#ifndef F2FSKIT_UNDELETE_STAGE_H
#define F2FSKIT_UNDELETE_STAGE_H

#include "undelete/undelete_run.h"

int undelete_stage_open(struct undelete *u);
/* Keep a file as it is at the block of its inode. */
int undelete_stage_take(struct undelete *u, const struct f2fs_deleted *file);
/* Write the contents of a regular file; blocks of zeros stay holes. */
int undelete_stage_write(struct undelete *u, const struct staged *s, struct f2fs_inode *inode);
/* Have directories come first, upper ones before those in them. */
int undelete_stage_sort(struct undelete *u);
void undelete_stage_close(struct undelete *u);
void undelete_policy_of(struct f2fs_inode *inode, struct undelete_policy *out);

#endif
