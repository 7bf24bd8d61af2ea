/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the entry of the volume at an item's path, and report about it.
 */
#ifndef F2FSKIT_COMPARE_SEEK_H
#define F2FSKIT_COMPARE_SEEK_H

#include "compare/run.h"

/* Report on a path (no slash in front). Negative: the run ends. */
int compare_tell(struct compare *c, const char *path, struct f2fs_difference *difference);
/* Report that a path cannot be read, for the error in the context, and claim nothing about its entries. */
int compare_unreadable(struct compare *c, const char *path);
/* Does an error end the run? */
bool compare_is_fatal(const struct compare *c, int err);
/*
 * Find the inode at a path in the volume, links not followed; *out is NULL when there is none. The source has it, if
 * sees.
 */
int compare_find(struct compare *c, const char *path, bool sees, struct f2fs_inode **out);
void compare_forget_parent(struct compare *c);

#endif
