/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy one item into its directory.
 */
#ifndef F2FSKIT_POPULATE_ENTRY_H
#define F2FSKIT_POPULATE_ENTRY_H

#include "populate/run.h"

/* Copy the current item, which is no directory, to a name in a directory of the volume. */
int populate_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item);
/* Copy the current item, a directory, and enter it. */
int populate_directory(struct populate *p, struct f2fs_inode *parent, const char *name, struct source_item *item);

#endif
